// Embeddings as Google's API answers with them: read to be passed on or translated, and written for its clients.

import { UpstreamFailure } from '#core/failure.ts'
import { inputTotal, type TokenUsage } from '#core/usage.ts'
import type { EmbeddingRequest, Embeddings, Vector } from '#dialect/embedding.ts'
import { isNumbers, numbersOf } from '#dialect/embeddings/vectors.ts'
import { geminiErrorOf, reportedFailure } from '#dialect/gemini/errors.ts'
import { readGeminiUsage } from '#dialect/gemini/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { WholeEmbeddings } from '#dialect/whole-embeddings.ts'

/** The provider's bytes, once they are known to be what was asked for. */
export function newGeminiEmbeddingPass({ form, inputCount }: EmbeddingRequest): WholeEmbeddings<Embeddings> {
  return new WholeEmbeddings({
    read: (answer) => {
      const read = readGeminiEmbeddings(answer)
      const isAsAsked = Array.isArray(answer['embeddings']) === (form === 'batch')
      if (isAsAsked && read.vectors.length === inputCount) return read
      throw malformed()
    },
    write: () => undefined,
  })
}

export function readGeminiEmbeddings(answer: JsonObject): Embeddings {
  if (geminiErrorOf(answer) !== undefined) throw reportedFailure(answer)
  const { embedding, embeddings = [embedding], usageMetadata } = answer
  if (!Array.isArray(embeddings)) throw malformed()
  return { vectors: embeddings.map(vectorOf), usage: readGeminiUsage(usageMetadata) }
}

export function writeGeminiEmbeddings(
  vectors: readonly Vector[],
  usage: TokenUsage,
  { form }: Pick<EmbeddingRequest, 'form'>,
): string {
  const embeddings = vectors.map((vector) => ({ values: numbersOf(vector) }))
  const usageMetadata = { promptTokenCount: inputTotal(usage) }
  const [embedding] = embeddings
  return JSON.stringify(form === 'batch' ? { embeddings, usageMetadata } : { embedding, usageMetadata })
}

function vectorOf(embedding: unknown): Vector {
  const values = isRecord(embedding) ? embedding['values'] : undefined
  if (isNumbers(values)) return values
  throw malformed()
}

function malformed(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider did not answer with the embeddings that were asked for.')
}
