import { describe, expect, it } from 'vitest'
import { REFUSALS, refuse, type RefusalCode } from '#core/refusal.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { messagesErrorBody } from '#dialect/messages/errors.ts'
import { laterUsage, readMessagesUsage, readStartUsage, writeMessagesUsage } from '#dialect/messages/usage.ts'

const reads = (value: unknown) => readMessagesUsage(value)

describe('reported usage', () => {
  it('is disjoint already', () => {
    expect(
      reads({
        input_tokens: 10,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 30,
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 5 },
      }),
    ).toEqual({ inputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30, outputTokens: 40, reasoningTokens: 5 })
  })

  it.each([[undefined], [null], [5], [[]], [{}], [{ input_tokens: null }], [{ input_tokens: '5', output_tokens: -1 }]])(
    'is none in %j',
    (value) => {
      expect(reads(value)).toBeUndefined()
    },
  )

  it('keeps zero apart from unknown', () => {
    expect(reads({ output_tokens: 0 })).toEqual({ ...UNKNOWN_USAGE, outputTokens: 0 })
  })

  it('adds up the passes of a compaction', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 7 },
      { type: 'message', input_tokens: 50, output_tokens: 5 },
      { type: 'advisor_message', input_tokens: 9999, output_tokens: 9999 },
    ]
    expect(
      reads({
        input_tokens: 50,
        output_tokens: 5,
        cache_read_input_tokens: 1,
        cache_creation_input_tokens: 2,
        iterations,
      }),
    ).toMatchObject({
      inputTokens: 1050,
      outputTokens: 105,
      cacheReadTokens: 7,
      cacheWriteTokens: 2,
    })
  })

  it('is taken from the top where the model was another in the end, or the passes say nothing', () => {
    const top = { input_tokens: 50, output_tokens: 5 }
    const fallback = [
      { type: 'message', input_tokens: 1, output_tokens: 1 },
      { type: 'fallback_message', input_tokens: 50 },
    ]
    for (const iterations of [fallback, [], null, [null, 5], [{ type: 'message' }]]) {
      expect(reads({ ...top, iterations })).toMatchObject({ inputTokens: 50, outputTokens: 5 })
    }
  })
})

describe('usage of a stream', () => {
  it('does not take the first count of the output for a count', () => {
    expect(readStartUsage({ input_tokens: 5, output_tokens: 1 })).toEqual({ ...UNKNOWN_USAGE, inputTokens: 5 })
    expect(readStartUsage(undefined)).toBeUndefined()
  })

  it('is what was said last of each count, zero included', () => {
    const first = readStartUsage({ input_tokens: 43, cache_read_input_tokens: 9 })
    const later = laterUsage(first, reads({ input_tokens: 61, cache_read_input_tokens: null, output_tokens: 3 }))
    expect(later).toMatchObject({ inputTokens: 61, cacheReadTokens: 9, outputTokens: 3 })
    expect(laterUsage(later, reads({ output_tokens: 0 }))).toMatchObject({ inputTokens: 61, outputTokens: 0 })
    expect(laterUsage(later, undefined)).toBe(later)
    expect(laterUsage(undefined, undefined)).toBeUndefined()
  })
})

describe('written usage', () => {
  it('has all counts, and those of reasoning where they are known', () => {
    expect(writeMessagesUsage({ ...UNKNOWN_USAGE, outputTokens: 3 })).toEqual({
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 3,
    })
  })

  it('reads back as it was', () => {
    const usage = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4, reasoningTokens: 0 }
    expect(reads(writeMessagesUsage(usage))).toEqual(usage)
  })
})

describe('an error body', () => {
  const bodyOf = (code: RefusalCode, details = {}): unknown =>
    JSON.parse(messagesErrorBody(refuse(code, 'M', details), 'req_1'))

  it.each([
    ['invalid_request', 'invalid_request_error', 400],
    ['credits_exhausted', 'insufficient_credits', 402],
    ['rate_limited', 'rate_limit_error', 429],
    ['upstream_error', 'api_error', 502],
    ['overloaded', 'overloaded_error', 503],
    ['upstream_timeout', 'timeout_error', 504],
  ] as const)('for %s has the type %s and the code %i', (code, type, status) => {
    expect(bodyOf(code)).toMatchObject({
      type: 'error',
      error: { type, message: 'M', code: status },
      request_id: 'req_1',
    })
  })

  it('has the members that others have too', () => {
    const limit = { name: 'requests_per_minute', scope: 'key', resetAt: null }
    expect(bodyOf('rate_limited', { param: 'p', limit, details: { a: 1 } })).toMatchObject({
      error: { param: 'p', limit: { name: 'requests_per_minute', scope: 'key', reset_at: null }, details: { a: 1 } },
    })
  })

  it('is there for every refusal', () => {
    for (const code of Object.keys(REFUSALS) as RefusalCode[]) {
      expect(bodyOf(code)).toMatchObject({ error: { code: REFUSALS[code].status } })
    }
  })
})
