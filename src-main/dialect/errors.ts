// Error bodies in the contract's shape: {"error":{"message","type","code"}}, where `code` is the HTTP status.

import type { ClientQuirks } from '#core/client-quirks.ts'
import { REFUSALS, statusOf, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, Endpoint } from '#dialect/dialect.ts'
import { editObject, scanObject } from '#dialect/json-text.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

/** The body for a refusal. */
export function errorBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({ error: errorObject(refusal, requestId) })
}

/** What an error says of a refusal. Optional members say which parameter or limit it is about and which request it was. */
export function errorObject(refusal: Refusal, requestId: string): Readonly<Record<string, unknown>> {
  return {
    message: refusal.message,
    type: REFUSALS[refusal.code].errorType,
    code: codeFor(statusOf(refusal), refusal.errorCode),
    ...(refusal.param === undefined ? {} : { param: refusal.param }),
    ...(refusal.limit === undefined
      ? {}
      : { limit: { name: refusal.limit.name, scope: refusal.limit.scope, reset_at: refusal.limit.resetAt } }),
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
    request_id: requestId,
  }
}

/** A status as the code of an error, as its client reads codes. */
function codeFor(status: number, as: ClientQuirks['errorCode'] = 'number'): number | string {
  return as === 'text' ? String(status) : status
}

/**
 * An error body of a provider, byte for byte, but for an error object without a code, which gets the status for one, and for a code
 * that its client cannot read.
 */
export function codedError(body: Buffer, status: number, as: ClientQuirks['errorCode'] = 'number'): Buffer {
  const text = body.toString('utf8')
  const value = parseJson(text)
  const error = isRecord(value) ? value['error'] : undefined
  if (!isRecord(value) || !isRecord(error)) return body
  const given = error['code']
  if (isCode(given) && (typeof given === 'string' || as === 'number')) return body
  const code = codeFor(typeof given === 'number' ? given : status, as)
  const whole = scanObject(text)
  const span = 'problem' in whole ? undefined : whole.members.get('error')
  const inner = text.slice(span?.start, span?.end)
  const scan = scanObject(inner)
  // Members that stand twice, or too many levels: what the client reads of it is left, and not how it was written.
  if ('problem' in whole || 'problem' in scan) {
    return Buffer.from(JSON.stringify({ ...value, error: { ...error, code } }))
  }
  const edited = editObject(inner, scan, new Map([['code', JSON.stringify(code)]]))
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

/** The body of an error in the form in which a client reads the answer that it asked for. */
export function framed(body: Buffer, { framedError }: Endpoint, asked: AskedInPath | undefined): Buffer {
  return asked === undefined || framedError === undefined ? body : framedError(body, asked)
}
