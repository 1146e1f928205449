import { expect, it } from 'vitest'
import { Histogram } from '#core/histogram.ts'
import { counter, gauge, histogram, metricsText } from '#server/watch/metrics-text.ts'

it('writes families with their help and type', () => {
  expect(metricsText([gauge('a', 'Some a.', 1), counter('b_total', 'Some b.', 2.5)])).toBe(
    '# HELP a Some a.\n# TYPE a gauge\na 1\n# HELP b_total Some b.\n# TYPE b_total counter\nb_total 2.5\n',
  )
})

it('writes histograms with buckets that add up', () => {
  const one = new Histogram([0.1, 1])
  for (const value of [0.05, 0.5, 3]) one.observe(value)
  expect(
    metricsText([histogram('h', 'H.', one)])
      .split('\n')
      .slice(2),
  ).toEqual(['h_bucket{le="0.1"} 1', 'h_bucket{le="1"} 2', 'h_bucket{le="+Inf"} 3', 'h_sum 3.55', 'h_count 3', ''])
})

it('lets a name that people chose neither end its label nor its line', () => {
  const labels = { model: 'a"} 1\nfarebox_faked 1\n\\' }
  const text = metricsText([{ type: 'gauge', name: 'g', help: 'G.', samples: [[labels, 1]] }])
  expect(text.split('\n')).toHaveLength(4)
  expect(text).toContain(String.raw`g{model="a\"} 1\nfarebox_faked 1\n\\"} 1`)
})

it('leaves out what nobody knows, instead of a 0', () => {
  expect(metricsText([gauge('a', 'A.', undefined)])).toBe('')
})
