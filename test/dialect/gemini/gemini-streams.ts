// Streams of the Gemini API as they come, shortened from recordings, with what is in them.

import type { FoldedBlock } from '#dialect/part.ts'
import type { FinishReason } from '#dialect/part.ts'
import type { TokenUsage } from '#core/usage.ts'

type Json = Readonly<Record<string, unknown>>

export type GeminiStream = {
  readonly name: string
  readonly chunks: readonly Json[]
  /** Texts of the blocks by their kind: a call as `name(arguments)`, a seal behind a `#`. */
  readonly blocks: readonly string[]
  readonly finish: FinishReason
  readonly usage?: Partial<TokenUsage>
}

/** A chunk with one candidate. */
export function chunk(parts: readonly Json[], more: Json = {}, rest: Json = {}): Json {
  return { candidates: [{ content: { role: 'model', parts }, ...more }], modelVersion: 'gemini-3.5-flash', ...rest }
}

export function events(chunks: readonly unknown[], lineEnd = '\r\n'): string {
  return chunks.map((one) => `data: ${JSON.stringify(one)}${lineEnd}${lineEnd}`).join('')
}

/** A block in short, to be compared. */
export function short({ block, text, sealed, isCut, citations }: FoldedBlock): string {
  const cited = citations.map(({ url }) => ` <${url}>`).join('')
  const seal = (sealed === undefined ? '' : `#${sealed.value}`) + (isCut ? ' cut' : '') + cited
  return block.type === 'tool-call' ? `${block.id} ${block.name}(${text})${seal}` : `${block.type}: ${text}${seal}`
}

const STOP = { finishReason: 'STOP', index: 0 }
const TRAFFIC = { usageMetadata: { trafficType: 'PROVISIONED_THROUGHPUT' } }

function counts(promptTokenCount: number, candidatesTokenCount?: number, more: Json = {}): Json {
  return { usageMetadata: { promptTokenCount, candidatesTokenCount, ...more } }
}

