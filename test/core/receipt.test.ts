import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { priceOf } from '#core/pricing.ts'
import { receiptLines } from '#core/receipt.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'

const price = (input: number, output: number, cacheRead: number, cacheWrite: number) => ({
  version: 1,
  inputMicro: microCredits(input),
  outputMicro: microCredits(output),
  cacheReadMicro: microCredits(cacheRead),
  cacheWriteMicro: microCredits(cacheWrite),
})

/** Decimal text in millionths of a micro-credit. */
function parts(amount: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  return BigInt(`${sign}${whole}${fraction.padEnd(12, '0')}`)
}

describe('the lines of a receipt', () => {
  it('name the classes that were used, and what rounding up added', () => {
    const usage = { ...UNKNOWN_USAGE, inputTokens: 7, cacheReadTokens: 0, outputTokens: 3 }
    expect(receiptLines(usage, price(125_000, 2_000_000, 1, 1), microCredits(7))).toEqual([
      { type: 'input', tokens: 7, priceMicro: 125_000, amount: '0.000000875' },
      { type: 'output', tokens: 3, priceMicro: 2_000_000, amount: '0.000006' },
      { type: 'rounding', amount: '0.000000125' },
    ])
  })

  it('have a rounding of 0 where nothing was rounded', () => {
    const usage = { ...UNKNOWN_USAGE, inputTokens: 2 }
    expect(receiptLines(usage, price(1_500_000, 0, 0, 0), microCredits(3)).at(-1)).toEqual({
      type: 'rounding',
      amount: '0',
    })
  })

  it('add up to the charge to the last part, and round by less than a micro-credit, whatever was used', () => {
    const count = fc.option(fc.integer({ min: 0, max: 1_000_000_000 }), { nil: undefined })
    const cost = fc.integer({ min: 0, max: 1_000_000_000_000 })
    fc.assert(
      fc.property(count, count, count, count, cost, cost, cost, cost, (input, read, write, output, ...prices) => {
        const usage = {
          inputTokens: input,
          cacheReadTokens: read,
          cacheWriteTokens: write,
          outputTokens: output,
          reasoningTokens: undefined,
        }
        const at = price(...prices)
        const charge = priceOf(usage, at)
        // Beyond what a charge can be, it is cut; no receipt is written for such a call.
        fc.pre(charge < Number.MAX_SAFE_INTEGER)
        const amounts = receiptLines(usage, at, charge).map((line) => parts(line.amount))
        expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(BigInt(charge) * 1_000_000n)
        const rounding = amounts.at(-1) ?? -1n
        expect(rounding >= 0n && rounding < 1_000_000n).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
