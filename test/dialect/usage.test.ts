import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReportedCounts } from '#core/usage.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import { mediaUsage } from '#dialect/passed/media-usage.ts'

type Counts = Partial<Record<'input' | 'read' | 'write' | 'output' | 'reasoning' | 'total', number>>

function usage({ input, read, write, output, reasoning, total }: Counts): ReportedCounts {
  return {
    inputTokens: input,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: output,
    reasoningTokens: reasoning,
    ...(total === undefined ? {} : { totalTokens: total }),
  }
}

const BILLION = 1_000_000_000

const TABLE: readonly (readonly [string, object, Counts])[] = [
  ['plain counts', { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }, { input: 19, output: 10 }],
  ['no total', { prompt_tokens: 19, completion_tokens: 10 }, { input: 19, output: 10 }],
  ['explicit zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, { input: 0, output: 0 }],
  [
    'cached tokens, which are part of the prompt',
    { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_tokens_details: { cached_tokens: 80 } },
    { input: 20, read: 80, output: 5 },
  ],
  [
    'tokens written to the cache, which are too',
    { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 60 } },
    { input: 10, read: 30, write: 60, output: 5 },
  ],
  [
    'a prompt without a recording at Mistral',
    { prompt_audio_seconds: null, prompt_tokens: 13, completion_tokens: 7, total_tokens: 20 },
    { input: 13, output: 7 },
  ],
  [
    'a whole prompt from the cache',
    { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 100 } },
    { input: 0, read: 100, output: 5 },
  ],
  [
    'cached tokens that are counted apart from the prompt',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 100 } },
    { input: 10, read: 100, output: 5 },
  ],
  [
    'cached tokens counted apart and then added to the total: they are no output',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, prompt_tokens_details: { cached_tokens: 100 } },
    { input: 10, read: 100, output: 5 },
  ],
  [
    'cached tokens counted apart that are less than the prompt, and then added to the total',
    {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1850,
      prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
    },
    { input: 1000, read: 700, write: 100, output: 50 },
  ],
  [
    'reasoning in the total only that happens to be as much as was cached',
    {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1350,
      prompt_tokens_details: { cached_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 300 },
    },
    { input: 700, read: 300, output: 350, reasoning: 300 },
  ],
  [
    'OpenAI: reasoning is part of the output',
    {
      prompt_tokens: 9,
      completion_tokens: 300,
      total_tokens: 309,
      completion_tokens_details: { reasoning_tokens: 256 },
    },
    { input: 9, output: 300, reasoning: 256 },
  ],
  [
    'xAI: reasoning is in the total only',
    {
      prompt_tokens: 307,
      completion_tokens: 26,
      total_tokens: 560,
      completion_tokens_details: { reasoning_tokens: 227 },
    },
    { input: 307, output: 253, reasoning: 227 },
  ],
  [
    'DeepSeek: hits and misses beside the details',
    {
      prompt_tokens: 100,
      completion_tokens: 7,
      total_tokens: 107,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    },
    { input: 36, read: 64, output: 7 },
  ],
  [
    'DeepSeek: both names for one number',
    {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_cache_hit_tokens: 64,
      prompt_tokens_details: { cached_tokens: 64 },
    },
    { input: 36, read: 64, output: 7 },
  ],
  [
    'Moonshot AI and Together: cached tokens beside the details',
    { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, cached_tokens: 64 },
    { input: 36, read: 64, output: 7 },
  ],
  [
    'details of a proxy that knows nothing of the number beside them',
    { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 64, prompt_tokens_details: { cached_tokens: 0 } },
    { input: 36, read: 64, output: 7 },
  ],
  [
    'Alibaba: what was written, which is part of the prompt',
    {
      prompt_tokens: 3019,
      completion_tokens: 104,
      total_tokens: 3123,
      prompt_tokens_details: { cached_tokens: 1024, cache_creation_input_tokens: 1605 },
    },
    { input: 390, read: 1024, write: 1605, output: 104 },
  ],
  [
    'LiteLLM: what was written, under two names',
    {
      prompt_tokens: 130,
      completion_tokens: 25,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 0, cache_creation_tokens: 10 },
    },
    { input: 100, read: 20, write: 10, output: 25 },
  ],
  [
    'details that are null',
    { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: null },
    { input: 1, output: 2 },
  ],
  ['an embedding', { prompt_tokens: 8, total_tokens: 8 }, { input: 8, output: 0 }],
  ['a total and no output', { prompt_tokens: 8, total_tokens: 20 }, { input: 8, output: 12 }],
  ['output alone', { completion_tokens: 4 }, { output: 4 }],
  ['a total alone, which says nothing about classes', { total_tokens: 4 }, { total: 4 }],
  ['negative counts as unknown', { prompt_tokens: 19, completion_tokens: -10 }, { input: 19 }],
  ['fractions rounded up', { prompt_tokens: 19.5, completion_tokens: 10.25 }, { input: 20, output: 11 }],
  [
    'counts beyond all reason as unknown',
    { prompt_tokens: 19, completion_tokens: 4_294_967_295, total_tokens: 4_294_967_314 },
    { input: 19 },
  ],
  ['strings as unknown', { prompt_tokens: '19', completion_tokens: 10 }, { output: 10 }],
  ['other values as unknown', { prompt_tokens: true, completion_tokens: [10], total_tokens: 5 }, { total: 5 }],
  [
    'a cached count that is no number',
    { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 'all' } },
    { input: 5, output: 1 },
  ],
  [
    'members that nobody knows',
    { prompt_tokens: 5, completion_tokens: 1, energy: 3, is_byok: true },
    { input: 5, output: 1 },
  ],
]

