// The gateway's own endpoints, for the reference.

import { Type, type TSchema } from 'typebox'
import { CODEX_API } from '#contract/codex-api.ts'
import {
  Balance,
  ChatAnswer,
  ChatRequest,
  CountAnswer,
  CountRequest,
  EmbeddingsAnswer,
  EmbeddingsRequest,
  Health,
  ListedModel,
  ListedModels,
  MessagesAnswer,
  MessagesError,
  MessagesRequest,
  Ready,
  ResponsesAnswer,
  ResponsesRequest,
  SessionUsage,
  loose,
} from '#contract/gateway-shapes.ts'
import { GEMINI_API } from '#contract/gemini-api.ts'
import { PASSED_API } from '#contract/passed-api.ts'
import { ReceiptView } from '#contract/receipt.ts'

export type GatewayEndpoint = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The same endpoint for tools whose base URL lacks the version. */
  readonly alias?: string
  readonly access: 'public' | 'key' | 'scraper'
  readonly group: string
  readonly summary: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** The fields and files of a form that may come in its place. */
  readonly form?: TSchema
  readonly example?: object
  /** A schema for JSON; else the content type of an answer that is not. */
  readonly response: TSchema | string
  /** Also answers with server-sent events, where the request asks for a stream. */
  readonly isStream?: true
  /** The HTTP statuses of its refusals, beside those that every endpoint has. */
  readonly refusals: readonly number[]
  /** The shape of its errors, where that is not `ErrorBody`. */
  readonly error?: TSchema
}

const InputCountAnswer = loose({ object: Type.Literal('response.input_tokens'), input_tokens: Type.Integer() })

const BalanceQuery = loose({
  model: Type.Optional(Type.String({ description: 'Also shows the limits of this model.' })),
})

const SessionUsageQuery = loose({ session: Type.String({ description: 'The id that the tool gave its session.' }) })

const CALL_REFUSALS = [400, 401, 402, 403, 404, 413, 424, 429, 502, 503, 504]
const HELLO = [{ role: 'user', content: 'Hello' }]

export const GATEWAY_GROUPS = ['Calls', 'Models to call', 'Balance and receipts', 'This gateway'] as const

export const GATEWAY_API = {
  chat: {
    method: 'POST',
    path: '/v1/chat/completions',
    alias: '/chat/completions',
    access: 'key',
    group: 'Calls',
    summary: 'Makes a chat completion.',
    body: ChatRequest,
    example: { model: 'demo-chat', messages: HELLO },
    response: ChatAnswer,
    isStream: true,
    refusals: CALL_REFUSALS,
  },
  messages: {
    method: 'POST',
    path: '/v1/messages',
    access: 'key',
    group: 'Calls',
    summary: 'Makes a message.',
    body: MessagesRequest,
    example: { model: 'demo-chat', max_tokens: 200, messages: HELLO },
    response: MessagesAnswer,
    isStream: true,
    refusals: CALL_REFUSALS,
    error: MessagesError,
  },
  countTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    access: 'key',
    group: 'Calls',
    summary: 'Counts the input tokens of a message; free.',
    body: CountRequest,
    example: { model: 'demo-chat', messages: HELLO },
    response: CountAnswer,
    refusals: [400, 401, 402, 403, 404, 413, 429, 503],
    error: MessagesError,
  },
  responses: {
    method: 'POST',
    path: '/v1/responses',
    alias: '/responses',
    access: 'key',
    group: 'Calls',
    summary: 'Makes a response.',
    body: ResponsesRequest,
    example: { model: 'demo-chat', input: 'Hello' },
    response: ResponsesAnswer,
    isStream: true,
    refusals: CALL_REFUSALS,
  },
  countInput: {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    alias: '/responses/input_tokens',
    access: 'key',
    group: 'Calls',
    summary: 'Counts the input tokens of a response; free.',
    body: ResponsesRequest,
    example: { model: 'demo-chat', input: 'Hello' },
    response: InputCountAnswer,
    refusals: [400, 401, 402, 403, 404, 413, 429, 503],
  },
  compact: {
    method: 'POST',
    path: '/v1/responses/compact',
    alias: '/responses/compact',
    access: 'key',
    group: 'Calls',
    summary: 'Sums a conversation up in one item, which stands for it from then on.',
    body: ResponsesRequest,
    example: { model: 'demo-chat', input: 'Hello' },
    response: ResponsesAnswer,
    refusals: CALL_REFUSALS,
  },
  openWebSocket: {
    method: 'GET',
    path: '/v1/responses',
    alias: '/responses',
    access: 'key',
    group: 'Calls',
    summary:
      'Opens a WebSocket for several responses; refuses with 426 whatever does not ask for one, or where there is none.',
    response: '',
    refusals: [401, 402, 403, 426],
  },
  ...CODEX_API,
  embeddings: {
    method: 'POST',
    path: '/v1/embeddings',
    alias: '/embeddings',
    access: 'key',
    group: 'Calls',
    summary: 'Makes embeddings.',
    body: EmbeddingsRequest,
    example: { model: 'demo-embedding', input: 'Hello' },
    response: EmbeddingsAnswer,
    refusals: CALL_REFUSALS,
  },
  ...PASSED_API,
  ...GEMINI_API,
  listModels: {
    method: 'GET',
    path: '/v1/models',
    alias: '/models',
    access: 'public',
    group: 'Models to call',
    summary: 'Lists the enabled models; with a key, those that the key may call.',
    response: ListedModels,
    refusals: [401, 402, 403],
  },
  showModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    alias: '/models/{model}',
    access: 'public',
    group: 'Models to call',
    summary: 'Shows one model by its id, which may contain slashes.',
    response: ListedModel,
    refusals: [401, 402, 403, 404],
  },
  balance: {
    method: 'GET',
    path: '/v1/balance',
    access: 'key',
    group: 'Balance and receipts',
    summary: 'Shows the credits of the key.',
    query: BalanceQuery,
    response: Balance,
    refusals: [401, 402, 403, 404],
  },
  sessionUsage: {
    method: 'GET',
    path: '/v1/usage',
    access: 'key',
    group: 'Balance and receipts',
    summary: "Sums up the key's calls in one session of a tool.",
    query: SessionUsageQuery,
    response: SessionUsage,
    refusals: [400, 401, 402, 403],
  },
  receipt: {
    method: 'GET',
    path: '/v1/receipts/{id}',
    access: 'key',
    group: 'Balance and receipts',
    summary: "Explains what one of the key's calls cost, by the x-request-id of its answer.",
    response: ReceiptView,
    refusals: [401, 402, 403, 404],
  },
  health: {
    method: 'GET',
    path: '/health',
    access: 'public',
    group: 'This gateway',
    summary: 'Says whether Farebox runs and its ledger is in order.',
    response: Health,
    refusals: [],
  },
  ready: {
    method: 'GET',
    path: '/ready',
    access: 'public',
    group: 'This gateway',
    summary: 'Says whether calls are taken now; where they are not, `details.reason` of the error is one word for why.',
    response: Ready,
    refusals: [503],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    access: 'scraper',
    group: 'This gateway',
    summary: 'Figures for Prometheus, on this machine only and where they were asked for.',
    response: 'text/plain',
    refusals: [401, 404],
  },
  openApi: {
    method: 'GET',
    path: '/docs/openapi.json',
    access: 'public',
    group: 'This gateway',
    summary: 'This API as an OpenAPI 3.1 document.',
    response: loose({ openapi: Type.String() }),
    refusals: [],
  },
} as const satisfies Record<string, GatewayEndpoint>
