// Which target a request goes to: first by priority, then by weight, sick and full ones last. One `Routing` serves one exchange
// and remembers where it has been.

import type { Provider, Target } from '#core/entities.ts'
import { isAboutSecret, type UpstreamFailure } from '#core/failure.ts'
import { ZERO } from '#core/money.ts'
import type { Refusal } from '#core/refusal.ts'
import { isSickness, mayBeRequest, retryDelayMs, retryOf } from '#core/retry.ts'
import { accountId } from '#core/secret-pool.ts'
import type { Health } from '#pipeline/health.ts'
import type { Restrained } from '#pipeline/restraint.ts'
import { refusalOfState } from '#pipeline/state-refusal.ts'
import type { Asker, ProviderGate, Slot } from '#pipeline/provider-gate.ts'
import type { Full, ProviderWish } from '#pipeline/provider-lane.ts'
import type { SecretHealth } from '#pipeline/secret-health.ts'

/** A target and the provider that it is at, with the secret that it is asked with where there are several. */
export type Place = { readonly target: Target; readonly provider: Provider }

/** A place that was taken for one attempt; `left` must be told how it ended. */
export type Turn<At extends Place> = { readonly place: At; readonly slot: Slot; readonly isTrial: boolean }

/** What follows a failure: an attempt after a while (0: at once), or nothing. */
export type Next<At extends Place> = { readonly place: At; readonly delayMs: number }

export type RoutingDeps = {
  readonly health: Health
  readonly secrets: SecretHealth
  readonly gate: ProviderGate
  readonly monotonicMs: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** The first wait before the same target is asked again; it doubles each time. */
  readonly retryDelayMs: number
}

/** How a provider refuses an account, and also what its moderation does not like. */
const FORBIDDEN = 403
const NONE: readonly never[] = []

/** How often one request is sent to the same target again after a failure. */
const RETRIES_PER_TARGET = 2

/** All places of a model in the order in which a request should try them. `affinity` keeps requests that share it together. */
export function orderPlaces<At extends Place>(
  places: readonly At[],
  affinity: string | undefined,
  random: () => number,
): readonly At[] {
  if (places.length === 1) return places
  // Weighted sampling without replacement: the smallest exponential variable comes first.
  const rankOf = (name: string, weight: number) =>
    -Math.log(1 - (affinity === undefined ? random() : hashed(`${affinity}\0${name}`))) / weight
  const ranks = new Map<Target, number>()
  const ranked = places.map((place) => {
    const { target, provider } = place
    const rank = ranks.get(target) ?? rankOf(`${provider.id}\0${target.upstreamModel}`, target.weight)
    ranks.set(target, rank)
    const { chosen } = provider
    // A conversation keeps its secret at every model of the provider.
    return { place, rank, among: chosen === undefined ? 0 : rankOf(accountId(provider), chosen.weight) }
  })
  return ranked.sort(byRank).map(({ place }) => place)
}

type Ranked = { readonly place: Place; readonly rank: number; readonly among: number }

/** The secrets of one provider stay beside each other: one that is refused is followed by another before another target is asked. */
function byRank(one: Ranked, other: Ranked): number {
  return one.place.target.priority - other.place.target.priority || one.rank - other.rank || one.among - other.among
}

/** The same order, but that a provider who knows what a request names comes before others of the same priority. */
export function keeperFirst<At extends Place>(places: readonly At[], keeperId: string | undefined): readonly At[] {
  if (keeperId === undefined) return places
  const rank = ({ provider }: At) => (accountId(provider) === keeperId ? 0 : 1)
  return places.toSorted((one, other) => one.target.priority - other.target.priority || rank(one) - rank(other))
}

export class Routing<At extends Place> {
  readonly #deps: RoutingDeps
  readonly #places: readonly At[]
  readonly #by: string
  /** Nearly every call has none of these, and makes no room for them. */
  #failures: Map<At, readonly UpstreamFailure[]> | undefined
  #givenUp: readonly At[] = []
  /** When each was first asked this. */
  #askedAtMs: Map<At, number> | undefined

