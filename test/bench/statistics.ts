// The few statistics the benchmark reports. Medians, because one disturbed round must not decide.

export type Spread = { readonly median: number; readonly min: number; readonly max: number }

export function spread(values: readonly number[]): Spread {
  return { median: percentile(values, 50), min: Math.min(...values), max: Math.max(...values) }
}

/** Nearest rank: a value that was really measured. Throws when there is none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
  if (value === undefined) throw new RangeError('no values')
  return value
}
