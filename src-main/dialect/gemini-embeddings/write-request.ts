// Embeddings as Google's API makes them, for clients of other formats.

import { refuse } from '#core/refusal.ts'
import type { EmbeddingProvider } from '#dialect/embedding.ts'
import { modelPath } from '#dialect/gemini/write-request.ts'
import { modelName } from '#dialect/gemini-embeddings/edit-request.ts'
import { readGeminiEmbeddings } from '#dialect/gemini-embeddings/read-answer.ts'
import { BATCH } from '#dialect/gemini-embeddings/read-request.ts'

export const GEMINI_EMBEDDINGS: EmbeddingProvider = {
  write({ inputs, dimensions }, upstreamModel) {
    const texts = inputs.filter((input) => typeof input === 'string')
    if (texts.length < inputs.length) {
      const message = "'input' holds tokens, which this model's provider cannot read. Send it as text."
      return refuse('invalid_request', message, { param: 'input' })
    }
    const requests = texts.map((text) => ({
      model: modelName(upstreamModel),
      content: { parts: [{ text }] },
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    }))
    return { path: `/${modelPath(upstreamModel)}:${BATCH}`, body: JSON.stringify({ requests }) }
  },
  read: readGeminiEmbeddings,
}
