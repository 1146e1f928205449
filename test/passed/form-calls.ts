// A call with a form at each endpoint that takes them: what a client sends, what a provider answers, and what that comes to.

import type { ModelCreate } from '#contract/schemas.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { post, type Pair } from '../gateway/support.ts'
import { chatModel } from '../support/farebox.ts'

export type FormCall = {
  readonly name: string
  readonly path: string
  readonly model: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly files: readonly (readonly [name: string, content: Buffer, fileName: string, mediaType: string])[]
  readonly answer: Behaviour
  /** In credits, added up by hand. */
  readonly charge: number
  readonly source: 'reported' | 'estimated'
}

export const FORM_MODELS: readonly ModelCreate[] = [
  chatModel('ear', { kind: 'transcription', price: { input: 0, units: { second: 0.0001 } } }),
  chatModel('scribe', { kind: 'transcription', price: { input: 2.5, output: 10, input_audio: 6 } }),
]

const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })
const text = (...parts: readonly string[]): Behaviour => ({
  type: 'raw',
  parts,
  contentType: 'text/plain; charset=utf-8',
})
const events = (...all: readonly object[]): Behaviour => ({
  type: 'raw',
  parts: all.map((data) => `data: ${JSON.stringify(data)}\n\n`),
})

const chunks = (...all: readonly object[]): Behaviour => ({
  type: 'raw',
  parts: [
    ...all.map((data) => `data: ${JSON.stringify({ object: 'transcription.chunk', ...data })}\n\n`),
    'data: [DONE]\n\n',
  ],
})

/** Bytes of every value, with line ends and what could be a boundary among them. */
export const SOUND = Buffer.concat([
  Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 7 + (index >> 8)) % 256)),
  Buffer.from('\r\n--\r\n--form\r\n'),
])
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n-picture-', 'latin1')

const TOKENS = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: { text_tokens: 0, audio_tokens: 14 },
  output_tokens: 5,
  total_tokens: 19,
}
/** As Mistral answered: what it heard is beside the prompt. */
const MISTRAL_USAGE = {
  prompt_audio_seconds: 12,
  prompt_tokens: 3,
  total_tokens: 419,
  completion_tokens: 41,
  prompt_tokens_details: { cached_tokens: 0 },
}
const IMAGE_USAGE = {
  input_tokens: 110,
  output_tokens: 272,
  total_tokens: 382,
  input_tokens_details: { text_tokens: 10, image_tokens: 100 },
}
const recording = ['file', SOUND, 'talk "ü".mp3', 'audio/mpeg'] as const

