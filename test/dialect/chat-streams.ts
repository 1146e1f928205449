// Chat completion streams as the well-known providers send them, shortened from recordings, with what is in them.

import type { TokenUsage } from '#core/usage.ts'

export type RecordedStream = {
  readonly name: string
  readonly text: string
  readonly usage: Partial<TokenUsage> | undefined
  /** Bytes of what the model wrote: content, reasoning, refusals, names and arguments of tool calls. */
  readonly textBytes: number
}

type Chunk = Readonly<Record<string, unknown>>

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm' }
const USAGE = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }
const READ = { inputTokens: 19, outputTokens: 10 }

function choice(delta: Chunk, finish: string | null = null, index = 0): Chunk {
  return { index, delta, logprobs: null, finish_reason: finish }
}

export function chunk(choices: readonly Chunk[], more: Chunk = {}): string {
  return `data: ${JSON.stringify({ ...HEAD, choices, ...more })}\n\n`
}

export const DONE = 'data: [DONE]\n\n'
const ROLE = chunk([choice({ role: 'assistant', content: '' })])
const STOP = chunk([choice({}, 'stop')])

export function says(text: string, more: Chunk = {}): string {
  return chunk([choice({ content: text })], more)
}

/** Every chunk says `usage: null`, as OpenAI does when usage was asked for. */
function withNullUsage(...chunks: readonly string[]): string {
  return chunks.map((text) => text.replace('}\n\n', ',"usage":null}\n\n')).join('')
}

export const USAGE_CHUNK = chunk([], { usage: USAGE })

function toolCall(id: string | undefined, name: string | undefined, args: string): Chunk {
  return choice({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: args } }] })
}

