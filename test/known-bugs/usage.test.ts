// Counts of tokens that other gateways lost, doubled or made up.

import { expect, it } from 'vitest'
import type { ClientFormat } from '#dialect/dialects.ts'
import { dataEvents, typedEvents } from '../matrix/answers/fixture.ts'
import { foldStream, foldWhole } from '../matrix/fold.ts'
import { CLIENTS, sendOk, type ProviderName } from '../matrix/pair.ts'
import { ASKING } from '../matrix/answers/all.ts'
import {
  at,
  block,
  candidate,
  chatStream,
  CHAT_USAGE,
  chunk,
  events,
  messagesStream,
  pairOf,
  streamed,
  whole,
} from './support.ts'

const DONE = 'data: [DONE]\n\n'
const COMPLETION = {
  ...chunk({}),
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}

/** What a stream of a provider is charged for. */
function reported(client: ClientFormat, provider: ProviderName, stream: string) {
  const reader = sendOk(pairOf(client, provider), { ...ASKING[client], stream: true }).prepared.newReader()
  reader.push(Buffer.from(stream))
  reader.end()
  return reader.usage
}

it.each(CLIENTS)(
  'musistudio/claude-code-router#1587: usage behind the finish reason is the one that counts for %s',
  (client) => {
    const early = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    const finish = chunk({}, 'stop', client === 'chat' ? {} : { usage: early })
    const stream = chatStream(chunk({ content: 'Hi' }), finish)
    expect(foldStream(client, streamed([client, 'chat-completions'], stream)).usage).toEqual({
      input: 40,
      cached: 0,
      output: 12,
    })
  },
)

it.each(['chat-completions', 'responses', 'gemini'] as const)(
  'vercel/ai#17326: message_start has a count of the input before %s has reported one',
  (provider) => {
    const { prepared } = sendOk(pairOf('messages', provider), { ...ASKING.messages, stream: true })
    const firsts: Readonly<Record<typeof provider, string>> = {
      'chat-completions': dataEvents(chunk({ content: 'Hi' })),
      responses: typedEvents({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' }),
      gemini: dataEvents({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, index: 0 }] }),
    }
    const bytes = prepared.newReader().push(Buffer.from(firsts[provider]))
    const [start] = events(String(bytes))
    expect(start?.['type']).toBe('message_start')
    expect(at(start, 'message', 'usage', 'input_tokens')).toBeGreaterThan(10)
  },
)

it.each(CLIENTS)(
  'envoyproxy/ai-gateway#2290: input and cached tokens that only message_delta reports are counted for %s',
  (client) => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-6', content: [] }
    const usage = { input_tokens: 20, cache_read_input_tokens: 80, cache_creation_input_tokens: 5, output_tokens: 12 }
    const stream = typedEvents(
      { type: 'message_start', message: { ...message, usage: { input_tokens: 0, output_tokens: 0 } } },
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    )
    expect(reported(client, 'messages', stream)).toMatchObject({
      inputTokens: 20,
      cacheReadTokens: 80,
      cacheWriteTokens: 5,
      outputTokens: 12,
    })
  },
)

const CACHED = {
  prompt_tokens: 100,
  completion_tokens: 12,
  total_tokens: 112,
  prompt_tokens_details: { cached_tokens: 80 },
}

it('diegosouzapw/OmniRoute#9657: cached tokens are told as such, and are no part of the input of messages', () => {
  const { usage } = whole(['messages', 'chat-completions'], { ...COMPLETION, usage: CACHED })
  expect(usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 80, output_tokens: 12 })
})

it.each(CLIENTS)(
  'router-for-me/CLIProxyAPI#5617: a stream reports the same usage as a whole answer, cached tokens included, to %s',
  (client) => {
    const pair = [client, 'chat-completions'] as const
    const text =
      dataEvents(chunk({ content: 'Hi' }), chunk({}, 'stop'), { ...chunk({}), choices: [], usage: CACHED }) + DONE
    const inWhole = foldWhole(client, JSON.stringify(whole(pair, { ...COMPLETION, usage: CACHED }))).usage
    expect(inWhole).toEqual({ input: 100, cached: 80, output: 12 })
    expect(foldStream(client, streamed(pair, text)).usage).toEqual(inWhole)
  },
)

it.each(CLIENTS)('Portkey-AI/gateway#1259: usage on the chunk with the finish reason is kept for %s', (client) => {
  const stream = dataEvents(chunk({ content: 'Hi' }), chunk({}, 'stop', { usage: CHAT_USAGE })) + DONE
  expect(foldStream(client, streamed([client, 'chat-completions'], stream)).usage).toEqual({
    input: 40,
    cached: 0,
    output: 12,
  })
  expect(reported(client, 'chat-completions', stream)).toMatchObject({ inputTokens: 40, outputTokens: 12 })
})

it.each(CLIENTS)(
  'BerriAI/litellm#39893: the output count of message_start is not taken for that of the answer, for %s',
  (client) => {
    const stream = messagesStream('end_turn', block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }))
    const reader = sendOk(pairOf(client, 'messages'), { ...ASKING[client], stream: true }).prepared.newReader()
    reader.push(Buffer.from(stream.slice(0, stream.indexOf('event: content_block_stop'))))
    expect(reader.usage).toMatchObject({ inputTokens: 40, outputTokens: undefined })
    expect(reader.generated.bytes).toBeGreaterThan(0)
  },
)

const ZERO_ENDS: readonly (readonly [ProviderName, string])[] = [
  [
    'chat-completions',
    dataEvents(chunk({ content: 'Hi' }), chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 0 } })) +
      DONE,
  ],
  [
    'messages',
    messagesStream('end_turn', block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }))
      .replace('"input_tokens":40', '"input_tokens":0')
      .replace('"output_tokens":12', '"output_tokens":0'),
  ],
  [
    'responses',
    typedEvents(
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
      { type: 'response.completed', response: { id: 'resp_1', usage: { input_tokens: 0, output_tokens: 0 } } },
    ),
  ],
  [
    'gemini',
    dataEvents({
      ...candidate([{ text: 'Hi' }], 'STOP'),
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    }),
  ],
]

it.each(ZERO_ENDS)(
  'BerriAI/litellm#37992: a usage of zero that %s reports is a report, not a gap to fill',
  (provider, stream) => {
    expect(reported('chat', provider, stream)).toMatchObject({ inputTokens: 0, outputTokens: 0 })
    expect(reported('messages', provider, stream)).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  },
)
