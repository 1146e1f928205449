// Error bodies in the contract's shape: {"error":{"message","type","code"}}, where `code` is the HTTP status.

import { REFUSALS, type Refusal } from '#core/refusal.ts'
import { editObject, scanObject } from '#dialect/json-text.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

/** The body for a refusal. */
export function errorBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({ error: errorObject(refusal, requestId) })
}

/** What an error says of a refusal. Optional members say which parameter or limit it is about and which request it was. */
export function errorObject(refusal: Refusal, requestId: string): Readonly<Record<string, unknown>> {
  const { status, errorType } = REFUSALS[refusal.code]
  return {
    message: refusal.message,
    type: errorType,
    code: status,
    ...(refusal.param === undefined ? {} : { param: refusal.param }),
    ...(refusal.limit === undefined
      ? {}
      : { limit: { name: refusal.limit.name, scope: refusal.limit.scope, reset_at: refusal.limit.resetAt } }),
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
    request_id: requestId,
  }
}

/** An error body of a provider, byte for byte, but for an error object without a code: it gets the status for one. */
export function codedError(body: Buffer, status: number): Buffer {
  const text = body.toString('utf8')
  const value = parseJson(text)
  const error = isRecord(value) ? value['error'] : undefined
  if (!isRecord(value) || !isRecord(error) || isCode(error['code'])) return body
  const whole = scanObject(text)
  const span = 'problem' in whole ? undefined : whole.members.get('error')
  const inner = text.slice(span?.start, span?.end)
  const scan = scanObject(inner)
  // Members that stand twice, or too many levels: what the client reads of it is left, and not how it was written.
  if ('problem' in whole || 'problem' in scan) {
    return Buffer.from(JSON.stringify({ ...value, error: { ...error, code: status } }))
  }
  const edited = editObject(inner, scan, new Map([['code', String(status)]]))
  return Buffer.from(editObject(text, whole, new Map([['error', edited]])))
}

function isCode(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

/** Refusals that a repeated request would only meet again; the SDKs obey `x-should-retry`. */
const FINAL = new Set([
  'credits_exhausted',
  'package_expired',
  'model_unpriced',
  'key_not_usable',
  'provider_refuses',
  'provider_refuses_response',
])

/** Providers name dates that are thousands of years away, and a client obeys: a day is as good as a refusal. */
const LONGEST_WAIT_SECONDS = 86_400

/** Headers that tell a client whether and when to try again. */
export function retryHeaders(refusal: Refusal): Readonly<Record<string, string>> {
  const { retryAfterSeconds } = refusal
  if (retryAfterSeconds !== undefined) {
    return { 'retry-after': String(Math.min(Math.max(1, retryAfterSeconds), LONGEST_WAIT_SECONDS)) }
  }
  return FINAL.has(refusal.code) ? { 'x-should-retry': 'false' } : {}
}

export type ProviderWords = { readonly message: string; readonly param?: string; readonly code?: string }

/** What a provider says in an error body, in whichever of the usual shapes; undefined where it says nothing. */
export function providerWords(body: unknown): ProviderWords | undefined {
  // Gemini answers with an array where no stream of events was asked for.
  const value: unknown = Array.isArray(body) ? body[0] : body
  if (!isRecord(value)) return undefined
  const error = value['error'] ?? value
  if (typeof error === 'string') return { message: error }
  if (!isRecord(error)) return undefined
  const message = [error['message'], value['message'], value['detail']].find((text) => typeof text === 'string')
  if (typeof message !== 'string' || message === '') return undefined
  const { param, code } = error
  return {
    message,
    ...(typeof param === 'string' ? { param } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  }
}
