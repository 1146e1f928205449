// One Farebox with a provider and a model of each dialect, all at the same scripted provider, and the real SDKs before it. The
// model of a dialect has the dialect's name. What providers say in words of their own is scripted here in neutral ones.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { expect } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { chatModel, startFarebox, type Farebox, type FareboxOptions } from '../support/farebox.ts'
import { openaiClient } from '../support/openai.ts'
import type { Behaviour, ToolCall, WireUsage } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

export const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Models whose names the providers' own rules go by. */
const UPSTREAM_MODELS = {
  'chat-completions': 'gpt-4.1',
  messages: 'claude-sonnet-4-5',
  responses: 'gpt-5.2',
  gemini: 'gemini-3-flash',
} satisfies Record<Dialect, string>

export type Pairs = {
  readonly upstream: Upstream
  readonly farebox: Farebox
  /** The usage record of the key's last call, once all its calls are settled: an SDK may have left before that. */
  lastUsage(key: string): Promise<UsageView>
  close(): Promise<void>
}

export async function startPairs(options: FareboxOptions = {}): Promise<Pairs> {
  // The AI SDK would print what it does not know of models with names like ours.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const upstream = await startUpstream()
  const farebox = await startFarebox(options)
  const origin = upstream.url.replace(/\/v1$/, '')
  const providers = DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
    secret: 'sk-upstream-secret',
  }))
  const models = DIALECTS.map((dialect) =>
    chatModel(dialect, {
      max_output_tokens: 32_000,
      price: { input: 1, output: 2, cache_read: 0.1, cache_write: 1.25 },
      targets: [{ provider: dialect, model: UPSTREAM_MODELS[dialect] }],
    }),
  )
  const packages = [
    { name: 'plenty', type: 'topup' as const, credits: 1000 },
    { name: 'empty', type: 'topup' as const, credits: 0 },
  ]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
  return {
    upstream,
    farebox,
    async lastUsage(key) {
      const { key_name: name } = await farebox.balance(key)
      const recorded = async () => (await farebox.admin.call('usage', { query: { key: String(name) } })).usage
      const isSettled = async () => {
        const { held_credits: held, total_requests: total } = await farebox.balance(key)
        return held === 0 && (await recorded()).length === total
      }
      await expect.poll(isSettled).toBe(true)
      const [usage] = await recorded()
      if (usage === undefined) throw new Error('no call was recorded')
      return usage
    },
    async close() {
      await farebox.close()
      await upstream.close()
    },
  }
}

export type Clients = {
  readonly key: string
  readonly openai: OpenAI
  readonly anthropic: Anthropic
  readonly ai: {
    readonly openai: ReturnType<typeof createOpenAI>
    readonly anthropic: ReturnType<typeof createAnthropic>
    readonly compatible: ReturnType<typeof createOpenAICompatible>
    readonly google: ReturnType<typeof createGoogleGenerativeAI>
  }
}

/** Every SDK with a new key, and with the retries that it makes unless it is told otherwise. */
export async function newClients({ farebox }: Pairs, packageName = 'plenty'): Promise<Clients> {
  const key = await farebox.newKey(packageName)
  const { url } = farebox
  const baseURL = `${url}/v1`
  return {
    key,
    openai: openaiClient({ url, key }),
    anthropic: new Anthropic({ apiKey: key, baseURL: url }),
    ai: {
      openai: createOpenAI({ apiKey: key, baseURL }),
      anthropic: createAnthropic({ apiKey: key, baseURL }),
      google: createGoogleGenerativeAI({ apiKey: key, baseURL: `${url}/v1beta` }),
      compatible: createOpenAICompatible({
        name: 'farebox',
        apiKey: key,
        baseURL,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }),
    },
  }
}

