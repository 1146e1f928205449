// The embeddings format, as its clients and their providers speak it.

import type { PassedDialect } from '#dialect/dialect.ts'
import { readEmbeddingRequest } from '#dialect/embeddings/read-request.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'

export const EMBEDDINGS_FORMAT: PassedDialect = {
  ...openAiEndpoint('/embeddings'),
  kind: 'embedding',
  family: 'embeddings',
  makes: 'embeddings',
  readRequest: readEmbeddingRequest,
}
