// A histogram of times with fixed bounds: each class is 5 % wider than the one before, so that a percentile read from it is at most
// 2.5 % off, and histograms of hours and keys can be added up.

const GROWTH = Math.log(1.05)

/** The class of a time in milliseconds; 0 holds everything up to one. */
export function latencyClass(timeMs: number): number {
  return timeMs <= 1 ? 0 : 1 + Math.floor(Math.log(timeMs) / GROWTH)
}

/** The time in the middle of a class, as whole milliseconds. */
function middleOf(latency: number): number {
  return latency === 0 ? 1 : Math.round(Math.exp((latency - 0.5) * GROWTH))
}

export type LatencyCount = { readonly latencyClass: number; readonly calls: number }

/** The time that `percent` of the calls did not exceed (nearest rank); undefined where there were none. Counts in order of class. */
export function latencyPercentile(counts: readonly LatencyCount[], percent: number): number | undefined {
  const total = counts.reduce((sum, { calls }) => sum + calls, 0)
  let left = Math.max(1, Math.ceil((percent / 100) * total))
  for (const { latencyClass: found, calls } of counts) {
    left -= calls
    if (left <= 0) return middleOf(found)
  }
  return undefined
}
