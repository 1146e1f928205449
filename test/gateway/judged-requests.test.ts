// A provider that judges the request with a status that blames itself: it is asked once, its words are for the client, what is known
// of them is kept, and nobody else is sent elsewhere for it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { ask, expectFormatError, FORMATS, formatOf, type Dialect } from './formats.ts'
import { usageOf } from './support.ts'
import { addModel, ALL, expectQuiet, expectSettled, newKey, startTargets, type Targets } from './targets-support.ts'

let targets: Targets

beforeAll(async () => {
  targets = await startTargets({ env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
})

afterEach(() => {
  for (const upstream of targets.upstreams) upstream.forget()
})

afterAll(async () => {
  await expectQuiet(targets)
  await targets.close()
})

const IMAGE = 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'
const BATCH = 'input (5002 tokens) is too large to process. increase the physical batch size (current batch size: 512)'

/** llama-server's form of an error. */
function judged(message: string, status = 500): Behaviour {
  return { type: 'status', status, body: { error: { code: status, message, type: 'server_error' } } }
}

/** A status, what is said with it, and what of it may be kept. */
const JUDGEMENTS: readonly (readonly [number, string, string])[] = [
  [500, IMAGE, IMAGE],
  [500, BATCH, BATCH],
  [500, 'messages is not supported by openai', 'messages is not supported by openai'],
  [501, 'This server does not support tools.', 'does not support tools'],
  [502, 'local/model is not a multimodal model', 'is not a multimodal model'],
  [503, 'Unsupported param: tools', 'Unsupported param: tools'],
  [404, "Only 'text' content type is supported.", "Only 'text' content type is supported"],
]

const PAIRS_HERE = FORMATS.flatMap((format) =>
  (['chat-completions', 'messages', 'responses', 'gemini'] as const).map((dialect) => [format.name, dialect] as const),
)

describe.each(PAIRS_HERE)('a request in %s that a provider of %s judges', (name, dialect) => {
  const format = formatOf(name)
  const others: readonly Dialect[] = [dialect, 'chat-completions']

  it.each(JUDGEMENTS)('with %i is asked once: %s', async (status, said, kept) => {
    for (const stream of [false, true]) {
      const { key, name: caller } = await newKey(targets)
      const model = await addModel(targets, others)
      targets.upstreams[0].script(judged(said, status))
      const response = await ask(targets, format, { key, members: { model, stream } })
      expect(await expectFormatError(response, name, 400)).toBe(said)
      expect(targets.upstreams.map(({ requests }) => requests.length)).toEqual([1, 0, 0])
      await expectSettled(targets, {
        key: caller,
        outcome: 'refused',
        status: 400,
        charge: 0,
        attempts: [[`1 ${dialect}`, 'refused', status]],
      })
      const [record] = await usageOf(targets.farebox, caller)
      const { attempts } = await targets.farebox.admin.call('receipt', { id: record?.id ?? '' })
      expect(attempts).toMatchObject([{ words: kept, reason: null }])
      for (const upstream of targets.upstreams) upstream.forget()
    }
  })

  it('leaves the target to everybody else, however often it comes', async () => {
    const { key } = await newKey(targets)
    const model = await addModel(targets, others)
    targets.upstreams[0].script(judged(IMAGE))
    for (let count = 0; count < 5; count++) {
      expect((await ask(targets, format, { key, members: { model } })).status).toBe(400)
    }
    targets.upstreams[0].script({ type: 'answer' })
    const caller = await newKey(targets)
    expect((await ask(targets, format, { key: caller.key, members: { model } })).status).toBe(200)
    expect(targets.upstreams[1].requests).toEqual([])
    const attempts = [[`1 ${dialect}`, 'complete', 200]] as const
    await expectSettled(targets, { key: caller.name, outcome: 'answered', status: 200, charge: ALL, attempts })
  })
})

describe('words about a request', () => {
  const chat = formatOf('chat')

  async function call(behaviour: Behaviour, members: object = {}) {
    const caller = await newKey(targets)
    const model = await addModel(targets, ['chat-completions', 'chat-completions'])
    targets.upstreams[0].script(behaviour)
    const response = await ask(targets, chat, { key: caller.key, members: { model, ...members } })
    return { response, caller }
  }

  it.each<[string, Behaviour]>([
    ['a bare text', { type: 'raw', status: 500, contentType: 'text/plain', parts: [IMAGE] }],
    ['a text in the error', { type: 'status', status: 500, body: { error: IMAGE } }],
    ['a detail', { type: 'status', status: 500, body: { detail: IMAGE } }],
    ['a list of reasons', { type: 'status', status: 500, body: { detail: [{ loc: ['body'], msg: IMAGE }] } }],
    [
      'JSON that says it is a text',
      { type: 'raw', status: 500, contentType: 'text/plain', parts: [JSON.stringify({ message: IMAGE })] },
    ],
    ['no content type', { type: 'raw', status: 500, contentType: '', parts: [JSON.stringify({ message: IMAGE })] }],
    ['an error of another one', { type: 'status', status: 500, body: { error: { error: { message: IMAGE } } } }],
  ])('are found in %s', async (_where, behaviour) => {
    const { response } = await call(behaviour)
    expect(await expectFormatError(response, 'chat', 400)).toBe(IMAGE)
    expect(targets.upstreams[1].requests).toEqual([])
  })

  it.each<[string, Behaviour]>([
    ['a page', { type: 'raw', status: 500, contentType: 'text/html', parts: [`<html>${IMAGE}</html>`] }],
    ['words that nobody knows', judged('The image crashed the backend.')],
    ['nothing', { type: 'raw', status: 500, contentType: 'application/json', parts: [''] }],
    ['half of its JSON', { type: 'raw', status: 500, contentType: 'application/json', parts: ['{"error":{"mess'] }],
    ['more than anybody reads', judged(`${'x'.repeat(200_000)} ${IMAGE}`)],
    ['a connection that ends', { ...judged(IMAGE), cut: { at: { byte: 10 }, how: 'reset' } }],
    ['a quota', judged('Rate limit: the prompt is too long for your quota of tokens per minute')],
  ])('are not found in %s, so that another target answers', async (_what, behaviour) => {
    const { response, caller } = await call(behaviour)
    expect(response.status).toBe(200)
    await response.text()
    const attempts = [
      ['1 chat-completions', 'failed', 500],
      ['2 chat-completions', 'complete', 200],
    ] as const
    await expectSettled(targets, { key: caller.name, outcome: 'answered', status: 200, charge: ALL, attempts })
  })

  it('are told to the client, and of them only those that are known are kept', async () => {
    const canary = 'the-canary-sings-4711'
    const secret = 'sk-upstream-secret'
    const said = `${IMAGE}, in '${canary}' with ${secret}`
    const { response, caller } = await call(judged(said), { messages: [{ role: 'user', content: canary }] })
    const message = await expectFormatError(response, 'chat', 400)
    expect(message).toContain(canary)
    expect(message).not.toContain(secret)
    const [record] = await usageOf(targets.farebox, caller.name)
    const receipt = JSON.stringify(await targets.farebox.admin.call('receipt', { id: record?.id ?? '' }))
    expect(receipt).toContain(IMAGE)
    expect(receipt).not.toContain(canary)
  })

  it('count inside an answer as well', async () => {
    for (const members of [{ stream: false }, { stream: true }]) {
      const error = { code: 500, message: IMAGE, type: 'server_error' }
      const behaviour: Behaviour = members.stream
        ? { type: 'error-in-stream', afterEvents: 0, error }
        : { type: 'error-in-200', error }
      const { response, caller } = await call(behaviour, members)
      expect(await expectFormatError(response, 'chat', 400)).toBe(IMAGE)
      const attempts = [['1 chat-completions', 'failed', 200]] as const
      await expectSettled(targets, { key: caller.name, outcome: 'failed', status: 400, charge: 0, attempts })
    }
  })

  it('of a wrong secret are no judgement of the request', async () => {
    const body = { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } }
    const { response } = await call({ type: 'status', status: 400, body })
    expect(response.status).toBe(200)
    await response.text()
    expect(targets.upstreams.map(({ requests }) => requests.length)).toEqual([1, 1, 0])
  })

  it('of a wrong secret are told as such where there is no other target', async () => {
    const { key } = await newKey(targets)
    const model = await addModel(targets, ['chat-completions'])
    targets.upstreams[0].script({ type: 'status', status: 400, body: { error: { message: 'No connected db.' } } })
    const response = await ask(targets, chat, { key, members: { model } })
    const message = await expectFormatError(response, 'chat', 424, { type: 'upstream_error' })
    expect(message).toContain("Farebox's secret")
  })
})

describe('a reason in a form of its own', () => {
  it.each(PAIRS_HERE)('is told in words to %s by a provider of %s', async (name, dialect) => {
    const format = formatOf(name)
    const reasons: readonly (readonly [object, string])[] = [
      [
        { detail: [{ loc: ['body', 'tool_choice'], msg: 'Input should be a valid string' }] },
        'tool_choice: Input should be a valid string',
      ],
      [{ detail: 'Not with this model.' }, 'Not with this model.'],
      [{ error: 'Not with this model.' }, 'Not with this model.'],
      [{ message: 'Not with this model.' }, 'Not with this model.'],
      [{ errors: [{ message: 'One.' }, { message: 'Two.' }] }, 'One.; Two.'],
      [{ title: 'Unprocessable', detail: 'Not with this model.' }, 'Unprocessable: Not with this model.'],
    ]
    for (const [body, words] of reasons) {
      const { key } = await newKey(targets)
      const model = await addModel(targets, [dialect])
      targets.upstreams[0].script({ type: 'status', status: 422, body })
      const response = await ask(targets, format, { key, members: { model } })
      const told = format.dialect === dialect ? 422 : 400
      const { error } = (await response.json()) as { error: { message: string; code: number } }
      expect([response.status, error.code, error.message]).toEqual([told, told, words])
      expect(targets.upstreams[0].requests).toHaveLength(1)
      targets.upstreams[0].forget()
    }
  })

  it('is told in words where it is a bare text', async () => {
    const { key } = await newKey(targets)
    const model = await addModel(targets, ['chat-completions'])
    targets.upstreams[0].script({ type: 'raw', status: 400, contentType: 'text/plain', parts: ['n must be 1'] })
    const response = await ask(targets, formatOf('chat'), { key, members: { model } })
    expect(await expectFormatError(response, 'chat', 400)).toBe('n must be 1')
  })
})
