// What is to come if it goes on like this: when credits run out, and what a day will have cost.

import type { MicroCredits } from '#core/money.ts'

const HOUR_MS = 3_600_000

/** A key's credits, and what it was charged over a length of time. */
export type Spending = {
  readonly remainingMicro: MicroCredits
  /** When its credits are renewed; undefined: never. */
  readonly nextResetAtMs: number | undefined
  readonly chargedMicro: number
  readonly overMs: number
}

/**
 * The instant at which the first of several keys has nothing left; undefined where each lasts until its reset, or for ten years. A key that has
 * nothing left now has run out already, and says nothing about what is to come.
 */
export function runsOutAtMs(keys: readonly Spending[], nowMs: number): number | undefined {
  let first: number | undefined
  for (const { remainingMicro, nextResetAtMs, chargedMicro, overMs } of keys) {
    if (remainingMicro <= 0 || chargedMicro <= 0 || overMs <= 0) continue
    const atMs = nowMs + Math.floor((remainingMicro / chargedMicro) * overMs)
    if (nextResetAtMs !== undefined && atMs >= nextResetAtMs) continue
    if (first === undefined || atMs < first) first = atMs
  }
  return first !== undefined && first - nowMs <= FAR_MS ? first : undefined
}

/** What lasts for ten years does not run out for anybody who asks now. */
const FAR_MS = 10 * 365 * 24 * HOUR_MS

/** The charge of a whole day at the speed of its beginning; undefined in the first hour, which says nothing. */
export function expectedMicro(
  chargedMicro: number,
  day: { readonly startMs: number; readonly endMs: number; readonly nowMs: number },
): number | undefined {
  const elapsedMs = day.nowMs - day.startMs
  if (elapsedMs < HOUR_MS) return undefined
  return Math.round((chargedMicro / elapsedMs) * (day.endMs - day.startMs))
}
