// What the events of a stream of the responses format say, for passing it on: usage is taken from the terminal event, and the items
// are followed so that a stream that breaks off can be ended.

import { isAboutAccount, UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { SaidText } from '#dialect/event-mould.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import type { StreamTap } from '#dialect/pass-stream.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isOtherOverflow, reportedFailure, responseErrorOf } from '#dialect/responses/errors.ts'
import type { PassKeeper } from '#dialect/responses/kept-pass.ts'
import { PassedItems } from '#dialect/responses/passed-items.ts'
import { echoOf } from '#dialect/responses/response-object.ts'
import { DONE, keepAliveEvent, MAX_REPEATED, streamEvent } from '#dialect/responses/stream-event.ts'
import { readResponsesUsage, writeResponsesUsage } from '#dialect/responses/usage.ts'
import { eventData } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

type Asked = { readonly model: string; readonly body: { readonly value: JsonObject } }

export class ResponsesTap implements StreamTap {
  readonly #asked: Asked
  readonly #keep: PassKeeper | undefined
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  readonly #items = new PassedItems(this.generated)
  said: SaidText | undefined
  #sequence = 0
  #response: JsonObject = {}
  /** An error that came after the begin. OpenAI sends `response.failed` behind it; others end their stream. */
  #reported: UpstreamFailure | undefined
  #hasEvent = false
  /** That a response was created is no part of its answer yet, which begins with its first content. */
  hasBegun = false
  isComplete = false
  hasFailed = false

  /** The response that ends a broken stream repeats what was asked for. */
  constructor(asked: Asked = { model: '', body: { value: {} } }, keep?: PassKeeper) {
    this.#asked = asked
    this.#keep = keep
  }

  /** The contract promises `[DONE]` behind the terminal event, which most providers do not send. */
  get trailer(): string {
    return DONE
  }

  read(event: string, value: JsonObject): string {
    this.#hasEvent = true
    const sequence = value['sequence_number']
    const isNumbered = typeof sequence === 'number' && Number.isSafeInteger(sequence)
    if (isNumbered) this.#sequence = sequence
    this.#note(event, value)
    const text = this.#items.saidBy(value)
    this.said = text === undefined ? undefined : { text, sequence: isNumbered ? sequence : undefined }
    return event
  }

  again(event: string, { text, sequence }: SaidText): string {
    this.#sequence = sequence ?? this.#sequence
    this.#items.again(text)
    return event
  }

  /** It is no end: that is the terminal event. */
  readDone(): void {}

  end(): undefined {
    if (this.#reported !== undefined) throw this.#reported
  }

  /** Every item that was begun is ended, marked incomplete, and stands in the output; but for answers that are too long for that. */
  fail(refusal: Refusal, requestId: string, byteLength: number): Buffer {
    const isRepeated = byteLength <= MAX_REPEATED
    const known = textsOf(this.#response)
    const text = isRepeated ? this.#close('all') : ''
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
    const isNew = !this.hasBegun && this.#response['id'] === undefined
    // Readers of the format know no stream that ends before it was created.
    const begin = isNew ? this.#beginning(response) : ''
    const failed = begin + streamEvent('response.failed', ++this.#sequence, `"response":${JSON.stringify(response)}`)
    return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(failed)])
  }

  /** The events with which every stream begins, of one whose provider sent none. */
  #beginning(response: JsonObject): string {
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
    const text = this.#close('messages')
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
    if (!this.#hasEvent || this.isComplete) return undefined
    this.hasBegun = true
    return keepAliveEvent(this.#sequence)
  }

  #note(event: string, value: JsonObject): void {
    switch (value['type']) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        if (isRecord(value['response'])) {
          this.#response = value['response']
          this.reported.note(readResponsesUsage(this.#response['usage'], this.#response))
        }
        return
      case 'keepalive':
        return
      case 'response.failed':
        this.#expectPassable(event)
        this.hasFailed = true
        return this.#complete(value)
      case 'response.completed':
      case 'response.incomplete':
        return this.#complete(value)
      case 'error':
      case undefined:
        if (value['type'] === undefined && !isRecord(value['error'])) break
        this.#reported = this.#expectPassable(event)
        break
    }
    this.hasBegun = true
    if (value['type'] !== 'error') this.#items.note(typeof value['type'] === 'string' ? value['type'] : '', value)
  }

  /**
   * Before the begin the answer fails as a whole; what a provider has against our account is never passed on, and that a context is
   * full is told by the code that Codex goes by.
   */
  #expectPassable(event: string): UpstreamFailure {
    const error = errorIn(event)
    const failure = reportedFailure(error)
    if (!this.hasBegun || isAboutAccount(failure) || isOtherOverflow(error)) throw failure
    return failure
  }

  #complete({ response }: JsonObject): void {
    // Clients take the answer's id, usage and error from here, and break without it.
    if (!isRecord(response)) throw new UpstreamFailure('malformed', 'The provider ended its stream without a response.')
    const { output, usage } = response
    if (Array.isArray(output)) this.#items.final(output)
    if (!this.hasFailed) this.#keep?.(response, this.#items.output())
    this.reported.note(readResponsesUsage(usage, response))
    this.isComplete = true
  }
}

/** The error that an event reports, flat or in a member. */
function errorIn(event: string): unknown {
  const value = parseJson(fromBytes(eventData(event) ?? ''))
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
