// From a behaviour and a request to the reply's status, headers and bytes. Pure; sending them is upstream-delivery.ts.
import { gzipSync } from 'node:zlib'
import type { Behaviour, ProviderError, StatusContent } from './upstream-behaviour.ts'
import { chatAnswer, chatEvents, sseEvent, type RequestBody } from './upstream-chat.ts'
import { embeddingAnswer } from './upstream-embedding.ts'

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body; an event stream has one part for each event or comment. */
  readonly parts: readonly Buffer[]
  readonly isStream: boolean
  /** Sent again and again after the parts, until the peer leaves. */
  readonly endlessly?: Buffer
}

export type Asked = { readonly path: string; readonly body: RequestBody }

type Payload = Omit<Reply, 'status'> & { readonly status?: number }

const SSE = 'text/event-stream; charset=utf-8'
const JSON_TYPE = 'application/json'
const CHAT_PATH = '/v1/chat/completions'
const SERVER_ERROR: ProviderError = {
  message: 'The server had an error.',
  type: 'server_error',
  param: null,
  code: null,
}

/** The exact body a behaviour answers a request with, however its bytes are split on the way. */
export function expectedBytes(behaviour: Behaviour, body: RequestBody, path = CHAT_PATH): Buffer {
  return Buffer.concat(buildReply(behaviour, { path, body }).parts)
}

export function buildReply(behaviour: Behaviour, asked: Asked): Reply {
  const { status = 200, ...payload } = payloadOf(behaviour, asked)
  const overrides: Record<string, string> = { ...behaviour.headers }
  if (behaviour.contentType !== undefined) overrides['content-type'] = behaviour.contentType
  const reply = { ...payload, status: behaviour.status ?? status, headers: { ...payload.headers, ...overrides } }
  return behaviour.encoding === 'gzip' ? compressed(reply) : reply
}

function payloadOf(behaviour: Behaviour, asked: Asked): Payload {
  switch (behaviour.type) {
    case 'answer':
      return answer(behaviour, asked)
    case 'embedding':
      return json(embeddingAnswer(behaviour, asked.body))
    case 'status':
      return { ...json(errorBody(behaviour)), status: behaviour.status, headers: statusHeaders(behaviour) }
    case 'error-in-200':
      return json(jsonBytes({ error: behaviour.error ?? SERVER_ERROR }))
    case 'error-in-stream': {
      const error = sseEvent(JSON.stringify({ error: behaviour.error ?? SERVER_ERROR }), behaviour)
      return stream([...chatEvents(behaviour, asked.body).slice(0, behaviour.afterEvents), error])
    }
    case 'broken-stream': {
      const events = chatEvents(behaviour, asked.body)
      return stream(events.map((event, index) => (index === behaviour.atEvent ? broken(event, behaviour) : event)))
    }
    case 'html':
      return { ...json(htmlPage(behaviour.text ?? 'Bad gateway')), headers: { 'content-type': 'text/html' } }
    case 'redirect':
      return { ...json(Buffer.alloc(0)), status: 307, headers: { location: behaviour.to } }
    case 'endless':
      return endless(behaviour, asked)
    case 'oversized':
      return oversized(behaviour.bytes, asked)
    case 'raw':
      return stream(behaviour.parts.map((part) => Buffer.from(part)))
  }
}

function answer(behaviour: Extract<Behaviour, { type: 'answer' }>, { path, body }: Asked): Payload {
  const [route] = path.split('?')
  if (route?.endsWith('/models')) return json(modelList())
  if (route?.endsWith('/embeddings')) {
    return json(embeddingAnswer(behaviour.usage === undefined ? {} : { usage: behaviour.usage }, body))
  }
  return body.stream === true ? stream(chatEvents(behaviour, body)) : json(chatAnswer(behaviour, body))
}

function endless(behaviour: Extract<Behaviour, { type: 'endless' }>, { body }: Asked): Payload {
  const events = chatEvents({ ...behaviour, omit: ['finish', 'done'], usage: null }, body)
  const repeated = behaviour.event === undefined ? events.at(-1) : Buffer.from(behaviour.event)
  return { ...stream(events), ...(repeated === undefined ? {} : { endlessly: repeated }) }
}

/** A sound answer of at least that many bytes; in a stream it is one single event. */
function oversized(bytes: number, { body }: Asked): Payload {
  const content = { pieces: ['x'.repeat(bytes)] }
  return body.stream === true ? stream(chatEvents(content, body)) : json(chatAnswer(content, body))
}

function broken(event: Buffer, { how }: { how: 'not-json' | 'truncated-json' }): Buffer {
  if (how === 'not-json') return Buffer.from('data: this is not json\n\n')
  return Buffer.concat([event.subarray(0, Math.floor(event.length / 2)), Buffer.from('\n\n')])
}

function errorBody({ status, error, body }: StatusContent): Buffer {
  if (body !== undefined) return jsonBytes(body)
  const known = { message: `The provider answered ${status}.`, type: errorType(status), param: null, code: null }
  return jsonBytes({ error: error ?? known })
}

function errorType(status: number): string {
  const names: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' }
  return names[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
}

function statusHeaders({ retryAfter }: StatusContent): Record<string, string> {
  return { 'content-type': JSON_TYPE, ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }) }
}

function compressed(reply: Reply): Reply {
  const headers = { ...reply.headers, 'content-encoding': 'gzip' }
  return { ...reply, headers, parts: [gzipSync(Buffer.concat(reply.parts))] }
}

function modelList(): Buffer {
  const ids = ['upstream-chat', 'upstream-embedding']
  const data = ids.map((id) => ({ id, object: 'model', created: 1_760_000_000, owned_by: 'scripted' }))
  return jsonBytes({ object: 'list', data })
}

function htmlPage(text: string): Buffer {
  return Buffer.from(`<!doctype html>\n<html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>\n`)
}

function json(body: Buffer): Payload {
  return { headers: { 'content-type': JSON_TYPE }, parts: [body], isStream: false }
}

function stream(parts: readonly Buffer[]): Payload {
  return { headers: { 'content-type': SSE, 'cache-control': 'no-cache' }, parts, isStream: true }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
