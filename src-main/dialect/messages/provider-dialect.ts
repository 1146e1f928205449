// The messages dialect, as providers speak it.

import type { ProviderDialect } from '#dialect/dialect.ts'
import { MESSAGES_FORM, PAGE_QUERY, readListPage } from '#dialect/messages/model-list.ts'
import { readMessagesAnswer } from '#dialect/messages/read-answer.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import { messagesPath, versionAt } from '#dialect/messages/vertex.ts'
import { readMessagesCount, writeMessagesCount, writeMessagesRequest } from '#dialect/messages/write-request.ts'

export const MESSAGES_DIALECT: ProviderDialect = {
  secretHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
  // Instructions in the middle of a conversation are a beta.
  quirks: { laterSystem: 'user', cacheMarks: true, topK: true, maxStops: 64 },
  modelList: { query: PAGE_QUERY, readPage: readListPage },
  form: MESSAGES_FORM,
  probe: {
    prefixes: ['/v1', '/anthropic/v1', '/api/v1'],
    path: (model, platform) => messagesPath(model, false, platform),
    body: ({ model, prompt, outputTokens, platform }) => ({
      ...(platform === 'vertex' ? { anthropic_version: versionAt(platform) } : { model }),
      messages: [{ role: 'user', content: prompt }],
      max_tokens: outputTokens,
    }),
  },
  writeRequest: writeMessagesRequest,
  newPartReader: (newCallId, generated) => new MessagesPartReader(newCallId, generated),
  readAnswer: readMessagesAnswer,
  count: { write: writeMessagesCount, read: readMessagesCount },
}
