// Images, speech, transcriptions and completions of a text with the AI SDK's defaults.

import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
  generateImage,
  generateText,
  streamText,
} from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Pair } from '../gateway/support.ts'
import { FORM_MODELS, sentForm, SOUND } from '../passed/form-calls.ts'
import { expectCharged, freshKey, startPassed } from '../passed/support.ts'
import { CALLS } from '../passed/routes.ts'

let pair: Pair
let own: Awaited<ReturnType<typeof freshKey>>

beforeAll(async () => {
  // The AI SDK would print what it does not know of models with names like ours.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  pair = await startPassed()
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
})

beforeEach(async () => {
  pair.upstream.forget()
  own = await freshKey(pair)
})

afterAll(() => pair.close())

const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n-picture-', 'latin1')
const IMAGE_ANSWER = {
  created: 1,
  data: [{ b64_json: PICTURE.toString('base64') }],
  usage: { input_tokens: 10, output_tokens: 272, total_tokens: 282 },
}

function clients() {
  const asked = { baseURL: `${pair.farebox.url}/v1`, apiKey: own.key }
  return { openai: createOpenAI(asked), compatible: createOpenAICompatible({ name: 'farebox', ...asked }) }
}

describe.each(['openai', 'compatible'] as const)('by the provider package %s', (name) => {
  it('makes an image', async () => {
    pair.upstream.script({ type: 'status', status: 200, body: IMAGE_ANSWER })
    const model = clients()[name].imageModel('image')
    const { image } = await generateImage({ model, prompt: 'A boat', size: '1024x1024', maxRetries: 0 })
    expect(Buffer.from(image.uint8Array).equals(PICTURE)).toBe(true)
    await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.01093 })
  })

  it('makes an image of another one', async () => {
    pair.upstream.script({ type: 'status', status: 200, body: IMAGE_ANSWER })
    const model = clients()[name].imageModel('image')
    const prompt = { images: [PICTURE], text: 'At night' }
    const { image } = await generateImage({ model, prompt, maxRetries: 0 })
    expect(Buffer.from(image.uint8Array).equals(PICTURE)).toBe(true)
    const [sent] = pair.upstream.requests
    expect(sent?.path).toBe('/v1/images/edits')
    expect(sent?.bytes.includes(PICTURE)).toBe(true)
    await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.01093 })
  })

  it.each([false, true])('completes a text, streaming %s', async (isStream) => {
    const completion = CALLS[isStream ? 1 : 0]
    if (completion === undefined) throw new Error('there are no completions')
    pair.upstream.script(completion.answer)
    const model = name === 'openai' ? clients().openai.completion('chat') : clients().compatible.completionModel('chat')
    const asked = { model, prompt: 'def add(', maxOutputTokens: 50, maxRetries: 0 }
    const text = isStream ? await streamText(asked).text : (await generateText(asked)).text
    expect(text).toBe(isStream ? 'a – ü' : 'a, b – ü')
    await expectCharged(pair, own, { usage_source: 'reported', charge_credits: completion.charge })
  })
})

it('reads a text aloud', async () => {
  const sound = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))
  pair.upstream.script({ type: 'raw', parts: [sound], contentType: 'audio/mpeg' })
  const { audio } = await generateSpeech({ model: clients().openai.speech('voice'), text: 'Hello', maxRetries: 0 })
  expect(Buffer.from(audio.uint8Array).equals(sound)).toBe(true)
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.00005 })
})

it('writes down a recording', async () => {
  const body = { text: 'Hello', language: 'english', duration: 8.47, usage: { type: 'duration', seconds: 9 } }
  pair.upstream.script({ type: 'status', status: 200, body })
  const model = clients().openai.transcription('ear')
  const { text, durationInSeconds } = await transcribe({ model, audio: SOUND, maxRetries: 0 })
  expect([text, durationInSeconds]).toEqual(['Hello', 8.47])
  const [sent] = pair.upstream.requests
  const file = sent === undefined ? undefined : (await sentForm(sent)).get('file')
  expect(file instanceof File && Buffer.from(await file.arrayBuffer()).equals(SOUND)).toBe(true)
  await expectCharged(pair, own, { usage_source: 'reported', charge_credits: 0.0009 })
})
