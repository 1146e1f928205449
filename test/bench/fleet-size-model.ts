// Many gateways and keys in simulated time, with the book of leases that gateways have, and with what PostgreSQL answers them.
import { availableIn, LeaseBook, type Lease, type Sum } from '#fleet/lease-book.ts'
import { randomFrom } from '../support/random.ts'

export type Plan = {
  readonly gateways: number
  readonly keys: number
  readonly callsPerSecond: number
  /** Whether a proxy sends all calls of a key to one gateway, or each to any. */
  readonly isSticky: boolean
  /** Of each key, in micro-credits. */
  readonly balanceMicro: number
}

/** All a second. */
export type Asked = {
  /** For calls that waited for them. */
  readonly takes: number
  /** Questions for more ahead of calls, and the leases in them. */
  readonly asks: number
  readonly ahead: number
  readonly ships: number
  readonly charges: number
  readonly returns: number
  /** What one look at what others have charged finds: sums by gateway and key. */
  readonly changed: number
  readonly refused: number
}

const TICK_MS = 10
const SHIP_MS = 250
const WARM_UP_MS = 15_000
const MEASURED_MS = 15_000
const HOLD_MICRO = 20_000
const CALL_MS = 4000
/** Leases in one question. */
const MAX_ASKED = 500
/** Given back in one batch; the rest comes with the next one. */
const MAX_HANDED = 1000
/** What a gateway looks back at least. */
const LATELY_MS = 15_000

type Gateway = { readonly book: LeaseBook; charges: Map<string, number> }
type Running = { readonly gateway: Gateway; readonly lease: Lease }

export function simulate(plan: Plan): Asked {
  return new Simulation(plan).run()
}

class Simulation {
  readonly #plan: Plan
  readonly #random = randomFrom(23)
  readonly #gateways: Gateway[]
  readonly #free = new Map<string, number>()
  /** By the tick in which they end. */
  readonly #ends: Running[][] = Array.from({ length: CALL_MS / TICK_MS + 1 }, () => [])
  /** When a gateway told what it charged a key last. */
  readonly #toldAtMs = new Map<string, number>()
  #nowMs = 0
  #counts = { takes: 0, asks: 0, ahead: 0, ships: 0, charges: 0, returns: 0, refused: 0 }

  constructor(plan: Plan) {
    this.#plan = plan
    const options = { monotonicMs: () => this.#nowMs, cycleOf: () => 0, changed: () => {}, charged: () => {} }
    this.#gateways = Array.from({ length: plan.gateways }, () => ({ book: new LeaseBook(options), charges: new Map() }))
  }

  run(): Asked {
    for (; this.#nowMs < WARM_UP_MS; this.#nowMs += TICK_MS) this.#tick()
    this.#counts = { takes: 0, asks: 0, ahead: 0, ships: 0, charges: 0, returns: 0, refused: 0 }
    for (; this.#nowMs < WARM_UP_MS + MEASURED_MS; this.#nowMs += TICK_MS) this.#tick()
    const perSecond = (count: number) => (count * 1000) / MEASURED_MS
    const { takes, asks, ahead, ships, charges, returns, refused } = this.#counts
    const lately = [...this.#toldAtMs.values()].filter((atMs) => atMs > this.#nowMs - LATELY_MS).length
    return {
      takes: perSecond(takes),
      asks: perSecond(asks),
      ahead: perSecond(ahead),
      ships: perSecond(ships),
      charges: perSecond(charges),
      returns: perSecond(returns),
      refused: perSecond(refused),
      changed: lately,
    }
  }

  #tick(): void {
    const { callsPerSecond, gateways } = this.#plan
    const tick = this.#nowMs / TICK_MS
    const over = this.#ends[tick % this.#ends.length] ?? []
    for (const running of over.splice(0)) this.#end(running)
    for (let due = this.#poisson((callsPerSecond * TICK_MS) / 1000); due > 0; due -= 1) this.#begin(tick)
    // Each gateway in a tick of its own.
    const turns = SHIP_MS / TICK_MS
    for (let index = tick % turns; index < gateways; index += turns) {
      const gateway = this.#gateways[index]
      if (gateway === undefined) continue
      this.#askAhead(gateway)
      this.#ship(gateway, index)
    }
  }

  /** A few keys make most calls and most keys make few: the chance of a key goes down as its rank goes up. */
  #begin(tick: number): void {
    const { keys, gateways, isSticky } = this.#plan
    const rank = Math.floor(keys ** this.#random())
    const gateway = this.#gateways[isSticky ? rank % gateways : Math.floor(this.#random() * gateways)] as Gateway
    const lease = gateway.book.present(String(rank))
    const missing = HOLD_MICRO - availableIn(lease)
    if (missing > 0) {
      this.#counts.takes += 1
      if (this.#take(gateway, lease, { need: missing, want: gateway.book.wanted(lease) + missing }) === 0) {
        this.#counts.refused += 1
        return
      }
    }
    gateway.book.hold(lease, HOLD_MICRO)
    this.#ends[(tick + CALL_MS / TICK_MS) % this.#ends.length]?.push({ gateway, lease })
  }

  #end({ gateway, lease }: Running): void {
    const charged = Math.round(HOLD_MICRO * (0.05 + 0.45 * this.#random()))
    gateway.book.close(lease, HOLD_MICRO, charged)
    gateway.charges.set(lease.keyId, (gateway.charges.get(lease.keyId) ?? 0) + charged)
  }

  /** As `farebox.take` decides. */
  #take({ book }: Gateway, { keyId, cycle }: Lease, { need, want }: { need: number; want: number }): number {
    const { balanceMicro, gateways } = this.#plan
    const free = this.#free.get(keyId) ?? balanceMicro
    if (free < need) return 0
    const got = Math.min(free, Math.max(need, Math.min(want, Math.floor(free / (2 * gateways)))))
    this.#free.set(keyId, free - got)
    book.leased([[keyId, cycle, got, free - got]])
    return got
  }

  #askAhead(gateway: Gateway): void {
    let asked = 0
    for (const lease of gateway.book.all) {
      const want = gateway.book.ahead(lease)
      if (want === 0) continue
      this.#take(gateway, lease, { need: 1, want })
      asked += 1
    }
    this.#counts.asks += Math.ceil(asked / MAX_ASKED)
    this.#counts.ahead += asked
  }

  #ship(gateway: Gateway, index: number): void {
    const handed = gateway.book.takeIdle(
      () => false,
      () => false,
      MAX_HANDED,
    )
    const sums: Sum[] = [...gateway.charges].map(([keyId, amount]) => [keyId, 0, amount])
    if (handed.length === 0 && sums.length === 0) return
    gateway.charges = new Map()
    gateway.book.told(sums)
    for (const [keyId, , amount] of handed) this.#free.set(keyId, (this.#free.get(keyId) ?? 0) + amount)
    for (const [keyId] of sums) this.#toldAtMs.set(`${index} ${keyId}`, this.#nowMs)
    this.#counts.ships += 1
    this.#counts.charges += sums.length
    this.#counts.returns += handed.length
  }

  #poisson(mean: number): number {
    // Near enough where the mean is large, and by its definition where it is not.
    if (mean > 30) {
      const [one, other] = [this.#random(), this.#random()]
      const normal = Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other)
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
    }
    let count = 0
    for (let left = Math.exp(-mean), chance = this.#random(); chance > left; chance *= this.#random()) count += 1
    return count
  }
}
