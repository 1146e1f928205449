import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isReached, lineMicro } from '#core/alerts.ts'
import { microCredits } from '#core/money.ts'

const amount = fc.nat(Number.MAX_SAFE_INTEGER)
const percent = fc.integer({ min: 1, max: 100 })

describe('a threshold', () => {
  it('is reached exactly where the part that is used is, whatever the amounts are', () => {
    fc.assert(
      fc.property(amount, amount, percent, (used, total, threshold) => {
        const isSo = total > 0 && BigInt(used) * 100n >= BigInt(total) * BigInt(threshold)
        const budget = { usedMicro: microCredits(used), totalMicro: microCredits(total) }
        expect(isReached(budget, threshold)).toBe(isSo)
      }),
    )
  })

  it('is reached at its line and not one micro-credit before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), percent, (total, threshold) => {
        const line = lineMicro(total, threshold)
        const at = (used: number) =>
          isReached({ usedMicro: microCredits(used), totalMicro: microCredits(total) }, threshold)
        expect([at(line), at(line - 1)]).toEqual([true, false])
      }),
    )
  })

  it('is never reached by a budget of nothing', () => {
    expect(isReached({ usedMicro: microCredits(5), totalMicro: microCredits(0) }, 1)).toBe(false)
  })
})
