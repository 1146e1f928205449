// Writes a whole answer in the responses format. Its items are those of a stream: the writer of one is run, and what it would
// have sent in its last event is the answer.

import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext } from '#dialect/dialect.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'

export function writeResponsesAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string {
  const writer = new ResponsesStreamWriter(context)
  for (const part of parts) writer.write(part)
  return writer.final(usage)
}
