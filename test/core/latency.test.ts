import fc from 'fast-check'
import { expect, it } from 'vitest'
import { latencyClass, latencyPercentile } from '#core/latency.ts'

it('says a percentile to within 2.5 %', () => {
  const times = fc.array(fc.integer({ min: 1, max: 1_800_000 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(times, fc.constantFrom(1, 50, 95, 100), (all, percent) => {
      const counts = new Map<number, number>()
      for (const time of all) counts.set(latencyClass(time), (counts.get(latencyClass(time)) ?? 0) + 1)
      const histogram = Array.from(counts, ([found, calls]) => ({ latencyClass: found, calls }))
      histogram.sort((left, right) => left.latencyClass - right.latencyClass)
      const rank = Math.max(1, Math.ceil((percent / 100) * all.length))
      const exact = all.toSorted((left, right) => left - right)[rank - 1] ?? 0
      const said = latencyPercentile(histogram, percent) ?? 0
      // Whole milliseconds are coarser than the classes of the shortest times.
      expect(Math.abs(said - exact)).toBeLessThanOrEqual(Math.max(0.5, exact * 0.0251) + 0.5)
    }),
  )
})

it('says nothing of no calls', () => {
  expect(latencyPercentile([], 50)).toBeUndefined()
})
