// How the kept reports of all providers agree with the books, day by day of UTC.

import { causesOfAll } from '#bills/causes.ts'
import { timeOf } from '#bills/check.ts'
import type { MoneyDifference } from '#bills/money.ts'
import { decimalText, type BillReport, type Span, type TokenCounts } from '#bills/report.ts'
import { inOrder, spanAt } from '#bills/spans.ts'
import { plus, type OurSide, type TokenDifference } from '#bills/tokens.ts'
import { iso } from '#catalog/dates.ts'
import type { BillDay, BillDays } from '#contract/bills.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { answeredDays, withAnswers } from '#reports/answered-days.ts'
import { compareBill, shownCalls, shownTime, type ComparedBill } from '#reports/bill-check.ts'
import { shownMoney, stateOf, type BillDaysRequest, type Day } from '#reports/bill-day.ts'
import { readBillsKept } from '#store/bill-questions.ts'
import { hasMoreBilled } from '#store/bill-rows.ts'
import type { Db } from '#store/database.ts'

const DAY_MS = 86_400_000
const CURRENCY = 'USD'
const PARTS_PER_MICRO = 1_000_000n
const NO_COUNTS: TokenCounts = { input: 0, cache_read: 0, cache_write: 0, output: 0 }

/** Calls whose answers said what they cost that are added up in some milliseconds. */
const FEW_BILLED = 2000

/** Whether the days are there in some milliseconds: no report is kept, and few answers said what they cost. */
export function areDaysFew(db: Db, { fromMs, toMs }: BillDaysRequest): boolean {
  return !readBillsKept(db).hasReports && !hasMoreBilled(db, { fromMs, toMs }, FEW_BILLED)
}

/** The latest day first. A provider of which nothing is kept has no day. */
export function billDays(db: Db, request: BillDaysRequest): BillDays | Refusal {
  const ofProviders: (readonly Day[])[] = []
  const ofAnswers = answeredDays(db, request)
  for (const { id: providerId, name: providerName } of request.providers) {
    const source = { fromMs: request.fromMs, toMs: request.toMs }
    const compared = compareBill(db, { providerId, providerName, source, accounts: undefined })
    if (isRefusal(compared) && compared.code !== 'not_found') return compared
    const reported = isRefusal(compared) ? [] : daysOf(providerName, compared)
    const days = withAnswers(reported, ofAnswers.get(providerId) ?? [], request.nowMs)
    if (days.length > 0) ofProviders.push(days)
  }
  const days = ofProviders.flat()
  return {
    days: days
      .toSorted(
        (one, other) => other.time.startMs - one.time.startMs || one.view.provider.localeCompare(other.view.provider),
      )
      .map(({ view }) => view),
    agreed_until: agreedUntil(ofProviders),
    unexplained: days.reduce((sum, { view }) => sum + view.unexplained, 0),
    unexplained_amount: decimalText(days.reduce((sum, day) => sum + day.unexplainedParts, 0n)),
  }
}

/** A stretch of time is of the day that it begins on. */
function daysOf(provider: string, { report, side, bill, madeMs }: ComparedBill): Day[] {
  const usage = Map.groupBy(inOrder(report.usageSpans), dayOf)
  const costs = Map.groupBy(inOrder(report.costSpans), dayOf)
  const tokens = Map.groupBy(bill.tokens.differences, dayOf)
  const money = Map.groupBy(bill.money.differences, dayOf)
  return [...new Set([...usage.keys(), ...costs.keys()])]
    .toSorted((one, other) => one - other)
    .flatMap((day) => {
      const spans = { usage: usage.get(day) ?? [], costs: costs.get(day) ?? [] }
      const differences = { tokens: tokens.get(day) ?? [], money: money.get(day) ?? [] }
      const made = [
        ...spans.usage.map(({ startMs }) => madeMs('usage', startMs)),
        ...spans.costs.map(({ startMs }) => madeMs('costs', startMs)),
      ]
      const latestMs = made.reduce((latest, madeAtMs) => Math.max(latest, madeAtMs), 0)
      const time = timeOf({ usageSpans: spans.usage, costSpans: spans.costs })
      return time === undefined
        ? []
        : dayView({ provider, day, time, spans, differences, report, side, madeMs: latestMs })
    })
}

