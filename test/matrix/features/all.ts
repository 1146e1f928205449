import type { ClientFormat } from '#dialect/dialects.ts'
import { CHAT_FEATURES } from './chat.ts'
import type { Feature } from './feature.ts'
import { GEMINI_FEATURES } from './gemini.ts'
import { MESSAGES_FEATURES } from './messages.ts'
import { RESPONSES_FEATURES } from './responses.ts'

export const FEATURES: Readonly<Record<ClientFormat, readonly Feature[]>> = {
  chat: CHAT_FEATURES,
  messages: MESSAGES_FEATURES,
  responses: RESPONSES_FEATURES,
  gemini: GEMINI_FEATURES,
}
