// The health of targets. One that fails several times in a row is left out for a while; then one request at a time may try it
// again, and its answer decides. A target that asks for patience, or that refuses our secret, is left out for as long. It
// only says which targets are better than others: a model whose targets are all sick is still tried, as often as they bear.

import { isAboutAccount, type FailureKind, type UpstreamFailure } from '#core/failure.ts'
import type { Target } from '#core/entities.ts'
import { isSickness } from '#core/retry.ts'
import { targetKey } from '#core/target-key.ts'
import { Restraint, type Restrained } from '#pipeline/restraint.ts'

/** `open`: left out after failures; `half-open`: left out but for one request that tries it; `cooling`: left out on request. */
export type HealthState = 'ok' | 'open' | 'half-open' | 'cooling'

export type TargetHealth = {
  readonly state: HealthState
  /** Failures in a row. */
  readonly failures: number
  /** Until when it is left out; undefined for one that is not. */
  readonly untilMs: number | undefined
  readonly lastFailure:
    { readonly kind: FailureKind; readonly status: number | undefined; readonly atMs: number } | undefined
}

/** So many failures in a row open a target. */
const TRIP_AT = 3
const SHORTEST_MS = 5000
const LONGEST_MS = 60_000
/** How long a target that refuses our secret is left out: somebody has to mend that first. */
const SECRET_MS = 30_000
/** More than any catalogue has; targets that were removed are forgotten beyond it, the oldest first. */
const MAX_TARGETS = 10_000

type TargetCondition = {
  failures: number
  /** How often in a row it was opened; each time lasts twice as long. */
  trips: number
  /** Left out until then; 0 for a target that is not. */
  untilMs: number
  isCooling: boolean
  isProbed: boolean
  /** Whether it has answered in full since it last failed. */
  hasAnswered: boolean
  lastFailure: TargetHealth['lastFailure']
}

type Asked = { readonly askedAtMs?: number | undefined; readonly by?: string | undefined }

const HEALTHY: TargetHealth = { state: 'ok', failures: 0, untilMs: undefined, lastFailure: undefined }

export class Health {
  readonly #entries = new Map<string, TargetCondition>()
  /** Complete answers in a row whose usage was not reported. */
  readonly #unreported = new Map<string, number>()
  /** Pieces of streams that belonged to nothing. */
  readonly #dropped = new Map<string, number>()
  readonly #restraint: Restraint

  /** `trialsPerSecond`: how often a target is asked while it fails; 0 for no bound. */
  constructor(trialsPerSecond = 0) {
    this.#restraint = new Restraint(trialsPerSecond, MAX_TARGETS)
  }

  of(target: Target, nowMs: number): TargetHealth {
    const entry = this.#entries.get(targetKey(target))
    if (entry === undefined) return HEALTHY
    const { failures, untilMs, lastFailure } = entry
    const state = stateOf(entry, nowMs)
    if (state === 'ok' && entry.hasAnswered) return HEALTHY
    return { state, failures, untilMs: state === 'ok' ? undefined : untilMs, lastFailure }
  }