function dayOf({ startMs }: Pick<Span, 'startMs'>): number {
  return startMs - (startMs % DAY_MS)
}

type DayParts = {
  readonly provider: string
  readonly day: number
  readonly time: Span
  readonly spans: { readonly usage: readonly Span[]; readonly costs: readonly Span[] }
  readonly differences: { readonly tokens: readonly TokenDifference[]; readonly money: readonly MoneyDifference[] }
  readonly report: BillReport
  readonly side: OurSide
  readonly madeMs: number
}

function dayView({ provider, day, time, spans, differences, report, side, madeMs }: DayParts): Day {
  const all = [...differences.tokens, ...differences.money]
  const causes = causesOfAll(all)
  const calls = [...new Set(all.flatMap((difference) => difference.calls))]
  const unexplainedParts = differences.money.reduce((sum, one) => sum + one.unexplainedParts, 0n)
  const view: BillDay = {
    provider,
    day: iso(day).slice(0, 10),
    source: 'reports',
    ...shownTime(time),
    made_at: iso(madeMs),
    tokens: spans.usage.length === 0 ? null : tokensOf(spans.usage, report, side),
    money: spans.costs.length === 0 ? null : moneyOf({ spans, report, side, differences }),
    state: stateOf(causes),
    causes,
    unexplained: all.filter((difference) => difference.causes.includes('unexplained')).length,
    unexplained_amount: decimalText(unexplainedParts),
    ...shownCalls(calls),
  }
  return { view, time, unexplainedParts }
}

function tokensOf(spans: readonly Span[], { usage }: BillReport, { hours }: OurSide): BillDay['tokens'] {
  const isIn = (one: { readonly startMs: number }) => spanAt(spans, one.startMs) !== undefined
  return {
    ours: { ...hours.filter(isIn).reduce((sum, { counts }) => plus(sum, counts), NO_COUNTS) },
    theirs: { ...usage.filter(isIn).reduce((sum, { counts }) => plus(sum, counts), NO_COUNTS) },
  }
}

function moneyOf({
  spans,
  report,
  side,
  differences,
}: Pick<DayParts, 'spans' | 'report' | 'side' | 'differences'>): BillDay['money'] {
  const isIn = (one: { readonly startMs: number }) => spanAt(spans.costs, one.startMs) !== undefined
  const ours = side.hours.filter(isIn).reduce((sum, hour) => sum + BigInt(hour.chargeMicro) * PARTS_PER_MICRO, 0n)
  const theirs = report.costs
    .filter((line) => isIn(line) && line.currency === CURRENCY)
    .reduce((sum, { amount }) => sum + amount.parts, 0n)
  const ofTokens = differences.money.reduce((sum, { tokenParts }) => sum + tokenParts, 0n)
  return shownMoney(ours, theirs, spans.usage.length === 0 ? undefined : ofTokens)
}

/** Until when every provider's days agree or are explained without a gap; null where one of them does not from the beginning. */
function agreedUntil(ofProviders: readonly (readonly Day[])[]): string | null {
  const ends = ofProviders.map((days) => {
    let endMs: number | undefined
    for (const { view, time } of days) {
      const isGap = endMs !== undefined && time.startMs > endMs
      if (isGap || view.state === 'unexplained' || view.state === 'open') break
      endMs = Math.max(endMs ?? 0, time.endMs)
    }
    return endMs
  })
  const known = ends.flatMap((endMs) => endMs ?? [])
  if (known.length === 0 || known.length < ends.length) return null
  return iso(known.reduce((least, endMs) => Math.min(least, endMs)))
}
