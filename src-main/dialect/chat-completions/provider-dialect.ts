// The chat completions dialect, as providers speak it.

import { ChatFold } from '#dialect/chat-completions/fold-stream.ts'
import { CHAT_FORM, readListPage } from '#dialect/chat-completions/model-list.ts'
import { readChatAnswer } from '#dialect/chat-completions/read-answer.ts'
import { ChatPartReader } from '#dialect/chat-completions/read-stream.ts'
import { writeChatRequest } from '#dialect/chat-completions/write-request.ts'
import type { ProviderDialect } from '#dialect/dialect.ts'
import { OPENAI_EMBEDDINGS } from '#dialect/embeddings/write-request.ts'
import { OPENAI_ROUTES } from '#dialect/openai-endpoint.ts'

export const CHAT_DIALECT: ProviderDialect = {
  secretHeader: 'authorization',
  embeddings: OPENAI_EMBEDDINGS,
  quirks: { routes: OPENAI_ROUTES },
  modelList: { query: {}, readPage: readListPage },
  form: CHAT_FORM,
  probe: {
    prefixes: ['/v1', '/api/v1', '/openai/v1'],
    path: () => '/chat/completions',
    body: ({ model, prompt, outputTokens, outputCapField }) => ({
      model,
      messages: [{ role: 'user', content: prompt }],
      [outputCapField]: outputTokens,
    }),
  },
  writeRequest: writeChatRequest,
  newPartReader: (newCallId, generated) => new ChatPartReader(newCallId, generated),
  readAnswer: readChatAnswer,
  newFold: () => new ChatFold(),
}