  /** `places` in the order of `orderPlaces`; never empty. `by`: the key that asks. */
  constructor(places: readonly At[], deps: RoutingDeps, by = '') {
    this.#places = places
    this.#deps = deps
    this.#by = by
  }

  /**
   * Where to go: to a target that is well and was not tried yet, else to one that was tried and may be asked again, else to
   * one that is sick. undefined when nothing is left.
   */
  next(): Next<At> | undefined {
    const well = this.#places.find((place) => this.#isUntried(place, 'well'))
    return well === undefined ? (this.#again() ?? this.#leastSick()) : { place: well, delayMs: 0 }
  }

  /** Takes a place where there is only one target and it has room: what nearly every call needs. undefined: `take` decides. */
  takeNow(wanted: At, wish: ProviderWish): Turn<At> | undefined {
    if (this.#places.length > 1 || this.#restrained(wanted) !== undefined) return undefined
    const slot = this.#deps.gate.take(wanted.provider, wish)
    return 'type' in slot ? undefined : this.#turn(wanted, slot)
  }

  /**
   * Takes a place at `wanted`, or at another target that is well and was not tried where its provider is full. Waits for a
   * turn where all are full, asks a sick target when that takes too long, and refuses when those are full too, or when all
   * that is left was asked enough for the state that it is in.
   */
  async take(wanted: At, wish: ProviderWish, asker: Asker): Promise<Turn<At> | Refusal> {
    const { gate } = this.#deps
    const full = new Map<At, Full>()
    let told: Refusal | undefined
    const tryAll = (places: readonly At[], asked = wish) => {
      for (const place of places) {
        const state = this.#refusalOfState(place)
        told ??= state
        if (state !== undefined) continue
        const slot = gate.take(place.provider, asked)
        if (!('type' in slot)) return this.#turn(place, slot)
        full.set(place, slot)
      }
      return undefined
    }
    const candidates = this.#candidates(wanted)
    // Less than the worst case is promised only where no other place has room for all of it.
    const isChoice = candidates.length > 1 && wish.leastMicro < wish.worstMicro
    const whole = isChoice ? tryAll(candidates, { ...wish, leastMicro: wish.worstMicro }) : undefined
    const turn = whole ?? tryAll(candidates)
    if (turn !== undefined) return turn
    const queue = [...full].find(([, { isPassing }]) => isPassing)?.[0]
    if (queue !== undefined) {
      const waited = await gate.wait(queue.provider, wish, asker)
      if ('type' in waited) full.set(queue, waited)
      else {
        // It may have begun to fail meanwhile.
        const state = this.#orGiveBack(waited, () => this.#refusalOfState(queue))
        if (state === undefined) return this.#turn(queue, waited)
        told ??= state
        this.#giveBack(waited)
      }
    }
    const sick = asker.isCancelled ? [] : this.#untried('sick').filter((place) => !full.has(place))
    return tryAll(sick) ?? told ?? gate.refusal(soonest([...full.values()]))
  }

  /** Notes a failure and says what to do next; undefined when there is nothing left to do. */
  failed({ place }: Turn<At>, failure: UpstreamFailure): Next<At> | undefined {
    this.#blame(place, failure)
    const retry = retryOf(failure)
    const earlier = this.#failuresOf(place)
    this.#noteFailures(place, [...earlier, failure])
    const { health, monotonicMs } = this.#deps
    const isOver = earlier.length >= RETRIES_PER_TARGET || health.isDown(place.target, monotonicMs())
    if (retry !== 'here' || isOver) this.#exclude(place)
    // What says nothing about the secret would be the same with another one.
    if (!isAboutSecret(failure)) for (const other of this.#besides(place)) this.#exclude(other)
    if (retry === 'nowhere') return undefined
    return this.next()
  }

  /** Notes a failure in the middle of an answer, after which nothing can be done. */
  brokenOff({ place }: Turn<At>, failure: UpstreamFailure): void {
    if (place.provider.chosen !== undefined && isAboutSecret(failure)) return this.#blameSecret(place, failure)
    this.#deps.health.failed(place.target, failure, this.#deps.monotonicMs(), { by: this.#by })
  }

  /** Notes that a target answered in full. */
  answered({ place }: Turn<At>): void {
    const { health, secrets, monotonicMs } = this.#deps
    const nowMs = monotonicMs()
    health.answered(place.target, nowMs)
    if (place.provider.chosen === undefined) return
    secrets.answered(place, nowMs)
    // With 403 providers also refuse what they do not like of a request. What another secret was answered was not that.
    for (const other of this.#besides(place)) {
      const refusal = this.#failuresOf(other).find(({ status }) => status === FORBIDDEN)
      if (refusal !== undefined) secrets.failed(other, refusal, nowMs)
    }
  }

  /** Notes that a target does not know what it was asked for, and says what to do next. */
  unknownAt({ place }: Turn<At>): Next<At> | undefined {
    this.#noteFailures(place, this.#failuresOf(place))
    this.#exclude(place)
    return this.next()
  }

  /**
   * Leaves a target out of this exchange, because it cannot be asked this at all: with every secret of its provider, unless the
   * request names what only one account knows (`keeperId`).
   */
  cannotBeAsked(place: At, keeperId: string | undefined): void {
    this.#exclude(place)
    if (keeperId === undefined) for (const other of this.#besides(place)) this.#exclude(other)
  }

  #exclude(place: At): void {
    this.#givenUp = [...this.#givenUp, place]
  }

  #noteFailures(place: At, failures: readonly UpstreamFailure[]): void {
    this.#failures ??= new Map()
    this.#failures.set(place, failures)
  }

  #failuresOf(place: At): readonly UpstreamFailure[] {
    return this.#failures?.get(place) ?? []
  }

  #wasTried(place: At): boolean {
    return this.#failures?.has(place) === true
  }

