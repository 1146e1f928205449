// The gate holds each key to its package's rate limits, and all keys of a member together to the member's. Depending on a setting, a
// request that does not fit is refused at once or waits its turn, bounded in length and time.

import type { PackageLimits } from '#core/entities.ts'
import { newLimitState, type LimitState } from '#core/limits.ts'
import {
  checkScopes,
  giveBackScopes,
  nearestStandings,
  takeScopes,
  untakeScopes,
  type FullLimit,
  type Scoped,
} from '#core/limit-scopes.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { LIMIT_NAMES, type CallNote, type WaitingCall } from '#core/waiting.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { limitHeaders } from '#pipeline/limit-headers.ts'
import type { Headers } from '#pipeline/ports.ts'
import { TurnQueue } from '#pipeline/turn-queue.ts'
import type { Cancellation } from '#ledger/hold-queue.ts'

export type GateOptions = {
  readonly nowMs: () => number
  /** The limits of a member as they are now. */
  readonly limitsOfMember: (memberId: string) => PackageLimits
  /** Whether a request that does not fit waits (`RATE_LIMIT_WAIT`). */
  readonly waits: boolean
  readonly maxWaitMs: number
}

/** Whose limits a call has: its key's, as its package gave them when it came, and its member's. */
export type LimitedKey = {
  readonly keyId: string
  readonly memberId: string | undefined
  readonly limits: PackageLimits
}

/** A request at the gate, with its estimated input tokens. */
export type GateRequest = LimitedKey & CallNote & { readonly tokens: number }

/** What a request took; to be given back exactly once. */
export type Ticket = {
  /** Of every scope that it took from; none where there were no limits. */
  readonly states: readonly LimitState[]
  /** Where those wait who may fit in when it has left. */
  readonly queueId: string
  readonly tokens: number
  readonly atMs: number
}

const UNLIMITED: Ticket = { states: [], queueId: '', tokens: 0, atMs: 0 }

