// The few statistics the benchmark reports. Medians, because one disturbed round must not decide.

export type Spread = { readonly median: number; readonly min: number; readonly max: number }

export function spread(values: readonly number[]): Spread {
  return { median: percentile(values, 50), min: Math.min(...values), max: Math.max(...values) }
}

/** undefined where nothing was measured. */
export const spreadOf = (values: readonly number[]): Spread | undefined =>
  values.length === 0 ? undefined : spread(values)

/** Nearest rank: a value that was really measured. Throws when there is none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** How steeply the second value rises with the first, by least squares. Throws with fewer than two points. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) throw new RangeError('no line through fewer than two points')
  const mean = (place: 0 | 1) => points.reduce((sum, point) => sum + point[place], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const rise = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return rise / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
