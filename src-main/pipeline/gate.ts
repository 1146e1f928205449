// The gate holds each key to its package's rate limits, and all keys of a member together to the member's. Depending on a setting, a
// request that does not fit is refused at once or waits its turn, bounded in length and time.

import type { PackageLimits } from '#core/entities.ts'
import { wholeLimits, type PartOf } from '#core/limit-parts.ts'
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
import type { Soon } from '#core/soon.ts'
import { LIMIT_NAMES, type CallNote, type WaitingCall } from '#core/waiting.ts'
import { WaitQueue, type After, type Cancellation, type Look } from '#core/wait-queue.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { limitHeaders } from '#pipeline/limit-headers.ts'
import type { Headers } from '#pipeline/ports.ts'

export type GateOptions = {
  readonly nowMs: () => number
  readonly after: After
  /** The limits of a member as they are now. */
  readonly limitsOfMember: (memberId: string) => PackageLimits
  /** What this gateway holds to of limits, where others share them. */
  readonly partOf?: PartOf
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
  readonly lineId: string
  readonly tokens: number
  readonly atMs: number
}

const UNLIMITED: Ticket = { states: [], lineId: '', tokens: 0, atMs: 0 }

export class Gate {
  readonly #options: GateOptions
  readonly #keys = new Map<string, LimitState>()
  readonly #members = new Map<string, LimitState>()
  /** One line for all keys of a member, and one for each key of nobody. */
  readonly #queue: WaitQueue<GateRequest, Ticket | Refusal, FullLimit>

  constructor(options: GateOptions) {
    this.#options = options
    const { nowMs, after } = options
    this.#queue = new WaitQueue({
      nowMs,
      after,
      get patienceMs() {
        return options.maxWaitMs
      },
      look: (request) => this.#look(request),
      refuse: (_, full) => this.#refusal(full),
      reasonOf: ({ scope, limit }) => ({ type: 'limit', scope, limit }),
    })
  }

  /** Lets a request in, or refuses it with the limit that was hit, whose it is, and its reset. */
  enter(request: GateRequest, cancellation: Cancellation): Soon<Ticket | Refusal> {
    const scopes = this.#scopes(request)
    if (scopes.length === 0) return UNLIMITED
    const lineId = lineOf(request)
    // Whoever waits was here first, unless it waits for what this request does not need: the queue decides that.
    if (this.#options.waits && this.#queue.hasLine(lineId)) return this.#queue.join(request, lineId, cancellation)
    const verdict = checkScopes(scopes, request.tokens, this.#options.nowMs())
    if (verdict.type === 'free') return this.#take(request, scopes)
    return this.#options.waits ? this.#queue.join(request, lineId, cancellation) : this.#refusal(verdict)
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Every request that waits, and for what. */
  waitingCalls(): WaitingCall[] {
    return this.#queue.waitingCalls()
  }

  /** How many calls of a member are past the gate and have not left. */
  running(memberId: string): number {
    return this.#members.get(memberId)?.concurrent ?? 0
  }

  /** Ends a request's stay; its tokens are corrected to what was used. */
  leave(ticket: Ticket, usedTokens: number): void {
    if (ticket.states.length === 0) return
    giveBackScopes(ticket.states, { taken: ticket.tokens, used: usedTokens }, this.#options.nowMs())
    this.#queue.serveLine(ticket.lineId)
  }

  /** Gives everything back for a request that was refused after it had entered. */
  undo(ticket: Ticket): void {
    if (ticket.states.length === 0) return
    untakeScopes(ticket.states, ticket, this.#options.nowMs())
    this.#queue.serveLine(ticket.lineId)
  }

  /** Looks again at those who wait for a member's limits, which were changed. */
  memberLimitsChanged(memberId: string): void {
    this.#queue.serveLine(memberId)
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
    const { limitsOfMember, partOf = wholeLimits } = this.#options
    const scopes: Scoped[] = []
    if (hasLimits(limits)) scopes.push({ scope: 'key', state: stateOf(this.#keys, keyId), limits: partOf(limits) })
    if (memberId === undefined) return scopes
    const state = stateOf(this.#members, memberId)
    scopes.push({ scope: 'member', state, limits: partOf(limitsOfMember(memberId)) })
    return scopes
  }

  #take(request: GateRequest, scopes: readonly Scoped[]): Ticket {
    const atMs = this.#options.nowMs()
    const states = scopes.map(({ state }) => state)
    takeScopes(states, request.tokens, atMs)
    return { states, lineId: lineOf(request), tokens: request.tokens, atMs }
  }

  #look(request: GateRequest): Look<Ticket | Refusal, FullLimit> {
    const scopes = this.#scopes(request)
    const nowMs = this.#options.nowMs()
    const verdict = checkScopes(scopes, request.tokens, nowMs)
    if (verdict.type === 'free') return { type: 'answer', answer: this.#take(request, scopes) }
    return {
      type: 'wait',
      blocks: verdict.scope === 'key' ? 'key' : 'line',
      hindrance: verdict,
      // A minute slides on by itself; of a call that runs nobody knows when it ends.
      overAtMs: verdict.limit === 'concurrentRequests' ? undefined : nowMs + verdict.waitMs,
    }
  }

  #refusal({ scope, limit, most, waitMs }: FullLimit): Refusal {
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

function lineOf({ keyId, memberId }: LimitedKey): string {
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
