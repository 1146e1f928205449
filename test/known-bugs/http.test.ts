// Bugs of other gateways that show only over HTTP: what is answered to errors, what is paid for by clients that leave, and
// what keeps a silent stream alive.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { WireBytes } from '#dialect/answer.ts'
import { readRequest } from '#pipeline/endpoints.ts'
import type { UpstreamListener } from '#pipeline/ports.ts'
import { Relay } from '#pipeline/relay.ts'
import type { UsageView } from '#contract/schemas.ts'
import { DIALECTS, startPairs, type Pairs } from '../clients/pairs.ts'
import { usageOf } from '../gateway/support.ts'
import { ASKING } from '../matrix/answers/all.ts'
import { dataEvents } from '../matrix/answers/fixture.ts'
import { sendOk } from '../matrix/pair.ts'
import { at, chunk, events, pairOf } from './support.ts'
import { testProvider } from '../support/provider.ts'

let pairs: Pairs
let calls = 0
let keyName = ''
let key = ''

beforeAll(async () => {
  pairs = await startPairs()
})

beforeEach(async () => {
  pairs.upstream.forget()
  keyName = `known bug ${++calls}`
  key = (await pairs.farebox.admin.call('createKey', { body: { name: keyName, package: 'plenty' } })).key
})

afterAll(() => pairs.close())

const PATHS: Readonly<Record<ClientFormat, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/gemini:generateContent',
}

function call(client: ClientFormat, members: object, signal?: AbortSignal): Promise<Response> {
  return fetch(pairs.farebox.url + PATHS[client], {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ASKING[client], ...members }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Reads a stream until so many words of it came, and leaves. Returns what is recorded of it. */
async function leaveAfter(words: number, client: ClientFormat, model: string): Promise<UsageView> {
  const leaving = new AbortController()
  const response = await call(client, { model, stream: true }, leaving.signal)
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.split('word ').length > words) break
  }
  leaving.abort()
  await expect.poll(async () => (await usageOf(pairs.farebox, keyName)).length).toBe(1)
  const [usage] = await usageOf(pairs.farebox, keyName)
  if (usage?.outcome !== 'client_gone') throw new Error('no client is recorded to have left')
  return usage
}

it.each(DIALECTS)(
  'BerriAI/litellm#14457: a client of messages that leaves a stream of %s is charged an estimate',
  async (model) => {
    pairs.upstream.script({ type: 'endless', pieces: ['word '], delayMs: 2 })
    const usage = await leaveAfter(3, 'messages', model)
    expect(usage.usage_source).toBe('estimated')
    expect(usage.charge_credits).toBeGreaterThan(0)
  },
)

it.each(['chat', 'messages'] as const)(
  'BerriAI/litellm#39893: a client of %s that leaves after 200 words of a message pays for about as many tokens',
  async (client) => {
    const startUsage = { input_tokens: 19, output_tokens: 1 }
    pairs.upstream.script({ type: 'endless', pieces: ['word '], startUsage, delayMs: 1 })
    expect((await leaveAfter(200, client, 'messages')).output_tokens).toBeGreaterThanOrEqual(150)
  },
)

const OVERFLOW = {
  message:
    "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (36000 in the messages, " +
    '4000 in the completion). Please reduce the length of the messages or completion.',
  type: 'BadRequestError',
  param: null,
  code: 400,
}

it('musistudio/claude-code-router#1799: a context that is full is told in the words that Claude Code waits for', async () => {
  pairs.upstream.script({ type: 'status', status: 400, body: { error: OVERFLOW } })
  const response = await call('messages', { model: 'chat-completions' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: expect.stringMatching(/^prompt is too long: \d+ tokens > 32768 maximum$/),
    },
  })
})

it('musistudio/claude-code-router#1799: where only the output is too much, Claude Code is told by how much', async () => {
  const message = OVERFLOW.message.replace('40000', '34000').replace('36000', '30000')
  pairs.upstream.script({ type: 'status', status: 400, body: { error: { ...OVERFLOW, message } } })
  const response = await call('messages', { model: 'chat-completions' })
  expect(at(await response.json(), 'error', 'message')).toContain(
    'input length and `max_tokens` exceed context limit: 30000 + 4000 > 32768',
  )
})

it('musistudio/claude-code-router#1799: Codex is told of a full context where it looks for it', async () => {
  pairs.upstream.script({ type: 'status', status: 400, body: { error: OVERFLOW } })
  const response = await call('responses', { model: 'chat-completions', stream: true })
  const last = events(await response.text()).at(-1)
  expect(last).toMatchObject({ type: 'response.failed', response: { error: { code: 'context_length_exceeded' } } })
})

