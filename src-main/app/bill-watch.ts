// Bills without anybody looking: providers are asked for their reports where somebody wants that, what is kept is compared each hour, and
// what is unexplained is told. Nobody is asked who was not asked for.

import type { BillDays } from '#contract/bills.ts'
import type { Alert } from '#core/alerts.ts'
import { totalMicro } from '#core/money.ts'
import { isDue, laterOf, PERIODS_MS, type Period } from '#core/polling.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'
import type { BillQuestion, BillsKept } from '#store/bill-questions.ts'

export type BillAlert = Omit<Alert, 'id' | 'atMs'>

export type BillWatchDeps = {
  readonly providers: () => readonly { readonly id: string; readonly name: string }[]
  /** Names of the providers that can be asked: they have reports, and their administrator's secret is there. */
  readonly askable: () => Promise<readonly string[] | Refusal>
  /** Asks for a report of some days and keeps it. */
  readonly ask: (provider: string, days: number) => Promise<Refusal | undefined>
  readonly compare: () => Promise<BillDays | Refusal>
  readonly stored: () => Promise<BillsKept>
  readonly keep: (question: BillQuestion) => Promise<void>
  readonly tell: (alerts: readonly BillAlert[]) => Promise<void>
  readonly standing: BillStanding
  readonly every: () => Period
  readonly nowMs: () => number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LOOK_MS = 60_000
/** Where nobody could be asked, the keychain is not looked into each minute. */
const REST_MS = 10 * 60_000
/** A week once a day, since providers revise their numbers; else today and yesterday. */
const DAYS = { first: 7, later: 1 } as const

export class BillWatch {
  readonly #deps: BillWatchDeps
  /** Those of this process: a full disk is no reason to ask again and again. */
  readonly #asked = new Map<string, BillQuestion>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isClosed = false
  #restUntilMs = 0
  #compareAtMs = 0

  constructor(deps: BillWatchDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    this.#timer.unref()
  }

  /** What is kept, or what was charged, is another: it is compared at the next look. */
  changed(): void {
    this.#compareAtMs = 0
    this.#restUntilMs = 0
  }

  /** Nobody is asked any more. What is under way fails once what it needs is closed, and nothing is kept of it. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  /** Asks those whose time has come, and compares. Never rejects; one look after the other. */
  look(): Promise<void> {
    this.#running = this.#running.then(() => this.#look()).catch(() => undefined)
    return this.#running
  }

  async #look(): Promise<void> {
    const every = this.#deps.every()
    const nowMs = this.#deps.nowMs()
    const mayAsk = every !== 'never' && !this.#isAhead(this.#restUntilMs, REST_MS)
    const mayCompare = !this.#isAhead(this.#compareAtMs, HOUR_MS)
    if (this.#isClosed || !(mayAsk || mayCompare)) return
    const { questions, hasReports } = await this.#deps.stored()
    const wasAsked = mayAsk && (await this.#askDue(questions, PERIODS_MS[every]))
    if (this.#isClosed || !(hasReports || wasAsked) || !(mayCompare || wasAsked)) return
    await this.#compare(nowMs)
  }

  /** A time that is further ahead than it can be was set by another clock. */
  #isAhead(atMs: number, mostMs: number): boolean {
    const leftMs = atMs - this.#deps.nowMs()
    return leftMs > 0 && leftMs <= mostMs
  }

  /** Whether any was. */
  async #askDue(questions: readonly BillQuestion[], periodMs: number): Promise<boolean> {
    const { providers, askable, nowMs } = this.#deps
    const storedOf = (id: string) => questions.find(({ providerId }) => providerId === id)
    const lastOf = (id: string) => laterOf(this.#asked.get(id), storedOf(id))
    const due = providers().filter(({ id }) => isDue(lastOf(id), periodMs, nowMs()))
    if (due.length === 0) return false
    const names = await askable()
    const able = isRefusal(names) ? [] : due.filter(({ name }) => names.includes(name))
    if (able.length < due.length) this.#restUntilMs = nowMs() + REST_MS
    for (const provider of able) if (!this.#isClosed) await this.#askOne(provider, lastOf(provider.id))
    return able.length > 0
  }

  async #askOne({ id, name }: { readonly id: string; readonly name: string }, last: BillQuestion | undefined) {
    const { ask, keep, nowMs } = this.#deps
    const isFirst = last === undefined || last.failures > 0 || dayOf(last.askedMs) !== dayOf(nowMs())
    const refusal = await ask(name, isFirst ? DAYS.first : DAYS.later)
    if (this.#isClosed) return
    const askedMs = nowMs()
    const question = {
      providerId: id,
      askedMs,
      quietUntilMs: askedMs + Math.min(DAY_MS, (refusal?.retryAfterSeconds ?? 0) * 1000),
      failures: refusal === undefined ? 0 : (last?.failures ?? 0) + 1,
      problem: refusal?.message ?? '',
    }
    this.#asked.set(id, question)
    await keep(question)
  }

  async #compare(nowMs: number): Promise<void> {
    const { compare, standing, tell, providers } = this.#deps
    this.#compareAtMs = nowMs + HOUR_MS
    const compared = await compare()
    if (isRefusal(compared)) return
    const { agreed_until: until, unexplained, unexplained_amount: amount, days } = compared
    standing.latest = { agreedUntil: until ?? undefined, unexplained, amount, comparedAtMs: nowMs }
    const ids = new Map(providers().map(({ id, name }) => [name, id]))
    const alerts = days.flatMap((day) => {
      const id = ids.get(day.provider)
      return day.state === 'unexplained' && id !== undefined ? [alertOf(day, id)] : []
    })
    if (alerts.length > 0) await tell(alerts)
  }
}

/** What of the day's bill is unexplained; where that is tokens alone, nothing of its money is. */
function alertOf(day: BillDays['days'][number], subjectId: string): BillAlert {
  const { provider: name, money, unexplained_amount: amount } = day
  const billed = Math.max(microOf(money?.theirs ?? '0'), microOf(money?.ours ?? '0'), microOf(amount), 1)
  return {
    scope: 'bill',
    subjectId,
    name,
    // Each day is told once, whatever part of it is unexplained.
    threshold: 1,
    usedMicro: totalMicro(microOf(amount)),
    totalMicro: totalMicro(billed),
    cycleStartedAtMs: Date.parse(day.day),
    nextResetAtMs: undefined,
  }
}

/** Of a decimal text, as near as a number of micro-credits can be. */
function microOf(text: string): number {
  return Math.round(Math.abs(Number(text)) * 1_000_000)
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}
