// Whole answers of servers that stop nothing but streams: they are asked for as streams and added up, and whoever asked gets what the
// server would have sent as a whole.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { HELLO, ORDINARY_CHARGE, post, soon, startPair, usageOf, type Pair } from './support.ts'

let pair: Pair
let key = ''
let name = ''
let keys = 0

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  const { admin } = pair.farebox
  const place = { dialect: 'chat-completions' as const, base_url: pair.upstream.url, network: 'local' as const }
  await admin.call('addProvider', { body: { name: 'folding', ...place, quirks: { stops_streams_only: true } } })
  await admin.call('addProvider', { body: { name: 'whole', ...place } })
  for (const provider of ['folding', 'whole']) {
    await admin.call('addModel', { body: chatModel(provider, { targets: [{ provider, model: 'm' }] }) })
  }
})
beforeEach(async () => {
  pair.upstream.forget()
  name = `folding ${++keys}`
  key = (await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })).key
})
afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const FORMATS = [
  ['/v1/chat/completions', { messages: HELLO }],
  ['/v1/messages', { messages: HELLO, max_tokens: 100 }],
  ['/v1/responses', { input: 'Hello' }],
] as const
type Path = (typeof FORMATS)[number][0]

async function ask(model: string, path: Path, more: object = {}, signal?: AbortSignal) {
  const body = { model, ...Object.fromEntries(FORMATS)[path], ...more }
  const response = await post(pair.farebox, body, { key, path, ...(signal && { signal }) })
  const { status, headers } = response
  return { status, type: headers.get('content-type'), body: (await response.json()) as Record<string, unknown> }
}

const CALLS = [
  { id: 'call_1', name: 'weather', arguments: '{"city":"Berlin"}' },
  { id: 'call_2', name: 'weather', arguments: '{"city":"Tromsø"}' },
]
const ANSWERS: readonly (readonly [string, Behaviour])[] = [
  ['a text', { type: 'answer', text: 'Grüße aus Tromsø, 24 °C.' }],
  ['a text that comes byte by byte', { type: 'answer', text: 'Grüße \u{1f44b}', chunking: 'byte-by-byte' }],
  ['reasoning', { type: 'answer', reasoning: 'Two and two is four.', text: 'Four.' }],
  ['calls', { type: 'answer', toolCalls: CALLS }],
  ['calls behind a text', { type: 'answer', text: 'I look.', toolCalls: CALLS }],
  ['an answer that was cut at its cap', { type: 'answer', text: 'Once upon', finishReason: 'length' }],
  ['counts in every chunk', { type: 'answer', text: 'one two', usageAt: 'finish-chunk' }],
  ['a stream without its mark at the end', { type: 'answer', text: 'all of it', omit: ['done'] }],
]

/** What differs from one answer to the next, or stands in the provider's whole answers alone. */
const OWN = /^(id|created|created_at|completed_at|service_tier|model|call_id)$/
const comparable = (body: object) =>
  JSON.parse(JSON.stringify(body, (member, value: unknown) => (OWN.test(member) ? undefined : value))) as unknown

describe.each(FORMATS)('at %s', (path) => {
  it.each(ANSWERS)('%s is what it would have been as a whole', async (_what, behaviour) => {
    pair.upstream.script(behaviour)
    const expected = await ask('whole', path)
    const { status, type, body } = await ask('folding', path)
    expect([status, type]).toEqual([200, expected.type])
    expect(comparable(body)).toEqual(comparable(expected.body))
    const [plain, asked] = pair.upstream.requests.map((request) => request.body as Record<string, unknown>)
    expect(plain?.['stream'] ?? false).toBe(false)
    expect(asked).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    const [folded, whole] = await usageOf(pair.farebox, name)
    expect(folded).toMatchObject({ charge_credits: whole?.charge_credits, usage_source: 'reported', stream: false })
  })

  it('an error before the first event keeps its status and its words', async () => {
    pair.upstream.script({ type: 'status', status: 400, error: { message: 'Not like this.', type: 'invalid' } })
    const [expected, folded] = [await ask('whole', path), await ask('folding', path)]
    expect(folded).toEqual({ ...expected, body: expect.anything() as unknown })
    expect(JSON.stringify(folded.body)).toContain('Not like this.')
  })

  it.each<[string, Behaviour]>([
    [
      'that tells of an error',
      { type: 'error-in-stream', afterEvents: 2, error: { message: 'Out of memory.', code: 500 } },
    ],
    ['that breaks off', { type: 'answer', text: 'one two three', cut: { at: { afterEvent: 2 }, how: 'close' } }],
    ['that ends early', { type: 'answer', text: 'one two three', omit: ['done', 'finish'] }],
    ['with an event that is none', { type: 'broken-stream', atEvent: 1, how: 'not-json' }],
  ])('a stream %s is an error, and nothing is charged', async (_how, behaviour) => {
    pair.upstream.script(behaviour)
    const { status, type } = await ask('folding', path)
    expect(status).toBeGreaterThanOrEqual(500)
    expect(type).toMatch(/^application\/json/)
    expect((await usageOf(pair.farebox, name))[0]).toMatchObject({ charge_credits: 0 })
  })
})

it('more than one choice, and their log probabilities, come back in their order', async () => {
  pair.upstream.script({ type: 'answer', text: 'one two' })
  const [expected, folded] = [
    await ask('whole', '/v1/chat/completions', { n: 3 }),
    await ask('folding', '/v1/chat/completions', { n: 3 }),
  ]
  expect(comparable(folded.body)).toEqual(comparable(expected.body))
})

it('the provider is stopped when the client leaves', async () => {
  pair.upstream.script({ type: 'answer', text: 'one two', stall: { at: { afterEvent: 1 }, ms: Infinity } })
  const leaving = new AbortController()
  const call = ask('folding', '/v1/chat/completions', {}, leaving.signal).catch(() => 'left')
  await soon(() => pair.upstream.requests[0])
  leaving.abort()
  expect(await call).toBe('left')
  await soon(() => pair.upstream.requests[0]?.closedAtMs)
})

it('a client that asks for a stream gets the stream, at the ordinary price', async () => {
  pair.upstream.script({ type: 'answer', text: 'one two' })
  const body = { model: 'folding', messages: HELLO, stream: true }
  const text = await (await post(pair.farebox, body, { key })).text()
  expect(text).toContain('data: [DONE]')
  await expect.poll(async () => (await usageOf(pair.farebox, name))[0]?.charge_credits).toBe(ORDINARY_CHARGE)
})
