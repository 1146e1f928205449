// A gateway's admission with everything that calls are spent from, moved by hand, and beside it the plain sums that its promise is
// about. No disk and no network: what is decided here is decided in memory in the real program too.

import { NO_ENDED_CYCLES } from '#ledger/ended-cycles.ts'
import { expect } from 'vitest'
import { after } from '#app/after.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { Key, Provider } from '#core/entities.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { worstPriceOf } from '#core/pricing.ts'
import { isRefusal } from '#core/refusal.ts'
import type { BudgetLimits } from '#core/spending.ts'
import { openAccount, type Account } from '#ledger/account.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import type { Journal, Proposal } from '#ledger/journal.ts'
import { Ledger } from '#ledger/ledger.ts'
import { admit, affordableCap, type Admission } from '#pipeline/admit.ts'
import { CapMemory } from '#pipeline/cap-memory.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'
import { Gate } from '#pipeline/gate.ts'
import { Budgets, purseId, type AllBudgets } from '#pipeline/budgets.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import type { Outcome } from '#pipeline/reservation.ts'
import type { Served } from '#pipeline/resolve.ts'
import { testProvider } from '../support/provider.ts'
import { KEY, modelOf, PACKAGE, settlementAt } from './support.ts'

export const PRICE: Price = {
  version: 1,
  inputMicro: microCredits(1_000_000),
  outputMicro: microCredits(3_000_000),
  cacheReadMicro: microCredits(100_000),
  cacheWriteMicro: microCredits(1_250_000),
}
/** Where a call may end up much dearer than it began: by its length, its tier, searches, and the least. */
export const FINE_PRICE: Price = {
  ...PRICE,
  parts: { cache_write_1h: microCredits(2_000_000), output_audio: microCredits(7_000_001) },
  steps: [
    {
      aboveTokens: 300,
      rates: { ...PRICE, inputMicro: microCredits(1_999_999), outputMicro: microCredits(4_500_000) },
    },
  ],
  tiers: { priority: { factorMicro: 1_750_000 }, flex: { factorMicro: 500_000 } },
  units: { request: microCredits(25_000_000), web_search: microCredits(10_000_001) },
  minimumMicro: microCredits(400),
}
const UNITS = { web_search: 3 }
/** Nobody is refused because time passed: these worlds have no clock that goes by itself. */
const ENDLESS_MS = 2 ** 31 - 1

/** What is decided here is on disk at once. */
const PATIENT_JOURNAL = {
  isHalted: false,
  add: () => undefined,
  commit: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  propose: (proposal: Proposal) => {
    proposal.prepare()
    proposal.accept()
    return Promise.resolve()
  },
} as unknown as Journal
/** Keys that were moved are looked up in it. */
const OPEN_GATE = new Gate({ nowMs: () => 0, after, limitsOfMember: () => PACKAGE.limits, waits: false, maxWaitMs: 0 })
const MODEL = modelOf('chat-completions')
const PROJECT = 'web'

export type CallPlan = {
  readonly key: number
  readonly inputTokens: number
  /** undefined: the client gave none. */
  readonly outputCap: number | undefined
  readonly isStream: boolean
  /** Whether it is made for the project that has limits. */
  readonly isOfProject: boolean
}

/** A call that was let in, with what it may cost at its cap. */
export type Running = {
  readonly keyId: string
  readonly memberId: string | undefined
  readonly isOfProject: boolean
  readonly admission: Admission
  readonly worstMicro: number
  readonly cycleStartedAtMs: number
}

type Call = {
  readonly plan: CallPlan
  readonly key: Key
  readonly served: Served
  readonly request: EndpointRequest
}

type WorldOptions = {
  /** One for each key; undefined: unlimited. */
  readonly credits: readonly (number | undefined)[]
  /** What the member of the keys with an even number may be charged on a day. */
  readonly memberDaily: number | undefined
  /** What calls for the project may be charged, whichever key they are made with. */
  readonly project: ProjectLimits
  readonly providerDaily: number | undefined
  readonly price: Price
}

export type ProjectLimits = { readonly daily: number | undefined; readonly monthly: number | undefined }

export class World {
  nowMs = Date.parse('2026-03-10T12:00:00Z')
  readonly running = new Set<Running>()
  /** Refused, by what they were told. */
  readonly refused = { exhausted: 0, held: 0, provider: 0 }
  admitted = 0
  lowered = 0
  waiting = 0
  memberDaily: number | undefined
  project: ProjectLimits
  readonly #options: WorldOptions
  readonly #accounts = new Map<string, Account>()
  readonly #chargedOfMember = { day: '', micro: 0 }
  readonly #chargedOfProject = { day: '', micro: 0 }
  readonly #chargedInMonth = { month: '', micro: 0 }
  readonly #chargedOfProvider = { day: '', micro: 0 }
  readonly #chargedOfKeys = new Map<string, number>()
  readonly #provider: Provider
  readonly #arrivals: { readonly number: number; readonly keyId: string }[] = []
  #ledger: Ledger
  #budgets: AllBudgets
  #providerGate: ProviderGate
  #ids = 0

