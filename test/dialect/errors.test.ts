import { expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { retryHeaders } from '#dialect/errors.ts'

it.each([
  [17, '17'],
  [0, '1'],
  [-5, '1'],
  [86_400, '86400'],
  [251_607_047_031, '86400'],
])('a wait of %i seconds is told as %s', (retryAfterSeconds, told) => {
  const refusal = refuse('rate_limited', 'Too many.', { retryAfterSeconds })
  expect(retryHeaders(refusal)).toEqual({ 'retry-after': told })
})
