// Error bodies in the contract's shape: {"error":{"message","type","code"}}, where `code` is the HTTP status.

import { REFUSALS, type Refusal } from '#core/refusal.ts'

/** The body for a refusal. Optional members say which parameter or limit it is about and which request it was. */
export function errorBody(refusal: Refusal, requestId: string): string {
  const { status, errorType } = REFUSALS[refusal.code]
  return JSON.stringify({
    error: {
      message: refusal.message,
      type: errorType,
      code: status,
      ...(refusal.param === undefined ? {} : { param: refusal.param }),
      ...(refusal.limit === undefined
        ? {}
        : { limit: { name: refusal.limit.name, scope: refusal.limit.scope, reset_at: refusal.limit.resetAt } }),
      request_id: requestId,
    },
  })
}

/** Refusals that a repeated request would only meet again; the SDKs obey `x-should-retry`. */
const FINAL = new Set(['credits_exhausted', 'package_expired', 'model_unpriced', 'key_not_usable'])

/** Headers that tell a client whether and when to try again. */
export function retryHeaders(refusal: Refusal): Readonly<Record<string, string>> {
  if (refusal.retryAfterSeconds !== undefined) return { 'retry-after': String(refusal.retryAfterSeconds) }
  return FINAL.has(refusal.code) ? { 'x-should-retry': 'false' } : {}
}