/** Token counts of an answer in disjoint classes, as prices have them. */
export type Tokens = {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** The counts as a provider of the dialect reports them. Gemini does not count what it writes into its cache. */
export function usageIn(dialect: Dialect, tokens: Tokens): WireUsage {
  const { input, cacheRead, cacheWrite, output, reasoning } = tokens
  const prompt = input + cacheRead + cacheWrite
  switch (dialect) {
    case 'chat-completions':
      return {
        prompt_tokens: prompt,
        completion_tokens: output,
        total_tokens: prompt + output,
        prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
        completion_tokens_details: { reasoning_tokens: reasoning },
      }
    case 'messages':
      return {
        input_tokens: input,
        cache_creation_input_tokens: cacheWrite,
        cache_read_input_tokens: cacheRead,
        output_tokens: output,
        output_tokens_details: { thinking_tokens: reasoning },
      }
    case 'responses':
      return {
        input_tokens: prompt,
        input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: prompt + output,
      }
    case 'gemini':
      return {
        promptTokenCount: input + cacheRead,
        cachedContentTokenCount: cacheRead,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
        totalTokenCount: input + cacheRead + output,
      }
  }
}

/** What stands at the end of an answer that the output limit cut off, or that was held back. */
export function finishIn(dialect: Dialect, end: 'length' | 'content-filter'): string {
  const words = {
    'chat-completions': { length: 'length', 'content-filter': 'content_filter' },
    messages: { length: 'max_tokens', 'content-filter': 'refusal' },
    responses: { length: 'max_output_tokens', 'content-filter': 'content_filter' },
    gemini: { length: 'MAX_TOKENS', 'content-filter': 'SAFETY' },
  } as const
  return words[dialect][end]
}

export const PIECES: readonly string[] = ['one ', 'two ', 'three ', 'four ', 'five']

/** A stream that stops in its middle: the connection is reset while an event is on its way. */
export const CUT: Behaviour = { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 3 }, how: 'reset' } }

export function weatherCall(id: string, city: string): ToolCall {
  return { id, name: 'get_weather', arguments: JSON.stringify({ city }) }
}

/** The results of tools in a request to a provider, in their order: which call each is for, and what it says. */
export function resultsIn(dialect: Dialect, body: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  switch (dialect) {
    case 'chat-completions':
      return records(body['messages'])
        .filter(({ role }) => role === 'tool')
        .map((message) => [String(message['tool_call_id']), textIn(message['content'])])
    case 'messages':
      return records(body['messages'])
        .flatMap(({ content }) => records(content))
        .filter(({ type }) => type === 'tool_result')
        .map((block) => [String(block['tool_use_id']), textIn(block['content'])])
    case 'responses':
      return records(body['input'])
        .filter(({ type }) => type === 'function_call_output')
        .map((item) => [String(item['call_id']), textIn(item['output'])])
    case 'gemini':
      return records(body['contents'])
        .flatMap(({ parts }) => records(parts))
        .flatMap(({ functionResponse }) => records([functionResponse]))
        .map(({ id, response }) => [
          String(id),
          // The AI SDK repeats the name of the tool.
          Object.entries(records([response])[0] ?? {})
            .map(([member, text]) => (member === 'name' ? '' : textIn(text)))
            .join(''),
        ])
  }
}

/** The objects of a list; nothing for anything else. */
export function records(value: unknown): Readonly<Record<string, unknown>>[] {
  const isRecord = (item: unknown) => typeof item === 'object' && item !== null && !Array.isArray(item)
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return unquoted(content)
  return records(content)
    .map(({ text }) => (typeof text === 'string' ? unquoted(text) : ''))
    .join('')
}

/** The AI SDK writes a tool's text as JSON. */
function unquoted(text: string): string {
  return /^".*"$/.test(text) ? String(JSON.parse(text)) : text
}

/** The bodies that the provider was asked with. */
export function bodies({ upstream }: Pairs): Readonly<Record<string, unknown>>[] {
  return upstream.requests.map(({ body }) => body)
}

/** What the last call is charged with, in the classes of `Tokens`; classes that nobody counted are 0. */
export function recordedTokens(usage: UsageView): Tokens {
  return {
    input: usage.input_tokens ?? 0,
    cacheRead: usage.cache_read_tokens ?? 0,
    cacheWrite: usage.cache_write_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    reasoning: usage.reasoning_tokens ?? 0,
  }
}

/** Checks that the key was charged exactly what these tokens cost, and that nothing is held any more. */
export async function expectCharged({ farebox }: Pairs, key: string, tokens: Tokens): Promise<void> {
  const { input, cacheRead, cacheWrite, output } = tokens
  const micro = Math.ceil((input * 100 + cacheRead * 10 + cacheWrite * 125 + output * 200) / 100)
  expect(await farebox.balance(key)).toMatchObject({ used_credits: micro / 1_000_000, held_credits: 0 })
}
