// The Gemini dialect, as its provider speaks it.

import type { ProviderDialect } from '#dialect/dialect.ts'
import { GEMINI_EMBEDDINGS } from '#dialect/gemini-embeddings/write-request.ts'
import { readGeminiError } from '#dialect/gemini/errors.ts'
import { GEMINI_FORM, PAGE_QUERY, readListedModel, readListPage } from '#dialect/gemini/model-list.ts'
import { readGeminiAnswer } from '#dialect/gemini/read-answer.ts'
import { GeminiPartReader } from '#dialect/gemini/read-stream.ts'
import { readGeminiCount, writeGeminiCount, writeGeminiRequest } from '#dialect/gemini/write-request.ts'

export const GEMINI_DIALECT: ProviderDialect = {
  secretHeader: 'x-goog-api-key',
  // Instructions in the middle of a conversation are unknown to it.
  quirks: { laterSystem: 'user', topK: true, maxStops: 5 },
  embeddings: GEMINI_EMBEDDINGS,
  modelList: { query: PAGE_QUERY, readPage: readListPage, readModel: readListedModel },
  form: GEMINI_FORM,
  probe: {
    prefixes: ['/v1beta'],
    namesModelInPath: true,
    path: (model) => `/models/${encodeURIComponent(model.replace(/^models\//, ''))}:generateContent`,
    body: ({ prompt, outputTokens }) => ({
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: outputTokens },
    }),
  },
  writeRequest: writeGeminiRequest,
  newPartReader: (newCallId, generated) => new GeminiPartReader(newCallId, generated),
  readAnswer: readGeminiAnswer,
  readError: readGeminiError,
  count: { write: writeGeminiCount, read: readGeminiCount },
}
