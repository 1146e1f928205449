import { describe, expect, it } from 'vitest'
import { readGeminiError } from '#dialect/gemini/errors.ts'
import { readGeminiUsage } from '#dialect/gemini/usage.ts'

describe('readGeminiUsage', () => {
  it.each([
    [
      'cached tokens as part of the prompt',
      { promptTokenCount: 100, cachedContentTokenCount: 80, candidatesTokenCount: 5, totalTokenCount: 105 },
      { inputTokens: 20, cacheReadTokens: 80, outputTokens: 5, reasoningTokens: undefined },
    ],
    [
      'cached tokens that are counted apart',
      { promptTokenCount: 10, cachedContentTokenCount: 80, candidatesTokenCount: 5 },
      { inputTokens: 10, cacheReadTokens: 80, outputTokens: 5 },
    ],
    [
      'thoughts and prompts of tools beside the others',
      {
        promptTokenCount: 55,
        candidatesTokenCount: 51,
        totalTokenCount: 251,
        toolUsePromptTokenCount: 89,
        thoughtsTokenCount: 56,
      },
      { inputTokens: 144, outputTokens: 107, reasoningTokens: 56 },
    ],
    [
      'thoughts alone',
      { promptTokenCount: 6, totalTokenCount: 20, thoughtsTokenCount: 14 },
      { inputTokens: 6, outputTokens: 14 },
    ],
    [
      'no more output than what has a count of its own',
      { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 1_000_000 },
      { inputTokens: 9, outputTokens: 5 },
    ],
    ['a total alone', { promptTokenCount: 6, totalTokenCount: 20 }, { inputTokens: 6, outputTokens: 14 }],
    ['an output of 0', { promptTokenCount: 4, totalTokenCount: 4 }, { inputTokens: 4, outputTokens: 0 }],
    ['an output without a prompt', { candidatesTokenCount: 4 }, { inputTokens: undefined, outputTokens: 4 }],
    ['an output that nobody knows', { promptTokenCount: 4 }, { inputTokens: 4, outputTokens: undefined }],
    ['counts of 0 as 0', { promptTokenCount: 0, candidatesTokenCount: 0 }, { inputTokens: 0, outputTokens: 0 }],
    [
      'counts that are none as unknown',
      { promptTokenCount: '9', candidatesTokenCount: 3 },
      { inputTokens: undefined, outputTokens: 3 },
    ],
  ])('reads %s', (_name, reported, expected) => {
    expect(readGeminiUsage(reported)).toMatchObject(expected)
  })

  it.each([undefined, null, 7, [], {}, { trafficType: 'ON_DEMAND' }, { promptTokenCount: -1 }])(
    'is unknown for %j',
    (reported) => {
      expect(readGeminiUsage(reported)).toBeUndefined()
    },
  )
})

describe('readGeminiError', () => {
  const error = { code: 400, message: 'Wrong.', status: 'INVALID_ARGUMENT' }
  const retry = (retryDelay: unknown) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })

  it.each([
    ['a body', { error }, { message: 'Wrong.', status: 400, retryAfterSeconds: undefined }],
    ['the array form', [{ error }], { message: 'Wrong.', status: 400 }],
    ['an error that is a text', { error: 'Wrong.' }, { message: 'Wrong.', status: undefined }],
    ['a delay', { error: { ...error, details: [7, retry('34.4s')] } }, { retryAfterSeconds: 35 }],
    [
      'a delay in parts',
      { error: { ...error, details: [retry({ seconds: '3', nanos: 5 })] } },
      { retryAfterSeconds: 3 },
    ],
    [
      'a delay that is none',
      { error: { ...error, details: [retry('soon'), retry('-1s')] } },
      { retryAfterSeconds: undefined },
    ],
    ['a wrong key', { error: { ...error, details: [{ reason: 'API_KEY_INVALID' }] } }, { status: 401 }],
    ['a code that is no status', { error: { ...error, code: 13 } }, { status: undefined }],
    ['an error without a message', { error: { code: 500, message: '' } }, { message: undefined, status: 500 }],
    ['a message without end', { error: { ...error, message: 'x'.repeat(9999) } }, { message: 'x'.repeat(2000) }],
  ])('reads %s', (_name, body, expected) => {
    expect(readGeminiError(body)).toMatchObject(expected)
  })

  it.each([undefined, null, 'x', [], [[]], {}, { error: 7 }])('says nothing for %j', (body) => {
    expect(readGeminiError(body)).toEqual({ message: undefined, status: undefined, retryAfterSeconds: undefined })
  })
})
