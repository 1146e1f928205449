// Calls that carry a marker in every place where a client or a provider can put one, through every endpoint, with successes
// and every kind of failure.

import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { makeKey } from '#core/key-format.ts'
import { canary, type Canaries } from './canary.ts'
import { postChat } from './chat.ts'
import type { FareboxProcess } from './process.ts'
import type { Behaviour } from './upstream-behaviour.ts'
import type { Upstream } from './upstream.ts'

export const MARK = {
  system: canary(),
  prompt: canary(),
  image: canary(),
  toolName: canary(),
  toolDescription: canary(),
  toolArguments: canary(),
  toolResult: canary(),
  stop: canary(),
  user: canary(),
  metadata: canary(),
  embeddingInput: canary(),
  answer: canary(),
  reasoning: canary(),
  providerError: canary(),
  providerPage: canary(),
  providerHeader: canary(),
  modelName: canary(),
  answerModel: canary(),
  finishReason: canary(),
  answerId: canary(),
  fingerprint: canary(),
  serviceTier: canary().toLowerCase(),
  errorType: canary(),
  header: canary(),
  userAgent: canary(),
  cookie: canary(),
  host: canary(),
  query: canary(),
  queryKey: canary(),
  path: canary(),
  badJson: canary(),
  badUtf8: canary(),
  badHttp: canary(),
  badBearer: canary(),
  tooLarge: canary(),
  providerSecret: canary(),
} satisfies Canaries

/** A key of the right form that does not exist. */
export const WRONG_KEY = makeKey(Buffer.from(canary().padEnd(64, 'x')))

export type Keys = {
  readonly good: string
  readonly empty: string
  readonly rationed: string
  readonly suspended: string
}

const IMAGE_URL = `data:image/png;base64,${Buffer.from(`PNG${MARK.image}`).toString('base64')}`
const CONVERSATION = {
  messages: [
    { role: 'system', content: MARK.system },
    {
      role: 'user',
      content: [
        { type: 'text', text: MARK.prompt },
        { type: 'image_url', image_url: { url: IMAGE_URL } },
      ],
    },
    { role: 'assistant', tool_calls: [functionCall('call_1')] },
    { role: 'tool', tool_call_id: 'call_1', content: MARK.toolResult },
  ],
  tools: [{ type: 'function', function: { name: MARK.toolName, description: MARK.toolDescription } }],
  stop: [MARK.stop],
  user: MARK.user,
  metadata: { note: MARK.metadata },
}
const HEADERS = { 'x-note': MARK.header, 'user-agent': MARK.userAgent, cookie: `session=${MARK.cookie}` }
const ERROR = { message: MARK.providerError, type: 'invalid_request_error', param: null, code: MARK.providerError }
const ANSWER = { text: MARK.answer, reasoning: MARK.reasoning, headers: { 'x-their-note': MARK.providerHeader } }

function functionCall(id: string) {
  return {
    id,
    type: 'function',
    function: { name: MARK.toolName, arguments: JSON.stringify({ city: MARK.toolArguments }) },
  }
}

/** Every name that a provider chooses. */
function namedAnswer(): object {
  const message = { role: 'assistant', content: MARK.answer }
  return { ...namesOfAnswer('chat.completion'), choices: [{ index: 0, message, finish_reason: MARK.finishReason }] }
}

function namedChunk(): object {
  const delta = { role: 'assistant', content: MARK.answer }
  const choices = [{ index: 0, delta, finish_reason: MARK.finishReason }]
  return { ...namesOfAnswer('chat.completion.chunk'), choices }
}

function namesOfAnswer(object: string): object {
  return {
    id: MARK.answerId,
    object,
    created: 1,
    model: MARK.answerModel,
    system_fingerprint: MARK.fingerprint,
    service_tier: MARK.serviceTier,
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  }
}

const BEHAVIOURS: readonly Behaviour[] = [
  { type: 'answer', ...ANSWER },
  { type: 'answer', ...ANSWER, toolCalls: [{ id: 'call_2', name: MARK.toolName, arguments: MARK.toolArguments }] },
  { type: 'answer', ...ANSWER, model: MARK.answerModel, finishReason: MARK.finishReason },
  { type: 'raw', contentType: 'application/json', parts: [JSON.stringify(namedAnswer())] },
  { type: 'raw', parts: [`data: ${JSON.stringify(namedChunk())}\n\ndata: [DONE]\n\n`] },
  { type: 'status', status: 400, error: ERROR },
  { type: 'status', status: 400, error: { ...ERROR, type: MARK.errorType } },
  { type: 'status', status: 401, error: ERROR },
  { type: 'status', status: 429, error: ERROR, retryAfter: 1 },
  { type: 'status', status: 500, error: ERROR },
  { type: 'status', status: 422, body: MARK.providerError, contentType: 'text/plain' },
  { type: 'html', text: MARK.providerPage },
  { type: 'html', text: MARK.providerPage, status: 503 },
  { type: 'redirect', to: `http://127.0.0.1:9/${MARK.providerPage}` },
  { type: 'error-in-200', error: ERROR },
  { type: 'error-in-stream', ...ANSWER, afterEvents: 2, error: ERROR },
  { type: 'broken-stream', ...ANSWER, atEvent: 2, how: 'truncated-json' },
  { type: 'raw', parts: [`data: {"choices": ${MARK.answer}\n\n`] },
  { type: 'answer', ...ANSWER, omit: ['finish', 'done'] },
  { type: 'answer', ...ANSWER, cut: { at: 'before-headers', how: 'reset' } },
  { type: 'answer', ...ANSWER, cut: { at: { byte: 150 }, how: 'reset' } },
  { type: 'answer', ...ANSWER, stall: { at: { byte: 150 }, ms: Infinity } },
]

