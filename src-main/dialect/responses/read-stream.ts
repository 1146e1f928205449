// Reads a provider's stream of the responses format into parts. The answer is built of the events of its items: what the
// terminal event repeats is empty at some providers, and only what was not told before is read from it.

import { UpstreamFailure } from '#core/failure.ts'
import type { PartReader } from '#dialect/dialect.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { reportedFailure } from '#dialect/responses/errors.ts'
import { readFinish } from '#dialect/responses/finish-reasons.ts'
import { OutputItems } from '#dialect/responses/output-items.ts'
import { readResponsesUsage } from '#dialect/responses/usage.ts'
import { isDone } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

export class ResponsesPartReader implements PartReader {
  readonly #items: OutputItems
  #hasStarted = false
  /** What was said of the usage before anything else was. */
  #early: readonly AnswerPart[] = []
  isComplete = false

  constructor(newCallId: () => string, generated?: GeneratedText) {
    this.#items = new OutputItems(newCallId, generated)
  }

  get hasEnded(): boolean {
    return this.isComplete
  }

  read(data: string, event: string | undefined): readonly AnswerPart[] {
    if (this.isComplete || isDone(data)) return []
    const value = parseJson(data)
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    const type = typeof value['type'] === 'string' ? value['type'] : (event ?? '')
    const parts = this.#read(type, value)
    if (this.#hasStarted) return parts
    // A stream that only says that it was created may still fail, and nothing of it should have been sent then.
    if (parts.every((part) => part.type === 'usage')) {
      this.#early = [...this.#early, ...parts].slice(-1)
      return []
    }
    this.#hasStarted = true
    return [{ type: 'start' }, ...this.#early, ...parts]
  }

  end(): readonly AnswerPart[] {
    if (this.isComplete) return []
    throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
  }

  #read(type: string, value: JsonObject): AnswerPart[] {
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return isRecord(value['response']) ? usageParts(value['response']) : []
      case 'response.completed':
        return this.#complete(value['response'], false)
      case 'response.incomplete':
        return this.#complete(value['response'], true)
      case 'response.failed':
        throw reportedFailure(isRecord(value['response']) ? value['response']['error'] : undefined)
      case 'response.output_item.added':
        return isRecord(value['item']) ? this.#items.added(value, value['item']) : []
      case 'response.output_item.done':
        return isRecord(value['item']) ? this.#items.done(value, value['item']) : []
      case 'response.output_text.annotation.added':
        return this.#items.cited(type, value)
      case 'error':
        throw reportedFailure(value['error'] ?? value)
    }
    // Compatible servers report errors in the form of chat completions, which names no type.
    if (type === '' && isRecord(value['error'])) throw reportedFailure(value['error'])
    return this.#items.read(type, value)
  }

  #complete(response: unknown, isIncomplete: boolean): AnswerPart[] {
    if (!isRecord(response)) throw new UpstreamFailure('malformed', 'The provider sent an end without a response.')
    const { output } = response
    const late = Array.isArray(output) ? this.#items.final(output) : []
    const parts = [...late, ...endOf(this.#items, response, isIncomplete)]
    this.isComplete = true
    return parts
  }
}

/** The parts of whole items. */
export function wholeItems(items: OutputItems, output: readonly unknown[]): AnswerPart[] {
  return output.flatMap((item, index) => (isRecord(item) ? items.done({ output_index: index }, item) : []))
}

/** The parts that end an answer, from its final response. */
export function endOf(items: OutputItems, response: JsonObject, isIncomplete: boolean): AnswerPart[] {
  const parts = items.end({ isCut: isIncomplete })
  const reason = readFinish(isIncomplete ? incompleteReason(response) : undefined, items.hasToolCalls)
  return [...parts, ...usageParts(response), { type: 'finish', choice: 0, reason }]
}

function usageParts(response: JsonObject): AnswerPart[] {
  const usage = readResponsesUsage(response['usage'], response)
  return usage === undefined ? [] : [{ type: 'usage', usage }]
}

/** Some leave out why a response is incomplete. */
function incompleteReason({ incomplete_details: details }: JsonObject): string {
  const reason = isRecord(details) ? details['reason'] : undefined
  return typeof reason === 'string' ? reason : 'max_output_tokens'
}
