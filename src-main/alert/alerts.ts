// Tells when budgets reach their thresholds, each once in a cycle. It goes by what the ledger and the days of members and providers have
// counted, after that is on disk, and never decides about a call. What was told is durable before anybody hears of it.

import { largest } from '#core/append.ts'
import {
  DEFAULT_THRESHOLDS,
  isReached,
  type Alert,
  type AlertScope,
  type BudgetStanding,
  type ThresholdRule,
} from '#core/alerts.ts'
import type { Delivery } from '#core/delivery.ts'
import type { After } from '#core/wait-queue.ts'
import { microCredits } from '#core/money.ts'
import type { BalanceRow, UsageRecord } from '#ledger/rows.ts'
import type { LoadedAlerts, Raised } from '#store/alert-rows.ts'

/** Budgets of one kind. A new kind is one more of these. */
export type BudgetSource = {
  readonly scope: AlertScope
  /** Whose budget a call was charged to; undefined: nobody's of this kind. */
  readonly subjectOf: (record: UsageRecord) => string | undefined
  readonly subjects: () => Iterable<string>
  /** undefined where nothing bounds it, or it is gone; `changing` while it cannot be judged. */
  readonly standing: (subjectId: string) => (BudgetStanding & { readonly name: string }) | 'changing' | undefined
  /** Where its thresholds are said beside its own, the nearest first, such as its package; those of the scope come last anyway. */
  readonly groupsOf?: (subjectId: string) => readonly Pick<ThresholdRule, 'scope' | 'subjectId'>[]
}

export type AlertsOptions = {
  readonly sources: readonly BudgetSource[]
  readonly nowMs: () => number
  readonly newId: () => string
  readonly after: After
  /** Resolves when everything that was decided so far is on disk. */
  readonly flush: () => Promise<void>
  /** Writes alerts with their deliveries, all at once, and returns the ids of those that are new. */
  readonly raise: (raised: Raised) => Promise<readonly string[]>
  /** `before`: how many alerts are raised with it and stand before it. */
  readonly deliveriesOf: (alert: Alert, before: number) => readonly Delivery[]
  readonly loaded: Pick<LoadedAlerts, 'standing' | 'latest' | 'rules'>
}

export type ReachedBudget = Pick<Alert, 'scope' | 'subjectId' | 'name' | 'threshold' | 'nextResetAtMs'>

type Listener = (alerts: readonly Alert[]) => void
/** `unjudged`: of each source. */
type Judged = { readonly alerts: readonly Alert[]; readonly unjudged: readonly (readonly string[])[] }
type Told = { readonly cycleMs: number; readonly thresholds: Set<number> }

/** Charges of so long a time are looked at together. */
const LOOK_AFTER_MS = 50
/** After the disk refused, or an account was being changed. */
const RETRY_MS = 500
/** So many budgets are looked at in one go where all of them are. */
const AT_ONCE = 2000
/** Alerts that are shown. */
const MAX_LATEST = 200

export class Alerts {
  /** How many were raised since the start, by scope. */
  readonly raisedByScope = new Map<AlertScope, number>()
  readonly #options: AlertsOptions
  /** Thresholds that are not to be told again, of the latest cycle of each subject. */
  readonly #told = new Map<AlertScope, Map<string, Told>>()
  #hasBegun = false
  readonly #rules = new Map<string, ThresholdRule>()
  readonly #listeners = new Set<Listener>()
  /** What was charged since the last look, for each source. */
  readonly #touched: readonly Set<string>[]
  /** What is to be touched as well, little by little, since every budget is to be looked at; of each source. */
  #ahead: string[][] = []
  #isAllTouched = false
  #latest: readonly Alert[]
  #cancel: (() => void) | undefined
  #looking: Promise<void> | undefined
  #isClosed = false

  constructor(options: AlertsOptions) {
    this.#options = options
    this.#touched = options.sources.map(() => new Set())
    this.#latest = options.loaded.latest
    for (const { scope, subjectId, cycleStartedAtMs, threshold } of options.loaded.standing) {
      this.#note({ scope, subjectId, cycleStartedAtMs }, threshold)
    }
    for (const rule of options.loaded.rules) this.#rules.set(ruleName(rule.scope, rule.subjectId), rule)
  }

  /** The latest first. */
  get latest(): readonly Alert[] {
    return this.#latest
  }

