// What an answer says about how long its sender wants to be left alone.

/**
 * Milliseconds from `nowMs` (UTC) on, of a `retry-after` header in seconds, also in parts of them, or with a date; 0 where that time is
 * over, and undefined where it says neither.
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  const said = value.trim()
  // A date has the name of its month, so that no number is taken for one.
  const waitMs = /^-?\d{1,15}(\.\d+)?$/.test(said)
    ? Number(said) * 1000
    : /[a-z]{3}/i.test(said)
      ? Date.parse(said) - nowMs
      : NaN
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
