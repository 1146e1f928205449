// What the events of a stream in the messages format say, for passing it on. Usage is taken from wherever it stands.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { SaidText } from '#dialect/event-mould.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { messagesStreamError, reportedFailure } from '#dialect/messages/errors.ts'
import { stopMembers } from '#dialect/messages/finish-reasons.ts'
import { addBeside, addGeneratedBlock, addGeneratedDelta } from '#dialect/messages/measure.ts'
import { eventUsage, readMessagesUsage, readStartUsage, writeMessagesUsage } from '#dialect/messages/usage.ts'
import type { StreamTap } from '#dialect/pass-stream.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Shows a client that its stream is alive; clients of this format know it and skip it. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n'

/** More than any provider keeps open. */
const MAX_OPEN = 1000

export class MessagesTap implements StreamTap {
  /** The indexes of the blocks that are open. */
  #openBlocks: unknown[] = []
  /** Whether the stream has said already why it ends. */
  #hasReason = false
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  said: SaidText | undefined
  /** Comments and pings before `message_start` are no part of an answer yet. */
  hasBegun = false
  isComplete = false

  read(event: string, value: JsonObject): string {
    const bytesBefore = this.generated.bytes
    this.#note(value)
    const { bytes, latest } = this.generated
    const isText = value['type'] === 'content_block_delta' && bytes - bytesBefore === latest.length
    this.said = isText ? { text: latest, sequence: undefined } : undefined
    return event
  }

  again(event: string, { text }: SaidText): string {
    this.generated.add(text)
    return event
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return Buffer.from(messagesStreamError(refusal, requestId))
  }

  cutShort(usage: TokenUsage): string {
    const stop = this.#openBlocks.map((index) => ownEvent('content_block_stop', { index })).join('')
    const { stop_reason, stop_sequence } = stopMembers('max_tokens', undefined)
    const reason = { delta: { stop_reason, stop_sequence }, usage: writeMessagesUsage(usage) }
    return stop + (this.#hasReason ? '' : ownEvent('message_delta', reason)) + ownEvent('message_stop', {})
  }

  keepAlive(): string | undefined {
    return this.hasBegun ? PING : undefined
  }

  #note(value: JsonObject): void {
    switch (value['type']) {
      case 'message_start': {
        const message = value['message']
        const isFirst = !this.hasBegun
        this.hasBegun = true
        if (isFirst && isRecord(message)) this.#noteContent(message['content'])
        this.#noteUsage(isRecord(message) ? readStartUsage(message['usage']) : undefined)
        return
      }
      case 'content_block_start':
        this.#expectBegun()
        if (this.#openBlocks.length < MAX_OPEN) this.#openBlocks.push(value['index'])
        addGeneratedBlock(this.generated, value['content_block'])
        addBeside(this.generated, value)
        return
      case 'content_block_delta':
        this.#expectBegun()
        addGeneratedDelta(this.generated, value['delta'])
        addBeside(this.generated, value)
        return
      case 'content_block_stop':
        this.#stop(value['index'])
        return
      case 'message_delta':
        this.#expectBegun()
        addBeside(this.generated, value)
        this.#noteUsage(readMessagesUsage(value['usage']))
        if (!hasStopReason(value['delta'])) return
        this.#hasReason = true
        this.reported.noteEnd()
        return
      case 'message_stop':
        this.#expectBegun()
        this.isComplete = true
        return
      case 'error':
        throw reportedFailure(value, 'latin1')
      default:
        // Pings, and events that are newer than this code.
        if (isRecord(value['error'])) throw reportedFailure(value, 'latin1')
        // Behind the counts nothing more is generated.
        if (!this.#hasReason) addBeside(this.generated, value)
    }
  }

  #noteContent(content: unknown): void {
    if (Array.isArray(content)) for (const block of content) addGeneratedBlock(this.generated, block)
  }

  /** Without an index it is the latest block that ends. */
  #stop(index: unknown): void {
    const open = this.#openBlocks
    this.#openBlocks = index === undefined ? open.slice(0, -1) : open.filter((other) => other !== index)
  }

  #noteUsage(usage: TokenUsage | undefined): void {
    this.reported.note(eventUsage(this.reported.usage, usage))
  }

  /** Clients throw on anything that comes before `message_start`; while nothing was sent, another target can still answer. */
  #expectBegun(): void {
    if (!this.hasBegun) throw new UpstreamFailure('malformed', 'The provider sent an answer without its beginning.')
  }
}

/** Some servers send counts in deltas of their own, whose reason is null. */
function hasStopReason(delta: unknown): boolean {
  const reason = isRecord(delta) ? delta['stop_reason'] : undefined
  return typeof reason === 'string' && reason !== ''
}

function ownEvent(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}
