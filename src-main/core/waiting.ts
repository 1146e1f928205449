// Calls that wait for something, as lists of them show it: which call, for what, and how long it may take. Nothing of what a call
// says is in it.

import type { PackageLimits } from '#core/entities.ts'
import type { LimitScope } from '#core/limit-scopes.ts'

/** Which call it is. */
export type CallNote = { readonly exchangeId: string; readonly keyId: string; readonly modelId: string }

/** What a call waits for. */
export type WaitReason =
  | { readonly type: 'limit'; readonly scope: LimitScope; readonly limit: keyof PackageLimits }
  /** Credits that other calls of its key hold. */
  | { readonly type: 'credits' }
  /** A place at a provider that serves no more requests at a time. */
  | { readonly type: 'provider'; readonly providerId: string }
  /** The moment at which a provider that failed is asked again. */
  | { readonly type: 'retry' }

/** Times are UTC epoch milliseconds. */
export type WaitingCall = CallNote & {
  readonly reason: WaitReason
  /** Its turn among those that wait for the same: 1 is next. */
  readonly place: number
  readonly sinceMs: number
  /** When it goes on, where that is known. */
  readonly expectedAtMs: number | undefined
  /** When it gives up. */
  readonly untilMs: number | undefined
}

/** The names that clients see. */
export const LIMIT_NAMES = {
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrentRequests: 'concurrent_requests',
} as const satisfies Record<keyof PackageLimits, string>
