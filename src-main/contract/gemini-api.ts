// The endpoints for clients of the Gemini format, for the reference. Their paths name the model and what is asked of it.

import { Type } from 'typebox'

const Content = Type.Object({
  role: Type.Optional(Type.Enum(['user', 'model', 'function'])),
  parts: Type.Array(Type.Object({})),
})

const GenerationConfig = Type.Object({
  maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  candidateCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 128 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
})

const requestProperties = {
  contents: Type.Array(Content, { minItems: 1 }),
  systemInstruction: Type.Optional(Type.Object({ parts: Type.Optional(Type.Array(Type.Object({}))) })),
  generationConfig: Type.Optional(GenerationConfig),
  tools: Type.Optional(Type.Array(Type.Object({}))),
  toolConfig: Type.Optional(Type.Object({})),
}
const GeminiRequest = Type.Object(requestProperties, {
  description: 'Each member may also be written in snake_case.',
})
const GeminiAnswer = Type.Object({
  candidates: Type.Optional(Type.Array(Type.Object({ finishReason: Type.Optional(Type.String()) }))),
  usageMetadata: Type.Optional(Type.Object({ totalTokenCount: Type.Optional(Type.Integer()) })),
})
const GeminiCount = Type.Object({ totalTokens: Type.Integer() })

const EmbedContent = {
  content: Type.Object({ parts: Type.Array(Type.Object({}), { minItems: 1 }) }),
  taskType: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  outputDimensionality: Type.Optional(Type.Integer({ minimum: 1 })),
}
const GeminiEmbedding = Type.Object(EmbedContent)
const GeminiEmbeddings = Type.Object({ requests: Type.Array(GeminiEmbedding, { minItems: 1, maxItems: 2048 }) })
const GeminiVector = Type.Object({ values: Type.Array(Type.Number()) })
const EmbeddingUsage = {
  usageMetadata: Type.Optional(Type.Object({ promptTokenCount: Type.Optional(Type.Integer()) })),
}

const GeminiModel = Type.Object({
  name: Type.String(),
  version: Type.String(),
  displayName: Type.String(),
  inputTokenLimit: Type.Optional(Type.Integer()),
  outputTokenLimit: Type.Optional(Type.Integer()),
  supportedGenerationMethods: Type.Array(Type.String()),
})
const GeminiModels = Type.Object({ models: Type.Array(GeminiModel) })

export const GeminiError = Type.Object({
  error: Type.Object({
    code: Type.Integer({ description: 'The HTTP status.' }),
    message: Type.String(),
    status: Type.String({ description: "Google's name for it." }),
    details: Type.Optional(Type.Array(Type.Object({}))),
  }),
})

const CALL_REFUSALS = [400, 401, 402, 403, 404, 413, 424, 429, 502, 503, 504]
const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const EMBED = { content: { parts: [{ text: 'Hello' }] } }
const CALL = { method: 'POST', access: 'key', group: 'Calls', body: GeminiRequest, example: HELLO } as const
const LIST = { method: 'GET', access: 'public', group: 'Models to call' } as const

export const GEMINI_API = {
  generateContent: {
    ...CALL,
    path: '/v1beta/models/{model}:generateContent',
    alias: '/v1/models/{model}:generateContent',
    summary: 'Generates content.',
    response: GeminiAnswer,
    refusals: CALL_REFUSALS,
    error: GeminiError,
  },
  streamGenerateContent: {
    ...CALL,
    path: '/v1beta/models/{model}:streamGenerateContent',
    alias: '/v1/models/{model}:streamGenerateContent',
    summary: 'Generates content as a stream: of events with `alt=sse`, else as one array.',
    query: Type.Object({ alt: Type.Optional(Type.Enum(['sse', 'json'])) }),
    response: Type.Array(GeminiAnswer),
    isStream: true,
    refusals: CALL_REFUSALS,
    error: Type.Union([GeminiError, Type.Array(GeminiError, { minItems: 1, maxItems: 1 })]),
  },
  embedContent: {
    ...CALL,
    path: '/v1beta/models/{model}:embedContent',
    alias: '/v1/models/{model}:embedContent',
    summary: 'Makes the embedding of a content.',
    body: GeminiEmbedding,
    example: EMBED,
    response: Type.Object({ embedding: GeminiVector, ...EmbeddingUsage }),
    refusals: CALL_REFUSALS,
    error: GeminiError,
  },
  batchEmbedContents: {
    ...CALL,
    path: '/v1beta/models/{model}:batchEmbedContents',
    alias: '/v1/models/{model}:batchEmbedContents',
    summary: 'Makes the embeddings of several contents.',
    body: GeminiEmbeddings,
    example: { requests: [EMBED] },
    response: Type.Object({ embeddings: Type.Array(GeminiVector), ...EmbeddingUsage }),
    refusals: CALL_REFUSALS,
    error: GeminiError,
  },
  countContentTokens: {
    ...CALL,
    path: '/v1beta/models/{model}:countTokens',
    alias: '/v1/models/{model}:countTokens',
    summary: 'Counts the input tokens of contents; free.',
    response: GeminiCount,
    refusals: [400, 401, 402, 403, 404, 413, 429, 503],
    error: GeminiError,
  },
  listGeminiModels: {
    ...LIST,
    path: '/v1beta/models',
    summary: "Lists the enabled models in Google's form; with a key, those that the key may call.",
    response: GeminiModels,
    refusals: [401, 402, 403],
    error: GeminiError,
  },
  showGeminiModel: {
    ...LIST,
    path: '/v1beta/models/{model}',
    summary: "Shows a model in Google's form.",
    response: GeminiModel,
    refusals: [401, 402, 403, 404],
    error: GeminiError,
  },
} as const
