// What is to come if it goes on like this: when credits run out, and what a day will have cost.

import { microCredits, type MicroCredits } from '#core/money.ts'

const HOUR_MS = 3_600_000

/** What an account has left, and what it was used for since its cycle or the account itself began. */
export type Standing = {
  readonly remainingMicro: MicroCredits
  readonly usedMicro: MicroCredits
  readonly sinceMs: number
  /** When its credits are renewed; undefined: never. */
  readonly nextResetAtMs: number | undefined
}

/** What becomes of an account at the pace of its cycle. Where neither is said, its credits last for a long time and are never renewed. */
export type Outlook = {
  /** What its cycle leaves over. */
  readonly leftOverMicro: MicroCredits | undefined
  readonly runsOutAtMs: number | undefined
}

/** undefined in the first hour, which says nothing, and where nothing is left that could run out. */
export function outlookOf(standing: Standing, nowMs: number): Outlook | undefined {
  const { remainingMicro, usedMicro, sinceMs, nextResetAtMs } = standing
  const elapsedMs = nowMs - sinceMs
  if (elapsedMs < HOUR_MS || remainingMicro <= 0) return undefined
  const lastsMs = usedMicro <= 0 ? Number.POSITIVE_INFINITY : Math.floor((remainingMicro / usedMicro) * elapsedMs)
  const untilResetMs = (nextResetAtMs ?? Number.POSITIVE_INFINITY) - nowMs
  if (lastsMs < untilResetMs) {
    return { leftOverMicro: undefined, runsOutAtMs: lastsMs <= FAR_MS ? nowMs + lastsMs : undefined }
  }
  if (nextResetAtMs === undefined) return { leftOverMicro: undefined, runsOutAtMs: undefined }
  const toComeMicro = Math.ceil((usedMicro / elapsedMs) * Math.max(0, untilResetMs))
  return { leftOverMicro: microCredits(Math.max(0, remainingMicro - toComeMicro)), runsOutAtMs: undefined }
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
