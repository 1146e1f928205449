// Passes a stream on in its own dialect while reading along: every event is checked before the client sees it, and the terminal event
// is held back until the charge is on disk. What an event means says the dialect's tap.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { MAX_ANSWER_BYTES, type AnswerReader, type WireBytes } from '#dialect/answer.ts'
import { EventMould, type SaidText } from '#dialect/event-mould.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { eventData, EventSplitter, isDone } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What the events of one dialect mean. Methods throw UpstreamFailure for what is not of the dialect. */
export interface StreamTap {
  readonly generated: GeneratedText
  readonly reported: ReportedUsage
  /** True once the answer has begun. What came until then is kept: the answer may still fail as a whole. */
  readonly hasBegun: boolean
  /** True once the terminal event was read. */
  readonly isComplete: boolean
  /** True where the terminal event says that the answer failed. */
  readonly hasFailed?: boolean
  /** What the client gets behind the terminal event. */
  readonly trailer?: string
  /**
   * Takes note of an event, as it came and as its data says, and returns what of it the client gets. Of a terminal event it gets
   * all, once the charge is on disk. Texts have one character for each byte (latin1).
   */
  read(event: string, value: JsonObject): string
  /** What that event said, where it said nothing but a piece of text, so that saying it again changes nothing else. */
  readonly said: SaidText | undefined
  /** Takes note of an event that says the same as the last one but for this, and returns what of it the client gets. */
  again(event: string, said: SaidText): string
  /** The same for `[DONE]`, in dialects that have it. None of it is sent unless it is the terminal event. */
  readDone?(): void
  /** The provider's end without a terminal event: the one that the client gets where the answer is complete all the same. */
  end?(): string | undefined
  /** The event that tells that the answer broke off. `byteLength` is how much of it had come. */
  fail(refusal: Refusal, requestId: string, byteLength: number): Buffer
  /** The valid end of an answer that Farebox ends here. */
  cutShort(usage: TokenUsage): string
  /** An event that shows the client that its stream is alive; undefined where it is too early for one. It begins the answer. */
  keepAlive(): string | undefined
}

/** In a stream with so many events in a row that are like none before them, likeness is looked for no longer. */
const MAX_UNLIKE = 32

export class PassStream implements AnswerReader {
  readonly #tap: StreamTap
  readonly #splitter = new EventSplitter()
  #length = 0
  /** What came before the answer began. */
  #early = ''
  #final = ''
  /** Of the last event, if it said nothing but text. */
  #mould: EventMould | undefined
  #unlike = 0
  readonly generated: GeneratedText
  readonly reported: ReportedUsage
  isComplete = false

  constructor(tap: StreamTap) {
    this.#tap = tap
    this.generated = tap.generated
    this.reported = tap.reported
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  get hasFailed(): boolean {
    return this.#tap.hasFailed === true
  }

  push(chunk: Buffer): WireBytes | undefined {
    if (this.isComplete) return undefined
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES) throw new UpstreamFailure('too_large', 'The provider sent too long a stream.')
    const hadRest = this.#splitter.rest !== ''
    const events = this.#splitter.push(chunk.toString('latin1'))
    let kept = this.#early
    let isWhole = !hadRest && this.#splitter.rest === '' && kept === ''
    for (const event of events) {
      const passed = this.#read(event)
      if (passed !== event) isWhole = false
      kept += passed
    }
    const { hasBegun } = this.#tap
    this.#early = hasBegun ? '' : kept
    if (!hasBegun) return undefined
    if (isWhole) return events.length === 0 ? undefined : chunk
    return kept === '' ? undefined : kept
  }

  end(): void {
    // Some servers leave out the blank line behind their last event.
    if (!this.isComplete && this.#splitter.rest.trim() !== '') {
      const passed = this.#read(`${this.#splitter.rest}\n\n`)
      if (!this.isComplete) this.#final = passed
    }
    if (this.isComplete) return
    const end = this.#tap.end?.()
    if (end === undefined)
      throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
    this.#final += end
    this.#complete()
  }

  final(): string {
    return this.#early + this.#final + (this.#tap.trailer ?? '')
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return Buffer.concat([Buffer.from(this.#early, 'latin1'), this.#tap.fail(refusal, requestId, this.#length)])
  }

  cutShort(usage: TokenUsage): string {
    return this.#early + this.#tap.cutShort(usage)
  }

  keepAlive(): string | undefined {
    const event = this.#splitter.rest === '' ? this.#tap.keepAlive() : undefined
    if (event === undefined) return undefined
    const early = this.#early
    this.#early = ''
    return early + event
  }

  /** Takes note of one event and returns what of it the client gets now. */
  #read(event: string): string {
    if (this.isComplete) return ''
    if (this.#mould?.fits(event) === true) {
      this.#unlike = 0
      return this.#tap.again(event, this.#mould)
    }
    const data = eventData(event)
    if (data === undefined) return event
    const passed = this.#tapped(event, data)
    this.#mould = this.#newMould(event)
    if (!this.#tap.isComplete) return passed
    this.#final = event
    this.#complete()
    return ''
  }

  #tapped(event: string, data: string): string {
    if (isDone(data) && this.#tap.readDone !== undefined) {
      this.#tap.readDone()
      return ''
    }
    const value = parseJson(data)
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    return this.#tap.read(event, value)
  }

  #newMould(event: string): EventMould | undefined {
    const { said } = this.#tap
    if (said === undefined || this.#unlike > MAX_UNLIKE) return undefined
    this.#unlike += 1
    return EventMould.of(event, said)
  }

  #complete(): void {
    this.isComplete = true
    this.reported.noteComplete()
  }
}
