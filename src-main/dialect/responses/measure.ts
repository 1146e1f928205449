// What a model generated in the responses format. Used for estimates only, where a provider reports no usage. The texts of a stream are
// followed by its items; what else its events and items hold is counted here, once, although items repeat what their events said.

import type { OtherOutput } from '#dialect/other-output.ts'
import {
  addMembers,
  eachMember,
  outputRules,
  SizeOf,
  text,
  type OutputRules,
  type OutputSink,
} from '#dialect/output-rules.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { OutputItem } from '#dialect/responses/output-item.ts'
import type { JsonObject } from '#dialect/turn.ts'

const IN_PART = 'type logprobs'
const IN_ITEM =
  'type id status role call_id phase object namespace created_by agent server_label container_id execution approval_request_id'
const IN_EVENT =
  'type sequence_number item_id output_index content_index summary_index annotation_index command_index partial_image_index ' +
  'obfuscation logprobs model response status size quality background output_format'

const PARTS = eachMember(outputRules({ text, refusal: text }, IN_PART))
const WHOLE_ITEM = outputRules(
  { name: text, arguments: text, input: text, code: text, content: PARTS, summary: PARTS },
  IN_ITEM,
)

/** Adds what a whole answer's output items hold. */
export function addGeneratedOutput(sink: OutputSink, output: readonly unknown[]): void {
  for (const item of output) if (isRecord(item)) addMembers(sink, item, WHOLE_ITEM)
}

/** Events and items without the texts that the items of a stream follow. */
const BESIDE_PIECE = outputRules({}, `${IN_EVENT} delta text refusal arguments input code name part`)
const OTHER_EVENT = outputRules({}, IN_EVENT)
const BESIDE_TEXT_OF_PART = outputRules({}, `${IN_PART} text refusal`)
const BESIDE_PARTS = eachMember(BESIDE_TEXT_OF_PART)
const OTHER_ITEM = outputRules({}, `${IN_ITEM} name`)
const BESIDE_TEXT: ReadonlyMap<unknown, OutputRules> = new Map([
  ['message', outputRules({ content: BESIDE_PARTS }, `${IN_ITEM} name`)],
  ['reasoning', outputRules({ content: BESIDE_PARTS, summary: BESIDE_PARTS }, `${IN_ITEM} name`)],
  ['function_call', outputRules({}, `${IN_ITEM} name arguments`)],
  ['mcp_call', outputRules({}, `${IN_ITEM} name arguments`)],
  ['custom_tool_call', outputRules({}, `${IN_ITEM} name input`)],
  ['code_interpreter_call', outputRules({}, `${IN_ITEM} name code`)],
])

/** The last word of events that say again what those before them said. */
const REPEATING: ReadonlySet<string> = new Set(['done', 'completed', 'failed', 'incomplete'])
/** More than any answer has; beyond it repetitions count. */
const MAX_PLACES = 8192

export class BesideText {
  readonly #sink: OutputSink
  /** How many bytes each item said, and each kind of event within it. */
  readonly #said = new Map<string, number>()

  constructor(sink: OutputSink) {
    this.#sink = sink
  }

  /** What an event inside an item holds; `isPiece` where its text is followed. Returns whether that is anything. */
  event(type: string, event: JsonObject, isPiece: boolean): boolean {
    if (isPiece && !hasMore(event)) return false
    const size = new SizeOf(this.#sink)
    addMembers(size, event, isPiece ? BESIDE_PIECE : OTHER_EVENT)
    const { part } = event
    if (isPiece && isRecord(part)) addMembers(size, part, BESIDE_TEXT_OF_PART)
    if (size.bytes === 0) return false
    const item = itemKey(event['output_index'], event['item_id'])
    const end = type.lastIndexOf('.')
    const { content_index: content, summary_index: summary = content, command_index: index = summary } = event
    const place = `${item} ${typeof index === 'number' ? index : ''} ${type.slice(0, end)}`
    const isRepeating = REPEATING.has(type.slice(end + 1))
    const news = this.#take(place, size, isRepeating)
    this.#said.set(item, (this.#said.get(item) ?? 0) + news)
    return true
  }

  /** What an item holds that its events did not say. */
  item(known: OutputItem, item: JsonObject): void {
    const size = new SizeOf(this.#sink)
    addMembers(size, item, BESIDE_TEXT.get(item['type']) ?? OTHER_ITEM)
    if (size.bytes > 0) this.#take(itemKey(known.index, item['id']), size, true)
  }

  #take(place: string, { bytes, media }: OtherOutput, isRepeating: boolean): number {
    const said = this.#said.get(place) ?? 0
    const news = isRepeating ? Math.max(0, bytes - said) : bytes
    if (this.#said.size < MAX_PLACES || said > 0) this.#said.set(place, said + news)
    this.#sink.addOther({ bytes: news, media: news < bytes ? undefined : media })
    return news
  }
}

/** Nearly no event has: this is asked for each. */
function hasMore(event: JsonObject): boolean {
  for (const name in event) if (name === 'part' || !BESIDE_PIECE.has(name)) return true
  return false
}

function itemKey(index: unknown, id: unknown): string {
  return typeof index === 'number' ? String(index) : typeof id === 'string' ? id : ''
}
