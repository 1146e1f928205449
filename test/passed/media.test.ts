// Images and sound: what is held for them, and that they pass by without being kept.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { post, type Pair } from '../gateway/support.ts'
import { expectCharged, freshKey, startPassed } from './support.ts'

const IMAGES = '/v1/images/generations'
const SPEECH = '/v1/audio/speech'

let pair: Pair

beforeAll(async () => {
  pair = await startPassed()
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** What is held for a call while its provider says nothing. */
async function heldFor(path: string, request: object): Promise<number> {
  const { key } = await freshKey(pair)
  const contentType = path === SPEECH ? 'audio/wav' : 'application/json'
  pair.upstream.script({ type: 'raw', parts: ['{}'], contentType, stall: { at: { byte: 1 }, ms: Infinity } })
  const abort = new AbortController()
  const asked = post(pair.farebox, request, { key, path, signal: abort.signal }).catch(() => undefined)
  const heldNow = async () => Number((await pair.farebox.balance(key))['held_credits'])
  await expect.poll(heldNow).toBeGreaterThan(0)
  const held = await heldNow()
  abort.abort()
  await asked
  await expect.poll(heldNow).toBe(0)
  return held
}

describe('what is held', () => {
  it('for images is their number at their price, at the dearest one where the provider may choose', async () => {
    const request = { model: 'picture', prompt: 'A boat', n: 3 }
    expect(await heldFor(IMAGES, { ...request, size: '1024x1024', quality: 'high' })).toBe(0.375)
    expect(await heldFor(IMAGES, { ...request, size: '1024x1024', quality: 'auto' })).toBe(0.75)
    expect(await heldFor(IMAGES, request)).toBe(0.75)
  })

  it('for images in tokens goes by their size and quality', async () => {
    const request = { model: 'image', prompt: 'A boat' }
    const low = await heldFor(IMAGES, { ...request, quality: 'low' })
    expect(low).toBeGreaterThanOrEqual((408 * 40) / 1e6)
    expect(low).toBeLessThan((500 * 40) / 1e6)
    expect(await heldFor(IMAGES, request)).toBeGreaterThanOrEqual((6240 * 40) / 1e6)
    expect(await heldFor(IMAGES, { ...request, n: 4 })).toBeGreaterThanOrEqual((4 * 6240 * 40) / 1e6)
    expect(await heldFor(IMAGES, { ...request, size: '3072x2048' })).toBeGreaterThanOrEqual((4 * 6240 * 40) / 1e6)
  })

  it('for an edit counts given images as images and not as text', async () => {
    const image = { image_url: `data:image/png;base64,${'A'.repeat(900_000)}` }
    const held = await heldFor('/v1/images/edits', {
      model: 'image',
      prompt: 'a',
      quality: 'low',
      images: [image, image],
    })
    // 16,000 tokens at the price of images, and not 3.6 million.
    expect(held).toBeGreaterThanOrEqual((16_000 * 10 + 408 * 40) / 1e6)
    expect(held).toBeLessThan(0.25)
  })

  it('for speech is its characters', async () => {
    expect(await heldFor(SPEECH, { model: 'voice', input: 'ü👋'.repeat(50), voice: 'a' })).toBe(0.001)
  })
})

describe('an answer of many megabytes', () => {
  const piece = Buffer.alloc(1024 * 1024, 'A')
  const parts = [Buffer.from('{"data":[{"b64_json":"'), ...Array.from({ length: 24 }, () => piece)]
  const end = Buffer.from('"}],"usage":{"input_tokens":10,"output_tokens":100}}')
  const request = { model: 'image', prompt: 'A boat' }

  it('reaches its client before it is whole', async () => {
    pair.upstream.script({
      type: 'raw',
      parts: [...parts, end],
      contentType: 'application/json',
      stall: { at: { byte: 2_000_000 }, ms: Infinity },
    })
    const { key } = await freshKey(pair)
    const abort = new AbortController()
    const response = await post(pair.farebox, request, { key, path: IMAGES, signal: abort.signal })
    expect(response.headers.get('content-type')).toBe('application/json')
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    abort.abort()
    await expect.poll(() => pair.farebox.admin.call('status', {})).toMatchObject({ held_credits: 0, open_exchanges: 0 })
  })

  it('is charged by the figures at its end', async () => {
    pair.upstream.script({ type: 'raw', parts: [...parts, end], contentType: 'application/json' })
    const own = await freshKey(pair)
    const response = await post(pair.farebox, request, { key: own.key, path: IMAGES })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.equals(Buffer.concat([...parts, end]))).toBe(true)
    await expectCharged(pair, own, { outcome: 'answered', usage_source: 'reported', charge_credits: 0.00405 })
  })

  it.each(['close', 'reset'] as const)('that breaks off is cut, and charged as its request says (%s)', async (how) => {
    const cut = { at: { byte: 3_000_000 }, how }
    pair.upstream.script({ type: 'raw', parts: [...parts, end], contentType: 'application/json', cut })
    const own = await freshKey(pair)
    const response = await post(pair.farebox, { ...request, quality: 'low' }, { key: own.key, path: IMAGES })
    await expect(response.arrayBuffer()).rejects.toThrow()
    const likely = expect.closeTo((408 * 40) / 1e6, 3) as number
    await expectCharged(pair, own, { outcome: 'cut', usage_source: 'estimated', charge_credits: likely })
  })
})

it('sound that is called something else is no answer', async () => {
  pair.upstream.script({ type: 'raw', parts: ['<html>'], contentType: 'text/html' })
  const own = await freshKey(pair)
  const response = await post(pair.farebox, { model: 'voice', input: 'a' }, { key: own.key, path: SPEECH })
  expect(response.status).toBe(502)
  await expectCharged(pair, own, { outcome: 'failed', charge_credits: 0 })
})

it('sound keeps the type that its provider gives it', async () => {
  pair.upstream.script({ type: 'raw', parts: [Buffer.alloc(50_000, 7)], contentType: 'audio/L16; rate=24000' })
  const { key } = await freshKey(pair)
  const response = await post(pair.farebox, { model: 'voice', input: 'a' }, { key, path: SPEECH })
  expect(response.headers.get('content-type')).toBe('audio/L16; rate=24000')
  expect((await response.arrayBuffer()).byteLength).toBe(50_000)
})
