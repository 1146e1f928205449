// What the gateway's own endpoints read of a request and write in an answer. Requests are loose, because members that Farebox does not know
// are for the provider to judge. What decides about a request is the code, not these schemas.

import { Type, type Static, type TProperties } from 'typebox'
import { NullableText, NullableTimestamp, strict, Timestamp } from '#contract/fields.ts'
import { Totals } from '#contract/reports.ts'
import { BalanceView } from '#contract/schemas.ts'

export function loose<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties)
}

const NullableNumber = Type.Union([Type.Number(), Type.Null()])
const Anything = Type.Unknown()
const PositiveInteger = Type.Integer({ minimum: 1 })
const NullableInteger = Type.Union([Type.Integer(), Type.Null()])
const Model = Type.String({ description: 'The id of a model, as the list of models has it.' })
const Stream = Type.Optional(Type.Boolean({ description: 'Answers with server-sent events.' }))
const Tools = Type.Optional(Type.Array(loose({})))
const TopP = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }))
const ShortTemperature = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }))
const Temperature = Type.Optional(Type.Number({ minimum: 0, maximum: 2 }))
const Content = Type.Union([Type.String(), Type.Array(loose({ type: Type.String() }))])

const ChatRole = Type.Enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

export const ChatRequest = loose({
  model: Model,
  messages: Type.Array(loose({ role: ChatRole, content: Type.Optional(Type.Union([Content, Type.Null()])) }), {
    minItems: 1,
  }),
  max_completion_tokens: Type.Optional(PositiveInteger),
  max_tokens: Type.Optional(PositiveInteger),
  stream: Stream,
  stream_options: Type.Optional(loose({ include_usage: Type.Optional(Type.Boolean()) })),
  temperature: Temperature,
  top_p: TopP,
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 128 })),
  tools: Tools,
  tool_choice: Type.Optional(Type.Union([Type.Enum(['auto', 'none', 'required']), loose({})])),
})
export const ChatAnswer = loose({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  model: Type.String(),
  choices: Type.Array(
    loose({ index: Type.Integer(), message: loose({ role: Type.String() }), finish_reason: NullableText }),
  ),
  usage: Type.Optional(
    loose({ prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  ),
})

const messagesProperties = {
  model: Model,
  messages: Type.Array(loose({ role: Type.Enum(['user', 'assistant', 'system']), content: Content }), { minItems: 1 }),
  system: Type.Optional(Content),
  tools: Tools,
  tool_choice: Type.Optional(loose({ type: Type.Enum(['auto', 'any', 'tool', 'none']) })),
}
export const MessagesRequest = loose({
  ...messagesProperties,
  max_tokens: PositiveInteger,
  stream: Stream,
  temperature: ShortTemperature,
  top_p: TopP,
})
export const MessagesAnswer = loose({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(loose({ type: Type.String() })),
  stop_reason: NullableText,
  usage: loose({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
})
export const CountRequest = loose(messagesProperties)
export const CountAnswer = loose({ input_tokens: Type.Integer() })

export const ResponsesRequest = loose({
  model: Model,
  input: Type.Union([Type.String({ minLength: 1 }), Type.Array(loose({}), { minItems: 1 })]),
  instructions: Type.Optional(NullableText),
  max_output_tokens: Type.Optional(PositiveInteger),
  stream: Stream,
  temperature: Temperature,
  top_p: TopP,
  tools: Tools,
  reasoning: Type.Optional(loose({ effort: Type.Optional(Type.String()) })),
})
export const ResponsesAnswer = loose({
  id: Type.String(),
  object: Type.Literal('response'),
  model: Type.String(),
  status: Type.String(),
  output: Type.Array(loose({ type: Type.String() })),
  usage: Type.Optional(
    Type.Union([loose({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }), Type.Null()]),
  ),
})

export const EmbeddingsRequest = loose({
  model: Model,
  input: Type.Union([Type.String({ minLength: 1 }), Type.Array(Anything, { minItems: 1, maxItems: 2048 })], {
    description: 'A text, texts, a list of tokens, or lists of tokens.',
  }),
  encoding_format: Type.Optional(Type.Enum(['float', 'base64'])),
  dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
})
export const EmbeddingsAnswer = loose({
  object: Type.Literal('list'),
  model: Type.String(),
  data: Type.Array(loose({ index: Type.Integer(), embedding: Type.Union([Type.Array(Type.Number()), Type.String()]) })),
  usage: Type.Optional(loose({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() })),
})

export const ListedModel = strict({
  id: Type.String(),
  object: Type.Literal('model'),
  type: Type.Literal('model'),
  created: Type.Integer({ description: 'Seconds since 1970.' }),
  created_at: Timestamp,
  owned_by: Type.String({ description: 'The provider that is asked first.' }),
  display_name: Type.String(),
  context_window: Type.Integer(),
  max_output_tokens: Type.Integer(),
  context_length: NullableInteger,
  top_provider: strict({ context_length: NullableInteger, max_completion_tokens: NullableInteger }),
  architecture: strict({ input_modalities: Type.Array(Type.String()), output_modalities: Type.Array(Type.String()) }),
  supported_parameters: Type.Array(Type.String()),
  reasoning: Type.Optional(Type.Union([strict({ supported_efforts: Type.Array(Type.String()) }), Type.Null()])),
  max_input_tokens: NullableInteger,
  max_tokens: NullableInteger,
  capabilities: Type.Union([loose({ effort: loose({}), thinking: loose({}) }), Type.Null()]),
  lifecycle: Type.Literal('active'),
  line: Type.Null(),
  deprecated_at: Type.Null(),
  retires_at: Type.Null(),
})
export const ListedModels = strict({
  object: Type.Literal('list'),
  data: Type.Array(ListedModel),
  has_more: Type.Literal(false),
  first_id: NullableText,
  last_id: NullableText,
})

export const Balance = strict({
  object: Type.Literal('balance'),
  key_name: Type.String(),
  status: Type.String(),
  package_type: Type.String(),
  ...BalanceView.properties,
  daily_credits: NullableNumber,
  expires_at: NullableTimestamp,
  last_daily_reset_at: NullableTimestamp,
  model_limits: Type.Optional(strict({ max_context_tokens: Type.Integer(), max_output_tokens: NullableInteger })),
})

export const SessionUsage = strict({
  object: Type.Literal('usage'),
  /** The id of the session, or the hash of one that is too long. */
  session: Type.String(),
  ...Totals.properties,
})
export type SessionUsage = Static<typeof SessionUsage>

const OpenFilesLimit = Type.Optional(
  Type.Integer({ description: 'How many files the system allows the gateway to open, where that is few.' }),
)

export const Health = strict({
  status: Type.Enum(['ok', 'degraded']),
  name: Type.Literal('farebox'),
  /** These on this machine alone. */
  version: Type.Optional(Type.String()),
  ledger: Type.Optional(Type.Enum(['ok', 'halted', 'mismatch'])),
  open_files_limit: OpenFilesLimit,
})

export const Ready = strict({
  status: Type.Literal('ready'),
  name: Type.Literal('farebox'),
  open_files_limit: OpenFilesLimit,
})

/** Every refusal; `code` is the HTTP status. On messages endpoints it is part of `MessagesError`. */
export const ErrorObject = loose({
  message: Type.String(),
  type: Type.String(),
  code: Type.Optional(Type.Integer()),
  param: Type.Optional(Type.String({ description: 'The member that is wrong.' })),
  limit: Type.Optional(strict({ name: Type.String(), scope: Type.String(), reset_at: NullableTimestamp })),
  request_id: Type.Optional(Type.String()),
})
export const ErrorBody = strict({ error: ErrorObject })
export const MessagesError = strict({
  type: Type.Literal('error'),
  error: ErrorObject,
  request_id: Type.Optional(Type.String()),
})
