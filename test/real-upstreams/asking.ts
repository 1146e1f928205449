// What the scenarios ask, in each client format: the same wishes in three languages.

import type { ClientFormat } from '#dialect/dialects.ts'

export const FORMATS = ['chat', 'messages', 'responses'] as const satisfies readonly ClientFormat[]
export type AskedFormat = (typeof FORMATS)[number]

export const PATHS: Readonly<Record<AskedFormat, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
}

export type Wish = {
  readonly model: string
  readonly text?: string
  readonly stream: boolean
  /** Offers a tool; `forced` insists on it. */
  readonly tools?: 'free' | 'forced'
  readonly reasoning?: boolean
  /** Wants an object with a city. */
  readonly schema?: boolean
  readonly cap?: number
}

export const QUESTION = 'How is the weather in Bern?'
export const TOOL = 'get_weather'
const DEFAULT_CAP = 512
export const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const

export function body(format: AskedFormat, wish: Wish): Record<string, unknown> {
  switch (format) {
    case 'chat':
      return chatBody(wish)
    case 'messages':
      return messagesBody(wish)
    case 'responses':
      return responsesBody(wish)
  }
}

function chatBody({ model, text = QUESTION, stream, tools, reasoning, schema, cap = DEFAULT_CAP }: Wish) {
  return {
    model,
    messages: [{ role: 'user', content: text }],
    max_tokens: cap,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    ...(reasoning === true ? { reasoning_effort: 'low' } : {}),
    ...(schema === true
      ? { response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: CITY_SCHEMA } } }
      : {}),
    ...(tools === undefined
      ? {}
      : {
          tools: [{ type: 'function', function: { name: TOOL, parameters: CITY_SCHEMA } }],
          tool_choice: tools === 'forced' ? { type: 'function', function: { name: TOOL } } : 'auto',
        }),
  }
}

function messagesBody({ model, text = QUESTION, stream, tools, reasoning, schema, cap = DEFAULT_CAP }: Wish) {
  return {
    model,
    messages: [{ role: 'user', content: text }],
    // Thinking wants a budget of 1,024 tokens below the cap.
    max_tokens: reasoning === true ? 2048 : cap,
    ...(stream ? { stream } : {}),
    ...(reasoning === true ? { thinking: { type: 'enabled', budget_tokens: 1024 } } : {}),
    ...(schema === true ? { output_config: { format: { type: 'json_schema', schema: CITY_SCHEMA } } } : {}),
    ...(tools === undefined
      ? {}
      : {
          tools: [{ name: TOOL, input_schema: CITY_SCHEMA }],
          tool_choice: tools === 'forced' ? { type: 'tool', name: TOOL } : { type: 'auto' },
        }),
  }
}

function responsesBody({ model, text = QUESTION, stream, tools, reasoning, schema, cap = DEFAULT_CAP }: Wish) {
  return {
    model,
    input: text,
    max_output_tokens: cap,
    store: false,
    ...(stream ? { stream } : {}),
    ...(reasoning === true ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
    ...(schema === true
      ? { text: { format: { type: 'json_schema', name: 'place', strict: true, schema: CITY_SCHEMA } } }
      : {}),
    ...(tools === undefined
      ? {}
      : {
          tools: [{ type: 'function', name: TOOL, strict: true, parameters: CITY_SCHEMA }],
          tool_choice: tools === 'forced' ? { type: 'function', name: TOOL } : 'auto',
        }),
  }
}
