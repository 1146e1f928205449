import { expect, it } from 'vitest'
import { retryAfterMs } from '#core/retry-after.ts'

const NOW = Date.parse('2026-11-27T12:00:00Z')

it.each([
  ['7', 7000],
  [' 0 ', 0],
  ['Fri, 27 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 27 Nov 2026 11:00:00 GMT', 0],
  ['1.5', 1500],
  ['-3', 0],
  ['31536000000000', 31_536_000_000_000_000],
  ['1e3', undefined],
  ['0x10', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j wants %s milliseconds', (said, ms) => {
  expect(retryAfterMs(said, NOW)).toBe(ms)
})
