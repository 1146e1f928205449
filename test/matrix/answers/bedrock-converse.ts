// Answers of Amazon Bedrock's Converse, its frames as the events that the provider's side makes of them.

import type { JsonObject } from '#dialect/turn.ts'
import { REASONING, TEXT, UNICODE, type AnswerFixture } from './fixture.ts'

const USAGE = { inputTokens: 40, outputTokens: 12, totalTokens: 52, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 }
const CACHED = {
  inputTokens: 150,
  outputTokens: 30,
  totalTokens: 1030,
  cacheReadInputTokens: 800,
  cacheWriteInputTokens: 50,
}
const HOLDS_USAGE = { input: 40, cached: 0, output: 12 }
const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'
const REDACTED = 'EmwKAhgBEgy3va3pzix'
const METRICS = { metrics: { latencyMs: 900 } }
const BERN = { name: 'get_weather', arguments: { city: 'Bern' } }
const OSLO = { name: 'get_weather', arguments: { city: 'Oslo' } }
const CITATION = {
  title: 'Bern',
  location: { web: { url: 'https://weather.example/bern', domain: 'weather.example' } },
}

export function converseEvent(name: string, payload: JsonObject): string {
  return `event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`
}

const START = converseEvent('messageStart', { role: 'assistant' })
const delta = (contentBlockIndex: number, piece: JsonObject) =>
  converseEvent('contentBlockDelta', { contentBlockIndex, delta: piece })
const block = (index: number, ...pieces: readonly JsonObject[]) =>
  pieces.map((piece) => delta(index, piece)).join('') + converseEvent('contentBlockStop', { contentBlockIndex: index })
const text = (index: number, ...texts: readonly string[]) => block(index, ...texts.map((piece) => ({ text: piece })))
const thinking = (index: number, ...texts: readonly string[]) =>
  block(index, ...[...texts.map((piece) => ({ text: piece })), { signature: SIGNATURE }].map(asReasoning))
const asReasoning = (reasoningContent: JsonObject) => ({ reasoningContent })
const tool = (contentBlockIndex: number, call: Call, ...inputs: readonly string[]) =>
  converseEvent('contentBlockStart', { contentBlockIndex, start: { toolUse: call } }) +
  block(contentBlockIndex, ...inputs.map((input) => ({ toolUse: { input } })))
const end = (stopReason: string, usage: JsonObject = { usage: USAGE }) =>
  converseEvent('messageStop', { stopReason }) + converseEvent('metadata', { ...usage, ...METRICS })

type Call = { readonly toolUseId: string; readonly name: string }
const FIRST: Call = { toolUseId: 'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q', name: 'get_weather' }
const SECOND: Call = { toolUseId: 'tooluse_2', name: 'get_weather' }
const use = (call: Call, input: JsonObject) => ({ toolUse: { ...call, input } })

function whole(content: readonly JsonObject[], stopReason: string, usage: JsonObject = { usage: USAGE }): JsonObject {
  return { output: { message: { role: 'assistant', content } }, stopReason, ...usage, ...METRICS }
}

const THOUGHT = asReasoning({ reasoningText: { text: REASONING, signature: SIGNATURE } })