export const STREAMS: readonly GeminiStream[] = [
  {
    name: 'text with thoughts and a signature in an empty last part',
    chunks: [
      chunk(
        [{ text: 'Grüße, ', thought: true }],
        { index: 0 },
        counts(15, undefined, { thoughtsTokenCount: 9, totalTokenCount: 24 }),
      ),
      chunk([{ text: '東京 ', thought: true }]),
      chunk([{ text: 'Die Antwort: ' }]),
      chunk([{ text: '4 🚀' }]),
      chunk(
        [{ text: '', thoughtSignature: 'sig=' }],
        STOP,
        counts(15, 4, { thoughtsTokenCount: 52, cachedContentTokenCount: 5 }),
      ),
    ],
    blocks: ['reasoning: Grüße, 東京 ', 'text: Die Antwort: 4 🚀', 'reasoning: #sig='],
    finish: 'stop',
    usage: { inputTokens: 10, cacheReadTokens: 5, outputTokens: 56, reasoningTokens: 52 },
  },
  {
    name: 'two calls in one chunk, of which only the first is signed, and STOP',
    chunks: [
      chunk(
        [
          { functionCall: { name: 'wx', args: { q: 'Bern', n: [1, { a: null }] } }, thoughtSignature: 'sig' },
          { functionCall: { id: 'fc1', name: 'wx', args: { q: 'Basel' } } },
        ],
        STOP,
        counts(44, 9),
      ),
    ],
    blocks: ['call_0 wx({"q":"Bern","n":[1,{"a":null}]})#sig', 'fc1 wx({"q":"Basel"})'],
    finish: 'tool-calls',
    usage: { inputTokens: 44, outputTokens: 9 },
  },
  {
    name: 'calls without arguments and with arguments in pieces, closed by an empty call',
    chunks: [
      chunk([{ text: 'Plan', thought: true }], {}, TRAFFIC),
      chunk([{ functionCall: { name: 'read_theme' }, thoughtSignature: 'sig' }], {}, TRAFFIC),
      chunk([{ functionCall: { name: 'read', willContinue: true } }], {}, TRAFFIC),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.id', stringValue: 'A', willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk(
        [{ functionCall: { partialArgs: [{ jsonPath: '$.id', stringValue: 'B' }], willContinue: true } }],
        {},
        TRAFFIC,
      ),
      chunk([{ functionCall: {} }], {}, TRAFFIC),
      chunk([{ text: '' }], STOP, counts(249, 58, { thoughtsTokenCount: 183, trafficType: 'X' })),
    ],
    blocks: ['reasoning: Plan', 'call_0 read_theme({})#sig', 'call_1 read({"id":"AB"})'],
    finish: 'tool-calls',
    usage: { inputTokens: 249, outputTokens: 241, reasoningTokens: 183 },
  },
  {
    name: 'nested arguments in pieces, without the empty call at the end',
    chunks: [
      chunk([{ functionCall: { name: 'write', willContinue: true }, thoughtSignature: 'sig' }]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: '$.ops[0].do', stringValue: 'add' }], willContinue: true } }]),
      chunk([
        { functionCall: { partialArgs: [{ jsonPath: "$.ops[0]['a.b']", boolValue: true }], willContinue: true } },
      ]),
      chunk([{ functionCall: { willContinue: true } }]),
      chunk([
        { functionCall: { partialArgs: [{ jsonPath: '$.ops[1].price', numberValue: 0.3 }], willContinue: true } },
      ]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: '$.ops[1].note', nullValue: 'NULL_VALUE' }] } }]),
      chunk([{ text: '' }], STOP),
    ],
    blocks: ['call_0 write({"ops":[{"do":"add","a.b":true},{"price":0.3,"note":null}]})#sig'],
    finish: 'tool-calls',
  },
  {
    name: 'a text that is cut off',
    chunks: [
      chunk([{ text: 'Once' }]),
      chunk([], { finishReason: 'MAX_TOKENS' }, counts(3, 0, { thoughtsTokenCount: 61 })),
    ],
    blocks: ['text: Once'],
    finish: 'length',
    usage: { inputTokens: 3, outputTokens: 61 },
  },
  {
    name: 'a call that is cut off',
    chunks: [
      chunk([
        { functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true } },
      ]),
      chunk([], { finishReason: 'MAX_TOKENS' }),
    ],
    blocks: ['call_0 f({"a":"x") cut'],
    finish: 'length',
  },
  {
    name: 'a signature behind a call, text behind that, and a signed text before a call',
    chunks: [
      chunk([{ functionCall: { name: 'f', args: {} } }]),
      chunk([{ text: '', thoughtSignature: 'one' }]),
      chunk([{ text: 'A', thoughtSignature: 'two' }]),
      chunk([{ functionCall: { name: 'g' } }], STOP),
    ],
    blocks: ['call_0 f({})', 'reasoning: #one', 'text: A', 'reasoning: #two', 'call_1 g({})'],
    finish: 'tool-calls',
  },
  {
    name: 'signed thoughts',
    chunks: [chunk([{ text: 'Hm', thought: true, thoughtSignature: 'sig' }, { text: 'A' }], STOP)],
    blocks: ['reasoning: Hm#sig', 'text: A'],
    finish: 'stop',
  },
  {
    name: 'sources, the same ones again, behind a text whose signature came with them',
    chunks: [
      chunk([{ text: 'Bern is nice.' }]),
      chunk([{ text: ' Really.', thoughtSignature: 'sig' }], {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }, { web: { uri: 'javascript:x' } }, 7],
        },
        citationMetadata: { citationSources: [{ startIndex: 1, uri: 'https://b.example' }, {}] },
      }),
      chunk([], { ...STOP, groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example' } }] } }),
    ],
    blocks: ['text: Bern is nice. Really. <https://a.example> <https://b.example>', 'reasoning: #sig'],
    finish: 'stop',
  },
  {
    name: 'code that Google ran, and a picture',
    chunks: [
      chunk([
        { executableCode: { language: 'PYTHON', code: 'print(1)\n' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      ]),
      chunk([{ inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'sig' }, { toolCall: {} }], STOP),
    ],
    blocks: [
      'text: \n```python\nprint(1)\n```\n\n```\n1\n```\n[The model answered with image/png, which cannot be shown here.]',
      'reasoning: #sig',
    ],
    finish: 'stop',
  },
  {
    name: 'a prompt that was blocked',
    chunks: [
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...counts(4, undefined, { totalTokenCount: 4 }) },
    ],
    blocks: [],
    finish: 'content-filter',
    usage: { inputTokens: 4, outputTokens: 0 },
  },
  {
    name: 'an answer that was stopped for safety',
    chunks: [chunk([{ text: 'How' }]), { candidates: [{ finishReason: 'SAFETY', safetyRatings: [] }] }],
    blocks: ['text: How'],
    finish: 'content-filter',
  },
  {
    name: 'a proxy that ends with [DONE], says nothing with each finish reason, and sends arguments as text',
    chunks: [
      chunk([{ text: 'Hi' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' }),
      chunk([{ functionCall: { name: 'f', args: '{"a": 1}' } }], { finishReason: '' }),
      chunk([], { finishReason: 'SOMETHING_NEW' }),
    ],
    blocks: ['text: Hi', 'call_0 f({"a": 1})'],
    finish: 'tool-calls',
  },
]
