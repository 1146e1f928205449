// Reads a stream of Converse: as the events of messages that it would be. Only calls have an event with which they begin; any other
// block begins with its first piece. The counts come behind the end of the message.

import { UpstreamFailure } from '#core/failure.ts'
import { isException, reportedFailure } from '#dialect/bedrock-converse/errors.ts'
import { messagesToolUse } from '#dialect/bedrock-converse/tool-use.ts'
import { messagesStopReason, messagesUsage } from '#dialect/bedrock-converse/usage.ts'
import type { PartReader } from '#dialect/dialect.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

const EVENTS: ReadonlySet<string> = new Set([
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
])

export class ConversePartReader implements PartReader {
  readonly #reader: MessagesPartReader
  readonly #begun = new Set<unknown>()

  constructor(newCallId: () => string, generated?: GeneratedText) {
    this.#reader = new MessagesPartReader(newCallId, generated)
  }

  get hasEnded(): boolean {
    return this.#reader.hasEnded
  }

  get isComplete(): boolean {
    return this.#reader.isComplete
  }

  get droppedPieces(): number {
    return this.#reader.droppedPieces
  }

  read(data: string, event: string | undefined): readonly AnswerPart[] {
    if (this.isComplete) return []
    if (isException(event)) throw reportedFailure(event, parseJson(data))
    const value = parseJson(data)
    // What is newer than this code may hold anything. It counts by its bytes.
    if (event !== undefined && !EVENTS.has(event)) return this.#reader.readEvent({ type: event, event: value })
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    return this.#eventsOf(event, value).flatMap((one) => this.#reader.readEvent(one))
  }

  end(): readonly AnswerPart[] {
    return this.#reader.end()
  }

  #eventsOf(event: string | undefined, value: JsonObject): readonly JsonObject[] {
    const index = value['contentBlockIndex']
    switch (event) {
      case 'messageStart':
        return [{ type: 'message_start', message: {} }]
      case 'contentBlockStart':
        return this.#beginCall(index, recordOf(value['start'])['toolUse'])
      case 'contentBlockDelta':
        return this.#delta(index, recordOf(value['delta']))
      case 'contentBlockStop':
        return [{ type: 'content_block_stop', index }]
      case 'messageStop':
        return [{ type: 'message_delta', delta: { stop_reason: messagesStopReason(value['stopReason']) } }]
      case 'metadata':
        return [{ type: 'message_delta', usage: messagesUsage(value['usage']) }, { type: 'message_stop' }]
      default:
        return []
    }
  }

  #delta(index: unknown, delta: JsonObject): readonly JsonObject[] {
    const { text, toolUse, reasoningContent } = delta
    const piece = (said: JsonObject) => ({ type: 'content_block_delta', index, delta: said })
    if (typeof text === 'string') return [...this.#begin(index, { type: 'text' }), piece({ type: 'text_delta', text })]
    if (isRecord(toolUse)) return [piece({ type: 'input_json_delta', partial_json: toolUse['input'] })]
    if (!isRecord(reasoningContent)) return [piece(delta)]
    const { text: thinking, signature, redactedContent } = reasoningContent
    if (typeof redactedContent === 'string') {
      return this.#begin(index, { type: 'redacted_thinking', data: redactedContent })
    }
    return [
      ...this.#begin(index, { type: 'thinking' }),
      ...(typeof thinking === 'string' ? [piece({ type: 'thinking_delta', thinking })] : []),
      ...(typeof signature === 'string' ? [piece({ type: 'signature_delta', signature })] : []),
    ]
  }

  /** All but calls begin with their first piece, whatever a server says of them before. */
  #beginCall(index: unknown, toolUse: unknown): readonly JsonObject[] {
    return isRecord(toolUse) ? this.#begin(index, messagesToolUse(toolUse)) : []
  }

  #begin(index: unknown, block: JsonObject): readonly JsonObject[] {
    if (this.#begun.has(index)) return []
    this.#begun.add(index)
    return [{ type: 'content_block_start', index, content_block: block }]
  }
}
