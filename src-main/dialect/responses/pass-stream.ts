// Passes a stream of the responses format through while reading along: every event is checked before the client sees it,
// usage is taken from the terminal event, and that event is held back until the charge is on disk.

import { isAboutAccount, UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { MAX_ANSWER_BYTES, type AnswerReader, type WireBytes } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isOtherOverflow, reportedFailure, responseErrorOf } from '#dialect/responses/errors.ts'
import { PassedItems } from '#dialect/responses/passed-items.ts'
import { echoOf } from '#dialect/responses/response-object.ts'
import { DONE, keepAliveEvent, MAX_REPEATED, streamEvent } from '#dialect/responses/stream-event.ts'
import { readResponsesUsage, writeResponsesUsage } from '#dialect/responses/usage.ts'
import { eventData, EventSplitter } from '#dialect/sse.ts'

type Event = Readonly<Record<string, unknown>>
type Asked = { readonly model: string; readonly body: { readonly value: Event } }

export class ResponsesPassStream implements AnswerReader {
  readonly #splitter = new EventSplitter()
  #length = 0
  /** What came before the answer's first content. Until it is sent the answer may still fail as a whole. */
  #early = ''
  #hasEvent = false
  #hasBegun = false
  #final = ''
  #sequence = 0
  #response: Event = {}
  readonly #asked: Asked
  /** An error that came after the begin. OpenAI sends `response.failed` behind it; others end their stream. */
  #reported: UpstreamFailure | undefined
  readonly generated = new GeneratedText('latin1')
  readonly #items = new PassedItems(this.generated)
  readonly reported = new ReportedUsage(this.generated)
  isComplete = false
  hasFailed = false

  /** The response that ends a broken stream repeats what was asked for. */
  constructor(asked: Asked = { model: '', body: { value: {} } }) {
    this.#asked = asked
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
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
    this.#early = this.#hasBegun ? '' : kept
    if (!this.#hasBegun) return undefined
    if (isWhole) return events.length === 0 ? undefined : chunk
    return kept === '' ? undefined : kept
  }

  end(): void {
    // Some servers leave out the blank line behind their last event.
    if (!this.isComplete && this.#splitter.rest.trim() !== '') this.#read(`${this.#splitter.rest}\n\n`)
    if (this.isComplete) return
    throw (
      this.#reported ?? new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
    )
  }

  /** The contract promises `[DONE]` behind the terminal event, which most providers do not send. */
  final(): string {
    return this.#early + this.#final + DONE
  }

  /** Every item that was begun is ended, marked incomplete, and stands in the output; but for answers that are too long for that. */
  fail(refusal: Refusal, requestId: string): Buffer {
    const isRepeated = this.#length <= MAX_REPEATED
    const known = textsOf(this.#response)
    // Readers of the format know no stream that ends before it was created.
    let text = this.#hasBegun ? '' : this.#early
    if (isRepeated) text += this.#close('all')
    const response = {
      id: `resp_${requestId}`,
      object: 'response',
      created_at: 0,
      ...echoOf(this.#asked.model, this.#asked.body.value),
      ...(isRecord(known) ? known : {}),
      status: 'failed',
      error: responseErrorOf(refusal),
      incomplete_details: null,
      output: isRepeated ? textsOf(this.#items.output()) : [],
      usage: null,
    }
    const isNew = !this.#hasBegun && this.#response['id'] === undefined
    const begin = isNew ? this.#beginning(response) : ''
    const failed = begin + streamEvent('response.failed', ++this.#sequence, `"response":${JSON.stringify(response)}`)
    return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(failed)])
  }

  /** The events with which every stream begins, of one whose provider sent none. */
  #beginning(response: Event): string {
    const created = `"response":${JSON.stringify({ ...response, status: 'in_progress', error: null })}`
    return (
      streamEvent('response.created', this.#sequence, created) +
      streamEvent('response.in_progress', ++this.#sequence, created)
    )
  }

  /**
   * A text that is open is ended with its item, marked incomplete. Any other open item is left as it is: clients run a call
   * as soon as its item is done.
   */
  cutShort(usage: TokenUsage): string {
    const text = this.#early + this.#close('messages')
    const output = this.#items.output()
    const ending = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const response = { ...this.#response, ...ending, output, usage: writeResponsesUsage(usage) }
    return text + streamEvent('response.incomplete', ++this.#sequence, `"response":${JSON.stringify(response)}`) + DONE
  }

  #close(which: 'messages' | 'all'): string {
    return this.#items
      .close(which)
      .map(({ type, members }) => streamEvent(type, ++this.#sequence, JSON.stringify(members).slice(1, -1)))
      .join('')
  }

  /** Codex counts events, not bytes: a comment would not keep it waiting. */
  keepAlive(): string | undefined {
    if (!this.#hasEvent || this.isComplete || this.#splitter.rest !== '') return undefined
    const early = this.#early
    this.#early = ''
    this.#hasBegun = true
    return early + keepAliveEvent(this.#sequence)
  }

  /** Takes note of one event and returns what of it the client gets now. */
  #read(event: string): string {
    if (this.isComplete) return ''
    const data = eventData(event)
    if (data === undefined) return event
    if (data === '[DONE]') return ''
    const value = parseJson(data)
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    this.#hasEvent = true
    const sequence = value['sequence_number']
    if (typeof sequence === 'number' && Number.isSafeInteger(sequence)) this.#sequence = sequence
    return this.#pass(event, data, value)
  }

  #pass(event: string, data: string, value: Event): string {
    switch (value['type']) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        if (isRecord(value['response'])) {
          this.#response = value['response']
          this.reported.note(readResponsesUsage(this.#response['usage']))
        }
        return event
      case 'keepalive':
        return event
      case 'response.failed':
        this.#expectPassable(data)
        this.hasFailed = true
        return this.#complete(event, value)
      case 'response.completed':
      case 'response.incomplete':
        return this.#complete(event, value)
      case 'error':
      case undefined:
        if (value['type'] === undefined && !isRecord(value['error'])) break
        this.#reported = this.#expectPassable(data)
        break
    }
    this.#hasBegun = true
    if (typeof value['type'] === 'string') this.#items.note(value['type'], value)
    return event
  }

  /**
   * Before the begin the answer fails as a whole; what a provider has against our account is never passed on, and that a context is
   * full is told by the code that Codex goes by.
   */
  #expectPassable(data: string): UpstreamFailure {
    const error = errorIn(data)
    const failure = reportedFailure(error)
    if (!this.#hasBegun || isAboutAccount(failure) || isOtherOverflow(error)) throw failure
    return failure
  }

  #complete(event: string, value: Event): '' {
    const response = value['response']
    // Clients take the answer's id, usage and error from here, and break without it.
    if (!isRecord(response)) throw new UpstreamFailure('malformed', 'The provider ended its stream without a response.')
    const { output, usage } = response
    if (Array.isArray(output)) this.#items.final(output)
    this.reported.note(readResponsesUsage(usage))
    this.reported.noteComplete()
    this.isComplete = true
    this.#final = event
    return ''
  }
}

/** The error that an event reports, flat or in a member. */
function errorIn(data: string): unknown {
  const value = parseJson(fromBytes(data))
  if (!isRecord(value)) return undefined
  const { response, error } = value
  return isRecord(response) ? response['error'] : (error ?? value)
}

/** The same value with its texts as they are meant, not one character for each byte. */
function textsOf(value: unknown): unknown {
  return parseJson(fromBytes(JSON.stringify(value)))
}

function fromBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}
