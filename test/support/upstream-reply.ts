// From a behaviour and a request to the reply's status, headers and bytes. Pure; sending them is upstream-delivery.ts.
import { gzipSync } from 'node:zlib'
import type { Behaviour, EmbeddingContent, ProviderError, StatusContent } from './upstream-behaviour.ts'
import { CHAT } from './upstream-chat.ts'
import { CONVERSE } from './upstream-converse.ts'
import { embeddingAnswer, geminiEmbeddingAnswer } from './upstream-embedding.ts'
import type { Asked, RequestBody, WireFormat } from './upstream-format.ts'
import { GEMINI, GEMINI_COUNT } from './upstream-gemini.ts'
import { MESSAGES, TOKEN_COUNT } from './upstream-messages.ts'
import { INPUT_COUNT, RESPONSES } from './upstream-responses.ts'

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body; an event stream has one part for each event or comment. */
  readonly parts: readonly Buffer[]
  readonly isStream: boolean
  /** Sent again and again after the parts, until the peer leaves. */
  readonly endlessly?: Buffer
}

type Payload = Omit<Reply, 'status'> & { readonly status?: number }

const SSE = 'text/event-stream; charset=utf-8'
const JSON_TYPE = 'application/json'
const CHAT_PATH = '/v1/chat/completions'

/** Which format a path speaks; the first one that fits, and chat completions for everything else. */
const FORMATS: readonly { readonly path: RegExp; readonly format: WireFormat }[] = [
  { path: /\/messages\/count_tokens$/, format: TOKEN_COUNT },
  { path: /\/messages$/, format: MESSAGES },
  { path: /\/count-tokens:rawPredict$/, format: TOKEN_COUNT },
  { path: /:(?:r|streamR)awPredict$/, format: MESSAGES },
  { path: /\/responses$/, format: RESPONSES },
  { path: /\/responses\/input_tokens$/, format: INPUT_COUNT },
  { path: /\/converse(?:-stream)?$/, format: CONVERSE },
  { path: /:countTokens$/, format: GEMINI_COUNT },
  { path: /:(?:(?:g|streamG)enerateContent|(?:batchE|e)mbedContents?)$/, format: GEMINI },
]

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
  const format = formatOf(asked)
  switch (behaviour.type) {
    case 'answer':
      return answer(behaviour, asked)
    case 'embedding':
      return json(embedded(behaviour, asked))
    case 'status':
      return { ...json(errorBody(behaviour, format)), status: behaviour.status, headers: statusHeaders(behaviour) }
    case 'error-in-200':
      return json(jsonBytes(format.errorBody(serverError(behaviour.error, format))))
    case 'error-in-stream': {
      const error = format.errorEvents(serverError(behaviour.error, format), asked, behaviour)
      return stream([...format.events(behaviour, asked).slice(0, behaviour.afterEvents), ...error], format)
    }
    case 'broken-stream': {
      const events = format.events(behaviour, asked)
      return stream(
        events.map((event, index) => (index === behaviour.atEvent ? broken(event, behaviour) : event)),
        format,
      )
    }
    case 'html':
      return { ...json(htmlPage(behaviour.text ?? 'Bad gateway')), headers: { 'content-type': 'text/html' } }
    case 'redirect':
      return { ...json(Buffer.alloc(0)), status: 307, headers: { location: behaviour.to } }
    case 'endless':
      return endless(behaviour, asked)
    case 'oversized':
      // A sound answer of at least that many bytes; in a stream it is one single event.
      return said({ type: 'answer', pieces: ['x'.repeat(behaviour.bytes)] }, asked)
    case 'raw':
      return stream(
        behaviour.parts.map((part) => Buffer.from(part)),
        format,
      )
  }
}

function formatOf({ path }: Asked): WireFormat {
  const route = routeOf(path)
  return FORMATS.find((entry) => entry.path.test(route))?.format ?? CHAT
}

function routeOf(path: string): string {
  return path.split('?')[0] ?? ''
}

function answer(behaviour: Extract<Behaviour, { type: 'answer' }>, asked: Asked): Payload {
  const route = routeOf(asked.path)
  if (route.endsWith('/models')) return json(modelList())
  if (/\/embeddings$|mbedContents?$/.test(route)) {
    return json(embedded(behaviour.usage === undefined ? {} : { usage: behaviour.usage }, asked))
  }
  return said(behaviour, asked)
}

function embedded(content: EmbeddingContent, asked: Asked): Buffer {
  const isGoogles = formatOf(asked) === GEMINI
  return isGoogles ? geminiEmbeddingAnswer(content, asked) : embeddingAnswer(content, asked.body)
}

function said(content: Extract<Behaviour, { type: 'answer' }>, asked: Asked): Payload {
  const format = formatOf(asked)
  return format.streams(asked) ? stream(format.events(content, asked), format) : json(format.whole(content, asked))
}

/** Repeats the last piece of the answer, so that nothing in the stream says that it will end. */
function endless(behaviour: Extract<Behaviour, { type: 'endless' }>, asked: Asked): Payload {
  const format = formatOf(asked)
  const all = format.events({ ...behaviour, omit: ['finish', 'done'], usage: null }, asked)
  const events = all.slice(0, all.findLastIndex((event) => event.includes(format.deltaMark)) + 1)
  const repeated = behaviour.event === undefined ? events.at(-1) : Buffer.from(behaviour.event)
  return { ...stream(events, format), ...(repeated === undefined ? {} : { endlessly: repeated }) }
}

/** Cuts close to the end, which is inside the JSON whether the event has a name before it or not. */
function broken(event: Buffer, { how }: { how: 'not-json' | 'truncated-json' }): Buffer {
  if (how === 'not-json') return Buffer.from('data: this is not json\n\n')
  return Buffer.concat([event.subarray(0, Math.floor(event.length * 0.8)), Buffer.from('\n\n')])
}

function errorBody({ status, error, body }: StatusContent, format: WireFormat): Buffer {
  if (body !== undefined) return jsonBytes(body)
  return jsonBytes(format.errorBody(error ?? format.errorOf(status, `The provider answered ${status}.`)))
}

function serverError(error: ProviderError | undefined, format: WireFormat): ProviderError {
  return error ?? format.errorOf(500, 'The server had an error.')
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

function stream(parts: readonly Buffer[], { streamType = SSE }: WireFormat): Payload {
  return { headers: { 'content-type': streamType, 'cache-control': 'no-cache' }, parts, isStream: true }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
