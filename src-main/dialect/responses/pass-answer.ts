// Reads a whole response for passing on: checks that it is one, finds its usage and measures its text.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord, parseMeasured } from '#dialect/request-body.ts'
import { reportedFailure } from '#dialect/responses/errors.ts'
import { addGeneratedOutput } from '#dialect/responses/measure.ts'
import { readResponsesUsage } from '#dialect/responses/usage.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

const FINAL_STATUSES = ['completed', 'incomplete', 'failed']

export class ResponsesPassAnswer implements AnswerReader {
  readonly #whole = new WholeAnswer()
  readonly generated = new GeneratedText('utf8')
  readonly reported = new ReportedUsage(this.generated)
  isComplete = false

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    const output = readWholeOutput(parseMeasured(this.#whole.bytes().toString('utf8')))
    addGeneratedOutput(this.generated, output.items)
    this.reported.note(readResponsesUsage(output.response['usage']))
    this.reported.noteComplete()
    this.isComplete = true
  }

  final(): Buffer {
    return this.#whole.bytes()
  }
}

type WholeOutput = { readonly response: Readonly<Record<string, unknown>>; readonly items: readonly unknown[] }

/** A whole response and its output items. Throws UpstreamFailure for anything else, and for an error that it reports. */
export function readWholeOutput(response: unknown): WholeOutput {
  if (!isRecord(response)) throw new UpstreamFailure('malformed', 'The provider did not answer with a JSON object.')
  const { error, output, status } = response
  if (error !== undefined && error !== null) throw reportedFailure(error)
  if (!Array.isArray(output)) throw new UpstreamFailure('malformed', 'The provider did not answer with a response.')
  // Compatible servers leave the status out; one that names another has not generated the answer yet.
  if (status !== undefined && status !== null && !FINAL_STATUSES.some((known) => known === status)) {
    throw new UpstreamFailure('malformed', 'The provider answered with a response that is not finished.')
  }
  return { response, items: output }
}
