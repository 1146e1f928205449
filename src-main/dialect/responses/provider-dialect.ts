// The responses dialect, as providers speak it.

import { CHAT_FORM, readListPage } from '#dialect/chat-completions/model-list.ts'
import type { ProviderDialect } from '#dialect/dialect.ts'
import { OPENAI_EMBEDDINGS } from '#dialect/embeddings/write-request.ts'
import { OPENAI_ROUTES } from '#dialect/openai-endpoint.ts'
import { readResponsesAnswer } from '#dialect/responses/read-answer.ts'
import { ResponsesPartReader } from '#dialect/responses/read-stream.ts'
import { writeResponsesRequest } from '#dialect/responses/write-request.ts'

export const RESPONSES_DIALECT: ProviderDialect = {
  secretHeader: 'authorization',
  quirks: { systemRole: 'developer', routes: OPENAI_ROUTES },
  leastOutputCap: 16,
  embeddings: OPENAI_EMBEDDINGS,
  // Its providers list their models, and tell their errors, as they do for chat completions.
  modelList: { query: {}, readPage: readListPage },
  form: CHAT_FORM,
  probe: {
    prefixes: ['/v1', '/api/v1', '/openai/v1'],
    path: () => '/responses',
    body: ({ model, prompt, outputTokens }) => ({
      model,
      input: prompt,
      max_output_tokens: outputTokens,
      store: false,
    }),
  },
  writeRequest: writeResponsesRequest,
  newPartReader: (newCallId, generated) => new ResponsesPartReader(newCallId, generated),
  readAnswer: readResponsesAnswer,
}
