// The gate holds each key to its package's rate limits. Depending on a setting, a request that does not fit is refused at
// once or waits its turn, first come first served for each key, bounded in length and time.

import type { PackageLimits } from '#core/entities.ts'
import {
  checkLimits,
  giveBackLimits,
  newLimitState,
  requestStanding,
  takeLimits,
  tokenStanding,
  untakeLimits,
  type LimitState,
  type LimitVerdict,
} from '#core/limits.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Headers } from '#pipeline/ports.ts'
import type { Cancellation } from '#ledger/ledger.ts'

export type GateOptions = {
  readonly nowMs: () => number
  /** Whether a request that does not fit waits (`RATE_LIMIT_WAIT`). */
  readonly waits: boolean
  readonly maxWaitMs: number
}

/** What a request took; to be given back exactly once. `keyId` is undefined where there were no limits to take from. */
export type Ticket = { readonly keyId: string | undefined; readonly tokens: number; readonly atMs: number }

const UNLIMITED: Ticket = { keyId: undefined, tokens: 0, atMs: 0 }

type Full = Extract<LimitVerdict, { type: 'full' }>
type Waiter = { readonly tokens: number; readonly limits: PackageLimits; answer(answer: Ticket | Refusal): void }
type Lane = { readonly state: LimitState; readonly waiters: Waiter[]; timer: NodeJS.Timeout | undefined }

const MAX_WAITERS = 256

const LIMIT_NAMES: Record<keyof PackageLimits, string> = {
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrentRequests: 'concurrent_requests',
}

export class Gate {
  readonly #options: GateOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #left = new WeakSet<Ticket>()

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Lets a request of `tokens` estimated input tokens in, or refuses it with the limit that was hit and its reset. */
  async enter(
    keyId: string,
    limits: PackageLimits,
    tokens: number,
    cancellation: Cancellation,
  ): Promise<Ticket | Refusal> {
    if (!hasLimits(limits)) return UNLIMITED
    const lane = this.#lane(keyId)
    const verdict = checkLimits(lane.state, limits, tokens, this.#options.nowMs())
    if (verdict.type === 'free' && lane.waiters.length === 0) return this.#take(lane, keyId, tokens)
    const full: Full = verdict.type === 'full' ? verdict : { type: 'full', limit: 'requestsPerMinute', waitMs: 1000 }
    if (!this.#options.waits || lane.waiters.length >= MAX_WAITERS || cancellation.isCancelled) {
      return this.#refusal(full, limits)
    }
    return this.#wait(lane, keyId, { limits, tokens }, cancellation)
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const { waiters } of this.#lanes.values()) count += waiters.length
    return count
  }

  /** Ends a request's stay; its tokens are corrected to what was used. Only the first call for a ticket counts. */
  leave(ticket: Ticket, usedTokens: number): void {
    if (ticket.keyId === undefined || this.#left.has(ticket)) return
    this.#left.add(ticket)
    const lane = this.#lane(ticket.keyId)
    giveBackLimits(lane.state, ticket.tokens, usedTokens, this.#options.nowMs())
    this.#serve(lane, ticket.keyId)
  }

  /** Gives everything back for a request that was refused after it had entered. */
  undo(ticket: Ticket): void {
    if (ticket.keyId === undefined) return
    const lane = this.#lane(ticket.keyId)
    untakeLimits(lane.state, ticket, this.#options.nowMs())
    this.#serve(lane, ticket.keyId)
  }

  /** The standard rate-limit headers for a key with limits; for clients of the messages format those that they read too. */
  headers(keyId: string, limits: PackageLimits, endpoint: EndpointName): Headers {
    const { requestsPerMinute, tokensPerMinute } = limits
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return {}
    const { state } = this.#lane(keyId)
    const nowMs = this.#options.nowMs()
    const headers: Record<string, string> = {}
    const standings = {
      requests: requestsPerMinute === undefined ? undefined : requestStanding(state, requestsPerMinute, nowMs),
      tokens: tokensPerMinute === undefined ? undefined : tokenStanding(state, tokensPerMinute, nowMs),
    }
    for (const [name, standing] of Object.entries(standings)) {
      if (standing === undefined) continue
      headers[`x-ratelimit-limit-${name}`] = String(standing.limit)
      headers[`x-ratelimit-remaining-${name}`] = String(standing.remaining)
      // The form that OpenAI's clients parse: a Go duration.
      headers[`x-ratelimit-reset-${name}`] = `${standing.resetMs}ms`
      if (endpoint !== 'messages') continue
      headers[`anthropic-ratelimit-${name}-limit`] = String(standing.limit)
      headers[`anthropic-ratelimit-${name}-remaining`] = String(standing.remaining)
      headers[`anthropic-ratelimit-${name}-reset`] = new Date(nowMs + standing.resetMs).toISOString()
    }
    return headers
  }

  #take(lane: Lane, keyId: string, tokens: number): Ticket {
    const atMs = this.#options.nowMs()
    takeLimits(lane.state, tokens, atMs)
    return { keyId, tokens, atMs }
  }

  #wait(
    lane: Lane,
    keyId: string,
    request: { limits: PackageLimits; tokens: number },
    cancellation: Cancellation,
  ): Promise<Ticket | Refusal> {
    return new Promise((resolve) => {
      const giveUp = () => {
        if (!lane.waiters.includes(waiter)) return
        const verdict = checkLimits(lane.state, request.limits, request.tokens, this.#options.nowMs())
        const full: Full =
          verdict.type === 'full' ? verdict : { type: 'full', limit: 'requestsPerMinute', waitMs: 1000 }
        waiter.answer(this.#refusal(full, request.limits))
        this.#serve(lane, keyId)
      }
      const patience = setTimeout(giveUp, this.#options.maxWaitMs)
      const waiter: Waiter = {
        ...request,
        answer: (answer) => {
          clearTimeout(patience)
          lane.waiters.splice(lane.waiters.indexOf(waiter), 1)
          resolve(answer)
        },
      }
      lane.waiters.push(waiter)
      cancellation.onCancel(giveUp)
      this.#serve(lane, keyId)
    })
  }

  /** Lets those who wait in as far as they fit, in their order, and looks again when the next one will fit. */
  #serve(lane: Lane, keyId: string): void {
    clearTimeout(lane.timer)
    lane.timer = undefined
    for (let next = lane.waiters[0]; next !== undefined; next = lane.waiters[0]) {
      const verdict = checkLimits(lane.state, next.limits, next.tokens, this.#options.nowMs())
      if (verdict.type === 'full') {
        lane.timer = setTimeout(() => this.#serve(lane, keyId), verdict.waitMs)
        return
      }
      next.answer(this.#take(lane, keyId, next.tokens))
    }
  }

  #refusal(full: Full, limits: PackageLimits): Refusal {
    const name = LIMIT_NAMES[full.limit]
    const resetAt = new Date(this.#options.nowMs() + full.waitMs).toISOString()
    const retryAfterSeconds = Math.max(1, Math.ceil(full.waitMs / 1000))
    return refuse(
      'rate_limited',
      `The limit of ${limits[full.limit] ?? 0} ${name.replaceAll('_', ' ')} for this key is reached. Retry in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, limit: { name, scope: 'key', resetAt } },
    )
  }

  #lane(keyId: string): Lane {
    let lane = this.#lanes.get(keyId)
    if (lane === undefined) {
      lane = { state: newLimitState(), waiters: [], timer: undefined }
      this.#lanes.set(keyId, lane)
    }
    return lane
  }
}

function hasLimits(limits: PackageLimits): boolean {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || concurrentRequests !== undefined
}
