// What a call is charged whose client leaves before its last event: at least what the bytes of its output say, for every kind of output
// that the vendors' own SDKs declare, and for kinds that they do not.

import { describe, expect, it } from 'vitest'
import { estimateOutputTokens } from '#core/estimate.ts'
import { microCredits } from '#core/money.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { creditGuard } from '#pipeline/credit-guard.ts'
import { settlementOf, type Ending } from '#pipeline/settle.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { ASKING } from '../matrix/answers/all.ts'
import { PAIRS, sendOk, type Pair } from '../matrix/pair.ts'
import { VendorTypes, type Made } from '../support/vendor-types.ts'

const FREE = microCredits(0)
const PRICE = {
  version: 1,
  inputMicro: FREE,
  outputMicro: microCredits(1_000_000),
  cacheReadMicro: FREE,
  cacheWriteMicro: FREE,
}
const count = (texts: readonly string[]) => Promise.resolve(estimateOutputTokens(Buffer.byteLength(texts.join(''))))

/** No image, and no word of anything. */
const PAYLOAD = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 73) % 251)).toString('base64')
/** Members that say what output is, where it belongs and how it ended, in all formats. */
const STRUCTURE = new Set(
  (
    'id type index role status name item_id call_id tool_use_id sequence_number output_index content_index summary_index annotation_index ' +
    'command_index partial_image_index size quality background output_format logprobs obfuscation estimated_tokens phase namespace agent ' +
    'created_by server_label container_id execution caller is_error server_name toolset_name mcp_server_name approval_request_id ' +
    'cache_control expires_at thought mediaResolution videoMetadata mimeType displayName language outcome jsonPath willContinue'
  ).split(' '),
)

const root = (path: string) => new URL(`../../node_modules/${path}`, import.meta.url).pathname
const typesIn = (path: string) =>
  new VendorTypes(root(path), { isStructure: (name) => STRUCTURE.has(name), payload: PAYLOAD })
const CHAT = typesIn('openai/resources/chat/completions/completions.d.ts')
const MESSAGES = typesIn('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts')
const RESPONSES = typesIn('openai/resources/responses/responses.d.ts')
const GEMINI = typesIn('@google/genai/dist/genai.d.ts')

type Dialect = 'chat-completions' | 'messages' | 'responses' | 'gemini'
type Kind = { readonly name: string; readonly bytes: number; readonly events: readonly JsonObject[] }

function kind(name: string, { value, bytes }: Made, wrap: (value: unknown) => readonly JsonObject[]): Kind {
  return { name, bytes, events: wrap(value) }
}

