// Refusals: Farebox says no. A refusal is a value that the pipeline returns; it is never thrown. Every reason is listed
// here once, with the HTTP status and the error type that clients see.

import type { ClientQuirks } from '#core/client-quirks.ts'

export const REFUSALS = {
  invalid_request: { status: 400, errorType: 'invalid_request_error' },
  unauthenticated: { status: 401, errorType: 'authentication_error' },
  credits_exhausted: { status: 402, errorType: 'insufficient_credits' },
  credits_held: { status: 402, errorType: 'insufficient_credits' },
  package_expired: { status: 402, errorType: 'insufficient_credits' },
  model_unpriced: { status: 402, errorType: 'insufficient_credits' },
  key_not_usable: { status: 403, errorType: 'permission_error' },
  forbidden: { status: 403, errorType: 'permission_error' },
  not_found: { status: 404, errorType: 'not_found_error' },
  model_not_found: { status: 404, errorType: 'not_found_error' },
  conflict: { status: 409, errorType: 'invalid_request_error' },
  request_too_large: { status: 413, errorType: 'request_too_large' },
  provider_refuses: { status: 424, errorType: 'upstream_error' },
  // For clients that ask again after any other status than 400.
  provider_refuses_response: { status: 400, errorType: 'upstream_error' },
  upgrade_required: { status: 426, errorType: 'invalid_request_error' },
  rate_limited: { status: 429, errorType: 'rate_limit_error' },
  internal: { status: 500, errorType: 'api_error' },
  upstream_error: { status: 502, errorType: 'upstream_error' },
  overloaded: { status: 503, errorType: 'overloaded_error' },
  no_secret_store: { status: 503, errorType: 'overloaded_error' },
  upstream_timeout: { status: 504, errorType: 'upstream_timeout' },
  disk_full: { status: 507, errorType: 'overloaded_error' },
} as const satisfies Record<string, { status: number; errorType: string }>

export type RefusalCode = keyof typeof REFUSALS

/** Which limit was hit, whose it is and when it frees up; shown to the client inside the error. */
export type HitLimit = { readonly name: string; readonly scope: string; readonly resetAt: string | null }

export type Refusal = {
  readonly type: 'refusal'
  readonly code: RefusalCode
  readonly message: string
  readonly param?: string
  readonly retryAfterSeconds?: number
  readonly limit?: HitLimit
  /** Members that clients of one format look for in an error, such as what to do without. */
  readonly details?: Readonly<Record<string, unknown>>
  /** In place of the status that the code has: that of a provider whose judgement is told in its own status. */
  readonly status?: number
  /** How its client reads the code of an error, where that is not as the contract has it. */
  readonly errorCode?: ClientQuirks['errorCode']
}

type Details = Pick<Refusal, 'param' | 'retryAfterSeconds' | 'limit' | 'details' | 'status'>

/** Builds a refusal. `message` says what happened and what to do next, without secrets or content. */
export function refuse(code: RefusalCode, message: string, details: Details = {}): Refusal {
  return { type: 'refusal', code, message, ...details }
}

/** The HTTP status of a refusal. */
export function statusOf({ code, status }: Refusal): number {
  return status ?? REFUSALS[code].status
}

/** A refusal as one client can read it. */
export function toldTo({ errorCode }: ClientQuirks, refusal: Refusal): Refusal {
  return errorCode === 'number' ? refusal : { ...refusal, errorCode }
}

/** The code tells it from content of the same type: a model's refusal to answer. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'refusal' && 'code' in value
}
