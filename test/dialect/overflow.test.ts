import { describe, expect, it } from 'vitest'
import { messagesOverflowText } from '#dialect/messages/errors.ts'
import { openAiOverflowText, overflowWords, readOverflow } from '#dialect/overflow.ts'
import { OVERFLOWS } from './overflows.ts'

const CASES = OVERFLOWS.map(([name, message, usedTokens, maximumTokens, outputTokens]) => {
  const parts = outputTokens === undefined ? {} : { outputTokens }
  return { name, message, overflow: { usedTokens, maximumTokens, ...parts } }
})

const OTHERS: readonly string[] = [
  '',
  'max_tokens must be at least 1',
  'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514',
  'max_tokens is too large: 50000. This model supports at most 16384 completion tokens, whereas you provided 50000.',
  'rate limit: too many tokens per minute',
  'Too many tokens, please wait before trying again.',
  'Too many tokens per day, please wait before trying again.',
  'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
  'Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.',
  'You exceeded your current quota. Quota exceeded for metric: generate_content_paid_tier_input_token_count, limit: 1000000',
  'Quota exceeded: the input token count of this month is used up.',
  'The response was filtered because the prompt triggered the content policy.',
  "Invalid value for 'context': must be a string",
  'Unknown model: long-context-128000',
  'context_window must be at most 128000',
  'Context window: unknown',
  'prompt exceeds your budget',
  'Tool name is too long: at most 64 characters',
  'messages.3.content.0.text: String should have at most 1000 characters',
]

describe('an error about the length of a request', () => {
  it.each(CASES)('is understood from $name', ({ message, overflow }) => {
    expect(readOverflow(message)).toEqual(overflow)
  })

  it('is known by a code or a type as well', () => {
    const none = { usedTokens: undefined, maximumTokens: undefined }
    expect(readOverflow('No.', ['context_length_exceeded'])).toEqual(none)
    expect(readOverflow('No.', [undefined, 'exceed_context_size_error'])).toEqual(none)
    expect(readOverflow('No.', ['invalid_request_error'])).toBeUndefined()
  })

  it('is kept without what stands around it', () => {
    const said = "'my prompt': request (5120 tokens) exceeds the available context size (4096 tokens), my prompt"
    const overflow = readOverflow(said) ?? expect.fail('this is an overflow')
    expect(overflowWords(overflow, said)).toBe('exceeds the available context size (5120 tokens, maximum 4096)')
    expect(overflowWords({ usedTokens: undefined, maximumTokens: undefined }, 'No.')).toBe('context_length_exceeded')
  })

  it.each(OTHERS)('is not %j', (message) => {
    expect(readOverflow(message)).toBeUndefined()
  })

  it('has no numbers that cannot be counts', () => {
    const digits = '9'.repeat(400)
    expect(readOverflow(`prompt is too long: ${digits} tokens > ${digits} maximum`)).toEqual({
      usedTokens: undefined,
      maximumTokens: undefined,
    })
  })

  const hostile = [
    '9',
    ',',
    '9,',
    '> ',
    '(9 in ',
    "max' ",
    'maximum context length is ',
    'prompt is too long ',
    ' ',
    '\u{1F680}',
  ]
  it.each(hostile)('is looked for in time in a long message of %j', { timeout: 5000 }, (piece) => {
    const message = piece.repeat(1_000_000)
    for (const text of [message, `prompt is too long ${message}`, `maximum context length is > (${message}`]) {
      const overflow = readOverflow(text)
      if (overflow !== undefined) expect(messagesOverflowText(overflow, 'x')).toContain('prompt is too long')
    }
  })
})

describe('the sentence for a client of the messages format', () => {
  function textFor(message: string): string {
    const overflow = readOverflow(message)
    return overflow === undefined ? expect.fail('this is an overflow') : messagesOverflowText(overflow, message)
  }

  it('has the numbers where both are known', () => {
    const vllm = "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."
    expect(textFor(vllm)).toBe('prompt is too long: 5000 tokens > 4096 maximum')
  })

  it('asks for less output where the input would fit', () => {
    const asked =
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (4904 in the messages, 4096 in the completion)."
    expect(textFor(asked)).toBe(
      'input length and `max_tokens` exceed context limit: 4904 + 4096 > 8192, decrease input length or `max_tokens` and try again',
    )
  })

  it("has the provider's own words where a number is missing", () => {
    const words = 'Please reduce the length of the messages or completion.'
    expect(textFor(words)).toBe(`prompt is too long: ${words}`)
  })

  it('is left as it is where it is what the client waits for', () => {
    for (const words of [
      'prompt is too long: 210000 tokens > 200000 maximum',
      'input length and `max_tokens` exceed context limit: 186433 + 20000 > 200000',
    ]) {
      expect(textFor(words)).toBe(words)
    }
  })

  it('is an overflow itself', () => {
    for (const [, message] of OVERFLOWS) expect(readOverflow(textFor(message))).toBeDefined()
  })
})

describe('the sentence for a client of chat completions', () => {
  it.each(CASES)('has the words that clients look for: $name', ({ message, overflow }) => {
    const text = openAiOverflowText(overflow, message)
    expect(text).toMatch(/maximum context length/i)
    expect(text).toContain(message)
    if (!message.includes('maximum context length') && overflow.maximumTokens !== undefined) {
      expect(text).toContain(`maximum context length is ${overflow.maximumTokens} tokens`)
    }
    expect(readOverflow(text)?.maximumTokens).toBe(overflow.maximumTokens)
  })
})
