import { describe, expect, it } from 'vitest'
import { microCredits, ZERO } from '#core/money.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { OpenHold } from '#ledger/account.ts'
import { creditGuard, type CreditGuard } from '#pipeline/credit-guard.ts'

/** One micro-credit for an input token, two for an output token. */
const PRICE = {
  version: 1,
  inputMicro: microCredits(1_000_000),
  outputMicro: microCredits(2_000_000),
  cacheReadMicro: microCredits(100_000),
  cacheWriteMicro: microCredits(1_000_000),
}
const INPUT = 100
/** What a step of 4096 tokens costs. */
const STEP = 4096 * 2

type Setting = { readonly held: number; readonly available?: number; readonly outputCap?: number }

function setUp({ held, available = 0, outputCap = 100_000 }: Setting) {
  const hold: OpenHold = {
    exchangeId: 'e',
    keyId: 'k',
    amountMicro: microCredits(held),
    grownMicro: ZERO,
    isUnlimited: false,
    cycleStartedAtMs: 0,
    modelId: 'm',
    priceVersion: 1,
    createdAtMs: 0,
  }
  let left = available
  const asked: number[] = []
  const extend = (of: OpenHold, more: number) => {
    asked.push(more)
    const got = microCredits(Math.min(more, left))
    left -= got
    of.grownMicro = microCredits(of.grownMicro + got)
    return got
  }
  const guard = creditGuard({ ledger: { extend }, hold, price: PRICE, worstInputTokens: INPUT, outputCap })
  if (guard === undefined) throw new Error('this hold has a guard')
  return { guard, hold, asked }
}

/** A reader that has read so many tokens of output. */
function after(tokens: number, usage?: TokenUsage): AnswerReader {
  return { generated: { bytes: tokens * 4 }, usage } as AnswerReader
}

/** The number of tokens at which a stream that comes in pieces of ten tokens is ended; undefined if it may go on. */
function endOf(guard: CreditGuard, usage?: TokenUsage): number | undefined {
  for (let tokens = 0; tokens <= 100_000; tokens += 10) if (guard.mustStop(after(tokens, usage))) return tokens
  return undefined
}

describe('the guard of a stream', () => {
  it('ends it when the hold is used up and the balance has nothing', () => {
    const { guard } = setUp({ held: INPUT + 2 * 500 })
    expect(endOf(guard)).toBe(500)
  })

  it('ends it when both are used up, and not before', () => {
    const { guard, hold } = setUp({ held: INPUT + 2 * 500, available: 2 * 9_500 })
    expect(endOf(guard)).toBe(10_000)
    expect(hold.amountMicro + hold.grownMicro).toBe(INPUT + 2 * 10_000)
  })

  it('lets the hold grow in steps, so that others get what is not needed', () => {
    const { guard, hold, asked } = setUp({ held: INPUT + 2 * 500, available: 1e9 })
    expect(guard.mustStop(after(400))).toBe(false)
    expect(hold.grownMicro).toBeGreaterThan(0)
    expect(hold.grownMicro).toBeLessThanOrEqual(STEP)
    for (let tokens = 0; tokens <= 40_000; tokens += 10) expect(guard.mustStop(after(tokens))).toBe(false)
    expect(asked.length).toBeLessThan(20)
  })

  it('asks nobody while the hold pays by far', () => {
    const { guard, asked } = setUp({ held: INPUT + 2 * 50_000 })
    for (let tokens = 0; tokens < 48_000; tokens += 10) expect(guard.mustStop(after(tokens))).toBe(false)
    expect(asked).toEqual([])
  })

  it('stands back where the hold pays for all that the provider may generate', () => {
    const { guard } = setUp({ held: INPUT + 2 * 300, outputCap: 300 })
    expect(endOf(guard)).toBe(1200)
  })

  it('ends it only once there is some output, also when not even the input is paid for', () => {
    const { guard } = setUp({ held: 10 })
    expect(guard.mustStop(after(0))).toBe(false)
    expect(guard.mustStop(after(1))).toBe(true)
  })

  it('goes by the input that the provider reported rather than by its worst case', () => {
    const { guard } = setUp({ held: INPUT + 2 * 500 })
    expect(endOf(guard, { ...UNKNOWN_USAGE, inputTokens: 0, cacheReadTokens: 200 })).toBe(540)
  })

  it('asks again for credits that came back meanwhile', () => {
    let left = 0
    const { hold } = setUp({ held: INPUT + 2 * 500 })
    const extend = (of: OpenHold, more: number) => {
      const got = microCredits(Math.min(more, left))
      of.grownMicro = microCredits(of.grownMicro + got)
      return got
    }
    const guard = creditGuard({ ledger: { extend }, hold, price: PRICE, worstInputTokens: INPUT, outputCap: 100_000 })
    expect(guard?.mustStop(after(100))).toBe(false)
    left = 1e9
    expect(guard?.mustStop(after(500))).toBe(false)
  })

  it.each([
    ['an unlimited key', { isUnlimited: true }, {}],
    ['output that is free', {}, { outputMicro: ZERO }],
  ])('is none for %s', (_what, held, priced) => {
    const hold = { ...setUp({ held: 100 }).hold, ...held }
    const price = { ...PRICE, ...priced }
    const ledger = { extend: () => ZERO }
    expect(creditGuard({ ledger, hold, price, worstInputTokens: INPUT, outputCap: 10 })).toBeUndefined()
  })
})
