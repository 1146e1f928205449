// What the events of a stream say that have a type and no choices, for passing them on: images and sound as they are made.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { chatStreamError } from '#dialect/chat-completions/errors.ts'
import { reportedErrorIn } from '#dialect/chat-completions/reported-error.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import type { StreamTap } from '#dialect/pass-stream.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { KEEP_ALIVE } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

export type TypedEvents = {
  /** The types of the events that end what was asked for. */
  readonly ends: readonly string[]
  /** How many of these there are. */
  readonly times: number
  /** The usage that such an event tells, with the number of those that came. */
  usage(event: JsonObject, times: number): TokenUsage
  /** The text that an event brings, where it is text that is made. */
  text?(event: JsonObject): unknown
  /** Reads an event without a type; undefined where it is none of these either. */
  untyped?(event: JsonObject): UntypedEvent | undefined
}

/** What an event says that has no type. Behind the one that ends what was asked for may be one with the usage. */
export type UntypedEvent = {
  readonly text: unknown
  readonly isEnd: boolean
  readonly usage: TokenUsage | undefined
}

export class TypedEventTap implements StreamTap {
  readonly #events: TypedEvents
  #times = 0
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  readonly said = undefined
  hasBegun = false
  isComplete = false

  constructor(events: TypedEvents) {
    this.#events = events
  }

  read(event: string, value: JsonObject): string {
    const { type, error } = value
    if (type === 'error' || (error !== undefined && error !== null)) throw reportedErrorIn(event)
    if (typeof type !== 'string') return this.#readUntyped(event, value)
    this.hasBegun = true
    const text = this.#events.text?.(value)
    if (typeof text === 'string') this.generated.add(text)
    if (!this.#events.ends.includes(type)) return event
    this.#times += 1
    this.reported.note(this.#events.usage(value, this.#times))
    this.isComplete = this.#times >= this.#events.times
    return event
  }

  #readUntyped(event: string, value: JsonObject): string {
    const read = this.#events.untyped?.(value)
    if (read === undefined) throw new UpstreamFailure('malformed', 'The provider sent an event without a type.')
    this.hasBegun = true
    if (typeof read.text === 'string') this.generated.add(read.text)
    this.reported.note(read.usage)
    if (read.isEnd) {
      this.#times += 1
      this.reported.noteEnd()
    }
    return event
  }

  again(event: string): string {
    return event
  }

  readDone(): void {
    if (this.#times === 0) throw new UpstreamFailure('malformed', 'The provider sent a stream without an answer.')
    this.isComplete = true
  }

  end(): string | undefined {
    if (this.#times === 0) return undefined
    this.isComplete = true
    return ''
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return chatStreamError(refusal, requestId)
  }

  /** Nothing of it is capped, so that it is never ended early. */
  cutShort(): string {
    return ''
  }

  keepAlive(): string | undefined {
    return this.hasBegun ? KEEP_ALIVE : undefined
  }
}
