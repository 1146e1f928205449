import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { CHAT_REQUESTS } from './chat.ts'
import { GEMINI_REQUESTS } from './gemini.ts'
import { MESSAGES_REQUESTS } from './messages.ts'
import { RESPONSES_REQUESTS } from './responses.ts'

export const REQUESTS: Readonly<Record<ClientFormat, Readonly<Record<string, JsonObject>>>> = {
  chat: CHAT_REQUESTS,
  messages: MESSAGES_REQUESTS,
  responses: RESPONSES_REQUESTS,
  gemini: GEMINI_REQUESTS,
}
