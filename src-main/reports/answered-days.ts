// Days of providers whose answers say what they cost, against what their calls were charged. Nobody has to hand in a report for them.

import { answerCause } from '#bills/answers.ts'
import { causesOfAll } from '#bills/causes.ts'
import { iso } from '#catalog/dates.ts'
import type { Cause } from '#contract/bill-causes.ts'
import { shownTime } from '#reports/bill-check.ts'
import { shownMoney, stateOf, type BillDaysRequest, type Day } from '#reports/bill-day.ts'
import { billedDays, differentlyBilled, type BilledDay, type DifferentlyBilled } from '#store/bill-rows.ts'
import type { Db } from '#store/database.ts'

const DAY_MS = 86_400_000
const PARTS_PER_MICRO = 1_000_000n
const PARTS_PER_NANO = 1000n
/** Calls that a day names. */
const MAX_CALLS = 20

/** By provider, the earliest day first. */
export function answeredDays(db: Db, { providers, nowMs, ...range }: BillDaysRequest): Map<string, Day[]> {
  const names = new Map(providers.map(({ id, name }) => [id, name]))
  const differing = Map.groupBy(differentlyBilled(db, range, MAX_CALLS), placeOf)
  const days = billedDays(db, range).flatMap((row) => {
    const provider = names.get(row.provider_id)
    return provider === undefined ? [] : [{ row, day: dayOf(provider, row, differing.get(placeOf(row)) ?? [], nowMs) }]
  })
  const ofProviders = Map.groupBy(days, ({ row }) => row.provider_id)
  return new Map(
    [...ofProviders].map(([id, ofOne]) => [
      id,
      ofOne.map(({ day }) => day).toSorted((one, other) => one.time.startMs - other.time.startMs),
    ]),
  )
}

/** What a report says of a day holds. Where only answers say it, a day without them had nothing to bill, and so has the time since. */
export function withAnswers(reported: readonly Day[], answered: readonly Day[], nowMs: number): readonly Day[] {
  const told = new Set(reported.map(({ view }) => view.day))
  if (reported.length > 0) {
    return [...reported, ...answered.filter(({ view }) => !told.has(view.day))].toSorted(
      (one, other) => one.time.startMs - other.time.startMs,
    )
  }
  return answered.map((day, index) => {
    const endMs = answered[index + 1]?.time.startMs ?? nowMs
    return { ...day, time: { ...day.time, endMs } }
  })
}

function placeOf({ provider_id: id, day }: Pick<BilledDay, 'provider_id' | 'day'>): string {
  return `${id} ${day}`
}

function dayOf(provider: string, row: BilledDay, differing: readonly DifferentlyBilled[], nowMs: number): Day {
  const startMs = row.day * DAY_MS
  const time = { startMs, endMs: Math.min(startMs + DAY_MS, Math.max(nowMs, row.last_ms + 1)) }
  const ours = BigInt(row.charge_micro) * PARTS_PER_MICRO
  const theirs = BigInt(row.billed_nano) * PARTS_PER_NANO
  const kinds = differing.map((kind) => ({ causes: [causeOf(kind)] }))
  const rounding: { readonly causes: readonly Cause[] }[] = ours === theirs ? [] : [{ causes: ['rounding'] }]
  const causes = causesOfAll(kinds.length === 0 ? rounding : kinds)
  const view = {
    provider,
    day: iso(startMs).slice(0, 10),
    source: 'answers' as const,
    ...shownTime(time),
    made_at: iso(row.last_ms),
    tokens: null,
    money: shownMoney(ours, theirs, undefined),
    state: stateOf(causes),
    causes,
    unexplained: 0,
    unexplained_amount: '0',
    calls: differing.flatMap(idsOf).slice(0, MAX_CALLS),
    call_count: differing.reduce((sum, { calls }) => sum + calls, 0),
  }
  return { view, time, unexplainedParts: 0n }
}

function causeOf(kind: DifferentlyBilled): Cause {
  return answerCause({
    usageSource: kind.usage_source,
    estimatedClasses: kind.estimated_classes,
    outcome: kind.outcome,
    hasUnits: kind.has_units === 1,
  })
}

function idsOf({ first_ids: ids }: DifferentlyBilled): readonly string[] {
  return JSON.parse(ids) as readonly string[]
}
