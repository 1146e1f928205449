// Rate limits of a request that several scopes have: its key's, and those of its member for all their keys together. All scopes are
// checked before anything is taken of one, so that a request which is refused by one of them costs nothing in the other.

import type { PackageLimits } from '#core/entities.ts'
import {
  checkLimits,
  giveBackLimits,
  requestStanding,
  takeLimits,
  tokenStanding,
  untakeLimits,
  type LimitStanding,
  type LimitState,
  type TakenLimits,
} from '#core/limits.ts'

export type LimitScope = 'key' | 'member'

/** What one scope has taken, and its limits as they are now. */
export type Scoped = { readonly scope: LimitScope; readonly state: LimitState; readonly limits: PackageLimits }

/** A limit that leaves no room. */
export type FullLimit = {
  readonly type: 'full'
  readonly scope: LimitScope
  readonly limit: keyof PackageLimits
  /** How much the limit allows. */
  readonly most: number
  readonly waitMs: number
}

/**
 * Whether one more request of `tokens` estimated input tokens fits everywhere. Of several limits that are full it names the one that
 * is for longest.
 */
export function checkScopes(scopes: readonly Scoped[], tokens: number, nowMs: number): FullLimit | { type: 'free' } {
  let longest: FullLimit | undefined
  for (const { scope, state, limits } of scopes) {
    const verdict = checkLimits(state, limits, tokens, nowMs)
    if (verdict.type === 'free' || (longest !== undefined && longest.waitMs >= verdict.waitMs)) continue
    longest = { ...verdict, scope, most: limits[verdict.limit] ?? 0 }
  }
  return longest ?? { type: 'free' }
}

/** Takes one request, its estimated tokens and a concurrency slot of every scope. */
export function takeScopes(states: readonly LimitState[], tokens: number, nowMs: number): void {
  for (const state of states) takeLimits(state, tokens, nowMs)
}

/** Gives the slots back and adds the tokens that were used beyond the estimate. */
export function giveBackScopes(
  states: readonly LimitState[],
  tokens: { readonly taken: number; readonly used: number },
  nowMs: number,
): void {
  for (const state of states) giveBackLimits(state, tokens.taken, tokens.used, nowMs)
}

/** Takes back a request that was refused after all. */
export function untakeScopes(states: readonly LimitState[], taken: TakenLimits, nowMs: number): void {
  for (const state of states) untakeLimits(state, taken, nowMs)
}

/** How the limits per minute stand: of several scopes with one limit the one that is used up first. */
export function nearestStandings(
  scopes: readonly Scoped[],
  nowMs: number,
): { readonly requests: LimitStanding | undefined; readonly tokens: LimitStanding | undefined } {
  let requests: LimitStanding | undefined
  let tokens: LimitStanding | undefined
  for (const { state, limits } of scopes) {
    const { requestsPerMinute, tokensPerMinute } = limits
    if (requestsPerMinute !== undefined) requests = nearer(requests, requestStanding(state, requestsPerMinute, nowMs))
    if (tokensPerMinute !== undefined) tokens = nearer(tokens, tokenStanding(state, tokensPerMinute, nowMs))
  }
  return { requests, tokens }
}

function nearer(one: LimitStanding | undefined, other: LimitStanding): LimitStanding {
  if (one === undefined || other.remaining < one.remaining) return other
  return other.remaining === one.remaining && other.resetMs > one.resetMs ? other : one
}
