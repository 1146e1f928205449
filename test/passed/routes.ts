// A call at each endpoint whose calls are passed on: what a client sends, what a provider answers, and what that comes to.

import type { ModelCreate } from '#contract/schemas.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { chatModel } from '../support/farebox.ts'

export type PassedCall = {
  readonly name: string
  readonly path: string
  readonly model: string
  /** What is sent beside the name of the model. */
  readonly request: Readonly<Record<string, unknown>>
  readonly answer: Behaviour
  /** In credits, added up by hand. */
  readonly charge: number
  /** What the provider is sent in place of members of the request. */
  readonly sent?: Readonly<Record<string, unknown>>
  /** What the charge is at most where the provider reports no usage, and whether that is all it needs to report; else 0.01 credits. */
  readonly unreported?: { readonly most: number; readonly isTold?: true }
  /** What the client gets where that is not what the provider sent. */
  readonly gets?: string
}

export const MODELS: readonly ModelCreate[] = [
  chatModel('rank', { kind: 'rerank', price: { input: 3 } }),
  chatModel('search', { kind: 'rerank', price: { input: 0, units: { search: 0.002 } } }),
  chatModel('image', { kind: 'image', price: { input: 5, output: 40, input_image: 10 } }),
  chatModel('picture', { kind: 'image', price: { input: 0, units: { image: 0.25, 'image/1024x1024/high': 0.125 } } }),
  chatModel('voice', { kind: 'speech', price: { input: 0, units: { character: 0.00001 } } }),
  chatModel('speaker', { kind: 'speech', price: { input: 1, output: 12 } }),
  chatModel('moderate', { kind: 'moderation', price: { input: 5 } }),
]

const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })
const events = (...all: readonly string[]): Behaviour => ({
  type: 'raw',
  parts: all.map((data) => `data: ${data}\n\n`),
})

const COMPLETION = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'real-chat' }
const textChunk = (text: string, finish: string | null) =>
  JSON.stringify({ ...COMPLETION, choices: [{ text, index: 0, logprobs: null, finish_reason: finish }] })
const USAGE = JSON.stringify({
  ...COMPLETION,
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
})

const IMAGE_USAGE = {
  input_tokens: 10,
  output_tokens: 272,
  total_tokens: 282,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
}
/** More than is kept of an answer before its client gets any of it. */
const LARGE = 'iVBORw0KGgo/'.repeat(2500)
const SOUND = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 7) % 256))

export const CALLS: readonly PassedCall[] = [
  {
    name: 'completions',
    path: '/v1/completions',
    model: 'chat',
    request: { prompt: 'def add(', suffix: ')', max_tokens: 50, temperature: 0.5, x_own: { a: 1 } },
    answer: json({
      ...COMPLETION,
      choices: [{ text: 'a, b – ü', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    }),
    // 7 at 1 and 5 at 2 credits per million.
    charge: 0.000017,
  },
  {
    name: 'streamed completions',
    path: '/v1/completions',
    model: 'chat',
    request: { prompt: ['one', 'two'], max_tokens: 50, stream: true, stream_options: { include_usage: true } },
    answer: events(textChunk('a – ', null), textChunk('ü', 'stop'), USAGE, '[DONE]'),
    charge: 0.000017,
  },
  {
    name: 'moderations',
    path: '/v1/moderations',
    model: 'moderate',
    request: { input: ['Hello', 'ü'] },
    answer: json({ id: 'modr-1', model: 'm', results: [{ flagged: false }], usage: { prompt_tokens: 4 } }),
    charge: 0.00002,
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    model: 'rank',
    request: { query: 'Where?', documents: ['Here', { text: 'There' }], top_n: 1 },
    answer: json({ model: 'r', results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 11 } }),
    charge: 0.000033,
  },
  {
    name: 'rerank with a list of data',
    path: '/rerank',
    model: 'rank',
    request: { query: 'Where?', documents: ['Here'] },
    answer: json({ object: 'list', data: [{ index: 0, relevance_score: 0.1 }], usage: { total_tokens: 6 } }),
    charge: 0.000018,
  },
  {
    name: 'rerank by searches',
    path: '/v1/rerank',
    model: 'search',
    request: { query: 'Where?', documents: Array.from({ length: 120 }, () => 'Here') },
    answer: json({
      id: 'r',
      results: [{ index: 0, relevance_score: 0.1 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 2 } },
    }),
    charge: 0.004,
  },
  {
    name: 'images',
    path: '/v1/images/generations',
    model: 'image',
    request: { prompt: 'A boat – ü', size: '1024x1024', quality: 'low', background: 'auto' },
    answer: json({ created: 1, data: [{ b64_json: LARGE }], usage: IMAGE_USAGE }),
    // 10 at 5 and 272 at 40 credits per million.
    charge: 0.01093,
    // As many tokens as the lowest quality may come to.
    unreported: { most: 0.017 },
  },
  {
    name: 'images by their number',
    path: '/images/generations',
    model: 'picture',
    request: { prompt: 'A boat', n: 2, size: '1024x1024', quality: 'high', response_format: 'url' },
    answer: json({
      created: 1,
      data: [{ url: 'https://i.test/1', revised_prompt: 'ü "b"' }, { url: 'https://i.test/2' }],
    }),
    charge: 0.25,
    unreported: { most: 0.25, isTold: true },
  },
  {
    name: 'images whose size the provider chose',
    path: '/v1/images/generations',
    model: 'picture',
    request: { prompt: 'A boat' },
    answer: json({ created: 1, size: '1024x1024', quality: 'high', data: [{ b64_json: 'AAAA' }], usage: IMAGE_USAGE }),
    charge: 0.125,
    unreported: { most: 0.125, isTold: true },
  },
  {
    name: 'streamed images',
    path: '/v1/images/generations',
    model: 'image',
    request: { prompt: 'A boat', stream: true, partial_images: 1 },
    answer: events(
      JSON.stringify({ type: 'image_generation.partial_image', partial_image_index: 0, b64_json: LARGE }),
      JSON.stringify({ type: 'image_generation.completed', b64_json: LARGE, usage: IMAGE_USAGE }),
    ),
    charge: 0.01093,
  },
  {
    name: 'edits of images',
    path: '/v1/images/edits',
    model: 'image',
    request: { prompt: 'At night', images: [{ image_url: `data:image/png;base64,${LARGE}` }], mask: { file_id: 'f' } },
    answer: json({
      created: 1,
      data: [{ b64_json: 'AAAA' }],
      usage: { ...IMAGE_USAGE, input_tokens: 110, input_tokens_details: { text_tokens: 10, image_tokens: 100 } },
    }),
    // 100 more at 10 credits per million.
    charge: 0.01193,
    unreported: { most: 0.27 },
  },
  {
    name: 'speech',
    path: '/v1/audio/speech',
    model: 'voice',
    request: { input: 'Hello – ü 👋', voice: 'alloy', response_format: 'wav' },
    answer: { type: 'raw', parts: [SOUND.subarray(0, 100), SOUND.subarray(100)], contentType: 'audio/wav' },
    // 11 characters, of which one is written as two.
    charge: 0.00011,
  },
  {
    name: 'speech in events',
    path: '/audio/speech',
    model: 'speaker',
    request: { input: 'Hello', voice: { id: 'v' }, stream_format: 'sse' },
    answer: events(
      JSON.stringify({ type: 'speech.audio.delta', audio: 'AAAA' }),
      JSON.stringify({ type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 25, total_tokens: 28 } }),
    ),
    // 3 at 1 and 25 at 12 credits per million.
    charge: 0.000303,
  },
]