/** Everything, one call after the other. Farebox must have time limits of less than a second. */
export async function sendCanaries(farebox: FareboxProcess, upstream: Upstream, keys: Keys): Promise<string> {
  const { url } = farebox
  let seen = ''
  for (const behaviour of BEHAVIOURS) {
    for (const stream of [false, true]) {
      upstream.once(behaviour)
      seen += await textOf(chat(url, keys.good, { stream }))
    }
  }
  upstream.once({ type: 'answer', ...ANSWER, stall: { at: { insideEvent: 2 }, ms: Infinity } })
  await leave(url, keys.good)
  await endedByAdministrator(farebox, upstream, keys.suspended)
  for (const key of [keys.empty, keys.rationed, keys.rationed, keys.suspended, WRONG_KEY, `key_${MARK.badBearer}`]) {
    await textOf(chat(url, key, {}))
  }
  await textOf(chat(url, keys.good, { temperature: MARK.prompt }))
  await textOf(chat(url, keys.good, { messages: [{ role: MARK.prompt, content: MARK.prompt }] }))
  await textOf(chat(url, keys.good, { model: 'nothing' }))
  await textOf(chat(url, keys.good, { model: MARK.modelName, service_tier: MARK.serviceTier }))
  await textOf(chat(url, keys.good, { model: 'demo-chat' }))
  await textOf(chat(url, keys.good, { model: 'demo-chat', stream: true }))
  seen += await embeddings(url, upstream, keys.good)
  await oddRequests(url, keys.good)
  return seen
}

function chat(url: string, key: string, body: object): Promise<Response> {
  return send(
    `${url}/v1/chat/completions?note=${MARK.query}`,
    key,
    JSON.stringify({ model: 'chat', ...CONVERSATION, ...body }),
  )
}

function send(url: string, key: string, body: string | Buffer): Promise<Response> {
  const headers = { ...HEADERS, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) })
}

/** What came, also when it broke in the middle. */
async function textOf(answer: Promise<Response>): Promise<string> {
  try {
    return await (await answer).text()
  } catch {
    // A broken answer is one of the ways to end that are wanted here.
    return ''
  }
}

/** Reads the first bytes of a stream and hangs up. */
async function leave(url: string, key: string): Promise<void> {
  const response = await postChat({ url, key }, { ...CONVERSATION, stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

/** A stream whose key is suspended in the middle. */
async function endedByAdministrator({ url, admin }: FareboxProcess, upstream: Upstream, key: string): Promise<void> {
  upstream.once({ type: 'answer', ...ANSWER, stall: { at: { insideEvent: 2 }, ms: Infinity } })
  await admin.call('resumeKey', { id: 'suspended' })
  const response = await postChat({ url, key }, { ...CONVERSATION, stream: true })
  const text = response.text().catch(() => '')
  await admin.call('suspendKey', { id: 'suspended' })
  await text
}

async function embeddings(url: string, upstream: Upstream, key: string): Promise<string> {
  const input = [MARK.embeddingInput, `${MARK.embeddingInput} again`]
  const ask = (body: object) =>
    send(`${url}/v1/embeddings`, key, JSON.stringify({ model: 'embed', input, user: MARK.user, ...body }))
  const seen = await textOf(ask({}))
  for (const behaviour of BEHAVIOURS.filter(({ type }) => type !== 'answer')) {
    upstream.once(behaviour)
    await textOf(ask({ encoding_format: 'base64' }))
  }
  await textOf(ask({ model: 'demo-embedding' }))
  await textOf(ask({ input: { wrong: MARK.embeddingInput } }))
  return seen
}

async function oddRequests(url: string, key: string): Promise<void> {
  const target = `${url}/v1/chat/completions`
  const badUtf8 = Buffer.concat([
    Buffer.from(`{"model":"${MARK.badUtf8}`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ])
  await textOf(send(target, key, `{"model":"chat", ${MARK.badJson}`))
  await textOf(send(target, key, badUtf8))
  await textOf(send(`${target}?api_key=${MARK.queryKey}`, key, '{}'))
  await textOf(send(`${url}/v1/${MARK.path}`, key, '{}'))
  await textOf(
    fetch(`${url}/v1/balance?model=chat&note=${MARK.query}`, {
      headers: { ...HEADERS, authorization: `Bearer ${key}` },
    }),
  )
  await textOf(
    fetch(`${url}/v1/models?note=${MARK.query}`, { headers: { ...HEADERS, authorization: `Bearer ${WRONG_KEY}` } }),
  )
  await textOf(fetch(`${url}/api/keys?note=${MARK.query}`, { headers: { authorization: `Bearer ${MARK.badBearer}` } }))
  await tooLarge(url, key)
  await foreignHost(url, key)
  await brokenHttp(url)
}

/** Announces more than Farebox takes and sends the beginning. */
async function tooLarge(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 40_000_000 }
  const asked = request(`${url}/v1/chat/completions`, { method: 'POST', headers })
  asked.on('error', () => undefined)
  asked.write(MARK.tooLarge)
  await once(asked, 'response')
  asked.destroy()
}

async function foreignHost(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, host: `${MARK.host}.example` }
  const asked = request(`${url}/v1/balance`, { headers }).end()
  await once(asked, 'response')
  asked.destroy()
}

async function brokenHttp(url: string): Promise<void> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(`POST ${MARK.badHttp} HTTP/9\r\n${MARK.badHttp}\r\n\r\n`)
  socket.resume()
  await once(socket, 'close')
}