export const FORM_CALLS: readonly FormCall[] = [
  {
    name: 'a transcription by seconds',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [
      ['language', 'en'],
      ['temperature', '0.2'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['x_own', 'ü\r\n'],
    ],
    files: [recording],
    answer: json({ text: 'Hello – ü', usage: { type: 'duration', seconds: 9 } }),
    charge: 0.0009,
    source: 'reported',
  },
  {
    name: 'a transcription with what it tells of the recording',
    path: '/audio/transcriptions',
    model: 'ear',
    fields: [['response_format', 'verbose_json']],
    files: [recording],
    answer: json({ task: 'transcribe', duration: 8.47, text: 'Hello', segments: [] }),
    // 8.47 seconds are 9.
    charge: 0.0009,
    source: 'reported',
  },
  {
    name: 'a transcription by tokens',
    path: '/v1/audio/transcriptions',
    model: 'scribe',
    fields: [['prompt', 'Names: Ü']],
    files: [recording],
    answer: json({ text: 'Hello', usage: TOKENS }),
    // 14 of audio at 6 and 5 at 10 credits per million.
    charge: 0.000134,
    source: 'reported',
  },
  {
    name: 'a transcription in events',
    path: '/v1/audio/transcriptions',
    model: 'scribe',
    fields: [['stream', 'true']],
    files: [recording],
    answer: events(
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.delta', delta: 'lo' },
      { type: 'transcript.text.done', text: 'Hello', usage: TOKENS },
    ),
    charge: 0.000134,
    source: 'reported',
  },
  {
    name: 'a transcription of Mistral, whose sound is in the total alone',
    path: '/v1/audio/transcriptions',
    model: 'scribe',
    fields: [],
    files: [recording],
    answer: json({ model: 'voxtral-mini-latest', text: 'Hello', language: null, segments: [], usage: MISTRAL_USAGE }),
    // 3 at 2.5, 375 of audio at 6 and 41 at 10 credits per million.
    charge: 0.002668,
    source: 'reported',
  },
  {
    name: 'a transcription in events of Mistral',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [['stream', 'true']],
    files: [recording],
    answer: events(
      { type: 'transcription.language', audio_language: 'en' },
      { type: 'transcription.text.delta', text: 'Hel' },
      { type: 'transcription.text.delta', text: 'lo' },
      { type: 'transcription.done', text: 'Hello', language: 'en', usage: MISTRAL_USAGE },
    ),
    charge: 0.0012,
    source: 'reported',
  },
  {
    name: 'a transcription in chunks of vLLM, which may end once for each part of the recording',
    path: '/v1/audio/transcriptions',
    model: 'scribe',
    fields: [
      ['stream', 'true'],
      ['stream_include_usage', 'true'],
    ],
    files: [recording],
    answer: chunks(
      { choices: [{ delta: { content: 'Hel' }, finish_reason: 'stop' }] },
      { choices: [{ delta: { content: 'lo' }, finish_reason: null }] },
      { choices: [{ delta: { content: '' }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 14, completion_tokens: 5, total_tokens: 19 } },
    ),
    // 14 at 2.5 and 5 at 10 credits per million.
    charge: 0.000085,
    source: 'reported',
  },
  {
    name: 'a transcription in chunks without a usage',
    path: '/v1/audio/translations',
    model: 'ear',
    fields: [['stream', 'true']],
    files: [recording],
    answer: chunks({ choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] }),
    charge: 0.0011,
    source: 'estimated',
  },
  {
    name: 'a transcription of which no stream is made though one was asked for',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [['stream', 'true']],
    files: [recording],
    answer: json({ text: 'Hello', usage: { type: 'duration', seconds: 9 } }),
    charge: 0.0009,
    source: 'reported',
  },
  {
    name: 'subtitles, whose times tell a length',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [['response_format', 'srt']],
    files: [recording],
    answer: text('1\n00:00:00,000 --> 00:01:01,200\nHello – ü\n\n', '2\n00:00:02,000 --> 00:00:03,000\n00:09:00,000\n'),
    // 61.2 seconds are 62.
    charge: 0.0062,
    source: 'estimated',
  },
  {
    name: 'subtitles in the other notation',
    path: '/v1/audio/translations',
    model: 'ear',
    fields: [['response_format', 'vtt']],
    files: [recording],
    answer: text('WEBVTT\n\n00:00.000 --> 00:04.000 align:start\n', 'Hello – ü\n'),
    charge: 0.0004,
    source: 'estimated',
  },
  {
    name: 'subtitles longer than the recording can be',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [['response_format', 'srt']],
    files: [recording],
    answer: text('1\n00:00:00,000 --> 99:00:00,000\nHello\n'),
    // 40,014 bytes at 4 kbit/s are 81 seconds.
    charge: 0.0081,
    source: 'estimated',
  },
  {
    name: 'a plain text, which tells no length',
    path: '/v1/audio/transcriptions',
    model: 'ear',
    fields: [['response_format', 'text']],
    files: [recording],
    answer: text('Hello – ü\n'),
    // 40,014 bytes at 32 kbit/s are 11 seconds.
    charge: 0.0011,
    source: 'estimated',
  },
  {
    name: 'a translation',
    path: '/v1/audio/translations',
    model: 'ear',
    fields: [],
    files: [recording],
    answer: json({ text: 'Hello', usage: { type: 'duration', seconds: 9 } }),
    charge: 0.0009,
    source: 'reported',
  },
  {
    name: 'edits of images',
    path: '/v1/images/edits',
    model: 'image',
    fields: [
      ['prompt', 'At night'],
      ['n', '1'],
      ['size', '1024x1024'],
    ],
    files: [
      ['image[]', PICTURE, 'a.png', 'image/png'],
      ['image[]', PICTURE, 'b.png', 'image/png'],
      ['mask', PICTURE, 'mask.png', 'image/png'],
    ],
    answer: json({ created: 1, data: [{ b64_json: 'AAAA' }], usage: IMAGE_USAGE }),
    // 10 at 5, 100 of images at 10 and 272 at 40 credits per million.
    charge: 0.01193,
    source: 'reported',
  },
  {
    name: 'variations of an image',
    path: '/v1/images/variations',
    model: 'picture',
    fields: [['n', '2']],
    files: [['image', PICTURE, 'a.png', 'image/png']],
    answer: json({ created: 1, data: [{ url: 'https://i.test/1' }, { url: 'https://i.test/2' }] }),
    charge: 0.5,
    source: 'reported',
  },
]

/** The form of a call, with its files before the name of the model. */
export function formOf({ model, fields, files }: Pick<FormCall, 'model' | 'fields' | 'files'>): FormData {
  const form = new FormData()
  for (const [name, content, fileName, type] of files) {
    form.append(name, new Blob([Buffer.from(content)], { type }), fileName)
  }
  for (const [name, value] of [...fields, ['model', model] as const]) form.append(name, value)
  return form
}

export function sendForm({ farebox }: Pick<Pair, 'farebox'>, call: FormCall, key: string): Promise<Response> {
  return fetch(farebox.url + call.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: formOf(call),
  })
}

export const BOUNDARY = 'a-boundary'

/** A form that is written by hand: the parts with their heads, and the last boundary. */
export function rawForm(...parts: readonly (readonly [head: string, content: string | Buffer])[]): Buffer {
  const written = parts.map(([head, content]) =>
    Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]),
  )
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const fieldHead = (name: string) => `content-disposition: form-data; name="${name}"`
export const fileHead = (name = 'file') => `${fieldHead(name)}; filename="a.mp3"\r\ncontent-type: audio/mpeg`

export function postRaw({ farebox }: Pick<Pair, 'farebox'>, body: Buffer, key: string, headers: object = {}) {
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  return post(farebox, body, { key, path: '/v1/audio/transcriptions', headers: { 'content-type': type, ...headers } })
}

/** What a provider was sent, read by another reader of forms than ours. */
export function sentForm({ headers, bytes }: RecordedRequest): Promise<FormData> {
  const type = String(headers['content-type'])
  return new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData()
}
