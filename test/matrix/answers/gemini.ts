// Answers of Gemini, whole and as the events of `alt=sse`.

import type { JsonObject } from '#dialect/turn.ts'
import { dataEvents, REASONING, TEXT, UNICODE, type AnswerFixture } from './fixture.ts'

const USAGE = {
  promptTokenCount: 40,
  candidatesTokenCount: 12,
  totalTokenCount: 52,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 40 }],
}
const HOLDS_USAGE = { input: 40, cached: 0, output: 12 }
const REST = { modelVersion: 'gemini-3-pro-preview', responseId: 'kZ0gaYbXK8jVxN8P' }
const SIGNATURE = 'CiQBjz1rX0Zq2w9vT4sD7m'

function chunk(parts: readonly JsonObject[], finishReason?: string, usage: JsonObject | undefined = USAGE): JsonObject {
  const content = parts.length === 0 ? {} : { content: { parts, role: 'model' } }
  const reason = finishReason === undefined ? {} : { finishReason }
  const counts = usage === undefined ? {} : { usageMetadata: usage }
  return { candidates: [{ ...content, ...reason, index: 0 }], ...counts, ...REST }
}

/** The same parts as one answer and as events, one for each part, the last of which says why it ends. */
function both(parts: readonly JsonObject[], reason: string, usage?: JsonObject) {
  const last = parts.length - 1
  const events = parts.map((part, index) => chunk([part], index === last ? reason : undefined, usage))
  return {
    whole: chunk(parts, reason, usage),
    stream: dataEvents(...(events.length === 0 ? [chunk([], reason, usage)] : events)),
  }
}

const thought = (text: string) => ({ text, thought: true })
const call = (name: string, args?: JsonObject, signature?: string) => ({
  functionCall: args === undefined ? { name } : { name, args },
  ...(signature === undefined ? {} : { thoughtSignature: signature }),
})
const BERN = { name: 'get_weather', arguments: { city: 'Bern' } }
const OSLO = { name: 'get_weather', arguments: { city: 'Oslo' } }
const CACHED = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 800,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 10,
  totalTokenCount: 1030,
}

export const GEMINI_ANSWERS: readonly AnswerFixture[] = [
  {
    name: 'text',
    whole: chunk([{ text: TEXT }], 'STOP'),
    stream: dataEvents(
      chunk([{ text: 'The sun ' }]),
      chunk([{ text: 'is shining ' }]),
      chunk([{ text: 'in Bern.' }], 'STOP'),
    ),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'unicode',
    whole: chunk([{ text: UNICODE }], 'STOP'),
    stream: dataEvents(chunk([{ text: UNICODE.slice(0, 11) }]), chunk([{ text: UNICODE.slice(11) }], 'STOP')),
    holds: { blocks: ['text'], text: UNICODE, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'thoughts, then text',
    ...both([thought(REASONING), { text: TEXT }], 'STOP'),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'thoughts, then signed text',
    whole: chunk([thought(REASONING), { text: TEXT, thoughtSignature: SIGNATURE }], 'STOP'),
    stream: dataEvents(
      chunk([thought(REASONING)]),
      chunk([{ text: TEXT }]),
      chunk([{ text: '', thoughtSignature: SIGNATURE }], 'STOP'),
    ),
  },
  {
    name: 'signed text and a signed call',
    whole: chunk(
      [{ text: 'I look.', thoughtSignature: SIGNATURE }, call('get_weather', { city: 'Bern' }, SIGNATURE)],
      'STOP',
    ),
    stream: dataEvents(
      chunk([{ text: 'I look.' }]),
      chunk([{ text: '', thoughtSignature: SIGNATURE }]),
      chunk([call('get_weather', { city: 'Bern' }, SIGNATURE)], 'STOP'),
    ),
  },
  {
    name: 'one tool call, signed',
    ...both([call('get_weather', { city: 'Bern' }, SIGNATURE)], 'STOP'),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls, the first signed',
    ...both([call('get_weather', { city: 'Bern' }, SIGNATURE), call('get_weather', { city: 'Oslo' })], 'STOP'),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call without arguments',
    ...both([call('list_files')], 'STOP'),
    holds: { blocks: ['tool'], tools: [{ name: 'list_files', arguments: {} }], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'thoughts, text and a tool call',
    ...both([thought(REASONING), { text: 'I look.' }, call('get_weather', { city: 'Bern' }, SIGNATURE)], 'STOP'),
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
    name: 'a tool call streamed in pieces',
    stream: dataEvents(
      chunk([{ functionCall: { name: 'get_weather', willContinue: true } }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.city', stringValue: 'Be', willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: '$.city', stringValue: 'rn' }], willContinue: true } }]),
      chunk([{ functionCall: {} }], 'STOP'),
    ),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'safety',
    ...both([{ text: 'It is' }], 'SAFETY'),
    holds: { blocks: ['text'], text: 'It is', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'a blocked prompt',
    whole: {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 40, totalTokenCount: 40 },
    },
    stream: dataEvents({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 40, totalTokenCount: 40 },
      ...REST,
    }),
    holds: { blocks: [], finish: 'filter' },
  },
  {
    name: 'length',
    ...both([{ text: 'The sun is' }], 'MAX_TOKENS'),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'length while thinking, without any text',
    ...both([], 'MAX_TOKENS', { promptTokenCount: 40, thoughtsTokenCount: 12, totalTokenCount: 52 }),
    holds: { blocks: [], finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'cached usage',
    ...both([{ text: TEXT }], 'STOP', CACHED),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 1000, cached: 800, output: 30 } },
  },
  {
    name: 'no usage',
    whole: { candidates: [{ content: { parts: [{ text: TEXT }], role: 'model' }, finishReason: 'STOP', index: 0 }] },
    stream: dataEvents({
      candidates: [{ content: { parts: [{ text: TEXT }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { trafficType: 'ON_DEMAND' },
    }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'citations',
    whole: {
      ...chunk([{ text: TEXT }], 'STOP'),
      candidates: [
        {
          content: { parts: [{ text: TEXT }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata: { groundingChunks: [{ web: { uri: 'https://weather.example/bern', title: 'Bern' } }] },
        },
      ],
    },
    stream: dataEvents(chunk([{ text: TEXT }]), {
      ...chunk([{ text: '' }], 'STOP'),
      candidates: [
        {
          content: { parts: [{ text: '' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata: { groundingChunks: [{ web: { uri: 'https://weather.example/bern', title: 'Bern' } }] },
        },
      ],
    }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'empty answer',
    ...both([], 'STOP'),
    holds: { blocks: [], finish: 'stop', usage: HOLDS_USAGE },
  },
  { name: 'a malformed call', ...both([], 'MALFORMED_FUNCTION_CALL') },
  {
    name: 'error first',
    whole: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
    stream: dataEvents({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  },
  {
    name: 'error in the middle',
    stream: dataEvents(chunk([{ text: 'The sun' }]), {
      error: {
        code: 429,
        message: 'Resource has been exhausted.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }],
      },
    }),
  },
  { name: 'cut', stream: dataEvents(chunk([{ text: 'The sun' }]), chunk([{ text: ' is' }])) },
  { name: 'not of the dialect', whole: { hello: 'world' }, stream: 'data: <html>\n\n' },
]