export const RECORDED: readonly RecordedStream[] = [
  {
    name: 'OpenAI with usage in a last chunk of its own',
    text: withNullUsage(ROLE, says('Grüße'), says(' aus 東京 🚀'), STOP) + USAGE_CHUNK + DONE,
    usage: READ,
    textBytes: Buffer.byteLength('Grüße aus 東京 🚀'),
  },
  {
    name: 'OpenAI without usage',
    text: ROLE + says('Hi') + says(' there') + STOP + DONE,
    usage: undefined,
    textBytes: 8,
  },
  {
    name: 'Azure, whose first chunk has no choices',
    text:
      `data: ${JSON.stringify({ choices: [], created: 0, id: '', model: '', prompt_filter_results: [{ prompt_index: 0 }], usage: null })}\n\n` +
      withNullUsage(ROLE, says('Hi'), STOP) +
      USAGE_CHUNK +
      DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'DeepSeek with reasoning and usage on the finishing chunk',
    text:
      withNullUsage(ROLE, chunk([choice({ content: null, reasoning_content: 'Hmm.' })]), says('Hi')) +
      chunk([choice({ content: '' }, 'stop')], {
        usage: { ...USAGE, prompt_cache_hit_tokens: 16, prompt_cache_miss_tokens: 3 },
      }) +
      DONE,
    usage: { inputTokens: 3, cacheReadTokens: 16, outputTokens: 10 },
    textBytes: 6,
  },
  {
    name: 'Groq with usage in two places',
    text:
      says('Hi', { x_groq: { id: 'req_1' } }) +
      chunk([choice({}, 'stop')], { x_groq: { id: 'req_1', usage: USAGE }, usage: USAGE }) +
      DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'Groq of old, with usage in its own member alone',
    text: says('Hi') + chunk([choice({}, 'stop')], { x_groq: { id: 'req_1', usage: USAGE } }) + DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'Moonshot AI with usage in the choice, and cached tokens beside the details',
    text: says('Hi') + chunk([{ ...choice({}, 'stop'), usage: { ...USAGE, cached_tokens: 16 } }]) + DONE,
    usage: { inputTokens: 3, cacheReadTokens: 16, outputTokens: 10 },
    textBytes: 2,
  },
  {
    name: 'Mistral with reasoning and text as parts of content',
    text:
      chunk([choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hmm.' }] }] })]) +
      chunk([choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: ' So.' }] }] })]) +
      chunk([choice({ content: [{ type: 'text', text: 'Grüße' }] })]) +
      chunk([choice({ content: '!' }, 'stop')], { usage: USAGE }) +
      DONE,
    usage: READ,
    textBytes: Buffer.byteLength('Hmm. So.Grüße!'),
  },
  {
    name: 'MiniMax with reasoning in its details alone',
    text:
      chunk([choice({ content: '', reasoning_details: [{ type: 'reasoning.text', text: 'Hmm.' }] })]) +
      says('Hi') +
      STOP +
      USAGE_CHUNK +
      DONE,
    usage: READ,
    textBytes: 6,
  },
  {
    name: 'xAI, which leaves out finish_reason until the end and reasoning from the output',
    text:
      chunk([{ index: 0, delta: { role: 'assistant', reasoning_content: 'So' } }]) +
      chunk([{ index: 0, delta: { content: 'Hi' } }]) +
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
      chunk([], {
        usage: {
          prompt_tokens: 307,
          completion_tokens: 26,
          total_tokens: 560,
          completion_tokens_details: { reasoning_tokens: 227 },
        },
      }) +
      DONE,
    usage: { inputTokens: 307, outputTokens: 253, reasoningTokens: 227 },
    textBytes: 4,
  },
  {
    name: 'OpenRouter with comments, and usage beside an empty choice',
    text:
      ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' +
      says('Hi', { provider: 'X' }) +
      ': OPENROUTER PROCESSING\n\n' +
      STOP +
      chunk([choice({ role: 'assistant', content: '' }, null)], { usage: { ...USAGE, cost: 0.1 } }) +
      DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'vLLM with running usage on every chunk',
    text:
      says('a', { usage: { prompt_tokens: 19, completion_tokens: 1, total_tokens: 20 } }) +
      says('b', { usage: { prompt_tokens: 19, completion_tokens: 2, total_tokens: 21 } }) +
      chunk([choice({}, 'length')], { usage: USAGE }) +
      DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'two choices, interleaved',
    text:
      chunk([choice({ role: 'assistant', content: 'a' }, null, 0)]) +
      chunk([choice({ role: 'assistant', content: 'bb' }, null, 1)]) +
      chunk([choice({}, 'stop', 1)]) +
      chunk([choice({ content: 'c' }, null, 0), choice({}, 'stop', 1)]) +
      chunk([choice({}, 'length', 0)]) +
      USAGE_CHUNK +
      DONE,
    usage: READ,
    textBytes: 4,
  },
  {
    name: 'tool calls in pieces',
    text:
      chunk([choice({ role: 'assistant', content: null })]) +
      chunk([toolCall('call_1', 'get_weather', '')]) +
      chunk([toolCall(undefined, undefined, '{"city":"Köln"')]) +
      chunk([toolCall(undefined, undefined, '}')]) +
      chunk([choice({}, 'tool_calls')]) +
      USAGE_CHUNK +
      DONE,
    usage: READ,
    textBytes: Buffer.byteLength('get_weather{"city":"Köln"}'),
  },
  {
    name: 'a refusal',
    text: chunk([choice({ role: 'assistant', refusal: 'No.' })]) + STOP + DONE,
    usage: undefined,
    textBytes: 3,
  },
  {
    name: 'usage that is explicitly zero',
    text: says('Hi') + STOP + chunk([], { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }) + DONE,
    usage: { inputTokens: 0, outputTokens: 0 },
    textBytes: 2,
  },
  {
    name: 'usage that is sent twice, and then as nothing',
    text: says('Hi') + STOP + USAGE_CHUNK + USAGE_CHUNK + chunk([], { usage: null }) + chunk([], { usage: {} }) + DONE,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'lines that end in CR LF',
    text: (': hi\n\n' + ROLE + says('é') + STOP + USAGE_CHUNK + DONE).replaceAll('\n', '\r\n'),
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'lines that end in CR',
    text: (ROLE + says('é') + STOP + USAGE_CHUNK + DONE).replaceAll('\n', '\r'),
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'event names, ids and data in several lines',
    text: `event: chunk\nid: 1\ndata: {"choices":\ndata: [{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n${DONE}`,
    usage: undefined,
    textBytes: 2,
  },
  {
    name: 'no [DONE]',
    text: ROLE + says('Hi') + STOP + USAGE_CHUNK,
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'a [DONE] without its blank line',
    text: ROLE + says('Hi') + STOP + USAGE_CHUNK + 'data: [DONE]',
    usage: READ,
    textBytes: 2,
  },
  {
    name: 'a last chunk without its blank line and no [DONE]',
    text: (ROLE + says('Hi') + STOP).trimEnd(),
    usage: undefined,
    textBytes: 2,
  },
  {
    name: 'something behind [DONE]',
    text: ROLE + says('Hi') + STOP + DONE + ': bye\n\n' + says('ignored'),
    usage: undefined,
    textBytes: 2,
  },
]
