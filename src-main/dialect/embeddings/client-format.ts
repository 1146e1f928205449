// The embeddings format, as its clients and their providers speak it.

import type { EmbeddingDialect } from '#dialect/dialect.ts'
import { EmbeddingAnswerReader } from '#dialect/embeddings/read-answer.ts'
import { editEmbeddingRequest, readEmbeddingRequest } from '#dialect/embeddings/read-request.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'

export const EMBEDDINGS_FORMAT: EmbeddingDialect = {
  ...openAiEndpoint('/embeddings'),
  kind: 'embedding',
  readRequest: readEmbeddingRequest,
  editRequest: editEmbeddingRequest,
  newReader: (request) => new EmbeddingAnswerReader(request.format),
}
