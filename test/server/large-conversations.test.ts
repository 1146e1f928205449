// A large conversation stays with a thread, and everything is as if it had been read and written here: what is charged and held for it,
// what is refused, each byte that its provider is sent, and how the answer is read.

import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, KeptAnswer } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, type ClientFormat } from '#dialect/dialects.ts'
import { adapted } from '#pipeline/adapt.ts'
import { recalled } from '#pipeline/chat-body.ts'
import { countRequest, readDistantCount, readGivenCount } from '#pipeline/count-request.ts'
import { readDistant, type DistantPrepared, type DistantRequest } from '#pipeline/distant-request.ts'
import {
  answersOf,
  readRequest,
  type EndpointRequest,
  type OwnAnswers,
  type Prepared,
  type ReadMore,
} from '#pipeline/endpoints.ts'
import { plainTarget } from '#pipeline/prepare.ts'
import type { BodyKind } from '#pipeline/body-questions.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'
import type { BodyWorkerOptions } from '#server/bodies/body-worker.ts'
import type { BodyJob } from '#server/bodies/body-jobs.ts'
import { BodyWorker } from '#server/bodies/body-worker.ts'
import { LargeConversations } from '#server/bodies/large-conversations.ts'
import { LargeBodies } from '#server/bodies/large-bodies.ts'
import { ANSWERS, ASKING } from '../matrix/answers/all.ts'
import { answer, asSent, CLIENTS, PAIRS, PROVIDERS, UPSTREAM_MODELS, type Pair } from '../matrix/pair.ts'
import { REQUESTS } from '../matrix/requests/all.ts'
import { BAD_REQUESTS } from '../matrix/requests/bad.ts'
import { BODIES, TALK } from '../pipeline/random-talks.ts'
import { testProvider } from '../support/provider.ts'
import { isLong } from '../support/cases.ts'

const RUNS = isLong ? 3000 : 30
const CHAT = { format: 'chat', isCount: false } as const
const CALL = { format: 'messages', isCount: false } as const
const NOBODY: ReadonlySet<string> = new Set()

type Opened = { readonly worker: BodyWorker; readonly conversations: LargeConversations }
const opened: BodyWorker[] = []

/** Of any length: it is for the gateway to say which are large. */
function open(options: BodyWorkerOptions = {}): Opened {
  const worker: BodyWorker = new BodyWorker(options, () => conversations.lose())
  const conversations = new LargeConversations(worker)
  opened.push(worker)
  return { worker, conversations }
}

const shared = open()
opened.pop()
afterAll(() => shared.worker.close())
afterEach(() => Promise.all(opened.splice(0).map((worker) => worker.close())))

const conversation = (format: ClientFormat, text: string, asked?: AskedInPath) =>
  shared.conversations.open(Buffer.from(text), { format, isCount: false, asked })

const readHere = (format: ClientFormat, text: string, more: ReadMore = {}) =>
  readRequest(format, text, Buffer.byteLength(text), more)

/** At a model of one of the matrix's providers. */
function destinationOf({ provider: dialect }: Pick<Pair, 'provider'>, quirks = {}) {
  const provider = testProvider({ id: dialect, name: dialect, dialect, quirks })
  const target = { providerId: dialect, upstreamModel: UPSTREAM_MODELS[dialect], priority: 1, weight: 1 }
  return { provider, target, exchangeId: '01a1fc79-d4e6-7000-857c-a4383ac1ac29', nowMs: 1_795_240_000_000 }
}

function good<Value>(found: Value | Refusal): Value {
  if (isRefusal(found)) throw new Error(found.message)
  return found
}

async function expectSame(format: ClientFormat, text: string, { asked, own }: ReadMore = {}): Promise<void> {
  const here = readHere(format, text, { asked, own })
  const there = await readDistant(conversation(format, text, asked), own)
  if (isRefusal(here) || isRefusal(there)) return expect(there).toEqual(here)
  await expectSameRequest(there, here)
  for (const provider of PROVIDERS) {
    const destination = destinationOf({ provider })
    const [own, other] = [here.prepare(destination), await there.prepare(destination)]
    if (isRefusal(own) || isRefusal(other)) expect(other).toEqual(own)
    else await expectSameBodies(other, own)
  }
}