  constructor(options: WorldOptions) {
    this.#options = options
    this.memberDaily = options.memberDaily
    this.project = options.project
    const { providerDaily } = options
    this.#provider = testProvider({
      limits: providerDaily === undefined ? {} : { dailyMicro: microCredits(providerDaily) },
    })
    this.#ledger = this.#newLedger()
    this.#budgets = this.#newBudgets()
    this.#providerGate = this.#newProviderGate()
    for (const [index, credits] of options.credits.entries()) {
      const packageType = credits === undefined ? 'unlimited' : 'topup'
      const terms = { packageType, creditsMicro: microCredits(credits ?? 0), timeZone: 'UTC' } as const
      const [account] = openAccount(`k${index}`, terms, this.nowMs)
      this.#accounts.set(account.keyId, account)
    }
    this.#ledger.restore({ accounts: this.#accounts.values(), holds: [], adjustments: [] })
  }

  /** Lets a call come. Resolves when it was let in or refused. */
  async come(plan: CallPlan, cancellation: Cancellation): Promise<Running | undefined> {
    const { key, served, request } = this.#callOf(plan)
    const arrival = { number: (this.#ids += 1), keyId: key.id }
    const ledger = this.#ledger
    this.#arrivals.push(arrival)
    this.waiting += 1
    const attribution = plan.isOfProject
      ? { tool: undefined, project: PROJECT, tags: [], session: undefined }
      : undefined
    const input = { exchangeId: `e${arrival.number}`, caller: { key, package: PACKAGE }, request, served, attribution }
    const admission = await admit(input, cancellation, this.#deps())
    // A process that was killed meanwhile has forgotten it.
    if (ledger !== this.#ledger) return undefined
    this.waiting -= 1
    this.#arrivals.splice(this.#arrivals.indexOf(arrival), 1)
    if (isRefusal(admission)) {
      this.refused[admission.code === 'credits_held' ? 'held' : 'exhausted'] += 1
      return undefined
    }
    if ('type' in admission) throw new Error('nothing changes in this world')
    return this.#send({ plan, request, served, key }, admission)
  }

  /** Ends a call at a part of what it may cost, from 0 to 1. */
  async end(call: Running, part: number): Promise<void> {
    this.running.delete(call)
    const chargeMicro = microCredits(Math.floor(call.worstMicro * part))
    this.#charge(call, chargeMicro)
    const { reservation } = call.admission
    reservation.depart()
    await reservation.close(outcomeAt(chargeMicro))
  }

  async topUp(key: number, amount: number): Promise<void> {
    if (this.#options.credits[key] === undefined) return
    await this.#ledger.adjust(`k${key}`, {
      amountMicro: microCredits(amount),
      reason: 'test',
      id: `a${(this.#ids += 1)}`,
    })
  }

  /** Moves a key to a package of another kind or of other credits. */
  async move(key: number, packageType: 'topup' | 'daily', credits: number): Promise<void> {
    if (this.#options.credits[key] === undefined) return
    this.nowMs += 1
    const terms = { packageType, creditsMicro: microCredits(credits), timeZone: 'UTC' }
    await this.#ledger.changeTerms(`k${key}`, { terms, reason: 'moved' })
  }

  setMemberDaily(micro: number | undefined): void {
    this.memberDaily = micro
    this.#ledger.purseChanged('member')
  }

  setProject(limits: ProjectLimits): void {
    this.project = limits
    this.#ledger.purseChanged(purseId('project', PROJECT))
  }

  passTime(ms: number): void {
    this.nowMs += ms
    for (const keyId of this.#accounts.keys()) this.#ledger.balance(keyId)
    this.#ledger.purseChanged('member')
    this.#ledger.purseChanged(purseId('project', PROJECT))
  }

  /** What the next process finds: every call that ran is gone, and was charged nothing. */
  async kill(): Promise<void> {
    const holds = [...this.running].map(({ admission }) => admission.reservation.hold)
    this.running.clear()
    this.waiting = 0
    const accounts = [...this.#accounts.values()].map((account) => ({
      ...account,
      heldMicro: microCredits(
        holds
          .filter((hold) => hold.keyId === account.keyId && hold.cycleStartedAtMs === account.cycleStartedAtMs)
          .reduce((sum, { amountMicro }) => sum + amountMicro, 0),
      ),
      grownMicro: ZERO,
      ended: NO_ENDED_CYCLES,
    }))
    this.#ledger = this.#newLedger()
    this.#budgets = this.#newBudgets()
    this.#providerGate = this.#newProviderGate()
    this.#budgets.member.restore({ daily: new Map([['member', this.#today(this.#chargedOfMember)]]) })
    this.#budgets.project.restore({
      daily: new Map([[PROJECT, this.#today(this.#chargedOfProject)]]),
      monthly: new Map([[PROJECT, this.#inMonth]]),
    })
    this.#providerGate.restore(new Map([['p', this.#today(this.#chargedOfProvider)]]))
    for (const account of accounts) this.#accounts.set(account.keyId, account)
    this.#ledger.restore({ accounts, holds: holds.map((hold) => ({ ...hold, grownMicro: ZERO })), adjustments: [] })
    await this.#ledger.releaseOrphans(() => settlementAt(ZERO))
  }

  /** With nothing in flight nobody waits, nothing is held, and what is available is what was given less what was charged. */
  expectQuiet(): void {
    expect(this.running.size).toBe(0)
    expect(this.#ledger.heldMicro).toBe(0)
    expect(this.#budgets.member.heldMicro('member')).toBe(0)
    expect(this.#budgets.project.heldMicro(PROJECT)).toBe(0)
    const { concurrent, chargedTodayMicro } = this.#providerGate.use(this.#provider.id)
    expect([concurrent, chargedTodayMicro]).toEqual([0, this.#today(this.#chargedOfProvider)])
    expect(this.#providerGate.hasRoom(this.#provider, this.#leftOfProvider())).toBe(true)
    for (const keyId of this.#accounts.keys()) {
      const balance = this.#ledger.balance(keyId)
      if (balance.usedMicro === null) continue
      expect(balance.usedMicro).toBe(this.#chargedOf(keyId, balance.cycleStartedAtMs))
    }
  }

  /** What the day of the provider leaves where nothing runs. */
  #leftOfProvider(): MicroCredits {
    const { providerDaily = Number.MAX_SAFE_INTEGER } = this.#options
    return microCredits(Math.max(0, providerDaily - this.#today(this.#chargedOfProvider)))
  }

  /** The call goes to its provider, at the cap that all of what it is spent from pays for. */
  #send(call: Call, admission: Admission): Running | undefined {
    const slot = this.#providerGate.take(this.#provider, admission.wish)
    if ('type' in slot) {
      this.refused.provider += 1
      void admission.reservation.close(outcomeAt(ZERO))
      return undefined
    }
    admission.reservation.arrive(slot)
    const { inputTokens, outputCap } = admission
    const paid = Math.min(admission.wish.worstMicro, slot.promisedMicro) as MicroCredits
    const cap = paid < admission.wish.worstMicro ? affordableCap(call, inputTokens, paid) : outputCap
    // What its provider may charge at most, by what was counted and the cap that it was told.
    const counted = { inputTokens: call.plan.inputTokens, outputTokens: cap ?? 0, units: UNITS }
    const worstMicro = worstPriceOf(counted, this.#options.price)
    const { cycleStartedAtMs } = admission.reservation.hold
    const { memberId, id: keyId } = call.key
    const { isOfProject } = call.plan
    const running = { keyId, memberId, isOfProject, admission, worstMicro, cycleStartedAtMs }
    this.admitted += 1
    if ((cap ?? 0) < (call.plan.outputCap ?? 0)) this.lowered += 1
    this.running.add(running)
    this.#expectCovered(running)
    return running
  }

  /** At the moment at which a call is let in, it and all that run beside it are covered by each amount that they are spent from. */
  #expectCovered({ keyId, memberId, isOfProject, cycleStartedAtMs }: Running): void {
    const worstOf = (isMeant: (call: Running) => boolean) =>
      [...this.running].filter(isMeant).reduce((sum, { worstMicro }) => sum + worstMicro, 0)
    const { totalMicro } = this.#ledger.balance(keyId)
    if (totalMicro !== null) {
      const promised = worstOf((call) => call.keyId === keyId && call.cycleStartedAtMs === cycleStartedAtMs)
      expect(this.#chargedOf(keyId, cycleStartedAtMs) + promised).toBeLessThanOrEqual(totalMicro)
    }
    if (memberId !== undefined && this.memberDaily !== undefined) {
      const promised = worstOf((call) => call.memberId === memberId)
      expect(this.#today(this.#chargedOfMember) + promised).toBeLessThanOrEqual(this.memberDaily)
    }
    if (isOfProject) {
      const promised = worstOf((call) => call.isOfProject)
      const { daily = Number.POSITIVE_INFINITY, monthly = Number.POSITIVE_INFINITY } = this.project
      expect(this.#today(this.#chargedOfProject) + promised).toBeLessThanOrEqual(daily)
      expect(this.#inMonth + promised).toBeLessThanOrEqual(monthly)
    }
    const { providerDaily } = this.#options
    if (providerDaily !== undefined) {
      expect(this.#today(this.#chargedOfProvider) + worstOf(() => true)).toBeLessThanOrEqual(providerDaily)
    }
  }

  #charge({ keyId, memberId, isOfProject, cycleStartedAtMs }: Running, chargeMicro: number): void {
    const cycle = `${keyId} ${cycleStartedAtMs}`
    this.#chargedOfKeys.set(cycle, (this.#chargedOfKeys.get(cycle) ?? 0) + chargeMicro)
    const day = this.#day()
    const days = [
      ...(memberId === undefined ? [] : [this.#chargedOfMember]),
      ...(isOfProject ? [this.#chargedOfProject] : []),
      this.#chargedOfProvider,
    ]
    for (const charged of days) {
      if (charged.day !== day) Object.assign(charged, { day, micro: 0 })
      charged.micro += chargeMicro
    }
    if (isOfProject) Object.assign(this.#chargedInMonth, { micro: this.#inMonth + chargeMicro, month: this.#month() })
  }

  get #inMonth(): number {
    return this.#chargedInMonth.month === this.#month() ? this.#chargedInMonth.micro : 0
  }

  #month(): string {
    return this.#day().slice(0, 7)
  }

  #chargedOf(keyId: string, cycleStartedAtMs: number): number {
    return this.#chargedOfKeys.get(`${keyId} ${cycleStartedAtMs}`) ?? 0
  }

  #today({ day, micro }: { readonly day: string; readonly micro: number }): number {
    return day === this.#day() ? micro : 0
  }

  #day(): string {
    return new Date(this.nowMs).toISOString().slice(0, 10)
  }

  #callOf(plan: CallPlan): Call {
    const key: Key = { ...KEY, id: `k${plan.key}`, memberId: plan.key % 2 === 0 ? 'member' : undefined }
    const places = MODEL.targets.map((target) => ({ target, provider: this.#provider }))
    return { plan, key, served: { model: MODEL, price: this.#options.price, places }, request: requestOf(plan) }
  }

  #deps() {
    return {
      catalog: {
        key: (id: string) => ({ ...KEY, id, packageId: PACKAGE.id }),
        package: () => PACKAGE,
        model: () => MODEL,
        provider: () => this.#provider,
        statusOf: () => 'active',
      } as unknown as Catalog,
      gate: OPEN_GATE,
      budgets: this.#budgets,
      ledger: this.#ledger,
      counter: { countAtMost: () => Promise.resolve(0) },
      caps: new CapMemory({ nowMs: () => this.nowMs, monotonicMs: () => this.nowMs }),
      routing: { gate: this.#providerGate },
      clock: { nowMs: () => this.nowMs },
    }
  }

  #newLedger(): Ledger {
    return new Ledger({ journal: PATIENT_JOURNAL, nowMs: () => this.nowMs, after, holdWaitMs: ENDLESS_MS })
  }

  #newBudgets(): AllBudgets {
    const changed = (purse: string) => this.#ledger.purseChanged(purse)
    const options = { nowMs: () => this.nowMs, timeZone: 'UTC', changed }
    return {
      member: new Budgets({ ...options, scope: 'member', limitsOf: () => limitsOf({ daily: this.memberDaily }) }),
      project: new Budgets({ ...options, scope: 'project', limitsOf: () => limitsOf(this.project) }),
    }
  }

  #newProviderGate(): ProviderGate {
    return new ProviderGate({ nowMs: () => this.nowMs, after, timeZone: 'UTC', maxWaitMs: ENDLESS_MS })
  }
}

function limitsOf({ daily, monthly }: Partial<ProjectLimits>): BudgetLimits {
  const micro = (amount: number | undefined) => (amount === undefined ? undefined : microCredits(amount))
  return { dailyMicro: micro(daily), monthlyMicro: micro(monthly) }
}

/** Its sure bound is three times what a count says. */
function requestOf({ inputTokens, outputCap, isStream }: CallPlan): EndpointRequest {
  return {
    endpoint: 'chat',
    model: MODEL.id,
    isStream,
    kind: 'chat',
    likelyInputTokens: inputTokens,
    worstInputTokens: inputTokens,
    units: UNITS,
    inputBounds: {
      most: () => 3 * inputTokens,
      possible: () => Infinity,
      closer: () => Promise.resolve(inputTokens),
      references: [],
    },
    choices: 1,
    outputCap,
    outputCapName: 'max_tokens',
    affinity: () => undefined,
    countable: () => undefined,
    prepare: () => expect.fail('nothing is sent here'),
  }
}

function outcomeAt(chargeMicro: MicroCredits): Outcome {
  return { usedTokens: 0, bill: Promise.resolve({ settlement: settlementAt(chargeMicro) }) }
}