  get rules(): ThresholdRule[] {
    return [...this.#rules.values()]
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Looks at every budget: what was reached before an end that nobody meant is told now. */
  begin(): void {
    this.#hasBegun = true
    this.lookAtAll()
  }

  /** Once, however often it is asked for before it does. */
  lookAtAll(): void {
    this.#isAllTouched = true
    this.#lookIn(0)
  }

  /** Calls whose charges are on disk. Only notes whose they were. */
  recorded(records: readonly UsageRecord[]): void {
    const { sources } = this.#options
    for (const record of records) {
      for (let index = 0; index < sources.length; index += 1) {
        const id = sources[index]?.subjectOf(record)
        if (id !== undefined) this.#touched[index]?.add(id)
      }
    }
    this.#lookIn(LOOK_AFTER_MS)
  }

  /** Balances that a top-up, a correction or other terms left; the same rows arm the thresholds on disk. */
  accountsChanged(balances: readonly BalanceRow[]): void {
    const keys = this.#options.sources.findIndex(({ scope }) => scope === 'key')
    for (const [keyId, cycleMs, , granted, used] of balances) {
      const told = this.#toldOf({ scope: 'key', subjectId: keyId, cycleStartedAtMs: cycleMs })
      const amounts = { totalMicro: microCredits(granted), usedMicro: microCredits(used) }
      for (const threshold of told ?? []) if (!isReached(amounts, threshold)) told?.delete(threshold)
      this.#touched[keys]?.add(keyId)
    }
    this.#lookIn(0)
  }

  /** Tells of what is no budget that is being used up, each once: `threshold` and the beginning of its cycle say what is the same. */
  async tell(found: readonly Omit<Alert, 'id' | 'atMs'>[]): Promise<void> {
    const { newId, nowMs } = this.#options
    await this.#raise(found.map((alert) => ({ ...alert, id: newId(), atMs: nowMs() })))
  }

  /** Takes a rule that is on disk; without thresholds those of the scope hold. */
  setRule(scope: AlertScope, subjectId: string | undefined, thresholds: readonly number[] | undefined): void {
    if (thresholds === undefined) this.#rules.delete(ruleName(scope, subjectId))
    else this.#rules.set(ruleName(scope, subjectId), { scope, subjectId, thresholds })
    this.lookAtAll()
  }

  /** The highest threshold that each budget has reached in its present cycle. */
  standing(): ReachedBudget[] {
    return this.#options.sources.flatMap(({ scope, subjects, standing: standingOf }) => {
      const toldOf = this.#told.get(scope)
      if (toldOf === undefined) return []
      return Array.from(subjects()).flatMap((subjectId): ReachedBudget[] => {
        // Of most there is nothing to look up.
        if (!toldOf.has(subjectId)) return []
        const standing = standingOf(subjectId)
        if (standing === undefined || standing === 'changing') return []
        const { name, cycleStartedAtMs, nextResetAtMs } = standing
        const told = this.#toldOf({ scope, subjectId, cycleStartedAtMs })
        if (told === undefined || told.size === 0) return []
        return [{ scope, subjectId, name, nextResetAtMs, threshold: largest(told) }]
      })
    })
  }