async function expectSameRequest(there: DistantRequest, here: EndpointRequest): Promise<void> {
  const plain = (request: DistantRequest | EndpointRequest) => JSON.parse(JSON.stringify(request)) as unknown
  const { inputBounds: _, ...others } = plain(here) as { readonly inputBounds: unknown }
  expect(plain(there)).toMatchObject(others)
  expect(there.affinity()).toBe(here.affinity())
  expect(await there.countable()).toEqual(here.countable())
  expect(there.inputBounds.references).toEqual(here.inputBounds.references)
  const count = (texts: readonly string[]) => Promise.resolve(texts.join('').length)
  for (const window of [0, 1000, 1_000_000]) {
    expect(there.inputBounds.most(window, ['gpt-4o-mini'])).toBe(here.inputBounds.most(window, ['gpt-4o-mini']))
    expect(await there.inputBounds.closer(count, window)).toBe(await here.inputBounds.closer(count, window))
  }
}

async function expectSameBodies(there: DistantPrepared, here: Prepared): Promise<void> {
  const { isPassed, isStream, path, dropped } = here
  expect(there).toMatchObject({ isPassed, isStream, path, dropped })
  expect(there.readError).toBe(here.readError)
  for (const cap of [1, 5000]) {
    const { body, leftOut } = good(await there.write(cap, NOBODY))
    if (typeof body === 'string') throw new Error('it would be copied')
    expect(Buffer.from(body).toString()).toBe(here.body(cap))
    expect(leftOut).toEqual([])
  }
}

describe.each(CLIENTS)('a conversation in the format %s', (format) => {
  const named = { ...REQUESTS[format], ...BAD_REQUESTS[format], 'for answers': ASKING[format] }

  it.each(Object.entries(named))('is the same there and here: %s', async (_, body) => {
    const { inBody, asked } = asSent(format, body)
    await expectSame(format, JSON.stringify(inBody, undefined, 1), { asked })
  })

  it.each([
    ['no JSON', '{"model":"m"'],
    ['no object', '["m"]'],
    ['a member twice', '{"model":"m","model":"n"}'],
    ['a member that is spelt in another way', '{"Model":"m"}'],
    ['another format', '{"model":"m","input":"Hello","max_tokens":1}'],
  ])('is refused there as here: %s', (_, text) => expectSame(format, text))

  it('is the same there and here whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(TALK, (talk) => expectSame(format, JSON.stringify(BODIES[format](talk)))),
      { numRuns: RUNS },
    )
  })

  it('loses the same members there and here', async () => {
    const text = JSON.stringify({ ...ASKING[format], temperature: 0.5, top_p: 0.5, output_config: { effort: 'low' } })
    const [here, there] = [good(readHere(format, text)), good(await readDistant(conversation(format, text)))]
    for (const provider of PROVIDERS) {
      const destination = destinationOf({ provider })
      const own = good(here.prepare(destination))
      if (own.isPassed) continue
      const whole = own.body(100)
      for (const untaken of [new Set(['temperature', 'nothing']), new Set(['max_tokens', 'output_config', 'top_p'])]) {
        const { body, leftOut, removable } = good(await good(await there.prepare(destination)).write(100, untaken))
        const expected = adapted(whole, untaken)
        expect({ body: Buffer.from(body).toString(), leftOut }).toEqual(expected)
        for (const name of [...Object.keys(JSON.parse(expected.body) as object), 'nothing']) {
          const canBe = adapted(expected.body, new Set([name])).body !== expected.body
          expect([name, removable.has(name)]).toEqual([name, canBe])
        }
      }
    }
  })
})

it.each(PAIRS.map((pair) => [pair.name, pair] as const))('reads answers as it would here: %s', async (_, pair) => {
  for (const stream of [true, false]) {
    const text = JSON.stringify({ ...ASKING[pair.client], stream })
    const there = good(await readDistant(conversation(pair.client, text)))
    for (const quirks of [{}, { stopsStreamsOnly: true }]) {
      const destination = destinationOf(pair, quirks)
      const own = good(good(readHere(pair.client, text)).prepare(destination))
      const other = good(await there.prepare(destination))
      for (const fixture of ANSWERS[pair.provider]) {
        const given = own.isStream ? fixture.stream : fixture.whole && JSON.stringify(fixture.whole)
        if (given === undefined) continue
        const chunks = [Buffer.from(given)]
        expect(answer(other, chunks)).toEqual(answer(own, chunks))
      }
    }
  }
})

