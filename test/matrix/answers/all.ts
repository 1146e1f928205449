// The answers of every dialect, and the requests that ask for them.

import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import type { ProviderName } from '../pair.ts'
import { CONVERSE_ANSWERS } from './bedrock-converse.ts'
import { CHAT_ANSWERS } from './chat-completions.ts'
import type { AnswerFixture } from './fixture.ts'
import { GEMINI_ANSWERS } from './gemini.ts'
import { MESSAGES_ANSWERS } from './messages.ts'
import { RESPONSES_ANSWERS } from './responses.ts'

export const ANSWERS: Readonly<Record<ProviderName, readonly AnswerFixture[]>> = {
  'chat-completions': CHAT_ANSWERS,
  messages: MESSAGES_ANSWERS,
  responses: RESPONSES_ANSWERS,
  gemini: GEMINI_ANSWERS,
  'bedrock-converse': CONVERSE_ANSWERS,
}

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const NOTHING = { type: 'object', properties: {} }

/** Asks with two tools and wants to see reasoning and usage, so that nothing of an answer is held back. */
export const ASKING: Readonly<Record<ClientFormat, JsonObject>> = {
  chat: {
    model: 'farebox-model',
    messages: [{ role: 'user', content: 'How is the weather in Bern?' }],
    tools: [
      { type: 'function', function: { name: 'get_weather', parameters: CITY } },
      { type: 'function', function: { name: 'list_files', parameters: NOTHING } },
    ],
    stream_options: { include_usage: true },
  },
  messages: {
    model: 'farebox-model',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [{ role: 'user', content: 'How is the weather in Bern?' }],
    tools: [
      { name: 'get_weather', input_schema: CITY },
      { name: 'list_files', input_schema: NOTHING },
    ],
  },
  responses: {
    model: 'farebox-model',
    input: 'How is the weather in Bern?',
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
    tools: [
      { type: 'function', name: 'get_weather', strict: false, parameters: CITY },
      { type: 'function', name: 'list_files', strict: false, parameters: NOTHING },
    ],
  },
  gemini: {
    model: 'farebox-model',
    contents: [{ role: 'user', parts: [{ text: 'How is the weather in Bern?' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
    tools: [
      {
        functionDeclarations: [
          { name: 'get_weather', parametersJsonSchema: CITY },
          { name: 'list_files', parametersJsonSchema: NOTHING },
        ],
      },
    ],
  },
}
