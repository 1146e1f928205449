// The members that the chunks of a stream and a whole answer share.

import type { AnswerContext } from '#dialect/dialect.ts'
import { writeSignature } from '#dialect/gemini/client-seal.ts'
import type { Block, Citation } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'
import { readInput } from '#dialect/tool-input.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What stands at the end of every chunk. */
export function answerNames({ request, exchangeId }: AnswerContext) {
  return { modelVersion: request.model, responseId: exchangeId.replaceAll('-', '') }
}

/** Clients take an answer for broken whose content has no part. */
export const EMPTY_PART: JsonObject = { text: '' }

export function callPart(
  { id, name }: Extract<Block, { type: 'tool-call' }>,
  text: string,
  sealed: Sealed | undefined,
): JsonObject {
  // Broken arguments must not become an empty object, which a function could be run with.
  return { functionCall: { id, name, args: readInput(text) ?? { _raw: text } }, ...signature(sealed) }
}

export function thoughtPart(text: string, sealed: Sealed | undefined): JsonObject {
  return { text, thought: true, ...signature(sealed) }
}

/** The sources of a candidate, as those of Google's own search. */
export function grounding(citations: readonly Citation[]): JsonObject {
  if (citations.length === 0) return {}
  const groundingChunks = citations.map(({ url, title }) => ({ web: { uri: url, title } }))
  return { groundingMetadata: { groundingChunks } }
}

function signature(sealed: Sealed | undefined): JsonObject {
  return sealed === undefined ? {} : { thoughtSignature: writeSignature(sealed) }
}
