// Images and speech with the OpenAI SDK's defaults.

import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Pair } from '../gateway/support.ts'
import { expectCharged, freshKey, startPassed } from '../passed/support.ts'
import { openaiClient } from '../support/openai.ts'

let pair: Pair
let own: Awaited<ReturnType<typeof freshKey>>
let openai: OpenAI

beforeAll(async () => {
  pair = await startPassed()
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
