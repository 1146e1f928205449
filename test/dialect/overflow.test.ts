import { describe, expect, it } from 'vitest'
import { chatOverflowText, messagesOverflowText, readOverflow } from '#dialect/overflow.ts'

/** Provider, its sentence, used tokens, the maximum, and the output where the input alone would fit. */
type Row = readonly [string, string, number | undefined, number | undefined, number?]

const OVERFLOWS: readonly Row[] = [
  [
    'OpenAI, messages',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
    130_000,
    128_000,
  ],
  [
    'OpenAI, messages and completion',
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (4904 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    9000,
    8192,
    4096,
  ],
  [
    'OpenAI, too much in the messages alone',
    "This model's maximum context length is 8192 tokens. However, you requested 13000 tokens (8904 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    13_000,
    8192,
  ],
  [
    'OpenAI, responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    undefined,
    undefined,
  ],
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
  [
    'Anthropic, with what was asked for',
    'input length and `max_tokens` exceed context limit: 186433 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    undefined,
    200_000,
  ],
  ['Bedrock', 'Input is too long for requested model.', undefined, undefined],
  [
    'Gemini',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    1_200_000,
    1_048_576,
  ],
  [
    'Gemini, older',
    'The input token count exceeds the maximum number of tokens allowed 1048576.',
    undefined,
    1_048_576,
  ],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    5000,
    4096,
  ],
  [
    'vLLM, output cap',
    "'max_tokens' or 'max_completion_tokens' is too large: 50000. This model's maximum context length is 32768 tokens and your request has 2000 input tokens (50000 > 32768 - 2000).",
    52_000,
    32_768,
    50_000,
  ],
  [
    'vLLM, newer',
    "You passed 4097 input tokens and requested 1 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4095 tokens. Please reduce the length of the input prompt.",
    4097,
    4096,
  ],
  [
    'vLLM, decoder',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    5000,
    4096,
  ],
  [
    'llama.cpp',
    'request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it',
    5120,
    4096,
  ],
  [
    'llama.cpp, older',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
    undefined,
    undefined,
  ],
  [
    'LM Studio',
    'Trying to keep the first 9037 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    9037,
    4096,
  ],
  [
    'LM Studio, older',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    undefined,
    undefined,
  ],
  [
    'Mistral',
    'Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    33_000,
    32_768,
  ],
  ['Groq', 'Please reduce the length of the messages or completion.', undefined, undefined],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    9000,
    8192,
  ],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 140000 tokens (135000 of text input, 5000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    140_000,
    131_072,
  ],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (60000 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
    70_000,
    65_536,
    10_000,
  ],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 262144', undefined, 262_144],
  ['MiniMax', 'invalid params, context window exceeds limit', undefined, undefined],
  ['GitHub Copilot', 'prompt token count of 140000 exceeds the limit of 128000', 140_000, 128_000],
  ['Cohere', 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000', 5000, 4081],
  ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 5000, 4096],
  [
    'text-generation-inference',
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
    5000,
    4096,
  ],
  ['Ollama', 'prompt too long; exceeded max context length by 4 tokens', undefined, undefined],
  ['Qwen', 'Range of input length should be [1, 98304]', undefined, 98_304],
  ['a code alone', 'context_length_exceeded', undefined, undefined],
  ['numbers with commas', 'maximum context length is 4,096 tokens, but 5,000 were given', 5000, 4096],
  ['two numbers without a word for them', 'Input tokens exceed what fits: 5000 and 4096.', 5000, 4096],
  [
    'the name of a model with a date',
    'claude-sonnet-4-20250514: prompt is too long: 210000 tokens > 200000 maximum',
    210_000,
    200_000,
  ],
  [
    'the name of a model with a number',
    "gpt-4-0613: This model's maximum context length is 400 tokens. However, your messages resulted in 410 tokens.",
    410,
    400,
  ],
]

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
  'Tool name is too long: at most 64 characters',
  'messages.3.content.0.text: String should have at most 1000 characters',
]

describe('an error about the length of a request', () => {
  it.each(CASES)('is understood from $name', ({ message, overflow }) => {
    expect(readOverflow(message)).toEqual(overflow)
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
    const text = chatOverflowText(overflow, message)
    expect(text).toMatch(/maximum context length/i)
    expect(text).toContain(message)
    if (!message.includes('maximum context length') && overflow.maximumTokens !== undefined) {
      expect(text).toContain(`maximum context length is ${overflow.maximumTokens} tokens`)
    }
    expect(readOverflow(text)?.maximumTokens).toBe(overflow.maximumTokens)
  })
})
