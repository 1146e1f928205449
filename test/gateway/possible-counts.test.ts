// Counts that are possible are charged as they are, and stop no stream. Counts that are impossible are not believed, in any format.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import type { Behaviour, WireUsage } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, DIALECTS, FORMATS, formatOf, PAIRS, startFormats, type Dialect, type Format } from './formats.ts'
import { chat, eventData, expectError, post, usageOf, type Pair } from './support.ts'

const CONTEXT = 8192
const CAP = 50
/** In credits: far more than the 12 characters cost that are delivered, and far less than any of the counts. */
const MAX_CHARGE = 0.000_2
const TEXT = 'Hello there!'

let pair: Pair
let names = 0
let name = ''
let key = ''

beforeAll(async () => {
  pair = await startFormats({ packages: [{ name: 'ten', type: 'topup', credits: 10 }] })
  for (const dialect of DIALECTS) {
    const targets = [{ provider: dialect, model: `small-${dialect}` }]
    await pair.farebox.admin.call('addModel', {
      body: chatModel(`small-${dialect}`, { context_window: CONTEXT, targets }),
    })
  }
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

async function freshKey(plan = 'ten'): Promise<void> {
  name = `counts ${++names}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: plan } }))
}

async function ignoredCaps(): Promise<unknown[]> {
  const { targets } = await pair.farebox.admin.call('status', {})
  return targets.flatMap(({ ignored_cap: ignored }) => (ignored === null ? [] : [ignored]))
}

const CAPS: Readonly<Record<Format['name'], (cap: number) => object>> = {
  chat: (cap) => ({ max_tokens: cap }),
  messages: (cap) => ({ max_tokens: cap }),
  responses: (cap) => ({ max_output_tokens: cap }),
  gemini: (cap) => ({ generationConfig: { maxOutputTokens: cap } }),
}

type Class = 'input' | 'read' | 'write' | 'output' | 'reasoning'
type Counts = Partial<Record<Class, unknown>>

const openai = (
  { input = 19, read, write, output = 5, reasoning }: Counts,
  [prompt, completion]: [string, string],
) => ({
  [`${prompt}_tokens`]: input,
  [`${prompt}_tokens_details`]: { cached_tokens: read, cache_write_tokens: write },
  [`${completion}_tokens`]: output,
  [`${completion}_tokens_details`]: { reasoning_tokens: reasoning },
})

const USAGES: Readonly<Record<Dialect, (counts: Counts) => WireUsage>> = {
  'chat-completions': (counts) => openai(counts, ['prompt', 'completion']),
  responses: (counts) => openai(counts, ['input', 'output']),
  messages: ({ input = 19, read, write, output = 5, reasoning }) => ({
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
  }),
  gemini: ({ input = 19, read, output = 5, reasoning }) => ({
    promptTokenCount: input,
    cachedContentTokenCount: read,
    candidatesTokenCount: output,
    thoughtsTokenCount: reasoning,
  }),
}

/** An unsigned -1, beyond all reason, beyond the context, beyond the cap, and no counts. */
const IMPOSSIBLE = [4_294_967_295, 1e308, 1e9, CONTEXT + 1, -1, '7', null, [7]]
const CLASSES: readonly Class[] = ['input', 'read', 'write', 'output', 'reasoning']

describe.each(PAIRS)('%s', (_, format, dialect) => {
  it.each([false, true])('charges what was delivered where a count is impossible, streamed: %s', async (stream) => {
    await freshKey()
    let calls = 0
    for (const [index, impossible] of IMPOSSIBLE.entries()) {
      for (const of of CLASSES) {
        // The cap bounds no input.
        const value = of === 'output' && index === 3 ? 5 * CAP : impossible
        pair.upstream.script({ type: 'answer', text: TEXT, usage: USAGES[dialect]({ [of]: value }) })
        const members = { model: `small-${dialect}`, stream, ...CAPS[format.name](CAP) }
        const response = await ask(pair, format, { key, members })
        expect([response.status, (await response.text()).includes('there!')]).toEqual([200, true])
        calls += 1
      }
    }
    const records = await usageOf(pair.farebox, name)
    expect(records).toHaveLength(calls)
    for (const record of records) {
      expect(record.charge_credits).toBeGreaterThan(0)
      expect(record.charge_credits).toBeLessThan(MAX_CHARGE)
      const counts = [record.input_tokens, record.cache_read_tokens, record.cache_write_tokens, record.output_tokens]
      for (const count of [...counts, record.reasoning_tokens]) expect(count ?? 0).toBeLessThan(CONTEXT)
    }
    expect(await ignoredCaps()).toEqual([])
  })
})

describe('a count that is impossible', () => {
  it.each([
    ['1e400', '"prompt_tokens":19,"completion_tokens":1e400'],
    ['an unsigned -1 in the total alone', '"total_tokens":4294967295'],
    ['an input and a total of it', '"prompt_tokens":4294967295,"total_tokens":4294967295'],
  ])('is charged as what was delivered: %s', async (_, usage) => {
    await freshKey()
    const answer = `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"${TEXT}"},"finish_reason":"stop"}],"usage":{${usage}}}`
    pair.upstream.script({ type: 'raw', contentType: 'application/json', parts: [answer] })
    await (await chat(pair.farebox, key, { model: 'small-chat-completions', max_tokens: CAP })).text()
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ usage_source: 'estimated', overrun: false })
    expect(record?.charge_credits).toBeLessThan(MAX_CHARGE)
  })

  it.each([
    ['embeddings', '/v1/embeddings', { model: 'embed', input: 'Hello' }],
    ['a text completion', '/v1/completions', { model: 'small-chat-completions', prompt: 'Hello', max_tokens: CAP }],
  ])('is none of %s', async (_, path, body) => {
    await pair.farebox.admin.call('apply', {
      body: {
        document: {
          models: [
            chatModel('embed', {
              kind: 'embedding',
              context_window: CONTEXT,
              price: { input: 1, output: 2 },
              targets: [{ provider: 'chat-completions', model: 'embed' }],
            }),
          ],
        },
      },
    })
    for (const [prompt_tokens, total_tokens] of [
      [4_294_967_295, 4_294_967_295],
      [5, 4_294_967_295],
      [5, 999_999_999],
      [CONTEXT + 1, CONTEXT + 1],
    ]) {
      await freshKey()
      const json = {
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
        choices: [{ index: 0, text: TEXT, finish_reason: 'stop' }],
        usage: { prompt_tokens, total_tokens },
      }
      pair.upstream.script({ type: 'status', status: 200, body: json })
      const response = await post(pair.farebox, body, { key, path })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"usage"')])
      expect((await usageOf(pair.farebox, name))[0]?.charge_credits).toBeLessThan(MAX_CHARGE)
    }
  })

  it('leaves later calls of poor keys alone', async () => {
    const small = { model: 'small-chat-completions', max_tokens: CAP }
    await freshKey()
    pair.upstream.script({
      type: 'answer',
      text: TEXT,
      usage: { prompt_tokens: 19, completion_tokens: 4_294_967_295, total_tokens: 4_294_967_314 },
    })
    await (await chat(pair.farebox, key, small)).text()
    expect(await pair.farebox.balance(key)).toMatchObject({ remaining_credits: expect.closeTo(10, 3) })
    await pair.farebox.admin.call('addPackage', { body: { name: 'poor', type: 'topup', credits: 0.005 } })
    await freshKey('poor')
    pair.upstream.script({ type: 'answer' })
    expect((await chat(pair.farebox, key, small)).status).toBe(200)
  })
})

describe('a stream of a provider that keeps its cap', () => {
  /** What a tokenizer takes for one token each. */
  const TOKENS: Readonly<Record<string, string>> = {
    'words that are two tokens of ours': ' internationalisationally',
    'sixteen characters': 'sixteen letters,',
    'sixteen wide characters': 'これは十六文字のトークンなのです。',
    Chinese: '重庆时时彩',
    base64: 'aGVsbG8gd29ybGQh',
    'a line of spaces': ' '.repeat(100),
    'single bytes': '#',
  }

  it.each(
    Object.entries(TOKENS).flatMap(([kind, token]) => [100, 300, 1000].map((cap) => [kind, cap, token] as const)),
  )('is passed on to its end and charged as reported: %s, %d of them', async (_, cap, token) => {
    for (const [format, dialect] of [
      ['chat', 'chat-completions'],
      ['messages', 'gemini'],
    ] as const) {
      await freshKey()
      const pieces = Array.from({ length: cap }, () => token)
      pair.upstream.script({ type: 'answer', pieces, usage: USAGES[dialect]({ output: cap }) } satisfies Behaviour)
      const members = { model: dialect, stream: true, ...CAPS[format](cap) }
      const text = await (await ask(pair, formatOf(format), { key, members })).text()
      expect(text.split(JSON.stringify(token).slice(1, -1)).length - 1).toBe(cap)
      expect((await usageOf(pair.farebox, name))[0]).toMatchObject({
        outcome: 'answered',
        usage_source: 'reported',
        output_tokens: cap,
        charge_credits: (19 + 2 * cap) / 1e6,
      })
    }
    expect(await ignoredCaps()).toEqual([])
  })

  it('is charged no more than its cap, and shown no more, where no counts are reported', async () => {
    for (const format of FORMATS) {
      await freshKey()
      // Some 2,000 tokens of ours.
      pair.upstream.script({ type: 'answer', pieces: Array.from({ length: 1000 }, () => '31415926'), usage: null })
      const members = { model: 'gemini', stream: true, ...CAPS[format.name](500) }
      const text = await (await ask(pair, format, { key, members })).text()
      const [record] = await usageOf(pair.farebox, name)
      expect(record).toMatchObject({ outcome: 'answered', usage_source: 'estimated', output_tokens: 500 })
      const shown = [...text.matchAll(/"(?:completion_tokens|output_tokens|candidatesTokenCount)":(\d+)/g)]
      for (const [, count] of shown) expect(Number(count)).toBeLessThanOrEqual(500)
    }
  })
})

describe('of several counts in one stream', () => {
  const WORDS = Array.from({ length: 60 }, (_, index) => ` word${index}`)
  const chunk = (members: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...members })}\n\n`
  const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  const END = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const counts = (usage: object) => chunk({ choices: [], usage })

  it.each([
    ['a total alone', { total_tokens: 70 }, 'reported', 60],
    ['a total that is impossible', { total_tokens: 4_294_967_295 }, 'estimated', undefined],
    ['a count below 0', { prompt_tokens: 10, completion_tokens: -60 }, 'estimated', undefined],
    ['no counts', { prompt_tokens: -1, completion_tokens: 'sixty', total_tokens: null }, 'estimated', undefined],
    ['an unsigned -1', { prompt_tokens: 10, completion_tokens: 4_294_967_295 }, 'estimated', undefined],
    ['a count that is larger', { prompt_tokens: 10, completion_tokens: 60 }, 'reported', 60],
  ])('the largest possible one is charged: one token, then %s', async (_, later, source, tokens) => {
    await freshKey()
    const parts = [...WORDS.map(says), END, counts({ prompt_tokens: 10, completion_tokens: 1 }), counts(later)]
    pair.upstream.script({ type: 'raw', parts: [...parts, 'data: [DONE]\n\n'] })
    const response = await chat(pair.farebox, key, { model: 'chat-completions', stream: true, max_tokens: 100 })
    expect(eventData(await response.text()).at(-1)).toBe('[DONE]')
    const [record] = await usageOf(pair.farebox, name)
    expect(record?.usage_source).toBe(source)
    if (tokens === undefined) expect(record?.output_tokens).toBeGreaterThanOrEqual(60)
    else expect(record?.output_tokens).toBe(tokens)
    expect(record?.output_tokens).toBeLessThanOrEqual(130)
  })

  it('a possible one holds, whatever comes behind it', async () => {
    await freshKey()
    const parts = [
      ...WORDS.map(says),
      END,
      counts({ prompt_tokens: 10, completion_tokens: 60 }),
      counts({ total_tokens: -1 }),
    ]
    pair.upstream.script({ type: 'raw', parts: [...parts, 'data: [DONE]\n\n'] })
    await (await chat(pair.farebox, key, { model: 'chat-completions', stream: true, max_tokens: 100 })).text()
    expect((await usageOf(pair.farebox, name))[0]).toMatchObject({ usage_source: 'reported', output_tokens: 60 })
  })
})

it('a target that ignores its cap refuses whole answers in words that say what to do', async () => {
  await freshKey()
  const text = 'word '.repeat(4000)
  const model = 'responses'
  pair.upstream.script({ type: 'answer', text, usage: USAGES.responses({ output: 4000 }) })
  const members = { model, ...CAPS.responses(CAP) }
  await (await ask(pair, formatOf('responses'), { key, members })).text()
  expect(await ignoredCaps()).toEqual([expect.objectContaining({ cap: CAP, output_tokens: 4000 })])
  await freshKey('poor')
  const refused = await ask(pair, formatOf('responses'), { key, members })
  expect(await expectError(refused, 402)).toMatch(
    /4000 output tokens at a cap of 50.*Ask for a stream.*retry after \d{4}-/,
  )
  pair.upstream.script({ type: 'answer' })
  const streamed = await ask(pair, formatOf('responses'), { key, members: { ...members, stream: true } })
  expect([streamed.status, (await streamed.text()).includes('response.completed')]).toEqual([200, true])
})
