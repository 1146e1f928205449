// The days and hours of a time zone as intervals of instants, for sums by time. An hour counts from the beginning of its day, so
// that every day is made of its hours: 23 or 25 of them where the clock changes, and beginning at half past in UTC where a zone is
// half an hour off. Where a day is not a whole number of hours long, its last one is shorter.

import { cycleStart, nextDayStart } from '#core/cycle.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Days whose end is remembered; more than any report has. */
const MAX_KNOWN = 5_000

export const ROLLUPS = ['hour', 'day'] as const
export type Rollup = (typeof ROLLUPS)[number]

export class Calendar {
  readonly timeZone: string
  /** The end of a day by its beginning. */
  readonly #ends = new Map<number, number>()
  #day = { startMs: Number.NaN, endMs: Number.NaN }

  constructor(timeZone: string) {
    this.timeZone = timeZone
  }

  dayStart(instantMs: number): number {
    const { startMs, endMs } = this.#day
    if (instantMs >= startMs && instantMs < endMs) return startMs
    const isStart = instantMs === endMs || this.#ends.has(instantMs)
    const start = isStart ? instantMs : cycleStart('daily', this.timeZone, instantMs)
    this.#day = { startMs: start, endMs: this.#endOf(start) }
    return start
  }

  hourStart(instantMs: number): number {
    const dayMs = this.dayStart(instantMs)
    return dayMs + Math.floor((instantMs - dayMs) / HOUR_MS) * HOUR_MS
  }

  /** The beginning of the interval that an instant belongs to. */
  start(rollup: Rollup, instantMs: number): number {
    return rollup === 'day' ? this.dayStart(instantMs) : this.hourStart(instantMs)
  }

  /** The end of the interval that begins at `startMs`, which is the beginning of the next one. */
  end(rollup: Rollup, startMs: number): number {
    const dayEnd = this.#endOf(this.dayStart(startMs))
    return rollup === 'day' ? dayEnd : Math.min(startMs + HOUR_MS, dayEnd)
  }

  /** The beginnings of the `count` intervals before the one that begins at `startMs`. */
  before(rollup: Rollup, startMs: number, count: number): number[] {
    if (count === 0) return []
    // Listed from far enough back: the end of a day is found faster than its beginning.
    const lengthMs = rollup === 'day' ? DAY_MS : HOUR_MS
    const fromMs = this.start(rollup, startMs - (count + 2) * lengthMs - DAY_MS)
    const starts = this.list(rollup, { fromMs, toMs: startMs }, Number.POSITIVE_INFINITY) ?? []
    return starts.slice(-count)
  }

  /** The beginnings of all intervals from one that begins at `fromMs` up to `toMs`; undefined for more than `most`. */
  list(rollup: Rollup, range: { readonly fromMs: number; readonly toMs: number }, most: number): number[] | undefined {
    const starts: number[] = []
    for (let start = range.fromMs; start < range.toMs; start = this.end(rollup, start)) {
      if (starts.length === most) return undefined
      starts.push(start)
    }
    return starts
  }

  #endOf(dayStartMs: number): number {
    const known = this.#ends.get(dayStartMs)
    if (known !== undefined) return known
    if (this.#ends.size >= MAX_KNOWN) this.#ends.clear()
    const end = nextDayStart(this.timeZone, dayStartMs)
    this.#ends.set(dayStartMs, end)
    return end
  }
}
