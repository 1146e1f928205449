// When somebody is asked again who is asked on a schedule: whoever fails is asked more and more seldom. Pure.

export type Asked = {
  /** UTC milliseconds. */
  readonly askedMs: number
  /** Nobody may ask before. */
  readonly quietUntilMs: number
  /** In a row. */
  readonly failures: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
export const PERIODS_MS = { hourly: HOUR_MS, daily: DAY_MS } as const
export type Period = 'never' | keyof typeof PERIODS_MS

/**
 * Whether the time has come: a period after an answer; after failures an hour, and after each further one twice as long, up to a day. A time
 * that is still to come was noted before somebody set the clock back, and counts no more.
 */
export function isDue(last: Asked | undefined, periodMs: number, nowMs: number): boolean {
  if (last === undefined || last.askedMs > nowMs) return true
  const { askedMs, failures } = last
  const waitMs = failures === 0 ? periodMs : Math.max(periodMs, Math.min(DAY_MS, HOUR_MS * 2 ** (failures - 1)))
  return nowMs >= askedMs + waitMs && !isQuiet(last, nowMs)
}

/** Whether he wants to be left alone. */
export function isQuiet(last: Asked | undefined, nowMs: number): boolean {
  return last !== undefined && last.askedMs <= nowMs && nowMs < last.quietUntilMs
}

/** Of what this process noted and what is stored, which may lack it, the later. */
export function laterOf<Note extends Asked>(own: Note | undefined, stored: Note | undefined): Note | undefined {
  return own !== undefined && own.askedMs >= (stored?.askedMs ?? 0) ? own : stored
}