export const CONVERSE_ANSWERS: readonly AnswerFixture[] = [
  {
    name: 'text',
    whole: whole([{ text: TEXT }], 'end_turn'),
    stream: START + text(0, 'The sun ', 'is shining ', 'in Bern.') + end('end_turn'),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'unicode',
    whole: whole([{ text: UNICODE }], 'end_turn'),
    stream: START + text(0, UNICODE.slice(0, 11), UNICODE.slice(11)) + end('end_turn'),
    holds: { blocks: ['text'], text: UNICODE, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'signed thinking, then text',
    whole: whole([THOUGHT, { text: TEXT }], 'end_turn'),
    stream: START + thinking(0, REASONING.slice(0, 20), REASONING.slice(20)) + text(1, TEXT) + end('end_turn'),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'redacted thinking, then text',
    whole: whole([asReasoning({ redactedContent: REDACTED }), { text: TEXT }], 'end_turn'),
    stream: START + block(0, asReasoning({ redactedContent: REDACTED })) + text(1, TEXT) + end('end_turn'),
    holds: { blocks: ['seal', 'text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning of a model that signs nothing',
    whole: whole([asReasoning({ reasoningText: { text: REASONING } }), { text: TEXT }], 'end_turn'),
    stream: START + block(0, asReasoning({ text: REASONING })) + text(1, TEXT) + end('end_turn'),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'one tool call',
    whole: whole([use(FIRST, { city: 'Bern' })], 'tool_use'),
    stream: START + tool(0, FIRST, '', '{"city"', ': "Bern"}') + end('tool_use'),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls',
    whole: whole([use(FIRST, { city: 'Bern' }), use(SECOND, { city: 'Oslo' })], 'tool_use'),
    stream: START + tool(0, FIRST, '{"city": "Bern"}') + tool(1, SECOND, '{"city": "Oslo"}') + end('tool_use'),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call without arguments',
    whole: whole([use({ ...FIRST, name: 'list_files' }, {})], 'tool_use'),
    stream: START + tool(0, { ...FIRST, name: 'list_files' }, '') + end('tool_use'),
    holds: { blocks: ['tool'], tools: [{ name: 'list_files', arguments: {} }], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'thinking, text and a tool call',
    whole: whole([THOUGHT, { text: 'I look.' }, use(FIRST, { city: 'Bern' })], 'tool_use'),
    stream: START + thinking(0, REASONING) + text(1, 'I look.') + tool(2, FIRST, '{"city": "Bern"}') + end('tool_use'),
    holds: {
      blocks: ['reasoning', 'text', 'tool'],
      reasoning: REASONING,
      text: 'I look.',
      tools: [BERN],
      finish: 'tools',
      usage: HOLDS_USAGE,
    },
  },
  {
    name: 'content filter',
    whole: whole([{ text: 'It is' }], 'content_filtered'),
    stream: START + text(0, 'It is') + end('content_filtered'),
    holds: { blocks: ['text'], text: 'It is', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'guardrail',
    whole: whole([{ text: 'I cannot help with that.' }], 'guardrail_intervened'),
    stream: START + text(0, 'I cannot help with that.') + end('guardrail_intervened'),
    holds: { blocks: ['text'], text: 'I cannot help with that.', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'length',
    whole: whole([{ text: 'The sun is' }], 'max_tokens'),
    stream: START + text(0, 'The sun is') + end('max_tokens'),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'length in the middle of a tool call',
    whole: whole([{ text: 'I look.' }, use(FIRST, {})], 'max_tokens'),
    stream: START + text(0, 'I look.') + tool(1, FIRST, '', '{"city": "Be') + end('max_tokens'),
  },
  {
    name: 'stop sequence',
    whole: whole([{ text: 'The sun' }], 'stop_sequence'),
    stream: START + text(0, 'The sun') + end('stop_sequence'),
    holds: { blocks: ['text'], text: 'The sun', finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'cached usage',
    whole: whole([{ text: TEXT }], 'end_turn', { usage: CACHED }),
    stream: START + text(0, TEXT) + end('end_turn', { usage: CACHED }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 1000, cached: 800, output: 30 } },
  },
  {
    name: 'no usage',
    whole: whole([{ text: TEXT }], 'end_turn', {}),
    stream: START + text(0, TEXT) + end('end_turn', {}),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'citations',
    whole: whole([{ citationsContent: { content: [{ text: TEXT }], citations: [CITATION] } }], 'end_turn'),
    stream: START + block(0, { text: TEXT }, { citation: CITATION }) + end('end_turn'),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'empty answer',
    whole: whole([], 'end_turn'),
    stream: START + end('end_turn'),
    holds: { blocks: [], finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'error first',
    whole: { message: 'Too many requests.' },
    stream: converseEvent('throttlingException', { message: 'Too many requests.' }),
  },
  {
    name: 'error in the middle',
    stream:
      START + delta(0, { text: 'The sun' }) + converseEvent('modelStreamErrorException', { message: 'It broke.' }),
  },
  { name: 'cut', stream: START + delta(0, { text: 'The sun is' }) },
  {
    name: 'cut before the usage',
    stream: START + text(0, TEXT) + converseEvent('messageStop', { stopReason: 'end_turn' }),
  },
  { name: 'not of the dialect', whole: { hello: 'world' }, stream: 'data: <html>\n\n' },
]