const unknownOf = (members: JsonObject): Made => ({ value: members, bytes: PAYLOAD.length })
const chunk = (delta: unknown) => [
  { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] },
]
const block = (content_block: unknown) => [{ type: 'content_block_start', index: 0, content_block }]
const delta = (value: unknown) => [
  ...block({ type: 'text', text: '' }),
  { type: 'content_block_delta', index: 0, delta: value },
]
const item = (value: unknown) => [{ type: 'response.output_item.done', output_index: 0, item: value }]
const part = (value: unknown) => [
  { candidates: [{ index: 0, content: { role: 'model', parts: [value] } }], responseId: 'r' },
]
const DELTA = 'ChatCompletionChunk.Choice.Delta'
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PAYLOAD}` } }

const KINDS: Readonly<Record<Dialect, readonly Kind[]>> = {
  'chat-completions': [
    ...CHAT.members(DELTA).map((name) => kind(`delta.${name}`, CHAT.make(DELTA, name), chunk)),
    kind('delta.images', unknownOf({ images: [IMAGE] }), chunk),
    kind(
      'delta.reasoning_details',
      unknownOf({ reasoning_details: [{ type: 'reasoning.encrypted', data: PAYLOAD }] }),
      chunk,
    ),
    kind('an unknown member of a delta', unknownOf({ novel: { data: PAYLOAD } }), chunk),
    kind('an unknown member of a choice', unknownOf({ novel: PAYLOAD }), (value) => [
      { choices: [{ index: 0, delta: {}, ...(value as object) }] },
    ]),
    kind('an unknown member of a chunk', unknownOf({ novel: PAYLOAD }), (value) => [
      { ...(value as object), choices: [] },
    ]),
  ],
  messages: [
    ...MESSAGES.union('BetaRawContentBlockDelta').map((name) => kind(name, MESSAGES.make(name), delta)),
    ...MESSAGES.union('BetaContentBlock').map((name) => kind(name, MESSAGES.make(name), block)),
    kind('an unknown delta', unknownOf({ type: 'novel_delta', novel: PAYLOAD }), delta),
    kind('an unknown block', unknownOf({ type: 'novel', content: [{ novel: PAYLOAD }] }), block),
    kind('an unknown event', unknownOf({ type: 'novel', novel: PAYLOAD }), (value) => [value as JsonObject]),
  ],
  responses: [
    ...RESPONSES.union('ResponseStreamEvent').map((name) =>
      kind(name, RESPONSES.make(name), (value) => [value as JsonObject]),
    ),
    ...RESPONSES.union('ResponseOutputItem').map((name) => kind(name, RESPONSES.make(name), item)),
    kind('an unknown event', unknownOf({ type: 'response.novel.delta', delta: PAYLOAD }), (value) => [
      value as JsonObject,
    ]),
    kind('an unknown item', unknownOf({ type: 'novel_call', novel: { data: PAYLOAD } }), item),
    kind('an unknown part', unknownOf({ type: 'message', content: [{ type: 'novel', data: PAYLOAD }] }), item),
  ],
  gemini: [
    ...GEMINI.members('Part').map((name) => kind(`part.${name}`, GEMINI.make('Part', name), part)),
    kind('an image that is none', unknownOf({ inlineData: { mimeType: 'image/png', data: PAYLOAD } }), part),
    kind('an unknown part', unknownOf({ novel: { data: PAYLOAD } }), part),
    kind('an unknown member of a chunk', unknownOf({ novel: PAYLOAD }), (value) => [
      { ...(value as object), candidates: [] },
    ]),
  ],
}

/** Events that end a stream, say again what was asked or begin what is empty as yet, and members that hold no output. */
const WITHOUT_OUTPUT: Readonly<Record<Dialect, RegExp>> = {
  'chat-completions': /^delta\.role$/,
  messages: /^BetaFallbackBlock$/,
  responses:
    /^Response(?:ContentPartAdded|ReasoningSummaryPartAdded|OutputItemAdded|Created|InProgress|Queued|Completed|Failed|Incomplete|Error)Event$|Call(?:Completed|Failed|Generating|InProgress|Interpreting|Searching)Event$|Tools(?:Completed|Failed|InProgress)Event$|Audio\w*DoneEvent$|CompactingEvent$/,
  gemini: /^part\.(?:thought|videoMetadata|mediaResolution|mediaProcessing)$/,
}

const BEGIN: Readonly<Record<Dialect, readonly JsonObject[]>> = {
  'chat-completions': chunk({ role: 'assistant', content: '' }),
  messages: [{ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } }],
  responses: [{ type: 'response.created', response: { id: 'r', object: 'response', status: 'in_progress' } }],
  gemini: part({ text: '.' }),
}

function sse(events: readonly JsonObject[]): Buffer {
  return Buffer.from(
    events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  )
}

function readerOf(pair: Pair): AnswerReader {
  return sendOk(pair, { ...ASKING[pair.client], stream: true }).prepared.newReader()
}

/** The output tokens that are charged when the client leaves now. */
async function leftNow(reader: AnswerReader): Promise<number> {
  const end = { type: 'client-gone', isDrained: false, delivered: undefined } as const
  const request = { choices: 1, likelyInputTokens: 0, countable: () => undefined }
  const rest = { hasBegun: true, createdAtMs: 0, firstByteMs: 1, durationMs: 2, attempts: [], attribution: undefined }
  const place = { provider: { id: 'p' }, target: { upstreamModel: 'm' } }
  // What settling looks at is real; the rest of the entities is not looked at.
  const ending = {
    caller: { package: {} },
    request,
    served: { price: PRICE },
    place,
    reader,
    end,
    ...rest,
  } as unknown as Ending
  const settlement = await settlementOf(ending, { count })
  expect(settlement.chargeMicro).toBe(settlement.outputTokens)
  return settlement.outputTokens ?? 0
}

/** Whether a stream may go on for which half of these tokens are held. */
async function isStopped(reader: AnswerReader, tokens: number): Promise<boolean> {
  const spending = { heldMicro: microCredits(Math.floor(tokens / 2)), growthLeftMicro: FREE, grow: () => undefined }
  const guard = creditGuard({
    spending,
    price: PRICE,
    worst: { inputTokens: 0 },
    outputCap: 1_000_000,
    counter: { count },
  })
  for (;;) {
    const verdict = guard?.look(reader)
    if (verdict !== 'wait') return verdict === 'stop'
    await new Promise<void>((resolve) => guard?.onCounted(resolve))
  }
}

describe.each(PAIRS.filter(({ provider }) => provider in KINDS))('a stream of $name that its client leaves', (pair) => {
  const dialect = pair.provider as Dialect

  it.each(KINDS[dialect].filter(({ name }) => !WITHOUT_OUTPUT[dialect].test(name)))(
    'is charged what its bytes say: $name',
    async ({ bytes, events }) => {
      expect(bytes).toBeGreaterThanOrEqual(PAYLOAD.length)
      const reader = readerOf(pair)
      reader.push(sse([...BEGIN[dialect], ...events]))
      const least = estimateOutputTokens(bytes)
      expect(await leftNow(reader)).toBeGreaterThanOrEqual(least)
      expect(await isStopped(reader, least)).toBe(true)
    },
  )

  it('has no other kind without output than those that are known', () => {
    const empty = KINDS[dialect].filter(({ name, bytes }) => bytes === 0 && !WITHOUT_OUTPUT[dialect].test(name))
    expect(empty).toEqual([])
  })
})
