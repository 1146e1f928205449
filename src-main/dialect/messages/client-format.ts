// The messages format, as its clients speak it.

import type { LimitStanding } from '#core/limits.ts'
import type { ClientDialect } from '#dialect/dialect.ts'
import { editMessagesRequest } from '#dialect/messages/edit-request.ts'
import { messagesErrorBody, messagesOverflowText } from '#dialect/messages/errors.ts'
import { mendMessagesPass } from '#dialect/messages/mend-pass.ts'
import { MESSAGES_MODELS, messagesModelMembers } from '#dialect/messages/model-views.ts'
import { readCountRequest, readMessagesRequest } from '#dialect/messages/read-request.ts'
import { checkMessagesPass, readMessagesConversation } from '#dialect/messages/read-turns.ts'
import { MESSAGES_ANSWER_TAP } from '#dialect/messages/tap-answer.ts'
import { MessagesTap } from '#dialect/messages/tap-stream.ts'
import { countPath, headersAt, messagesPath } from '#dialect/messages/vertex.ts'
import { writeMessagesAnswer } from '#dialect/messages/write-answer.ts'
import { readMessagesCount } from '#dialect/messages/write-request.ts'
import { MessagesStreamWriter } from '#dialect/messages/write-stream.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'

export const MESSAGES_FORMAT: ClientDialect = {
  paths: ['/v1/messages'],
  path: messagesPath,
  // A feature's header and its body travel together, also those that nobody knows yet.
  forwardedHeaders: /^anthropic-/,
  headersAt,
  errorBody: messagesErrorBody,
  idHeaders: (requestId) => ({ 'x-request-id': requestId, 'request-id': requestId }),
  limitHeaders,
  overflowText: messagesOverflowText,
  otherNames,
  modelMembers: messagesModelMembers,
  models: MESSAGES_MODELS,
  kind: 'chat',
  passesTo: ['messages'],
  readRequest: readMessagesRequest,
  checkPass: checkMessagesPass,
  mendPass: mendMessagesPass,
  editRequest: editMessagesRequest,
  newPassReader: (request) =>
    request.isStream ? new PassStream(new MessagesTap()) : new PassAnswer(MESSAGES_ANSWER_TAP),
  readConversation: readMessagesConversation,
  newStreamWriter: (context) => new MessagesStreamWriter(context),
  writeAnswer: writeMessagesAnswer,
  count: {
    paths: ['/v1/messages/count_tokens'],
    path: (_model, _isStream, platform) => countPath(platform),
    readRequest: readCountRequest,
    // The path names no model, so that the request does.
    wrap: (request, model, platform) =>
      platform === 'vertex' ? `{"model":${JSON.stringify(model)},${request.slice(request.indexOf('{') + 1)}` : request,
    readCount: readMessagesCount,
    writeAnswer: (inputTokens) => JSON.stringify({ input_tokens: inputTokens }),
  },
}

function limitHeaders(name: string, { limit, remaining, resetMs }: LimitStanding, nowMs: number) {
  return {
    [`anthropic-ratelimit-${name}-limit`]: String(limit),
    [`anthropic-ratelimit-${name}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${name}-reset`]: new Date(nowMs + resetMs).toISOString(),
  }
}

/** Clients add a mark for a larger context window to a model's name, and a date. */
function otherNames(model: string): readonly string[] {
  const unmarked = model.replace(/\[1m\]$/, '')
  return [unmarked, unmarked.replace(/-\d{8}$/, '')]
}
