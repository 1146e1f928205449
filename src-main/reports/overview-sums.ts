// What the overview says about calls: today beside yesterday, how fast streams begin, the latest calls.

import type { UsageView } from '#contract/schemas.ts'
import { HOUR_MS } from '#core/calendar.ts'
import { latencyPercentile } from '#core/latency.ts'
import { calendarOf } from '#reports/usage-report.ts'
import { usageView } from '#reports/usage-view.ts'
import type { Db } from '#store/database.ts'
import type { UsageParts } from '#store/usage-filter.ts'
import { listUsage } from '#store/usage-list.ts'
import { addSums, NO_SUMS, type Sums } from '#store/usage-measures.ts'
import { firstTokenCounts, sumsByGroup, sumsOfRecords } from '#store/usage-sums.ts'

export type OverviewRequest = { readonly parts: UsageParts; readonly nowMs: number }

export type OverviewSums = {
  readonly timeZone: string
  readonly day: { readonly startMs: number; readonly endMs: number }
  readonly today: Sums
  /** Yesterday up to the same time of day. */
  readonly previous: Sums
  readonly firstToken: { readonly p50Ms: number | undefined; readonly p95Ms: number | undefined }
  readonly latest: readonly UsageView[]
}

const LATENCY_HOURS = 24
const LATEST = 10

export function overviewSums(db: Db, { parts, nowMs }: OverviewRequest): OverviewSums {
  return db.transaction((): OverviewSums => {
    const calendar = calendarOf(db)
    const dayMs = calendar.dayStart(nowMs)
    const page = { sinceMs: undefined, untilMs: undefined, status: undefined, minMicro: undefined, before: undefined }
    return {
      timeZone: calendar.timeZone,
      day: { startMs: dayMs, endMs: calendar.end('day', dayMs) },
      today: sumOf(db, parts, 'day', [dayMs]),
      previous: previousSums(db, parts, nowMs),
      firstToken: firstToken(db, parts, nowMs),
      latest: listUsage(db, { ...page, parts, limit: LATEST }).rows.map(usageView),
    }
  })()
}

function previousSums(db: Db, parts: UsageParts, nowMs: number): Sums {
  const calendar = calendarOf(db)
  const dayMs = calendar.dayStart(nowMs)
  const yesterdayMs = calendar.dayStart(dayMs - 1)
  const untilMs = Math.min(yesterdayMs + (nowMs - dayMs), dayMs)
  const hourMs = calendar.hourStart(untilMs)
  const whole = calendar.list('hour', { fromMs: yesterdayMs, toMs: Math.min(hourMs, dayMs) }, LATENCY_HOURS + 2) ?? []
  return addSums([sumOf(db, parts, 'hour', whole), sumsOfRecords(db, parts, { fromMs: hourMs, toMs: untilMs })])
}

function sumOf(db: Db, parts: UsageParts, rollup: 'hour' | 'day', intervals: readonly number[]): Sums {
  return sumsByGroup(db, { rollup, parts, group: undefined }, intervals)[0] ?? NO_SUMS
}

function firstToken(db: Db, parts: UsageParts, nowMs: number): OverviewSums['firstToken'] {
  const calendar = calendarOf(db)
  const present = calendar.hourStart(nowMs)
  const fromMs = calendar.hourStart(present - (LATENCY_HOURS - 1) * HOUR_MS)
  const hours = [...(calendar.list('hour', { fromMs, toMs: present }, LATENCY_HOURS + 2) ?? []), present]
  const counts = firstTokenCounts(db, parts.keyIds, hours)
  return { p50Ms: latencyPercentile(counts, 50), p95Ms: latencyPercentile(counts, 95) }
}
