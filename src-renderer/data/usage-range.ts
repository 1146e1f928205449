// Which time a report is about, and by which steps.

import type { UsageReport } from '#contract/reports.ts'
import { dateAfter, startOfDate, type Rollup } from '#renderer/data/intervals.ts'
import { msOf } from '#renderer/data/times.ts'
import { dateIn } from '#renderer/data/zone-dates.ts'

export const PRESETS = ['24h', '7d', '30d', '90d'] as const
export type Preset = (typeof PRESETS)[number]
export type Range = { readonly from: string; readonly to: string | undefined; readonly preset: Preset | undefined }

const DEFAULT: Preset = '7d'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A report has at most 200 hours, of which the first begins a little before the range does. */
const MAX_HOURS_MS = 198 * HOUR_MS
/** Up to here the steps of a range are hours unless days are asked for. */
const HOURLY_MS = 2 * DAY_MS

/** A range that is named, such as `7d`, ends now; every other has its own beginning. */
export function rangeOf({ from, to }: { readonly from?: string; readonly to?: string }): Range {
  const preset = PRESETS.find((one) => one === (from ?? DEFAULT))
  return preset === undefined || to !== undefined
    ? { from: from ?? DEFAULT, to, preset: undefined }
    : { from: preset, to: undefined, preset }
}

/** The steps that a range can have, and the one to take where none of them is asked for. */
export function rollupOf(
  range: Range,
  asked: Rollup | undefined,
  nowMs: number,
): { readonly rollup: Rollup; readonly choices: readonly Rollup[] } {
  const lengthMs = (msOf(range.to) ?? nowMs) - (beginningOf(range.from, nowMs) ?? nowMs)
  if (lengthMs > MAX_HOURS_MS) return { rollup: 'day', choices: ['day'] }
  return { rollup: asked ?? (lengthMs <= HOURLY_MS ? 'hour' : 'day'), choices: ['hour', 'day'] }
}

function beginningOf(from: string, nowMs: number): number | undefined {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(from) ?? []
  if (count === undefined) return msOf(from)
  return nowMs - Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS)
}

/**
 * The same number of intervals before a report, cut as short as its last one is. Days are counted by the calendar, so that each
 * stands for one, also where a clock was changed. Undefined for a report without intervals.
 */
export function periodBefore({
  intervals,
  rollup,
  time_zone: zone,
  to,
}: UsageReport): { readonly from: string; readonly to: string } | undefined {
  const firstMs = msOf(intervals[0])
  const lastMs = msOf(intervals.at(-1))
  const toMs = msOf(to)
  if (firstMs === undefined || lastMs === undefined || toMs === undefined) return undefined
  const fromMs = stepped({ atMs: firstMs, steps: -intervals.length, rollup, zone })
  const endMs = stepped({ atMs: lastMs, steps: 1, rollup, zone })
  const cutMs = Math.max(0, endMs - toMs)
  return { from: new Date(fromMs).toISOString(), to: new Date(firstMs - cutMs).toISOString() }
}

type RollupStep = { readonly atMs: number; readonly steps: number; readonly rollup: Rollup; readonly zone: string }

function stepped({ atMs, steps, rollup, zone }: RollupStep): number {
  if (rollup === 'hour') return atMs + steps * HOUR_MS
  const date = dateAfter(dateIn(zone, atMs), steps)
  return (date === undefined ? undefined : startOfDate(zone, date)) ?? atMs + steps * DAY_MS
}