describe('a reported usage', () => {
  it.each(TABLE)('is read with %s', (_, reported, counts) => {
    expect(readUsage(reported)).toEqual(usage(counts))
  })

  it('counts what Mistral heard, which is in the total alone, as input and not as output', () => {
    const heard = { prompt_audio_seconds: 12, prompt_tokens: 3, completion_tokens: 41, total_tokens: 419 }
    expect(readUsage(heard)).toEqual({
      ...usage({ input: 378, output: 41 }),
      details: { parts: { input_audio: 375 } },
    })
    const cached = { ...heard, prompt_tokens_details: { cached_tokens: 368, audio_tokens: 375 } }
    expect(readUsage(cached)).toEqual({
      ...usage({ input: 10, read: 368, output: 41 }),
      details: { parts: { input_audio: 375 } },
    })
  })

  it.each([
    null,
    undefined,
    5,
    '19',
    [],
    {},
    { tokens: 5 },
    { prompt_tokens: null },
    { prompt_tokens: '5' },
    { prompt_tokens: -19, total_tokens: -29 },
  ])('is none where no count is given: %j', (reported) => {
    expect(readUsage(reported)).toBeUndefined()
  })

  it('tells what is kept for an hour from the rest of what was written', () => {
    const written = { cache_creation_tokens: 10, cache_creation_token_details: { ephemeral_1h_input_tokens: 3 } }
    const read = readUsage({ prompt_tokens: 130, completion_tokens: 25, prompt_tokens_details: written })
    expect(read).toMatchObject({ inputTokens: 120, cacheWriteTokens: 10, details: { parts: { cache_write_1h: 3 } } })
  })

  it('gives classes that are whole, not negative, and never more than was reported', () => {
    const count = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.double(), fc.constantFrom(undefined, null, '5', -3))
    const reports = fc.record(
      {
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
        prompt_cache_hit_tokens: count,
        prompt_tokens_details: fc.record({ cached_tokens: count, cache_write_tokens: count }, { requiredKeys: [] }),
        completion_tokens_details: fc.record({ reasoning_tokens: count }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(reports, (report) => {
        const read = readUsage(report)
        for (const value of Object.values({ ...read, details: undefined })) {
          if (value === undefined) continue
          expect(Number.isSafeInteger(value) && value >= 0 && value <= BILLION).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('is counted once: the classes of a consistent report add up to its total', () => {
    const counts = fc.record({ uncached: fc.nat(9999), read: fc.nat(9999), write: fc.nat(9999), output: fc.nat(9999) })
    fc.assert(
      fc.property(counts, ({ uncached, read, write, output }) => {
        const prompt = uncached + read + write
        const classes = readUsage({
          prompt_tokens: prompt,
          completion_tokens: output,
          total_tokens: prompt + output,
          prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
        })
        expect(classes).toEqual(usage({ input: uncached, read, write, output }))
      }),
    )
  })
})

describe('the usage of images and sound', () => {
  it.each([
    ['zeros everywhere, as proxies write where nobody counted', { input_tokens: 0, output_tokens: 0 }, undefined],
    ['an output of zeros alone', { output_tokens: 0 }, undefined],
    ['no words in a recording that was read', { input_tokens: 14, output_tokens: 0 }, 0],
    ['an output', { input_tokens: 0, output_tokens: 5 }, 5],
  ])('tells of %s', (_what, reported, output) => {
    expect(mediaUsage(reported, undefined).outputTokens).toBe(output)
  })
})
