// Holds Farebox to what it may ask of each provider, and with each of its secrets: requests at a time, requests and tokens per minute,
// and what calls may be charged for it on one day. A request that only waits for another one to end may wait for its turn, first come
// first served.

import type { Provider, ProviderLimits } from '#core/entities.ts'
import { wholeLimits, type PartOf } from '#core/limit-parts.ts'
import { microCredits, totalMicro, type MicroCredits, ZERO } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { accountId, FIRST_LABEL, secretId } from '#core/secret-pool.ts'
import { LIMIT_NAMES, type CallNote, type WaitingCall } from '#core/waiting.ts'
import { WaitQueue, type After, type Cancellation, type Look } from '#core/wait-queue.ts'
import type { CycleCount, CycleCountOptions } from '#pipeline/cycle-count.ts'
import { ProviderLane, type Full, type ProviderWish } from '#pipeline/provider-lane.ts'

export type ProviderGateOptions = CycleCountOptions & {
  readonly after: After
  /** How long a request may wait for its turn. */
  readonly maxWaitMs: number
  /** What this gateway holds to of limits, where others share them. */
  readonly partOf?: PartOf
}

/** A place at a provider: to be given back exactly once, and to be charged exactly once. */
export type Slot = {
  readonly providerId: string
  /** With which of several secrets. */
  readonly label: string | undefined
  /** By our estimate. */
  readonly inputTokens: number
  /** What the request may come to cost: less than it asked for where it runs alone on the rest of a day. */
  readonly promisedMicro: MicroCredits
  /** That, and what it grew by since. */
  heldMicro: MicroCredits
}

export type ProviderUse = { readonly concurrent: number; readonly chargedTodayMicro: MicroCredits }

/** Who asks for a place, and for which call. */
export type Asker = Cancellation & { readonly call: CallNote }

/** A target and its provider with one of its secrets. */
type AskedPlace = { readonly target: object; readonly provider: Provider }

type SlotRequest = CallNote & {
  readonly provider: Provider
  readonly wish: ProviderWish
  /** Whether it waits among those that wait for the same secret, and not for the provider. */
  readonly isWithSecret: boolean
}

/** The lane of a provider, and one for each of its secrets where it has several. */
type Lanes = {
  readonly own: ProviderLane
  /** That one, as all there is for a request of a provider with one secret. */
  readonly alone: readonly ProviderLane[]
  readonly bySecret: Map<string, ProviderLane>
}

/** After which a request that is in nobody's line may come again. */
const RETRY_MS = 1000

const LINE_IS_LONG: Full = { type: 'full', limit: 'concurrentRequests', waitMs: RETRY_MS, isPassing: true }

const NAMES = { ...LIMIT_NAMES, dailyMicro: 'credits_per_day' } as const satisfies Record<keyof ProviderLimits, string>

export class ProviderGate {
  readonly #options: ProviderGateOptions
  readonly #lanes = new Map<string, Lanes>()
  /** One line for each provider, and one for each secret of several: who waits for one is in nobody's way at another. */
  readonly #queue: WaitQueue<SlotRequest, Slot | Full, Full>