describe('a conversation that names earlier answers', () => {
  const BEFORE = { role: 'user', content: 'My name is Ada.' }
  const NAMED = [{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_2' }, { role: 'user', content: 'And?' }]
  const keptOf = (name: string, more: Partial<KeptAnswer> = {}): KeptAnswer => {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `What ${name} said.` }] }
    const items = [{ id: `msg_${name}`, text: JSON.stringify(item) }]
    const [itemIds, asked] = [items.map(({ id }) => id), JSON.stringify(BEFORE)]
    return { id: `resp_${name}`, itemIds, items: () => items, length: 100, asked, previousId: undefined, ...more }
  }
  const ownOf = (...answers: readonly KeptAnswer[]): OwnAnswers => {
    const memory = new AnswerMemory({ monotonicMs: () => 0, keptMs: 1000 })
    for (const answer of answers) memory.keep('key', answer)
    return { answers: memory, keyId: 'key' }
  }
  const known = (name: string) => keptOf(name, { providerId: 'responses' })
  const textOf = (members: object) => JSON.stringify({ model: 'm', ...members })

  it.each<[string, object, readonly KeptAnswer[]]>([
    ['items', { input: NAMED }, [keptOf('1'), keptOf('2')]],
    ['items that nobody knows', { input: NAMED }, []],
    ['items of which one is known', { input: NAMED }, [keptOf('2')]],
    ['items that a provider knows', { input: NAMED }, [known('1'), known('2')]],
    ['items of which a provider knows one', { input: NAMED }, [keptOf('1'), known('2')]],
    ['an item twice', { input: [NAMED[0], NAMED[0]] }, [keptOf('1')]],
    ['its last answer', { input: 'And?', previous_response_id: 'resp_1' }, [keptOf('1')]],
    ['a last answer that a provider knows', { input: 'And?', previous_response_id: 'resp_1' }, [known('1')]],
    ['a last answer that nobody knows', { input: 'And?', previous_response_id: 'resp_0' }, [known('1')]],
    [
      'the last of several',
      { input: NAMED, previous_response_id: 'resp_2' },
      [keptOf('1'), keptOf('2', { previousId: 'resp_1' })],
    ],
    [
      'the last of several that are not all known',
      { input: 'And?', previous_response_id: 'resp_2' },
      [keptOf('2', { previousId: 'resp_1' })],
    ],
    [
      'answers that name each other',
      { input: 'And?', previous_response_id: 'resp_2' },
      [keptOf('1', { previousId: 'resp_2' }), keptOf('2', { previousId: 'resp_1' })],
    ],
  ])('is the same there and here: %s', async (_, members, answers) => {
    await expectSame('responses', textOf(members), { own: ownOf(...answers) })
    const counting = { format: 'responses', isCount: true } as const
    await expectSameCount(counting, textOf(members), ownOf(...answers))
  })

  it('names too much there as here', async () => {
    const answers = ['1', '2', '3', '4', '5', '6'].map((name) => keptOf(name, { asked: `"${'x'.repeat(900_000)}"` }))
    const chain = answers.map((answer, index) => ({ ...answer, previousId: index === 0 ? undefined : `resp_${index}` }))
    const own = ownOf(...chain)
    const text = textOf({ input: 'And?', previous_response_id: 'resp_6' })
    expect(readHere('responses', text, { own })).toMatchObject({ code: 'request_too_large' })
    expect(await readDistant(conversation('responses', text), own)).toMatchObject({ code: 'request_too_large' })
  })

  it.each<[string, object]>([
    ['says everything', { input: [BEFORE] }],
    ['says more than is remembered', { input: 'x'.repeat(1_100_000) }],
    ['is not to be remembered', { input: [BEFORE], store: false }],
    ['names items', { input: NAMED }],
    ['goes on', { input: [BEFORE], previous_response_id: 'resp_1' }],
    ['goes on from what nobody knows', { input: [BEFORE], previous_response_id: 'resp_0' }],
  ])('leaves an answer that is remembered as here: one that %s', { timeout: 60_000 }, async (_, members) => {
    for (const provider of PROVIDERS) {
      for (const stream of [false, true]) {
        const fixtures = ANSWERS[provider].flatMap(
          ({ stream: events, whole }) => (stream ? events : whole && JSON.stringify(whole)) ?? [],
        )
        for (const given of fixtures.slice(0, 3)) {
          const [atHome, abroad] = [ownOf(keptOf('1'), known('2')), ownOf(keptOf('1'), known('2'))]
          const text = textOf({ stream, ...members })
          const here = good(readHere('responses', text, { own: atHome }))
          const there = good(await readDistant(conversation('responses', text), abroad))
          const destination = destinationOf({ provider })
          const [own, other] = [here.prepare(destination), await there.prepare(destination)]
          if (isRefusal(own) || isRefusal(other)) {
            expect(other).toEqual(own)
            continue
          }
          const chunks = [Buffer.from(given)]
          const told = answer(own, chunks)
          expect(answer(other, chunks)).toEqual(told)
          for (const id of new Set(JSON.stringify(told).match(/(?:resp|msg)_\w+/g)))
            expect(found(abroad, id)).toEqual(found(atHome, id))
          expect(abroad.answers.bytes).toBe(atHome.answers.bytes)
        }
      }
    }
  })

  function found({ answers }: OwnAnswers, id: string) {
    const kept = answers.of('key')?.answer(id)
    return kept && { ...kept, items: kept.items() }
  }
})