  /** Resolves when everything that was noted so far has been looked at. */
  async settled(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    while (this.#isTouched) await this.#lookNow()
    await this.#looking
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.#looking
  }

  #lookIn(ms: number): void {
    if (!this.#hasBegun || this.#isClosed || this.#cancel !== undefined) return
    this.#cancel = this.#options.after(ms, () => {
      this.#cancel = undefined
      void this.#lookNow()
    })
  }

  #lookNow(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      if (this.#isMoreAhead) this.#lookIn(0)
      else if (this.#isTouched) this.#lookIn(RETRY_MS)
    })
    return this.#looking
  }

  get #isTouched(): boolean {
    return this.#isMoreAhead || this.#touched.some((ids) => ids.size > 0)
  }

  get #isMoreAhead(): boolean {
    return this.#isAllTouched || this.#ahead.some((ids) => ids.length > 0)
  }

  /** Calls wait while budgets are looked at, of which there can be a hundred thousand. */
  #touchSome(): void {
    if (this.#isAllTouched) this.#ahead = this.#options.sources.map(({ subjects }) => [...subjects()])
    this.#isAllTouched = false
    let room = AT_ONCE
    this.#ahead.forEach((ids, index) => {
      const next = ids.splice(0, room)
      room -= next.length
      for (const id of next) this.#touched[index]?.add(id)
    })
  }

  async #look(): Promise<void> {
    this.#touchSome()
    const first = this.#judge()
    if (first.alerts.length === 0) return this.#keep(first)
    try {
      // An alert is about charges that are on disk, so that whatever end of the process leaves both or only the charges.
      await this.#options.flush()
    } catch {
      // The disk refuses the charges themselves: what was touched stays noted, and is looked at again.
      return
    }
    const judged = this.#judge()
    const { alerts } = judged
    this.#keep(judged)
    try {
      if (alerts.length > 0) await this.#raise(alerts)
    } catch {
      // A full disk, as a rule. Nothing was told, and all of it is looked at again.
      for (const { scope, subjectId } of alerts) this.#touch(scope, subjectId)
    }
  }

  /** The thresholds that touched budgets have reached and that were not told yet, and what cannot be judged now. */
  #judge(): Judged {
    const atMs = this.#options.nowMs()
    const unjudged = this.#touched.map((): string[] => [])
    const alerts = this.#options.sources.flatMap((source, index) =>
      Array.from(this.#touched[index] ?? []).flatMap((subjectId) => {
        const standing = source.standing(subjectId)
        if (standing === 'changing') unjudged[index]?.push(subjectId)
        if (standing === undefined || standing === 'changing') return []
        const reached = this.#thresholdsOf(source, subjectId).filter((threshold) => isReached(standing, threshold))
        if (reached.length === 0) return []
        const { name, ...budget } = standing
        const told = this.#toldOf({ scope: source.scope, subjectId, cycleStartedAtMs: budget.cycleStartedAtMs })
        return reached
          .filter((threshold) => told?.has(threshold) !== true)
          .map((threshold): Alert => ({
            ...budget,
            id: this.#options.newId(),
            scope: source.scope,
            subjectId,
            name,
            threshold,
            atMs,
          }))
      }),
    )
    return { alerts, unjudged }
  }

  /** Forgets what was touched and judged at this moment. */
  #keep({ unjudged }: Judged): void {
    this.#touched.forEach((touched, index) => {
      touched.clear()
      for (const id of unjudged[index] ?? []) touched.add(id)
    })
  }

  async #raise(alerts: readonly Alert[]): Promise<void> {
    const raised = alerts.map((alert, index) => ({ alert, deliveries: this.#options.deliveriesOf(alert, index) }))
    const added = new Set(await this.#options.raise(raised))
    for (const alert of alerts) this.#note(alert, alert.threshold)
    const told = alerts.filter(({ id }) => added.has(id))
    if (told.length === 0) return
    this.#latest = [...told.toReversed(), ...this.#latest].slice(0, MAX_LATEST)
    for (const { scope } of told) this.raisedByScope.set(scope, (this.raisedByScope.get(scope) ?? 0) + 1)
    for (const listener of this.#listeners) listener(told)
  }

  #thresholdsOf({ scope, groupsOf }: BudgetSource, subjectId: string): readonly number[] {
    if (this.#rules.size === 0) return DEFAULT_THRESHOLDS
    const own = this.#rules.get(ruleName(scope, subjectId))
    if (own !== undefined) return own.thresholds
    for (const group of groupsOf?.(subjectId) ?? []) {
      const said = this.#rules.get(ruleName(group.scope, group.subjectId))
      if (said !== undefined) return said.thresholds
    }
    return this.#rules.get(ruleName(scope, undefined))?.thresholds ?? DEFAULT_THRESHOLDS
  }

  #touch(scope: AlertScope, subjectId: string): void {
    this.#touched[this.#options.sources.findIndex((source) => source.scope === scope)]?.add(subjectId)
  }

  #toldOf({ scope, subjectId, cycleStartedAtMs }: Place): Set<number> | undefined {
    const told = this.#told.get(scope)?.get(subjectId)
    return told?.cycleMs === cycleStartedAtMs ? told.thresholds : undefined
  }

  /** What an earlier cycle was told of counts no more: should a clock be set back to it, the database still knows. */
  #note(place: Place, threshold: number): void {
    const told = this.#toldOf(place)
    if (told !== undefined) told.add(threshold)
    else {
      const { scope, subjectId, cycleStartedAtMs: cycleMs } = place
      const ofScope = this.#told.get(scope) ?? new Map<string, Told>()
      this.#told.set(scope, ofScope.set(subjectId, { cycleMs, thresholds: new Set([threshold]) }))
    }
  }
}

type Place = Pick<Alert, 'scope' | 'subjectId' | 'cycleStartedAtMs'>

function ruleName(scope: AlertScope, subjectId: string | undefined): string {
  return JSON.stringify(subjectId === undefined ? [scope] : [scope, subjectId])
}
