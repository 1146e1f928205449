// The endpoints whose calls are passed on as they come, for the reference.

import { Type } from 'typebox'

const Model = Type.String({ description: 'The id of a model, as the list of models has it.' })
const PositiveInteger = Type.Integer({ minimum: 1 })
const Stream = Type.Optional(Type.Boolean({ description: 'Answers with server-sent events.' }))
const Loose = Type.Object({})
const TokenLists = Type.Array(Type.Unknown(), { minItems: 1, maxItems: 2048 })

const CompletionRequest = Type.Object({
  model: Model,
  prompt: Type.Union([Type.String(), TokenLists], {
    description: 'A text, texts, a list of tokens, or lists of tokens.',
  }),
  suffix: Type.Optional(Type.String({ description: 'What comes behind the text that is filled in.' })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, description: '16 where it is left out.' })),
  stream: Stream,
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 128 })),
  best_of: Type.Optional(Type.Integer({ minimum: 1, maximum: 128 })),
  echo: Type.Optional(Type.Boolean()),
})
const CompletionAnswer = Type.Object({ choices: Type.Array(Type.Object({ text: Type.String() })) })

const ModerationRequest = Type.Object({
  model: Model,
  input: Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), Loose]), { minItems: 1, maxItems: 2048 })], {
    description: 'A text, texts, or parts that are texts and images.',
  }),
})
const ModerationAnswer = Type.Object({ results: Type.Array(Loose) })

const RerankRequest = Type.Object({
  model: Model,
  query: Type.Union([Type.String({ minLength: 1 }), Loose]),
  documents: Type.Array(Type.Union([Type.String(), Loose]), { minItems: 1, maxItems: 10_000 }),
  top_n: Type.Optional(PositiveInteger),
})
const RerankAnswer = Type.Object({
  results: Type.Optional(Type.Array(Loose, { description: 'Called `data` by some providers.' })),
})

const CALL_REFUSALS = [400, 401, 402, 403, 404, 413, 424, 429, 502, 503, 504]
const CALL = { method: 'POST', access: 'key', group: 'Calls', refusals: CALL_REFUSALS } as const

export const PASSED_API = {
  complete: {
    ...CALL,
    path: '/v1/completions',
    alias: '/completions',
    summary: 'Goes on with a text, or fills in what is missing in it; passed on to providers that have this.',
    body: CompletionRequest,
    example: { model: 'a-model', prompt: 'def add(a, b):', suffix: 'print(add(1, 2))' },
    response: CompletionAnswer,
    isStream: true,
  },
  moderate: {
    ...CALL,
    path: '/v1/moderations',
    alias: '/moderations',
    summary: 'Says of texts and images whether they are of an unwanted kind; passed on to providers that have this.',
    body: ModerationRequest,
    example: { model: 'a-moderation-model', input: 'Hello' },
    response: ModerationAnswer,
  },
  rerank: {
    ...CALL,
    path: '/v1/rerank',
    alias: '/rerank',
    summary: 'Says how much documents have to do with a query; passed on to providers that have this.',
    body: RerankRequest,
    example: { model: 'a-rerank-model', query: 'Which is a greeting?', documents: ['Hello', 'Goodbye'] },
    response: RerankAnswer,
  },
} as const
