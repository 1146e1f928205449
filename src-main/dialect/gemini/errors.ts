// Errors as the Gemini API tells them, as a whole body or inside a stream. The message is the provider's own words: it may go
// to the client, and must never be written to a log.

import { UpstreamFailure } from '#core/failure.ts'
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
