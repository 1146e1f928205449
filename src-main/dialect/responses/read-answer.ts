// Reads a provider's whole response into parts, with the same mapping as a stream's items.

import { UpstreamFailure } from '#core/failure.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { OutputItems } from '#dialect/responses/output-items.ts'
import { endOf, wholeItems } from '#dialect/responses/read-stream.ts'
import { reportedFailure } from '#dialect/responses/errors.ts'
import type { JsonObject } from '#dialect/turn.ts'

const FINAL_STATUSES = ['completed', 'incomplete', 'failed']

/** Throws UpstreamFailure for what is no response, for one that failed and for one that is not finished. */
export function readResponsesAnswer(
  response: JsonObject,
  newCallId: () => string,
  generated?: GeneratedText,
): readonly AnswerPart[] {
  const output = wholeOutput(response)
  if (response['status'] === 'failed') throw reportedFailure(undefined)
  const items = new OutputItems(newCallId, generated)
  return [
    { type: 'start' },
    ...wholeItems(items, output),
    ...endOf(items, response, response['status'] === 'incomplete'),
  ]
}

/** The output items of a whole response. Throws UpstreamFailure for anything else, and for an error that it reports. */
export function wholeOutput({ error, output, status }: JsonObject): readonly unknown[] {
  if (error !== undefined && error !== null) throw reportedFailure(error)
  if (!Array.isArray(output)) throw new UpstreamFailure('malformed', 'The provider did not answer with a response.')
  // Compatible servers leave the status out; one that names another has not generated the answer yet.
  if (status !== undefined && status !== null && !FINAL_STATUSES.some((known) => known === status)) {
    throw new UpstreamFailure('malformed', 'The provider answered with a response that is not finished.')
  }
  return output
}
