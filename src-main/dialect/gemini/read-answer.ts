// Reads a whole answer of the Gemini API: the same pieces as in a stream, all at once.

import { UpstreamFailure } from '#core/failure.ts'
import { geminiErrorOf, reportedFailure } from '#dialect/gemini/errors.ts'
import { GeminiPartReader } from '#dialect/gemini/read-stream.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The parts of a whole answer. Throws UpstreamFailure for what is no answer. */
export function readGeminiAnswer(
  answer: JsonObject,
  newCallId: () => string,
  generated?: GeneratedText,
): readonly AnswerPart[] {
  if (geminiErrorOf(answer) !== undefined) throw reportedFailure(answer)
  const reader = new GeminiPartReader(newCallId, generated)
  const parts = reader.add(answer)
  if (!reader.hasAnswer) throw noCandidates(answer)
  return [...parts, ...reader.finish()]
}

/** With a count of the prompt it is an answer of Google, whose model wrote nothing. */
export function noCandidates({ usageMetadata }: JsonObject): UpstreamFailure {
  const isModelOutput = isRecord(usageMetadata)
  return new UpstreamFailure('malformed', 'The provider did not answer with candidates.', { isModelOutput })
}