async function expectSameCount(kind: BodyKind, text: string, own?: OwnAnswers): Promise<void> {
  const given = readGivenCount(CLIENT_DIALECTS[kind.format], text, Buffer.byteLength(text), kind.asked)
  const read = isRefusal(given) ? given : recalled(given, answersOf(own))
  const counting = shared.conversations.open(Buffer.from(text), kind)
  const [here, there] = [isRefusal(read) ? read : countRequest(read), await readDistantCount(counting, own)]
  if (isRefusal(here) || isRefusal(there)) return expect(there).toEqual(here)
  expect(there.model).toBe(here.model)
  expect(await there.countable()).toEqual(await here.countable())
  for (const provider of PROVIDERS) {
    const destination = destinationOf({ provider })
    const target = plainTarget(destination.provider, destination.target)
    const [ours, theirs] = [await here.write(target), await there.write(target)]
    if (ours === undefined || isRefusal(ours)) expect(theirs).toEqual(ours)
    else expect(theirs).toEqual({ ...ours, body: new TextEncoder().encode(String(ours.body)) })
  }
}

describe('a conversation whose tokens are to be counted', () => {
  const named = { ...REQUESTS.messages, ...BAD_REQUESTS.messages, 'without a cap': { model: 'm', messages: [] } }

  it.each(Object.entries(named))('is the same there and here: %s', async (_, body) => {
    await expectSameCount({ format: 'messages', isCount: true }, JSON.stringify(body, undefined, 1))
  })

  it.each(Object.entries(REQUESTS.gemini))('is the same there and here in the words of Gemini: %s', async (_, body) => {
    const { model, stream: __, ...inner } = body
    const asked = { model: String(model), method: 'countTokens', isEvents: false }
    for (const counted of [inner, { generateContentRequest: inner }])
      await expectSameCount({ format: 'gemini', isCount: true, asked }, JSON.stringify(counted))
  })
})

describe('the main thread', () => {
  const content = 'A long "text".\n'.repeat(200_000)
  const LONGEST = 10_000

  it.each(PROVIDERS)('has nothing of a large conversation to parse or to write for %s', async (provider) => {
    const bodies = new LargeBodies()
    const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], max_tokens: 10 })
    const distant = bodies.conversation(Buffer.from(text), CALL, 0)
    if (distant === undefined) throw new Error('it is not large')
    const [parse, stringify] = [vi.spyOn(JSON, 'parse'), vi.spyOn(JSON, 'stringify')]
    try {
      const request = good(await readDistant(distant))
      const prepared = good(await request.prepare(destinationOf({ provider })))
      const { body } = good(await prepared.write(5, NOBODY))
      expect(body.length).toBeGreaterThan(content.length)
      expect(Math.max(0, ...parse.mock.calls.map(([parsed]) => parsed.length))).toBeLessThan(LONGEST)
      const written = stringify.mock.results.map(({ value }) => String(value).length)
      expect(Math.max(0, ...written)).toBeLessThan(LONGEST)
    } finally {
      parse.mockRestore()
      stringify.mockRestore()
      await bodies.close()
    }
  })

  it('has a thread for a long one, and for one of many parts, but for no other', () => {
    const [most, more] = [1024 * 1024, 1024 * 1024 + 1].map((length) => Buffer.alloc(length, 0x20))
    const isKept = (body = Buffer.alloc(0), parts = 0) =>
      new LargeBodies().conversation(body, CALL, parts) !== undefined
    expect([isKept(most, 9999), isKept(more, 0), isKept(most, 10_000)]).toEqual([false, true, true])
  })
})

