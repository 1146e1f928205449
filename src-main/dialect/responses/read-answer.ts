// Reads a provider's whole response into parts, with the same mapping as a stream's items.

import type { AnswerPart } from '#dialect/part.ts'
import { OutputItems } from '#dialect/responses/output-items.ts'
import { readWholeOutput } from '#dialect/responses/pass-answer.ts'
import { endOf, wholeItems } from '#dialect/responses/read-stream.ts'
import { reportedFailure } from '#dialect/responses/errors.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Throws UpstreamFailure for what is no response, for one that failed and for one that is not finished. */
export function readResponsesAnswer(answer: JsonObject, newCallId: () => string): readonly AnswerPart[] {
  const { response, items: output } = readWholeOutput(answer)
  if (response['status'] === 'failed') throw reportedFailure(undefined)
  const items = new OutputItems(newCallId)
  return [
    { type: 'start' },
    ...wholeItems(items, output),
    ...endOf(items, response, response['status'] === 'incomplete'),
  ]
}
