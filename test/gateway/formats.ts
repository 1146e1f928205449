// One Farebox with a provider and a model of each dialect beside the demo provider, and what tests need to know of the four
// client formats: how a call looks, and how an answer, an error and the end of a stream do.

import { expect } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import { chatModel, startFarebox, type FareboxOptions } from '../support/farebox.ts'
import { startUpstream } from '../support/upstream.ts'
import { eventData, HELLO, post, type CallOptions, type ErrorStatus, type Pair } from './support.ts'

export const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Names of models: each dialect's is named like the dialect. */
export const MODELS = ['demo', ...DIALECTS] as const

/** Models whose names the providers' own rules go by. */
const UPSTREAM_MODELS = {
  'chat-completions': 'gpt-4.1',
  messages: 'claude-sonnet-4-5',
  responses: 'gpt-5.2',
  gemini: 'gemini-3-flash',
} satisfies Record<Dialect, string>

export const SECRET = 'sk-upstream-secret'

export type FormatOptions = FareboxOptions & { readonly packages?: readonly PackageCreate[] }

export async function startFormats({ packages = [], ...options }: FormatOptions = {}): Promise<Pair> {
  const upstream = await startUpstream()
  const farebox = await startFarebox(options)
  const origin = upstream.url.replace(/\/v1$/, '')
  const providers = DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
    secret: SECRET,
  }))
  const models = DIALECTS.map((dialect) =>
    chatModel(dialect, { targets: [{ provider: dialect, model: UPSTREAM_MODELS[dialect] }] }),
  )
  const document = {
    providers: [{ name: 'demo', dialect: 'demo' as const }, ...providers],
    models: [chatModel('demo', { targets: [{ provider: 'demo', model: 'demo' }] }), ...models],
    packages: [{ name: 'plenty', type: 'topup' as const, credits: 1000 }, ...packages],
  }
  await farebox.admin.call('apply', { body: { document } })
  const close = async () => {
    await farebox.close()
    await upstream.close()
  }
  return { farebox, upstream, close }
}

export type FormatName = 'chat' | 'messages' | 'responses' | 'gemini'

export type Format = {
  readonly name: FormatName
  readonly path: string
  /** The dialect whose providers are sent the client's own bytes. */
  readonly dialect: Dialect
  readonly body: object
  /** An ordinary text in an answer of this format. */
  readonly said: (answer: Record<string, never>) => unknown
  /** What stands in the last event of a stream that is complete. */
  readonly terminal: RegExp
}

export const FORMATS: readonly Format[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    dialect: 'chat-completions',
    body: { messages: HELLO },
    said: (answer) => answer['choices']?.[0]?.['message']?.['content'],
    terminal: /data: \[DONE\]/,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    dialect: 'messages',
    body: { messages: HELLO, max_tokens: 100 },
    said: (answer) => answer['content']?.[0]?.['text'],
    terminal: /message_stop/,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    dialect: 'responses',
    body: { input: 'Hello' },
    said: (answer) => answer['output']?.[0]?.['content']?.[0]?.['text'],
    terminal: /response\.completed|\[DONE\]/,
  },
  {
    name: 'gemini',
    path: '/v1beta/models',
    dialect: 'gemini',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    said: (answer) => answer['candidates']?.[0]?.['content']?.['parts']?.[0]?.['text'],
    terminal: /"finishReason":"/,
  },
]

/** Every client format with every provider dialect. */
export const PAIRS = FORMATS.flatMap((format) =>
  DIALECTS.map((dialect) => [`${format.name} at ${dialect}`, format, dialect] as const),
)

export const TRANSLATED = PAIRS.filter(([, format, dialect]) => format.dialect !== dialect)

export function formatOf(name: FormatName): Format {
  const format = FORMATS.find((one) => one.name === name)
  if (format === undefined) throw new Error(`there is no format ${name}`)
  return format
}

/** One call in a format. */
export function ask(
  { farebox }: Pick<Pair, 'farebox'>,
  format: Format,
  { key, members, ...options }: CallOptions & { readonly members: object },
): Promise<Response> {
  const { path, body } = requestOf(format, members)
  return post(farebox, body, { path, ...options, ...(key && { key }) })
}

/** A request as a client sends it: in Gemini the path names the model, and says whether a stream is wanted. */
export function requestOf(format: Format, members: object): { readonly path: string; readonly body: object } {
  if (format.name !== 'gemini') return { path: format.path, body: { ...format.body, ...members } }
  const { model, stream, ...rest } = members as { readonly model?: string; readonly stream?: boolean }
  const method = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return { path: `${format.path}/${model ?? 'none'}:${method}`, body: { ...format.body, ...rest } }
}