describe('a thread', () => {
  const TEXT = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(9_000_000) }] })
  const thread = (code: string) => {
    const script = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (job) => { ${code} })`
    return new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  }
  const destination = destinationOf({ provider: 'messages' })

  it('that has forgotten a conversation for others reads it again', async () => {
    const { conversations, worker } = open()
    const all = ['a', 'b', 'c'].map((name) => conversations.open(Buffer.from(TEXT.replace('"m"', `"${name}"`)), CHAT))
    const requests = await Promise.all(all.map(async (one) => good(await readDistant(one))))
    for (const [index, request] of [...requests.entries(), ...requests.entries()]) {
      const prepared = good(await request.prepare(destination))
      const { body } = good(await prepared.write(10, NOBODY))
      expect(Buffer.from(body).toString()).toContain(UPSTREAM_MODELS.messages)
      expect(request.model).toBe(['a', 'b', 'c'][index])
    }
    for (const one of all) one.forget()
    expect(await all[0]?.ask<'read'>({ type: 'read' })).toMatchObject({ asked: { model: 'a' } })
    await worker.close()
  })

  it('gives back the memory of a conversation whose call is over, and of no other', async () => {
    const { conversations, worker } = open()
    const [over, other] = [1, 2].map(() => Buffer.from(TEXT))
    if (over === undefined || other === undefined) throw new Error('no bodies')
    const kept = conversations.open(other, CHAT)
    conversations.open(over, CHAT).end()
    expect(over.byteLength).toBe(0)
    expect(good(await readDistant(kept)).model).toBe('m')
    await worker.close()
  })

  it('forgets fewer conversations that are made of little than of much', async () => {
    const told: BodyJob[] = []
    const worker = { run: () => Promise.resolve(false), tell: (job: BodyJob) => void told.push(job) }
    const conversations = new LargeConversations(worker)
    for (const parts of [0, 100_000, 0, 50_000, 0]) {
      conversations.keep(conversations.open(Buffer.alloc(100_000), CHAT, parts))
      told.push({ type: 'next' })
    }
    const forgotten = told.map((job) => (job.type === 'forget' ? job.id : job.type))
    expect(forgotten).toEqual(['next', 'next', 'next', 1, 2, 'next', 'next'])
  })

  it('that was ended for lack of work is started again', async () => {
    const { conversations } = open({ idleMs: 1 })
    const one = conversations.open(Buffer.from(TEXT), CHAT)
    const request = good(await readDistant(one))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(good(await request.prepare(destination))).toMatchObject({ isPassed: false })
  })

  it.each([
    ['breaks', 'throw new Error()'],
    ['hangs', 'for (;;);'],
  ])('that %s costs the call that it had, and no other', async (_, code) => {
    const { conversations } = open({ script: thread(code), hangMs: 500 })
    const lost = conversations.open(Buffer.from(TEXT), CHAT)
    expect(await readDistant(lost)).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    expect(await lost.ask<'countable'>({ type: 'countable' })).toMatchObject({ code: 'overloaded' })
  })

  it('that makes a mistake says so, and goes on', async () => {
    const code = `parentPort.postMessage({ type: 'fault', error: new Error('a mistake'), bytes: job.bytes })`
    const { conversations } = open({ script: thread(code) })
    const one = conversations.open(Buffer.from(TEXT), CHAT)
    await expect(readDistant(one)).rejects.toThrow('a mistake')
    await expect(readDistant(one)).rejects.toThrow('a mistake')
  })

  it('refuses what is no UTF-8', async () => {
    const one = shared.conversations.open(Buffer.alloc(3_000_000, 0xff), CHAT)
    expect(await readDistant(one)).toMatchObject({ code: 'invalid_request', message: 'The body is not valid UTF-8.' })
  })
})