  /** The target that was tried and may be asked again soonest. */
  #again(): Next<At> | undefined {
    const { random, retryDelayMs: baseMs } = this.#deps
    let best: Next<At> | undefined
    for (const [place, failures] of this.#failures ?? []) {
      const last = failures.at(-1)
      if (last === undefined || this.#givenUp.includes(place)) continue
      const wishedMs = retryDelayMs(last, { retries: failures.length - 1, baseMs, random: random() })
      if (wishedMs === undefined) continue
      const delayMs = Math.max(wishedMs, this.#restrained(place)?.waitMs ?? 0)
      if (best === undefined || delayMs < best.delayMs) best = { place, delayMs }
    }
    return best
  }

  #untried(state: 'well' | 'sick'): readonly At[] {
    return this.#places.filter((place) => this.#isUntried(place, state))
  }

  #isUntried(place: At, state: 'well' | 'sick'): boolean {
    if (this.#wasTried(place) || this.#givenUp.includes(place)) return false
    return this.#isWell(place) === (state === 'well')
  }

  #isWell(place: At): boolean {
    const { health, secrets, monotonicMs } = this.#deps
    const nowMs = monotonicMs()
    if (!health.isUsable(place.target, nowMs)) return false
    return place.provider.chosen === undefined || secrets.isUsable(place, nowMs)
  }

  /** The same target with the other secrets of its provider. */
  #besides({ target, provider }: At): readonly At[] {
    if (provider.chosen === undefined) return NONE
    return this.#places.filter((other) => other.target === target && other.provider !== provider)
  }

  #restrained(place: At): Restrained | undefined {
    return this.#deps.health.restrained(place.target, this.#deps.monotonicMs(), this.#wasTried(place), this.#by)
  }

  /** What is known of a target that was asked enough, in place of its answer. */
  #refusalOfState(place: At): Refusal | undefined {
    const restrained = this.#restrained(place)
    if (restrained === undefined) return undefined
    const nowMs = this.#deps.monotonicMs()
    return refusalOfState(place.provider.name, { restrained, health: this.#deps.health.of(place.target, nowMs), nowMs })
  }

  #giveBack(slot: Slot): void {
    this.#deps.gate.leave(slot)
    this.#deps.gate.charge(slot, ZERO)
  }

  /** `wanted` and the others that would do. Since it was chosen, it may have got sick, or another request may be trying it out. */
  #candidates(wanted: At): readonly At[] {
    const others = this.#untried('well').filter((place) => place !== wanted)
    const isOutdated = !this.#wasTried(wanted) && others.length > 0 && !this.#isWell(wanted)
    return isOutdated ? [...others, wanted] : [wanted, ...others]
  }

  /** A failure that repeats at another target is the request's doing: no target is to be left out for it. */
  #blame(place: At, failure: UpstreamFailure): void {
    if (place.provider.chosen !== undefined && isAboutSecret(failure)) return this.#blameSecret(place, failure)
    const { health, monotonicMs } = this.#deps
    const likeIt = (other: At) => this.#failuresOf(other).filter((one) => isSame(one, failure)).length
    const others = mayBeRequest(failure)
      ? [...(this.#failures?.keys() ?? [])].filter((other) => other !== place && likeIt(other) > 0)
      : []
    const [first] = others
    if (first === undefined || !isSickness(failure)) {
      return health.failed(place.target, failure, monotonicMs(), this.#asked(place))
    }
    health.left(place.target)
    // What the first one was blamed for is taken back once; from then on nobody was blamed.
    if (others.length > 1 || likeIt(place) > 0) return
    for (let count = likeIt(first); count > 0; count--) health.forgive(first.target)
  }

  /** A secret that is refused says nothing about its target, until there is no other one left for it. */
  #blameSecret(place: At, failure: UpstreamFailure): void {
    const { health, secrets, monotonicMs } = this.#deps
    const nowMs = monotonicMs()
    const others = this.#besides(place)
    if (failure.status !== FORBIDDEN) secrets.failed(place, failure, nowMs)
    else if (others.some((other) => !this.#wasTried(other))) return
    if (others.some((other) => secrets.isUsable(other, nowMs) && !this.#wasTried(other))) return
    const soonest = others.reduce((one, other) => (secrets.untilMs(other) < secrets.untilMs(one) ? other : one), place)
    health.failed(place.target, secrets.reason(soonest, nowMs) ?? failure, nowMs, this.#asked(place))
  }

  /** Of the sick targets that were not tried, the one that is due soonest. */
  #leastSick(): Next<At> | undefined {
    const { health, secrets, monotonicMs } = this.#deps
    const nowMs = monotonicMs()
    const [first, ...others] = this.#untried('sick')
    if (first === undefined) return undefined
    const until = (place: At) => {
      const ofTarget = health.of(place.target, nowMs).untilMs ?? 0
      return place.provider.chosen === undefined ? ofTarget : Math.max(ofTarget, secrets.untilMs(place))
    }
    return { place: others.reduce((best, place) => (until(place) < until(best) ? place : best), first), delayMs: 0 }
  }

  #turn(place: At, slot: Slot): Turn<At> {
    return this.#orGiveBack(slot, () => {
      const nowMs = this.#deps.monotonicMs()
      if (this.#places.length > 1) this.#noteAsked(place, nowMs)
      if (place.provider.chosen !== undefined) this.#deps.secrets.entered(place, nowMs)
      return { place, slot, isTrial: this.#deps.health.enter(place.target, nowMs) }
    })
  }

  #asked(place: At) {
    return { askedAtMs: this.#askedAtMs?.get(place), by: this.#by }
  }

  #noteAsked(place: At, nowMs: number): void {
    const asked = (this.#askedAtMs ??= new Map())
    if (!asked.has(place)) asked.set(place, nowMs)
  }

  /** Goes on with a place that was taken. A mistake of ours gives it back. */
  #orGiveBack<Made>(slot: Slot, goOn: () => Made): Made {
    try {
      return goOn()
    } catch (error) {
      this.#giveBack(slot)
      throw error
    }
  }
}

/** Of several providers that are full, the one that has room again first. */
function soonest(full: readonly Full[]): Full {
  return full.reduce((best, one) => (one.waitMs < best.waitMs ? one : best))
}

function isSame(one: UpstreamFailure, other: UpstreamFailure): boolean {
  return one.kind === other.kind && one.status === other.status
}

/** A text as a number from 0 up to 1: FNV-1a with a last mix, because its high bits hardly depend on the last letters. */
function hashed(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
