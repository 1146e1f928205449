// Images, speech and transcriptions with the OpenAI SDK's defaults.

import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toFile, type OpenAI } from 'openai'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Pair } from '../gateway/support.ts'
import { FORM_MODELS, SOUND } from '../passed/form-calls.ts'
import { expectCharged, freshKey, startPassed } from '../passed/support.ts'
import { openaiClient } from '../support/openai.ts'

let pair: Pair
let own: Awaited<ReturnType<typeof freshKey>>
let openai: OpenAI

beforeAll(async () => {
  pair = await startPassed()
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
})

beforeEach(async () => {
  pair.upstream.forget()
  own = await freshKey(pair)
  openai = openaiClient({ url: pair.farebox.url, key: own.key })
})

afterAll(() => pair.close())

const USAGE = { input_tokens: 10, output_tokens: 272, total_tokens: 282 }
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`

it('makes an image', async () => {
  const data = [{ b64_json: 'iVBORw0KGgo=' }]
  pair.upstream.script({ type: 'status', status: 200, body: { created: 1, data, usage: USAGE } })
  const answer = await openai.images.generate({ model: 'image', prompt: 'A boat', size: '1024x1024', quality: 'low' })
  expect(answer.data).toEqual(data)
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.01093 })
})

it('makes an image in events', async () => {
  const partial = { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AAAA' }
  const completed = { type: 'image_generation.completed', b64_json: 'BBBB', usage: USAGE }
  pair.upstream.script({ type: 'raw', parts: [event(partial), event(completed)] })
  const stream = await openai.images.generate({ model: 'image', prompt: 'A boat', stream: true, partial_images: 1 })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed'])
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.01093 })
})

it('reads a text aloud', async () => {
  const sound = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))
  pair.upstream.script({ type: 'raw', parts: [sound], contentType: 'audio/mpeg' })
  const answer = await openai.audio.speech.create({ model: 'voice', input: 'Hello', voice: 'alloy' })
  expect(Buffer.from(await answer.arrayBuffer()).equals(sound)).toBe(true)
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.00005 })
})

it('writes down a recording from a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-sound-'))
  const path = join(folder, 'talk.mp3')
  await writeFile(path, SOUND)
  pair.upstream.script({
    type: 'status',
    status: 200,
    body: { text: 'Hello', usage: { type: 'duration', seconds: 9 } },
  })
  const answer = await openai.audio.transcriptions.create({
    model: 'ear',
    file: createReadStream(path),
    language: 'en',
  })
  expect(answer.text).toBe('Hello')
  expect(pair.upstream.requests[0]?.bytes.includes(SOUND)).toBe(true)
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.0009 })
  await rm(folder, { recursive: true })
})

it('writes down a recording in events, and as subtitles', async () => {
  const file = await toFile(SOUND, 'talk.mp3')
  const done = {
    type: 'transcript.text.done',
    text: 'Hello',
    usage: { type: 'tokens', input_tokens: 14, output_tokens: 5 },
  }
  pair.upstream.script({ type: 'raw', parts: [event({ type: 'transcript.text.delta', delta: 'Hello' }), event(done)] })
  const stream = await openai.audio.transcriptions.create({ model: 'scribe', file, stream: true })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types).toEqual(['transcript.text.delta', 'transcript.text.done'])
  pair.upstream.script({ type: 'raw', parts: ['1\nHello\n'], contentType: 'text/plain; charset=utf-8' })
  expect(await openai.audio.transcriptions.create({ model: 'ear', file, response_format: 'srt' })).toBe('1\nHello\n')
})

it('translates a recording', async () => {
  pair.upstream.script({ type: 'status', status: 200, body: { text: 'Hello' } })
  const answer = await openai.audio.translations.create({ model: 'ear', file: await toFile(SOUND, 'talk.mp3') })
  expect(answer.text).toBe('Hello')
  await expectCharged(pair, own, { usage_source: 'estimated', charge_credits: 0.0011 })
})

it('edits images, and makes others like one', async () => {
  const image = await toFile(Buffer.from('picture'), 'a.png', { type: 'image/png' })
  const data = [{ b64_json: 'iVBORw0KGgo=' }]
  pair.upstream.script({ type: 'status', status: 200, body: { created: 1, data, usage: USAGE } })
  const edited = await openai.images.edit({
    model: 'image',
    image: [image, image],
    mask: image,
    prompt: 'At night',
    n: 1,
  })
  expect(edited.data).toEqual(data)
  expect(pair.upstream.requests[0]?.text.match(/name="image\[\]"/g)).toHaveLength(2)
  const varied = await openai.images.createVariation({ model: 'image', image })
  expect(varied.data).toEqual(data)
})