  constructor(options: ProviderGateOptions) {
    this.#options = options
    const { nowMs, after } = options
    this.#queue = new WaitQueue({
      nowMs,
      after,
      get patienceMs() {
        return options.maxWaitMs
      },
      look: (request) => this.#look(request),
      refuse: (_, full) => full,
      reasonOf: (_, { provider: { id } }) => ({ type: 'provider', providerId: id }),
    })
  }

  /** Takes a place for a request, by what it may come to cost. */
  take(provider: Provider, wish: ProviderWish): Slot | Full {
    this.#noteLimits(provider)
    // Whoever waits was here first, and may fit in since the limits were changed.
    this.#queue.serveLine(provider.id)
    if (provider.chosen !== undefined) this.#queue.serveLine(accountId(provider))
    return this.#hasLine(provider) ? LINE_IS_LONG : this.#occupy(provider, wish)
  }

  /** Whether each target has room for what a request may come to cost: one secret that has it is enough, whatever others have used up. */
  hasRoomForAll(places: readonly AskedPlace[], worstMicro: MicroCredits): boolean {
    return places.every(({ target, provider }) => {
      if (this.hasRoom(provider, worstMicro)) return true
      if (provider.chosen === undefined) return false
      return places.some((other) => other.target === target && this.hasRoom(other.provider, worstMicro))
    })
  }

  /** Whether what a request may come to cost fits into what is left of the provider's day, and of its secret's. */
  hasRoom(provider: Provider, worstMicro: MicroCredits): boolean {
    this.#noteLimits(provider)
    return worstMicro <= this.#availableMicro(provider.id, provider.chosen?.label)
  }

  /** Waits for a place where it is requests that run which are in the way, bounded in time and number. */
  wait(provider: Provider, wish: ProviderWish, asker: Asker): Promise<Slot | Full> {
    this.#noteLimits(provider)
    const { exchangeId, keyId, modelId } = asker.call
    const isWithSecret = provider.chosen !== undefined && this.#mayTake(this.#lanesOf(provider.id).own, wish)
    const line = isWithSecret ? accountId(provider) : provider.id
    return this.#queue.join({ exchangeId, keyId, modelId, provider, wish, isWithSecret }, line, asker)
  }

  /** Gives a place back. What it may come to cost stays held until `charge`. */
  leave({ providerId, label }: Slot): void {
    for (const lane of this.#lanesAt(providerId, label)) lane.leave()
    this.#serve(providerId)
  }

  /** Notes what the request of a place came to cost, and how many tokens it used. */
  charge({ providerId, label, inputTokens, heldMicro }: Slot, chargedMicro: MicroCredits, usedTokens = 0): void {
    for (const lane of this.#lanesAt(providerId, label)) {
      lane.day.close(heldMicro, chargedMicro)
      lane.addTokens(usedTokens - inputTokens)
    }
    this.#firstDay(providerId, label)?.close(heldMicro, chargedMicro)
    this.#serve(providerId)
  }

  /** By how much what a running request holds of the day can grow; Infinity where nothing bounds it. */
  growthLeft({ providerId, label }: Slot): number {
    return Math.max(0, this.#availableMicro(providerId, label))
  }

  /** Lets what a running request holds grow by what there is for it. */
  grow(slot: Slot, moreMicro: MicroCredits): void {
    slot.heldMicro = totalMicro(slot.heldMicro + moreMicro)
    for (const lane of this.#lanesAt(slot.providerId, slot.label)) lane.day.hold(moreMicro)
    this.#firstDay(slot.providerId, slot.label)?.hold(moreMicro)
  }

  /** What was charged today before this start, by the ids of providers and, within them, by the labels of secrets. */
  restore(
    byProvider: ReadonlyMap<string, number>,
    bySecret: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(),
  ): void {
    for (const [providerId, amount] of byProvider) this.#lanesOf(providerId).own.day.restore(amount)
    for (const [providerId, amounts] of bySecret) {
      // The rest belongs to the first: a call of the time before there were several says nothing of secrets.
      const others = [...amounts].filter(([label]) => label !== FIRST_LABEL)
      for (const [label, amount] of others) this.#laneOfSecret(this.#lanesOf(providerId), label).day.restore(amount)
    }
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Every call that waits for a place. Nobody knows when those that have one end. */
  waitingCalls(): WaitingCall[] {
    return this.#queue.waitingCalls()
  }

  /** Of a provider, or with one of its several secrets. */
  use(providerId: string, label?: string): ProviderUse {
    const lanes = this.#lanes.get(providerId)
    const lane = label === undefined || lanes === undefined ? lanes?.own : this.#laneOfSecret(lanes, label)
    if (lane === undefined) return { concurrent: 0, chargedTodayMicro: ZERO }
    return { concurrent: lane.concurrent, chargedTodayMicro: totalMicro(lane.day.chargedMicro) }
  }

  /** The refusal for a request that no provider takes. */
  refusal({ limit, waitMs }: Full): Refusal {
    const name = NAMES[limit]
    const message = `The limit of ${name.replaceAll('_', ' ')} for the provider of this model is reached.`
    return refuse('overloaded', message, {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      limit: { name, scope: 'provider', resetAt: new Date(this.#options.nowMs() + waitMs).toISOString() },
    })
  }

  /** Takes a place, or says which limit is in the way. All limits are looked at before anything is taken. */
  #occupy({ id: providerId, chosen }: Provider, wish: ProviderWish): Slot | Full {
    const { own, bySecret } = this.#lanesOf(providerId)
    let promisedMicro = own.look(wish)
    if (typeof promisedMicro !== 'number') return promisedMicro
    const secret = chosen === undefined ? undefined : bySecret.get(chosen.label)
    const ofSecret = secret?.look(wish) ?? promisedMicro
    if (typeof ofSecret !== 'number') return ofSecret
    if (ofSecret < promisedMicro) promisedMicro = ofSecret
    const { inputTokens } = wish
    own.take(inputTokens, promisedMicro)
    secret?.take(inputTokens, promisedMicro)
    this.#firstDay(providerId, chosen?.label)?.hold(promisedMicro)
    return { providerId, label: chosen?.label, inputTokens, promisedMicro, heldMicro: promisedMicro }
  }

  #look({ provider, wish, isWithSecret }: SlotRequest): Look<Slot | Full, Full> {
    const taken = this.#occupy(provider, wish)
    if (!('type' in taken) || !taken.isPassing) return { type: 'answer', answer: taken }
    // What only its secret has no room for is in nobody's way who goes with another.
    const isOfLine = isWithSecret || !this.#mayTake(this.#lanesOf(provider.id).own, wish)
    const blocks = isOfLine ? 'line' : 'key'
    return { type: 'wait', blocks, hindrance: taken, overAtMs: undefined }
  }

  #mayTake(lane: ProviderLane, wish: ProviderWish): boolean {
    return typeof lane.look(wish) === 'number'
  }

  #hasLine(provider: Provider): boolean {
    return (
      this.#queue.hasLine(provider.id) || (provider.chosen !== undefined && this.#queue.hasLine(accountId(provider)))
    )
  }

  /** Lets those in who wait for what came back: room at the provider is room for each of its secrets. */
  #serve(providerId: string): void {
    this.#queue.serveLine(providerId)
    for (const label of this.#lanesOf(providerId).bySecret.keys()) this.#queue.serveLine(secretId(providerId, label))
  }

  #noteLimits({ id, limits, chosen }: Provider): void {
    const lanes = this.#lanesOf(id)
    const { partOf = wholeLimits } = this.#options
    lanes.own.limits = partOf(limits)
    if (chosen !== undefined) this.#laneOfSecret(lanes, chosen.label).limits = partOf(chosen.limits)
  }

  #availableMicro(providerId: string, label: string | undefined): number {
    const { own, bySecret } = this.#lanesOf(providerId)
    const { availableMicro } = own.spendable
    const secret = label === undefined ? undefined : bySecret.get(label)
    return secret === undefined ? availableMicro : Math.min(availableMicro, secret.spendable.availableMicro)
  }

  #lanesAt(providerId: string, label: string | undefined): readonly ProviderLane[] {
    const lanes = this.#lanesOf(providerId)
    return label === undefined ? lanes.alone : [lanes.own, this.#laneOfSecret(lanes, label)]
  }

  /** What went with the only secret counts for the day of the first one once there are more, also where it still runs then. */
  #firstDay(providerId: string, label: string | undefined): CycleCount | undefined {
    return label === undefined ? this.#lanesOf(providerId).bySecret.get(FIRST_LABEL)?.day : undefined
  }

  #lanesOf(providerId: string): Lanes {
    let lanes = this.#lanes.get(providerId)
    if (lanes === undefined) {
      const own = new ProviderLane(this.#options)
      lanes = { own, alone: [own], bySecret: new Map() }
      this.#lanes.set(providerId, lanes)
    }
    return lanes
  }

  /** The first secret begins with what the others were not charged and do not hold: what was charged before there were others was charged with it. */
  #laneOfSecret({ own, bySecret }: Lanes, label: string): ProviderLane {
    let lane = bySecret.get(label)
    if (lane === undefined) {
      lane = new ProviderLane(this.#options)
      if (label === FIRST_LABEL) {
        lane.day.restore(Math.max(0, own.day.chargedMicro - sumOf(bySecret, 'chargedMicro')))
        lane.day.hold(microCredits(Math.max(0, own.day.heldMicro - sumOf(bySecret, 'heldMicro'))))
      }
      bySecret.set(label, lane)
    }
    return lane
  }
}

function sumOf(bySecret: Lanes['bySecret'], amount: 'chargedMicro' | 'heldMicro'): number {
  return [...bySecret.values()].reduce((sum, { day }) => sum + day[amount], 0)
}
