// A made-up history of gateways that join, end, are killed, come back, are cut off and declared lost, while clients always want more than a limit allows.

import { partOfLimits, type LimitParts } from '#core/limit-parts.ts'
import { partsAmong, type CountedGateway } from './counted-gateways.ts'

/** As long as a gateway lets calls in after it last heard of PostgreSQL. */
const TERM_MS = 60_000
const GRACE_MS = TERM_MS + 60_000

/** What one process lets through; a process that begins again has another one where it forgets. */
export type Counter = { take(limit: number): void }

export type HistoryOptions = {
  readonly random: () => number
  readonly limit: number
  readonly limits: (limit: number) => object
  readonly span: keyof LimitParts
  readonly stepMs: number
  /** How likely something happens to a gateway in one step. */
  readonly unrest: number
  readonly canCut: boolean
  readonly newCounter: (note: (amount: number) => void) => Counter
  /** Whether a gateway that begins again knows what it let through. */
  readonly remembers: boolean
}

export type Passed = { readonly atMs: number; readonly amount: number; readonly gateway: string }
/** A gateway that had no part before, or that had forgotten what it let through: at most its part comes on top. */
export type Extra = { readonly atMs: number; readonly amount: number }

type Running = {
  row: CountedGateway
  counter: Counter
  parts: LimitParts | undefined
  heardAtMs: number
  isAlive: boolean
  cutUntilMs: number
}

export class LimitHistory {
  readonly passed: Passed[] = []
  readonly extras: Extra[] = []
  readonly lost: { readonly gateway: string; readonly atMs: number }[] = []
  nowMs: number
  readonly #options: HistoryOptions
  readonly #gateways: Running[] = []
  #names = 0

  constructor(options: HistoryOptions, beginsAtMs: number) {
    this.#options = options
    this.nowMs = beginsAtMs
  }

  /** What the gateways that are there hold to, together. */
  get held(): number {
    return this.#alive.reduce((sum, gateway) => sum + this.#holdsTo(gateway), 0)
  }

  get alive(): number {
    return this.#alive.length
  }

  step(isCalm = false): void {
    this.nowMs += this.#options.stepMs
    for (const gateway of this.#shuffled()) {
      if (!isCalm) this.#maybeChange(gateway)
      if (gateway.isAlive && this.nowMs >= gateway.cutUntilMs) this.#beat(gateway)
      if (gateway.isAlive && this.nowMs - gateway.heardAtMs < TERM_MS) gateway.counter.take(this.#holdsTo(gateway))
    }
    if (!isCalm && (this.#alive.length === 0 || this.#happens())) this.#join()
  }

  #join(): void {
    if (this.#alive.length >= 6) return
    // Names in no order, so that newcomers come before others too.
    const id = `${Math.floor(this.#options.random() * 1e6)} ${(this.#names += 1)}`
    const row = { id, seenAtMs: 0, freeAtMs: 0, endedAtMs: undefined, isRetired: false }
    const gateway = {
      row,
      counter: this.#newCounter(id),
      parts: undefined,
      heardAtMs: 0,
      isAlive: true,
      cutUntilMs: 0,
    }
    this.#gateways.push(gateway)
    this.#beat(gateway)
  }

  #maybeChange(gateway: Running): void {
    const { row, isAlive } = gateway
    const { random, canCut, remembers } = this.#options
    if (row.isRetired || !this.#happens()) return
    if (!isAlive) {
      if (row.freeAtMs <= this.nowMs && random() < 0.3) {
        gateway.row = { ...row, isRetired: true }
        this.lost.push({ gateway: row.id, atMs: this.nowMs })
        return
      }
      gateway.isAlive = true
      gateway.cutUntilMs = 0
      if (!remembers) gateway.counter = this.#newCounter(row.id)
      this.#beat(gateway, !remembers)
      return
    }
    const what = random()
    if (canCut && what < 0.4) gateway.cutUntilMs = this.nowMs + random() * 4 * TERM_MS
    else gateway.isAlive = false
    // Whoever is cut off cannot say that it ends.
    if (!gateway.isAlive && what < 0.7 && this.nowMs >= gateway.cutUntilMs)
      gateway.row = { ...row, endedAtMs: this.nowMs, freeAtMs: this.nowMs }
  }

  #beat(gateway: Running, hasForgotten = false): void {
    const { span } = this.#options
    const others = this.#gateways.filter((other) => other !== gateway).map(({ row }) => row)
    const id = gateway.row.id
    const hadPart =
      partsAmong([...others, gateway.row], 'nobody', this.nowMs)[span].of >
      partsAmong(others, 'nobody', this.nowMs)[span].of
    gateway.row = { ...gateway.row, seenAtMs: this.nowMs, freeAtMs: this.nowMs + GRACE_MS, endedAtMs: undefined }
    gateway.parts = partsAmong([...others, gateway.row], id, this.nowMs)
    gateway.heardAtMs = this.nowMs
    if (!hadPart || hasForgotten) this.extras.push({ atMs: this.nowMs, amount: this.#holdsTo(gateway) })
  }

  #holdsTo({ parts }: Running): number {
    const { limits, limit } = this.#options
    const [own] = Object.values(partOfLimits(limits(limit), parts))
    return Number(own)
  }

  #newCounter(id: string): Counter {
    return this.#options.newCounter((amount) => this.passed.push({ atMs: this.nowMs, amount, gateway: id }))
  }

  get #alive(): Running[] {
    return this.#gateways.filter(({ isAlive }) => isAlive)
  }

  #happens(): boolean {
    return this.#options.random() < this.#options.unrest
  }

  #shuffled(): Running[] {
    return this.#gateways
      .map((gateway) => ({ gateway, at: this.#options.random() }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ gateway }) => gateway)
  }
}
