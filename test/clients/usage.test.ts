// What an SDK shows as usage is what its key is charged, token by token: for every client format with providers of every
// dialect, whole and streamed, with cached tokens, without any, and where the provider counted nothing at all.

import { generateText, streamText, type LanguageModel, type LanguageModelUsage } from 'ai'
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { saying } from '../support/openai.ts'
import {
  DIALECTS,
  expectCharged,
  newClients,
  recordedTokens,
  startPairs,
  usageIn,
  type Clients,
  type Dialect,
  type Pairs,
  type Tokens,
} from './pairs.ts'

let pairs: Pairs

beforeAll(async () => {
  pairs = await startPairs()
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

type Ask = (clients: Clients, dialect: Dialect, isStream: boolean) => Promise<Tokens>

const CLIENTS: readonly (readonly [string, Ask])[] = [
  ['chat completions of the OpenAI SDK', askChat],
  ['responses of the OpenAI SDK', askResponses],
  ['messages of the Anthropic SDK', askMessages],
  ['responses of the AI SDK', ({ ai }, dialect, isStream) => askAi(ai.openai(dialect), isStream)],
  ['chat of the AI SDK', ({ ai }, dialect, isStream) => askAi(ai.openai.chat(dialect), isStream)],
  ['messages of the AI SDK', ({ ai }, dialect, isStream) => askAi(ai.anthropic(dialect), isStream)],
  ['compatible chat of the AI SDK', ({ ai }, dialect, isStream) => askAi(ai.compatible(dialect), isStream)],
]

async function askChat({ openai }: Clients, model: Dialect, isStream: boolean): Promise<Tokens> {
  const asked = { model, messages: saying('Hi there') }
  const { completions } = openai.chat
  const { usage } = isStream
    ? await completions.stream({ ...asked, stream_options: { include_usage: true } }).finalChatCompletion()
    : await completions.create(asked)
  return chatTokens(usage)
}

function chatTokens(usage: OpenAI.CompletionUsage | undefined): Tokens {
  if (usage === undefined) throw new Error('the answer has no usage')
  const { prompt_tokens: prompt, prompt_tokens_details: details } = usage
  const cacheRead = details?.cached_tokens ?? 0
  const cacheWrite = details?.cache_write_tokens ?? 0
  expect(usage.total_tokens).toBe(prompt + usage.completion_tokens)
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  }
}

async function askResponses({ openai }: Clients, model: Dialect, isStream: boolean): Promise<Tokens> {
  const asked = { model, input: 'Hi there' }
  const { responses } = openai
  const { usage } = await (isStream ? responses.stream(asked).finalResponse() : responses.create(asked))
  if (usage === undefined) throw new Error('the answer has no usage')
  const { cached_tokens: cacheRead, ...details } = usage.input_tokens_details
  // Nobody but the types says that it is always there.
  const cacheWrite = 'cache_write_tokens' in details ? details.cache_write_tokens : 0
  expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens)
  return {
    input: usage.input_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details.reasoning_tokens,
  }
}

async function askMessages({ anthropic }: Clients, model: Dialect, isStream: boolean): Promise<Tokens> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi there' }]
  const asked = { model, max_tokens: 1024, messages }
  const { usage } = await (isStream
    ? anthropic.messages.stream(asked).finalMessage()
    : anthropic.messages.create(asked))
  return {
    input: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  }
}

async function askAi(model: LanguageModel, isStream: boolean): Promise<Tokens> {
  const asked = { model, prompt: 'Hi there' }
  return aiTokens(isStream ? await streamText(asked).usage : (await generateText(asked)).usage)
}

function aiTokens({ inputTokens, inputTokenDetails, outputTokens, outputTokenDetails }: LanguageModelUsage): Tokens {
  const cacheRead = inputTokenDetails.cacheReadTokens ?? 0
  const cacheWrite = inputTokenDetails.cacheWriteTokens ?? 0
  return {
    input: (inputTokens ?? 0) - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: outputTokens ?? 0,
    reasoning: outputTokenDetails.reasoningTokens ?? 0,
  }
}

const PLAIN: Tokens = { input: 1234, cacheRead: 0, cacheWrite: 0, output: 567, reasoning: 0 }
const CACHED: Tokens = { input: 1234, cacheRead: 20_000, cacheWrite: 3000, output: 567, reasoning: 321 }

/** Gemini counts nothing that it writes into its cache. */
function cachedIn(dialect: Dialect): Tokens {
  return dialect === 'gemini' ? { ...CACHED, cacheWrite: 0 } : CACHED
}

/** This client has no word for tokens that were written into a cache, and counts them with the others. */
const WITHOUT_WRITES = 'compatible chat of the AI SDK'

function asShown(name: string, tokens: Tokens): Tokens {
  const { input, cacheWrite } = tokens
  return name === WITHOUT_WRITES ? { ...tokens, input: input + cacheWrite, cacheWrite: 0 } : tokens
}

describe.each(CLIENTS)('%s', (name, ask) => {
  describe.each(DIALECTS)('with a provider of %s', (dialect) => {
    it.each([false, true])('show what was charged, with and without a cache, streaming %s', async (isStream) => {
      for (const tokens of [PLAIN, cachedIn(dialect)]) {
        const clients = await newClients(pairs)
        pairs.upstream.script({ type: 'answer', usage: usageIn(dialect, tokens) })
        expect(await ask(clients, dialect, isStream)).toEqual(asShown(name, tokens))
        const usage = await pairs.lastUsage(clients.key)
        expect(usage).toMatchObject({ model: dialect, outcome: 'answered', usage_source: 'reported', stream: isStream })
        expect(recordedTokens(usage)).toEqual(tokens)
        await expectCharged(pairs, clients.key, tokens)
      }
    })
  })
})

/** Who passes bytes on shows what the provider showed, so that only translated answers can have the counts of Farebox. */
const TRANSLATED: readonly (readonly [string, Ask, readonly Dialect[]])[] = [
  ['chat completions of the OpenAI SDK', askChat, ['messages', 'responses', 'gemini']],
  ['responses of the OpenAI SDK', askResponses, ['chat-completions', 'messages', 'gemini']],
  ['messages of the Anthropic SDK', askMessages, ['chat-completions', 'responses', 'gemini']],
]

describe.each(TRANSLATED)('%s where the provider counted nothing', (_name, ask, dialects) => {
  it.each([false, true])('show what Farebox counted and charged, streaming %s', async (isStream) => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(10)
    const uncounted: Behaviour = { type: 'answer', text, usage: null }
    for (const dialect of dialects) {
      const clients = await newClients(pairs)
      pairs.upstream.script(uncounted)
      const shown = await ask(clients, dialect, isStream)
      const usage = await pairs.lastUsage(clients.key)
      expect(usage).toMatchObject({ model: dialect, outcome: 'answered', usage_source: 'estimated' })
      expect(recordedTokens(usage)).toEqual(shown)
      expect(shown.output).toBeGreaterThan(50)
      expect(shown.input).toBeGreaterThan(2)
      await expectCharged(pairs, clients.key, shown)
    }
  })
})
