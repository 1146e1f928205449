// The embeddings format of OpenAI, as its clients and most providers speak it.

import type { EmbeddingDialect } from '#dialect/dialect.ts'
import { newEmbeddingPass, writeEmbeddingAnswer } from '#dialect/embeddings/read-answer.ts'
import { editEmbeddingRequest, readEmbeddingRequest, readEmbeddingWish } from '#dialect/embeddings/read-request.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'

const PATH = '/embeddings'

export const EMBEDDINGS_FORMAT: EmbeddingDialect = {
  ...openAiEndpoint(PATH),
  kind: 'embedding',
  passesTo: ['chat-completions', 'responses'],
  path: () => PATH,
  readRequest: readEmbeddingRequest,
  editRequest: editEmbeddingRequest,
  newPassReader: newEmbeddingPass,
  readWish: readEmbeddingWish,
  writeAnswer: writeEmbeddingAnswer,
}