export class Gate {
  readonly #options: GateOptions
  readonly #keys = new Map<string, LimitState>()
  readonly #members = new Map<string, LimitState>()
  /** Only where somebody waits. One for all keys of a member, and one for each key of nobody. */
  readonly #queues = new Map<string, TurnQueue<GateRequest, Ticket | Refusal>>()
  readonly #left = new WeakSet<Ticket>()

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Lets a request in, or refuses it with the limit that was hit, whose it is, and its reset. */
  async enter(request: GateRequest, cancellation: Cancellation): Promise<Ticket | Refusal> {
    const scopes = this.#scopes(request)
    if (scopes.length === 0) return UNLIMITED
    const queue = this.#queues.get(queueOf(request))
    const verdict = checkScopes(scopes, request.tokens, this.#options.nowMs())
    // Whoever waits was here first, unless it waits for what this request does not need: the queue decides that.
    if (verdict.type === 'free' && queue === undefined) return this.#take(request, scopes)
    if (!this.#options.waits || queue?.isFull === true || cancellation.isCancelled) {
      return this.#refusal(verdict.type === 'full' ? verdict : queue?.hindranceOfLast())
    }
    return this.#wait(request, cancellation)
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const queue of this.#queues.values()) count += queue.length
    return count
  }

  /** Every request that waits, and for what. */
  waitingCalls(): WaitingCall[] {
    return [...this.#queues.values()].flatMap((queue) => queue.standings())
  }

  /** How many calls of a member are past the gate and have not left. */
  running(memberId: string): number {
    return this.#members.get(memberId)?.concurrent ?? 0
  }

  /** Ends a request's stay; its tokens are corrected to what was used. Only the first call for a ticket counts. */
  leave(ticket: Ticket, usedTokens: number): void {
    if (ticket.states.length === 0 || this.#left.has(ticket)) return
    this.#left.add(ticket)
    giveBackScopes(ticket.states, { taken: ticket.tokens, used: usedTokens }, this.#options.nowMs())
    this.#queues.get(ticket.queueId)?.serve()
  }

  /** Gives everything back for a request that was refused after it had entered. */
  undo(ticket: Ticket): void {
    if (ticket.states.length === 0) return
    untakeScopes(ticket.states, ticket, this.#options.nowMs())
    this.#queues.get(ticket.queueId)?.serve()
  }

  /** Looks again at those who wait for a member's limits, which were changed. */
  memberLimitsChanged(memberId: string): void {
    this.#queues.get(memberId)?.serve()
  }

  /** The standard rate-limit headers where there are limits per minute; for clients of the messages format those that they read too. */
  headers(key: LimitedKey, endpoint: EndpointName): Headers {
    const scopes = this.#scopes(key)
    if (scopes.length === 0) return {}
    const nowMs = this.#options.nowMs()
    return limitHeaders(nearestStandings(scopes, nowMs), endpoint, nowMs)
  }

  /**
   * Whose limits hold. What a member's keys do is counted also while the member has no limits, so that one that is set counts
   * what is running.
   */
  #scopes({ keyId, memberId, limits }: LimitedKey): Scoped[] {
    const scopes: Scoped[] = []
    if (hasLimits(limits)) scopes.push({ scope: 'key', state: stateOf(this.#keys, keyId), limits })
    if (memberId === undefined) return scopes
    const state = stateOf(this.#members, memberId)
    scopes.push({ scope: 'member', state, limits: this.#options.limitsOfMember(memberId) })
    return scopes
  }

  #take(request: GateRequest, scopes: readonly Scoped[]): Ticket {
    const atMs = this.#options.nowMs()
    const states = scopes.map(({ state }) => state)
    takeScopes(states, request.tokens, atMs)
    return { states, queueId: queueOf(request), tokens: request.tokens, atMs }
  }

  #wait(request: GateRequest, cancellation: Cancellation): Promise<Ticket | Refusal> {
    const { nowMs, maxWaitMs } = this.#options
    const id = queueOf(request)
    let queue = this.#queues.get(id)
    if (queue === undefined) {
      queue = new TurnQueue<GateRequest, Ticket | Refusal>({
        nowMs,
        maxWaitMs,
        check: (waiter) => checkScopes(this.#scopes(waiter), waiter.tokens, nowMs()),
        take: (waiter) => this.#take(waiter, this.#scopes(waiter)),
        refuse: (full) => this.#refusal(full),
        onEmpty: () => this.#queues.delete(id),
      })
      this.#queues.set(id, queue)
    }
    return queue.join(request, cancellation)
  }

  /** Without a limit that is full it is only the others that wait who are in the way, which may be over at any time. */
  #refusal(full: FullLimit | undefined): Refusal {
    if (full === undefined) {
      return refuse('rate_limited', 'Too many requests wait for the limits of this key.', { retryAfterSeconds: 1 })
    }
    const { scope, limit, most, waitMs } = full
    const name = LIMIT_NAMES[limit]
    const resetAt = new Date(this.#options.nowMs() + waitMs).toISOString()
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
    const whose = scope === 'key' ? 'this key' : "all keys of this key's member"
    return refuse(
      'rate_limited',
      `The limit of ${most} ${name.replaceAll('_', ' ')} for ${whose} is reached. Retry in ${retryAfterSeconds} s.`,
      { retryAfterSeconds, limit: { name, scope, resetAt } },
    )
  }
}

function queueOf({ keyId, memberId }: LimitedKey): string {
  return memberId ?? keyId
}

function stateOf(states: Map<string, LimitState>, id: string): LimitState {
  const known = states.get(id)
  if (known !== undefined) return known
  const state = newLimitState()
  states.set(id, state)
  return state
}

function hasLimits({ requestsPerMinute, tokensPerMinute, concurrentRequests }: PackageLimits): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || concurrentRequests !== undefined
}
