// The table of client formats and provider dialects, and what joins one of each: the same bytes where they are the same, a
// translation through the hub where they are not.

import type { ProviderDialect as ProviderDialectName } from '#core/provider-dialect.ts'
import { editChatRequest } from '#dialect/chat-completions/edit-request.ts'
import { ChatFold } from '#dialect/chat-completions/fold-stream.ts'
import { mendChatPass } from '#dialect/chat-completions/mend-pass.ts'
import { readChatAnswer } from '#dialect/chat-completions/read-answer.ts'
import { readChatRequest } from '#dialect/chat-completions/read-request.ts'
import { ChatPartReader } from '#dialect/chat-completions/read-stream.ts'
import { readChatConversation } from '#dialect/chat-completions/read-turns.ts'
import { CHAT_ANSWER_TAP } from '#dialect/chat-completions/tap-answer.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import { writeChatAnswer } from '#dialect/chat-completions/write-answer.ts'
import { writeChatRequest } from '#dialect/chat-completions/write-request.ts'
import { ChatStreamWriter } from '#dialect/chat-completions/write-stream.ts'
import type { ClientDialect, ProviderDialect } from '#dialect/dialect.ts'
import { readGeminiError } from '#dialect/gemini/errors.ts'
import { readGeminiAnswer } from '#dialect/gemini/read-answer.ts'
import { GeminiPartReader } from '#dialect/gemini/read-stream.ts'
import { readGeminiCount, writeGeminiCount, writeGeminiRequest } from '#dialect/gemini/write-request.ts'
import { editMessagesRequest } from '#dialect/messages/edit-request.ts'
import { mendMessagesPass } from '#dialect/messages/mend-pass.ts'
import { readMessagesAnswer } from '#dialect/messages/read-answer.ts'
import { readMessagesRequest } from '#dialect/messages/read-request.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import { checkMessagesPass, readMessagesConversation } from '#dialect/messages/read-turns.ts'
import { MESSAGES_ANSWER_TAP } from '#dialect/messages/tap-answer.ts'
import { MessagesTap } from '#dialect/messages/tap-stream.ts'
import { writeMessagesAnswer } from '#dialect/messages/write-answer.ts'
import { readMessagesCount, writeMessagesCount, writeMessagesRequest } from '#dialect/messages/write-request.ts'
import { MessagesStreamWriter } from '#dialect/messages/write-stream.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { editResponsesRequest } from '#dialect/responses/edit-request.ts'
import { mendResponsesPass } from '#dialect/responses/mend-pass.ts'
import { readResponsesAnswer } from '#dialect/responses/read-answer.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { ResponsesPartReader } from '#dialect/responses/read-stream.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import { RESPONSES_ANSWER_TAP } from '#dialect/responses/tap-answer.ts'
import { ResponsesTap } from '#dialect/responses/tap-stream.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import { writeResponsesRequest } from '#dialect/responses/write-request.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'

export type ClientFormat = 'chat' | 'messages' | 'responses'

export const CLIENT_DIALECTS: Readonly<Record<ClientFormat, ClientDialect>> = {
  chat: {
    passesTo: ['chat-completions', 'demo'],
    path: '/chat/completions',
    readRequest: readChatRequest,
    mendPass: mendChatPass,
    editRequest: editChatRequest,
    newPassReader: (request) =>
      request.isStream ? new PassStream(new ChatTap(request)) : new PassAnswer(CHAT_ANSWER_TAP),
    readConversation: readChatConversation,
    newStreamWriter: (context) => new ChatStreamWriter(context),
    writeAnswer: writeChatAnswer,
  },
  messages: {
    passesTo: ['messages'],
    path: '/messages',
    readRequest: readMessagesRequest,
    checkPass: checkMessagesPass,
    mendPass: mendMessagesPass,
    editRequest: editMessagesRequest,
    newPassReader: (request) =>
      request.isStream ? new PassStream(new MessagesTap()) : new PassAnswer(MESSAGES_ANSWER_TAP),
    readConversation: readMessagesConversation,
    newStreamWriter: (context) => new MessagesStreamWriter(context),
    writeAnswer: writeMessagesAnswer,
  },
  responses: {
    passesTo: ['responses'],
    path: '/responses',
    readRequest: readResponsesRequest,
    mendPass: mendResponsesPass,
    editRequest: editResponsesRequest,
    newPassReader: (request) =>
      request.isStream ? new PassStream(new ResponsesTap(request)) : new PassAnswer(RESPONSES_ANSWER_TAP),
    readConversation: readResponsesConversation,
    newStreamWriter: (context) => new ResponsesStreamWriter(context),
    writeAnswer: writeResponsesAnswer,
  },
}

/**
 * Cursor posts a body of the responses format to chat completions, and reads a chat completion. No provider is sent that as it
 * came.
 */
export const RESPONSES_BODY_AT_CHAT: ClientDialect = {
  ...CLIENT_DIALECTS.chat,
  passesTo: [],
  readRequest: readResponsesRequest,
  readConversation: readResponsesConversation,
}

const CHAT: ProviderDialect = {
  writeRequest: writeChatRequest,
  newPartReader: (newCallId) => new ChatPartReader(newCallId),
  readAnswer: readChatAnswer,
  newFold: () => new ChatFold(),
}

export const PROVIDER_DIALECTS: Readonly<Record<ProviderDialectName, ProviderDialect>> = {
  'chat-completions': CHAT,
  demo: CHAT,
  messages: {
    writeRequest: writeMessagesRequest,
    newPartReader: (newCallId) => new MessagesPartReader(newCallId),
    readAnswer: readMessagesAnswer,
    count: { write: writeMessagesCount, read: readMessagesCount },
  },
  responses: {
    writeRequest: writeResponsesRequest,
    newPartReader: (newCallId) => new ResponsesPartReader(newCallId),
    readAnswer: readResponsesAnswer,
    leastOutputCap: 16,
  },
  gemini: {
    writeRequest: writeGeminiRequest,
    newPartReader: (newCallId) => new GeminiPartReader(newCallId),
    readAnswer: readGeminiAnswer,
    readError: readGeminiError,
    count: { write: writeGeminiCount, read: readGeminiCount },
  },
}
