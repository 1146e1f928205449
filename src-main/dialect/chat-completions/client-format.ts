// The chat completions format, as its clients speak it.

import { editChatRequest } from '#dialect/chat-completions/edit-request.ts'
import { mendChatPass } from '#dialect/chat-completions/mend-pass.ts'
import { chatModelMembers } from '#dialect/chat-completions/model-members.ts'
import { readChatRequest } from '#dialect/chat-completions/read-request.ts'
import { readChatConversation } from '#dialect/chat-completions/read-turns.ts'
import { CHAT_ANSWER_TAP } from '#dialect/chat-completions/tap-answer.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import { writeChatAnswer } from '#dialect/chat-completions/write-answer.ts'
import { ChatStreamWriter } from '#dialect/chat-completions/write-stream.ts'
import type { AskedRequest, ClientDialect } from '#dialect/dialect.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { isRecord, textOf } from '#dialect/request-body.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'

const CHAT: ClientDialect = {
  ...openAiEndpoint('/chat/completions'),
  kind: 'chat',
  passesTo: ['chat-completions'],
  readRequest: readChatRequest,
  mendPass: mendChatPass,
  editRequest: editChatRequest,
  newPassReader: (request) =>
    request.isStream
      ? new PassStream(new ChatTap(request, audioFormatOf(request)))
      : new PassAnswer(CHAT_ANSWER_TAP, audioFormatOf(request)),
  readConversation: readChatConversation,
  newStreamWriter: (context) => new ChatStreamWriter(context),
  writeAnswer: writeChatAnswer,
}

function audioFormatOf({ body }: AskedRequest): string | undefined {
  const { audio } = body.value
  const format = isRecord(audio) ? audio['format'] : undefined
  return typeof format === 'string' ? format : undefined
}

/**
 * Cursor posts a body of the responses format to chat completions, and reads a chat completion. No provider is sent that as it
 * came.
 */
const RESPONSES_BODY: ClientDialect = {
  ...CHAT,
  passesTo: [],
  readRequest: readResponsesRequest,
  readConversation: readResponsesConversation,
}

export const CHAT_FORMAT: ClientDialect = {
  ...CHAT,
  modelMembers: chatModelMembers,
  // Only a body that is no chat completion at all is tried as something else, so that nobody else's error changes.
  other: {
    format: RESPONSES_BODY,
    fits: ({ param }, text) => param === 'messages' && textOf(text).includes('"input"'),
  },
}