/** The types that the messages format has other words for than the contract. */
const MESSAGES_TYPES: Partial<Record<ErrorStatus, string>> = {
  424: 'api_error',
  502: 'api_error',
  504: 'timeout_error',
}

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'insufficient_credits',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  424: 'upstream_error',
  502: 'upstream_error',
  503: 'overloaded_error',
  504: 'upstream_timeout',
}

/** The error object that a client of a format reads; `extra` stands for members of the error. */
export function errorIn(format: FormatName, status: number, requestId: unknown, extra: object = {}): object {
  if (format === 'gemini') return { error: googleError(status, requestId, extra) }
  const code = status as ErrorStatus
  const type = (format === 'messages' ? MESSAGES_TYPES[code] : undefined) ?? TYPES[status]
  const error = { message: expect.stringMatching(/\S/), type, code: status, request_id: requestId, ...extra }
  return format === 'messages' ? { type: 'error', error, request_id: requestId } : { error }
}

/** Google's name for each status. */
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  424: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

type ErrorExtra = { readonly type?: string; readonly param?: string; readonly details?: { readonly code: string } }

/** What other formats have beside the words stands in Google's kinds of details. */
function googleError(code: number, requestId: unknown, { type, param, details }: ErrorExtra): object {
  const kind = (name: string, members: object) =>
    expect.objectContaining({ '@type': `type.googleapis.com/google.rpc.${name}`, ...members }) as object
  const metadata = { type: type ?? TYPES[code], ...details }
  const wanted = [
    kind('ErrorInfo', { domain: 'farebox', metadata: expect.objectContaining(metadata) as object }),
    kind('RequestInfo', { requestId }),
    ...(param === undefined
      ? []
      : [kind('BadRequest', { fieldViolations: [expect.objectContaining({ field: param }) as object] })]),
  ]
  const message = expect.stringMatching(/\S/) as string
  return { code, message, status: STATUSES[code], details: expect.arrayContaining(wanted) as object[] }
}

/** What clients of a format are told when a provider refuses Farebox: with this status the programs that speak it do not ask again. */
export function refusingStatus(format: FormatName): number {
  return format === 'responses' ? 400 : 424
}

/** With 400 other errors come too. */
export function typeOfRefusing(format: FormatName): { readonly type: string } {
  return { type: format === 'messages' ? 'api_error' : 'upstream_error' }
}

/** Holds an answer against the format's error object, and returns its message. */
export async function expectFormatError(
  response: Response,
  format: FormatName,
  status: number,
  extra: object = {},
): Promise<string> {
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} \\{`))
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const requestId = response.headers.get('x-request-id')
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('request-id')).toBe(format === 'messages' ? requestId : null)
  const body = JSON.parse(text) as { error: { message: string } }
  expect(body).toEqual(errorIn(format, status, requestId, extra))
  return body.error.message
}

/**
 * Whole events, of which the last is the format's error event and none is its terminal one: no client can take this for a
 * complete answer. Returns the error's words.
 */
export function expectBrokenStream(text: string, format: Format, says = /\S/): string {
  expect(text).toMatch(/\n\n$/)
  expect(text).not.toMatch(format.terminal)
  const events = eventData(text).map((data) => JSON.parse(data) as Record<string, never>)
  const last = events.at(-1) ?? {}
  const message = messageIn(last, format.name)
  expect(message).toMatch(says)
  const isError = (event: object) => 'error' in event || /"type":"(error|response\.failed)"/.test(JSON.stringify(event))
  expect(events.slice(0, -1).filter(isError)).toEqual([])
  return message
}

function messageIn(event: Record<string, never>, format: FormatName): string {
  if (format === 'responses') {
    const failed = { code: expect.any(String), message: expect.any(String) }
    expect(event).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: failed } })
    return event['response']?.['error']?.['message'] ?? ''
  }
  if (format === 'gemini') {
    const said = { code: expect.any(Number), message: expect.any(String), status: expect.any(String) }
    expect(event).toMatchObject({ error: said })
    return event['error']?.['message'] ?? ''
  }
  if (format === 'messages') expect(event).toMatchObject({ type: 'error', request_id: expect.any(String) })
  expect(event).toMatchObject({ error: { type: expect.any(String), request_id: expect.any(String) } })
  return event['error']?.['message'] ?? ''
}

/** Names of the events of a stream, in order; `[DONE]` among them. */
export function eventNames(text: string): string[] {
  return eventData(text).map((data) => {
    if (data === '[DONE]') return data
    return String((JSON.parse(data) as { type?: unknown }).type)
  })
}

/** The words of an error as a provider of a dialect sends them. */
export function wordsIn(dialect: Dialect, status: number, message: string): Record<string, unknown> {
  switch (dialect) {
    case 'messages':
      return { type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_theirs' }
    case 'gemini':
      return { error: { code: status, message, status: 'INVALID_ARGUMENT' } }
    default:
      return { error: { message, type: 'invalid_request_error', param: null, code: null } }
  }
}
