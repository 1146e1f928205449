import { expect, it } from 'vitest'
import { Histogram } from '#core/histogram.ts'

it('counts each value up to the bounds that are not less than it', () => {
  const histogram = new Histogram([1, 2, 5])
  for (const value of [0, 1, 1.5, 2, 5, 5.1, 100]) histogram.observe(value)
  expect(histogram.cumulative()).toEqual([2, 4, 5])
  expect(histogram.count).toBe(7)
  expect(histogram.sum).toBeCloseTo(114.6)
})
