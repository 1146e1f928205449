// Embeddings as providers with OpenAI's endpoint make them, for clients of other formats.

import type { EmbeddingProvider } from '#dialect/embedding.ts'
import { readEmbeddings } from '#dialect/embeddings/read-answer.ts'

export const OPENAI_EMBEDDINGS: EmbeddingProvider = {
  write: ({ inputs, dimensions }, upstreamModel) => ({
    path: '/embeddings',
    body: JSON.stringify({ model: upstreamModel, input: inputs, ...(dimensions === undefined ? {} : { dimensions }) }),
  }),
  read: readEmbeddings,
}