it('langchain-ai/open-swe#628: a parameter that a model refuses is left out, at once and from then on', async () => {
  const message = "Unsupported parameter: 'parallel_tool_calls' is not supported with this model."
  const error = { message, type: 'invalid_request_error', param: 'parallel_tool_calls', code: 'unsupported_parameter' }
  pairs.upstream.once({ type: 'status', status: 400, body: { error } })
  const members = { model: 'chat-completions', tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
  const first = await call('messages', members)
  expect(first.status).toBe(200)
  expect(first.headers.get('x-farebox-dropped')).toContain('parallel_tool_calls')
  expect((await call('messages', members)).status).toBe(200)
  expect(pairs.upstream.requests.map(({ body }) => 'parallel_tool_calls' in body)).toEqual([true, false, false])
})

it.each(DIALECTS)(
  'langwatch/langwatch#6184: a model of %s that gives no answer is an error at once, not silence',
  async (model) => {
    pairs.upstream.script({ type: 'error-in-200' })
    for (const client of ['chat', 'messages', 'responses'] as const) {
      const response = await call(client, { model }, AbortSignal.timeout(1000))
      expect([client, response.status]).toEqual([client, 502])
      expect(at(await response.json(), 'error', 'message')).toMatch(/\S/)
    }
  },
)

it.each(['messages', 'bedrock-converse'] as const)(
  'langwatch/langwatch#6184: embeddings of a provider of %s are refused by name',
  (dialect) => {
    const text = JSON.stringify({ model: 'farebox-model', input: 'Hi' })
    const request = readRequest('embeddings', text, text.length)
    if (isRefusal(request)) throw new Error(request.message)
    const provider = testProvider({ id: '01a1fc79-0000-7000-8000-000000000001', dialect })
    const target = { providerId: provider.id, upstreamModel: 'embed', priority: 1, weight: 1 }
    const prepared = request.prepare({ provider, target, exchangeId: provider.id, nowMs: 0 })
    expect(prepared).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(dialect) })
  },
)

/** A relay between a provider and a client that a test speaks for; `look` is what the gateway does every second. */
function relayed(client: ClientFormat) {
  const { prepared } = sendOk(pairOf(client, 'chat-completions'), { ...ASKING[client], stream: true })
  const sentOn: string[] = []
  const put = (bytes: WireBytes | undefined) => void sentOn.push(bytes === undefined ? '' : bytes.toString())
  let listener: UpstreamListener | undefined
  const relay = new Relay({
    transport: {
      send: (_request, given) => {
        listener = given
        return { pause: () => {}, resume: () => {}, abort: () => {} }
      },
    },
    request: {
      provider: testProvider({ name: 'upstream' }),
      path: prepared.path,
      body: '',
      headers: {},
    },
    providerName: 'upstream',
    isStream: true,
    reader: prepared.newReader(),
    readError: undefined,
    client: {
      isCancelled: false,
      hasBegun: false,
      onCancel: () => {},
      begin: () => {},
      write: (bytes) => {
        put(bytes)
        return true
      },
      onDrain: () => {},
      end: put,
      cut: () => {},
    },
    begin: () => {},
    guard: undefined,
    beginDrain: undefined,
    monotonicMs: () => 0,
  })
  relay.start()
  listener?.onHead(200, { 'content-type': 'text/event-stream' })
  const push = (text: string) => listener?.onData(Buffer.from(text))
  const wait = (seconds: number) => {
    for (let second = 0; second < seconds; second++) relay.look()
  }
  return { push, wait, sentOn }
}

const HELLO = dataEvents(chunk({ content: 'Hello' }))

it('Menci/Floway#498: a silent stream of responses is kept alive by events, which Codex counts, not by comments', () => {
  const { push, wait, sentOn } = relayed('responses')
  push(HELLO)
  wait(20)
  expect(sentOn.at(-1)).toMatch(/^event: keepalive\ndata: \{"type":"keepalive","sequence_number":\d+\}\n\n$/)
  expect(sentOn).toHaveLength(2)
})

it('BerriAI/litellm#36024: a silent stream of messages has a ping before 20 seconds are over, and again', () => {
  const { push, wait, sentOn } = relayed('messages')
  push(HELLO)
  wait(19)
  expect(sentOn.at(-1)).toMatch(/^event: ping\ndata: \{"type": ?"ping"\}\n\n$/)
  wait(19)
  expect(sentOn).toHaveLength(3)
})

it.each(['chat', 'messages', 'responses'] as const)(
  'kortix-ai/suna#3696: what keeps a stream of %s alive never comes inside of an event',
  (client) => {
    const { push, wait, sentOn } = relayed(client)
    push(HELLO)
    push(HELLO.slice(0, 25))
    wait(40)
    push(HELLO.slice(25))
    expect(sentOn.join('')).toMatch(/\n\n$/)
    for (const event of sentOn.join('').split('\n\n').slice(0, -1)) {
      const [data = ''] = event.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      expect(event).toMatch(/^(: [^\n]*|(event: [^\n]*\n)?data: [^\n]*)$/)
      if (data !== '') expect(() => void JSON.parse(data)).not.toThrow()
    }
  },
)