  /** Notes whether a complete answer came with what it used. */
  noteUsage(target: Target, usage: 'reported' | 'missing'): void {
    const key = targetKey(target)
    if (usage === 'reported') return void this.#unreported.delete(key)
    count(this.#unreported, key, 1)
  }

  /** Notes pieces of an answer that belonged to nothing, and were left out. */
  noteDropped(target: Target, pieces: number): void {
    if (pieces > 0) count(this.#dropped, targetKey(target), pieces)
  }

  /** How many complete answers in a row the target said nothing of, or 0 tokens of a text that is there. */
  unreported(target: Target): number {
    return this.#unreported.get(targetKey(target)) ?? 0
  }

  /** How many pieces of its answers belonged to nothing since the start. */
  dropped(target: Target): number {
    return this.#dropped.get(targetKey(target)) ?? 0
  }

  /** Whether a request may go to a target as a matter of course. */
  isUsable(target: Target, nowMs: number): boolean {
    const entry = this.#entries.get(targetKey(target))
    if (entry === undefined) return true
    const state = stateOf(entry, nowMs)
    return state === 'ok' || (state === 'half-open' && !entry.isProbed)
  }

  /** Why the key `by` may not ask a target now; undefined where it may. `isRepeated`: it failed for the same request before. */
  restrained(target: Target, nowMs: number, isRepeated: boolean, by = ''): Restrained | undefined {
    const key = targetKey(target)
    const entry = this.#entries.get(key)
    const isWell = entry === undefined || (stateOf(entry, nowMs) === 'ok' && !(isRepeated && entry.failures > 0))
    return this.#restraint.of(key, nowMs, { isWell, by })
  }

  /** Whether a target is left out for its failures and answers nothing at all, so that nobody is to ask it twice. */
  isDown(target: Target, nowMs: number): boolean {
    const { state } = this.of(target, nowMs)
    return (state === 'open' || state === 'half-open') && this.#restraint.isSilent(targetKey(target), nowMs)
  }

  /** Notes that a request goes to a target. Returns whether it is the one that tries it out; `left` must follow then. */
  enter(target: Target, nowMs: number): boolean {
    const key = targetKey(target)
    this.#restraint.asked(key, nowMs)
    const entry = this.#entries.get(key)
    if (entry === undefined || stateOf(entry, nowMs) !== 'half-open' || entry.isProbed) return false
    entry.isProbed = true
    return true
  }

  /** Ends a trial that said nothing about the target, such as one whose client went. */
  left(target: Target): void {
    const entry = this.#entries.get(targetKey(target))
    if (entry !== undefined) entry.isProbed = false
  }

  /**
   * The target began to answer: it is used again. One more failure leaves it out again until an answer was complete. One that
   * asked for patience gets it: it answers what it took before, and says nothing about what it would take now.
   */
  answering(target: Target, nowMs: number): void {
    const key = targetKey(target)
    this.#restraint.answered(key, nowMs)
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.untilMs === 0 || entry.isCooling) return
    entry.untilMs = 0
    entry.isProbed = false
    entry.failures = Math.min(entry.failures, TRIP_AT - 1)
  }

  /** The target answered in full. */
  answered(target: Target, nowMs: number): void {
    const key = targetKey(target)
    this.#restraint.answered(key, nowMs)
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    if (stateOf(entry, nowMs) !== 'cooling') return void this.#entries.delete(key)
    entry.failures = 0
    entry.trips = 0
    entry.hasAnswered = true
  }

  /** `asked`: when the target was first asked what it failed at, where that matters, and by which key. */
  failed(target: Target, failure: UpstreamFailure, nowMs: number, { askedAtMs, by = '' }: Asked = {}): void {
    if (failure.kind === 'aborted') return
    // One key's requests must not change what another key gets.
    if (failure.isModelOutput) return this.left(target)
    const key = targetKey(target)
    this.#restraint.failed(key, failure, nowMs, by)
    // What answers others meanwhile, and this with an error, has something against this.
    if (hasAnswered(failure) && askedAtMs !== undefined && this.#restraint.hasAnsweredSince(key, askedAtMs)) return
    const entry = this.#entryOf(target)
    entry.isProbed = false
    entry.hasAnswered = false
    entry.lastFailure = { kind: failure.kind, status: failure.status, atMs: nowMs }
    if (refusesAccount(failure)) return cool(entry, nowMs + SECRET_MS)
    if (failure.status === 429) return cool(entry, nowMs + patienceMs(failure))
    if (!isSickness(failure)) return
    entry.failures += 1
    // Many requests that fail together are one reason to leave it out, not many.
    if (entry.failures < TRIP_AT || stateOf(entry, nowMs) === 'open') return
    entry.untilMs = Math.max(entry.untilMs, nowMs + Math.min(LONGEST_MS, SHORTEST_MS * 2 ** entry.trips))
    entry.isCooling = false
    entry.trips += 1
  }

  /** Takes a failure back that turned out to be the request's doing. */
  forgive(target: Target): void {
    const entry = this.#entries.get(targetKey(target))
    if (entry === undefined || entry.failures === 0) return
    entry.failures -= 1
    if (entry.failures === 0) entry.hasAnswered = true
    if (entry.isCooling || entry.untilMs === 0 || entry.failures >= TRIP_AT) return
    entry.untilMs = 0
    entry.trips -= 1
  }

  /** Forgets what was known of a target, because from now on it is another one behind the same name. */
  forget(target: Target): void {
    this.#restraint.forget(targetKey(target))
    this.#entries.delete(targetKey(target))
    this.#unreported.delete(targetKey(target))
    this.#dropped.delete(targetKey(target))
  }

  #entryOf(target: Target): TargetCondition {
    const key = targetKey(target)
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const entry: TargetCondition = {
      failures: 0,
      trips: 0,
      untilMs: 0,
      isCooling: false,
      isProbed: false,
      hasAnswered: false,
      lastFailure: undefined,
    }
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MAX_TARGETS && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, entry)
    return entry
  }
}

function count(counts: Map<string, number>, key: string, more: number): void {
  const [oldest] = counts.keys()
  if (counts.size >= MAX_TARGETS && oldest !== undefined) counts.delete(oldest)
  counts.set(key, (counts.get(key) ?? 0) + more)
}

function stateOf({ untilMs, isCooling }: TargetCondition, nowMs: number): HealthState {
  if (untilMs === 0) return 'ok'
  if (isCooling) return nowMs < untilMs ? 'cooling' : 'ok'
  return nowMs < untilMs ? 'open' : 'half-open'
}

function cool(entry: TargetCondition, untilMs: number): void {
  // A target that is open stays so: being busy is no proof of health.
  if (entry.untilMs > untilMs) return
  entry.untilMs = untilMs
  entry.isCooling = true
}

/** Whether it was the target itself that said that it failed, and said no more than that. */
function hasAnswered({ kind, status }: UpstreamFailure): boolean {
  return (kind === 'status' || kind === 'reported') && (status === 500 || status === 501)
}

/** By its status, or in words inside an answer that stand for one. */
function refusesAccount(failure: UpstreamFailure): boolean {
  // Some providers say 403 to what their moderation does not like, and one client must not keep the others from a target.
  if (failure.status === 403) return false
  return failure.kind === 'secret' || (failure.status !== undefined && isAboutAccount(failure))
}

function patienceMs({ retryAfterSeconds }: UpstreamFailure): number {
  return Math.min(LONGEST_MS, retryAfterSeconds === undefined ? SHORTEST_MS : retryAfterSeconds * 1000)
}
