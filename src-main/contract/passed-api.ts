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

const Image = Type.Object({ b64_json: Type.Optional(Type.String()), url: Type.Optional(Type.String()) })
const ImageRequest = Type.Object({
  model: Model,
  prompt: Type.String({ minLength: 1 }),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  size: Type.Optional(Type.String({ description: 'Such as `1024x1024`, or `auto`.' })),
  quality: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.Union([Type.Literal('url'), Type.Literal('b64_json')])),
  stream: Stream,
  partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
})
const ImageEditRequest = Type.Object({
  ...ImageRequest.properties,
  images: Type.Array(Type.Object({ image_url: Type.Optional(Type.String()) }), {
    minItems: 1,
    maxItems: 16,
    description: 'Each with an address, or with all of the image as a data URL.',
  }),
  mask: Type.Optional(Loose),
})
const ImageAnswer = Type.Object({ data: Type.Array(Image), usage: Type.Optional(Loose) })

const SpeechRequest = Type.Object({
  model: Model,
  input: Type.String({ minLength: 1, description: 'What is read aloud.' }),
  voice: Type.Optional(Type.Union([Type.String(), Loose])),
  instructions: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.String({ description: 'Such as `mp3`, `wav` or `opus`.' })),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: Type.Optional(Type.Union([Type.Literal('audio'), Type.Literal('sse')])),
})

const File = Type.String({ format: 'binary', description: 'A file: a part with a file name.' })
const ImageForm = Type.Object({
  ...ImageRequest.properties,
  image: Type.Optional(File),
  'image[]': Type.Optional(Type.Array(File, { maxItems: 16, description: 'For several.' })),
  mask: Type.Optional(File),
})
const { prompt: _prompt, ...varied } = ImageForm.properties
const VariationForm = Type.Object(varied)

const TranslationForm = Type.Object({
  model: Model,
  file: File,
  prompt: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.String({ description: 'Such as `json`, `text` or `srt`.' })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
})
const TranscriptionForm = Type.Object({
  ...TranslationForm.properties,
  language: Type.Optional(Type.String()),
  stream: Stream,
})
const TranscriptionAnswer = Type.Object({ text: Type.String(), usage: Type.Optional(Loose) })

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
  makeImages: {
    ...CALL,
    path: '/v1/images/generations',
    alias: '/images/generations',
    summary: 'Makes images of a text; passed on to providers that have this.',
    body: ImageRequest,
    example: { model: 'an-image-model', prompt: 'A boat at sea', size: '1024x1024' },
    response: ImageAnswer,
    isStream: true,
  },
  editImages: {
    ...CALL,
    path: '/v1/images/edits',
    alias: '/images/edits',
    summary: 'Makes images of other images and a text; passed on to providers that have this.',
    body: ImageEditRequest,
    form: ImageForm,
    example: { model: 'an-image-model', prompt: 'At night', images: [{ image_url: 'https://example.com/boat.png' }] },
    response: ImageAnswer,
    isStream: true,
  },
  varyImage: {
    ...CALL,
    path: '/v1/images/variations',
    alias: '/images/variations',
    summary: 'Makes images that are like another one; passed on to providers that have this.',
    form: VariationForm,
    response: ImageAnswer,
  },
  speak: {
    ...CALL,
    path: '/v1/audio/speech',
    alias: '/audio/speech',
    summary: 'Reads a text aloud: answers with the sound; passed on to providers that have this.',
    body: SpeechRequest,
    example: { model: 'a-speech-model', input: 'Hello', voice: 'alloy' },
    response: 'audio/mpeg',
    isStream: true,
  },
  transcribe: {
    ...CALL,
    path: '/v1/audio/transcriptions',
    alias: '/audio/transcriptions',
    summary: 'Writes down what is said in a recording; passed on to providers that have this.',
    form: TranscriptionForm,
    response: TranscriptionAnswer,
    isStream: true,
  },
  translate: {
    ...CALL,
    path: '/v1/audio/translations',
    alias: '/audio/translations',
    summary: 'Writes down in English what is said in a recording; passed on to providers that have this.',
    form: TranslationForm,
    response: TranscriptionAnswer,
  },
} as const
