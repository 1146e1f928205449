// Errors as the Gemini API tells them, as a whole body or inside a stream. The message is the provider's own words: it may go
// to the client, and must never be written to a log.

import { UpstreamFailure } from '#core/failure.ts'
import { REFUSALS, statusOf, type Refusal } from '#core/refusal.ts'
import type { Overflow } from '#dialect/overflow.ts'
import { isRecord } from '#dialect/request-body.ts'

export type GeminiError = {
  readonly message: string | undefined
  /** As an HTTP status; undefined where the body has none. */
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined
}

/** Longer messages are cut: some list every field of a schema. */
const MAX_MESSAGE_LENGTH = 2000
const MAX_DETAILS = 32
const RETRY_INFO = 'google.rpc.RetryInfo'

/** Reads a parsed error body. Without `alt=sse` a stream's error comes in an array. Any other value gives an error that says nothing. */
export function readGeminiError(body: unknown): GeminiError {
  const error = geminiErrorOf(body)
  if (error === undefined) return { message: undefined, status: undefined, retryAfterSeconds: undefined }
  const { code, message, details } = error
  const listed = Array.isArray(details) ? details.slice(0, MAX_DETAILS).filter(isRecord) : []
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? Math.trunc(code) : undefined
  // A wrong key is told with status 400, like any other mistake in the request.
  const isWrongKey = listed.some((detail) => detail['reason'] === 'API_KEY_INVALID')
  return {
    message: typeof message === 'string' && message !== '' ? message.slice(0, MAX_MESSAGE_LENGTH) : undefined,
    status: isWrongKey ? 401 : status,
    retryAfterSeconds: retryAfter(listed),
  }
}

/** The member `error` of a body or of its array form; undefined where there is none. */
export function geminiErrorOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(value)) return undefined
  const error = value['error']
  if (typeof error === 'string') return { message: error }
  return isRecord(error) ? error : undefined
}

/** The failure for an error that came inside an answer. */
export function reportedFailure(body: unknown): UpstreamFailure {
  const { message, status, retryAfterSeconds } = readGeminiError(body)
  const text = message ?? 'The provider reported an error without a message.'
  return new UpstreamFailure('reported', text, { retryAfterSeconds, ...(status === undefined ? {} : { status }) })
}

function retryAfter(details: readonly Readonly<Record<string, unknown>>[]): number | undefined {
  for (const detail of details) {
    const type = detail['@type']
    if (typeof type !== 'string' || !type.endsWith(RETRY_INFO)) continue
    const delay = detail['retryDelay']
    const seconds = isRecord(delay) ? Number(delay['seconds']) : secondsOf(delay)
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds)
  }
  return undefined
}

/** A duration in the JSON form of protocol buffers, such as `34.4s`. */
function secondsOf(delay: unknown): number {
  const match = typeof delay === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay) : null
  return match === null ? Number.NaN : Number(match[1])
}

/** Google's names for what an HTTP status says. */
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  424: 'FAILED_PRECONDITION',
  426: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
}
const RPC = 'type.googleapis.com/google.rpc'

/** The body of an error. What the contract's errors have beside the words stands in the kinds of details that Google has for it. */
export function geminiErrorBody(refusal: Refusal, requestId: string): string {
  const { code, message, param, retryAfterSeconds } = refusal
  const status = statusOf(refusal)
  const details = [
    { '@type': `${RPC}.ErrorInfo`, reason: code.toUpperCase(), domain: 'farebox', metadata: metadataOf(refusal) },
    ...(param === undefined
      ? []
      : [{ '@type': `${RPC}.BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(retryAfterSeconds === undefined
      ? []
      : [{ '@type': `${RPC}.RetryInfo`, retryDelay: `${Math.max(1, Math.ceil(retryAfterSeconds))}s` }]),
    { '@type': `${RPC}.RequestInfo`, requestId },
  ]
  return JSON.stringify({ error: { code: status, message, status: STATUSES[status] ?? 'UNAVAILABLE', details } })
}

/** Texts alone, as Google has them. */
function metadataOf({ code, limit, details = {} }: Refusal): Readonly<Record<string, string>> {
  const texts = Object.entries(details).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return {
    type: REFUSALS[code].errorType,
    ...(limit === undefined ? {} : { limit: limit.name, scope: limit.scope }),
    ...(typeof limit?.resetAt === 'string' ? { reset_at: limit.resetAt } : {}),
    ...Object.fromEntries(texts),
  }
}

/** The sentence in which Gemini says it, which its clients look for. */
export function geminiOverflowText({ usedTokens, maximumTokens }: Overflow, words: string): string {
  if (/input token count/i.test(words)) return words
  if (usedTokens === undefined || maximumTokens === undefined) {
    return `The input token count exceeds the maximum number of tokens allowed: ${words}`
  }
  return `The input token count (${usedTokens}) exceeds the maximum number of tokens allowed (${maximumTokens}).`
}
