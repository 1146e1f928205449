import { expect, it } from 'vitest'
import { billFamilies } from '#server/watch/bill-standing.ts'
import { metricsText } from '#server/watch/metrics-text.ts'

const COMPARED = { unexplained: 2, amount: '12.25', comparedAtMs: 1_790_812_800_000 }
const valuesOf = (agreedUntil: string | undefined) =>
  metricsText(billFamilies({ latest: { ...COMPARED, agreedUntil } }))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

it('figures of bills say what is unexplained, and until when all agree', () => {
  expect(valuesOf('2026-10-01T00:00:00.000Z')).toEqual([
    'farebox_bills_unexplained 2',
    'farebox_bills_unexplained_usd 12.25',
    'farebox_bills_agreed_until_seconds 1790812800',
    'farebox_bills_compared_seconds 1790812800',
  ])
  expect(valuesOf(undefined)).toContain('farebox_bills_agreed_until_seconds 0')
})

it('there are none before anything was compared', () => {
  expect(billFamilies({ latest: undefined })).toEqual([])
})
