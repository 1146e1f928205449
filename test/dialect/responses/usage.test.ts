import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TokenUsage } from '#core/usage.ts'
import { readResponsesUsage, writeResponsesUsage } from '#dialect/responses/usage.ts'

describe('usage', () => {
  it.each([undefined, null, 5, [], {}, { input_tokens: 'x' }, { input_tokens: -1 }])('is none in %j', (reported) => {
    expect(readResponsesUsage(reported)).toBeUndefined()
  })

  it('is taken apart into classes that do not overlap', () => {
    expect(
      readResponsesUsage({
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 80, cache_write_tokens: 5 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 8 },
        total_tokens: 120,
      }),
    ).toEqual({ inputTokens: 15, cacheReadTokens: 80, cacheWriteTokens: 5, outputTokens: 20, reasoningTokens: 8 })
  })

  it('takes nothing away where cached tokens are counted apart', () => {
    const reported = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 5,
      total_tokens: 65,
    }
    expect(readResponsesUsage(reported)).toMatchObject({ inputTokens: 10, cacheReadTokens: 50, outputTokens: 5 })
  })

  it('counts reasoning that only the total knows of', () => {
    expect(readResponsesUsage({ input_tokens: 10, output_tokens: 5, total_tokens: 40 })).toMatchObject({
      outputTokens: 30,
    })
  })

  it('of zero is zero, not unknown', () => {
    expect(readResponsesUsage({ input_tokens: 0, output_tokens: 0 })).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  })

  it('has a 0 where nobody counted what was written to a cache, which the SDK types as a number', () => {
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: undefined,
      outputTokens: 2,
      reasoningTokens: 0,
    }
    expect(writeResponsesUsage(usage)).toMatchObject({ input_tokens_details: { cache_write_tokens: 0 } })
  })

  it('is read as it was written', () => {
    const count = fc.nat({ max: 100_000 })
    const any = fc.record<TokenUsage>({
      inputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      outputTokens: count,
      reasoningTokens: count,
    })
    fc.assert(
      fc.property(any, (usage) => {
        expect(readResponsesUsage(writeResponsesUsage(usage))).toEqual(usage)
      }),
    )
  })
})
