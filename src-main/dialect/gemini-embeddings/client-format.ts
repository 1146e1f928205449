// Embeddings as clients of the Gemini API ask for them: of one content, or of several at a time. The path names the model.

import type { EmbeddingDialect } from '#dialect/dialect.ts'
import { BELOW, GEMINI_ENDPOINT } from '#dialect/gemini/endpoint.ts'
import { modelPath } from '#dialect/gemini/write-request.ts'
import { editGeminiEmbedding, readGeminiEmbeddingWish } from '#dialect/gemini-embeddings/edit-request.ts'
import { newGeminiEmbeddingPass, writeGeminiEmbeddings } from '#dialect/gemini-embeddings/read-answer.ts'
import { BATCH, readGeminiEmbedding, SINGLE } from '#dialect/gemini-embeddings/read-request.ts'

export const GEMINI_EMBEDDINGS_FORMAT: EmbeddingDialect = {
  ...GEMINI_ENDPOINT,
  // What leads nowhere below Google's paths is told by the format that generates.
  paths: [],
  methods: { below: BELOW, names: [SINGLE, BATCH] },
  kind: 'embedding',
  passesTo: ['gemini'],
  path: (model, { form }) => `/${modelPath(model)}:${form === 'single' ? SINGLE : BATCH}`,
  readRequest: readGeminiEmbedding,
  editRequest: editGeminiEmbedding,
  newPassReader: newGeminiEmbeddingPass,
  readWish: readGeminiEmbeddingWish,
  writeAnswer: writeGeminiEmbeddings,
}
