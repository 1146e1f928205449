// What providers sell apart, through the whole gateway: each call is charged the sum that is worked out here by hand, its receipt
// explains it, and its hold covers it.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PriceFields } from '#contract/prices.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, startHouse, type House, type Route } from './house.ts'
import { get } from './support.ts'

type Receipt = Record<string, unknown> & { readonly charge_credits: number; readonly held_credits: number }

let house: House
let key = ''

beforeAll(async () => {
  house = await startHouse()
})

beforeEach(async () => {
  house.upstream.forget()
  key = (await newKey(house)).key
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

/** The receipt of one call at a price, of which the provider reports what a test says. */
async function charged(
  route: Route,
  price: PriceFields,
  { usage, members }: { readonly usage: Record<string, unknown>; readonly members?: object },
): Promise<Receipt> {
  await house.farebox.admin.call('priceModel', { id: route[1], body: { ...price, confirm_jump: true } })
  house.upstream.script({ type: 'answer', usage })
  const response = await ask(house, route, { key, ...(members === undefined ? {} : { members }) })
  expect(response.status).toBe(200)
  await response.text()
  const answer = await get(house.farebox, `/v1/receipts/${response.headers.get('x-request-id') ?? ''}`, key)
  const receipt = (await answer.json()) as Receipt
  expect(receipt.charge_credits).toBeLessThanOrEqual(receipt.held_credits)
  return receipt
}

const CLAUDE: PriceFields = {
  input: 3,
  output: 15,
  cache_read: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
  tiers: { fast: 6, batch: 0.5 },
  units: { web_search: 0.01 },
}
const MESSAGES_USAGE = {
  input_tokens: 100,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 500,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
  output_tokens: 10,
  service_tier: 'standard',
}
/** In micro-credits, as everything that is summed up here. */
const WRITTEN = 100 * 3 + 1000 * 0.3 + 200 * 3.75 + 300 * 6 + 10 * 15

const MESSAGES: Route = ['messages', 'messages']
const BOTH_WAYS: readonly (readonly [string, Route, object])[] = [
  ['passed on', MESSAGES, {}],
  ['passed on as a stream', MESSAGES, { stream: true }],
  ['translated', ['chat', 'messages'], {}],
  ['translated as a stream', ['chat', 'messages'], { stream: true }],
]

describe('writes to the cache of Anthropic', () => {
  it.each(BOTH_WAYS)('are charged by how long they are kept, %s', async (_, route, members) => {
    const receipt = await charged(route, CLAUDE, { usage: MESSAGES_USAGE, members })
    expect(receipt).toMatchObject({
      tokens: { cache_write: { tokens: 500 } },
      parts: { cache_write_1h: 300 },
      charge_credits: WRITTEN / 1e6,
    })
    expect(receipt).not.toHaveProperty('unnamed')
    expect(receipt).not.toHaveProperty('tier')
  })

  it('are charged as those of five minutes where the price does not tell them apart, and the receipt says so', async () => {
    const { cache_write_1h: _, ...price } = CLAUDE
    const receipt = await charged(MESSAGES, price, { usage: MESSAGES_USAGE })
    expect(receipt.charge_credits).toBe((100 * 3 + 1000 * 0.3 + 500 * 3.75 + 10 * 15) / 1e6)
    expect(receipt['unnamed']).toEqual([{ name: 'cache_write_1h', charged_as: 'cache_write' }])
  })
})

describe('a service tier', () => {
  it('is charged as it was reported, not as it was asked for', async () => {
    const usage = { ...MESSAGES_USAGE, service_tier: 'batch' }
    const receipt = await charged(MESSAGES, CLAUDE, { usage })
    expect(receipt).toMatchObject({ tier: 'batch', charge_credits: Math.ceil(WRITTEN / 2) / 1e6 })
    const standard = await charged(MESSAGES, CLAUDE, { usage: MESSAGES_USAGE, members: { speed: 'fast' } })
    expect(standard.charge_credits).toBe(WRITTEN / 1e6)
  })

  it('is the one that was asked for where the provider says nothing of it', async () => {
    const { service_tier: _, ...usage } = MESSAGES_USAGE
    const receipt = await charged(MESSAGES, CLAUDE, { usage, members: { speed: 'fast' } })
    expect(receipt).toMatchObject({ tier: 'fast', charge_credits: (WRITTEN * 6) / 1e6 })
  })

  it('that the price does not name costs the standard price, and the receipt says so', async () => {
    const receipt = await charged(MESSAGES, CLAUDE, { usage: { ...MESSAGES_USAGE, service_tier: 'priority' } })
    expect(receipt).toMatchObject({ tier: 'priority', charge_credits: WRITTEN / 1e6 })
    expect(receipt['unnamed']).toEqual([{ name: 'tier/priority', charged_as: 'tier/standard' }])
  })

  it('is held at the dearest that the provider may choose, and at what was asked for where it may not', async () => {
    const price = { input: 1, output: 1, tiers: { priority: 3, fast: 50, flex: 0.5 } }
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const route: Route = ['chat', 'chat-completions']
    const held = async (members: object) => {
      const asked = { max_tokens: 1000, ...members }
      return (await charged(route, price, { usage, members: asked })).held_credits
    }
    const standard = await held({ service_tier: 'default' })
    expect(await held({})).toBeCloseTo(standard * 3, 2)
    expect(await held({ service_tier: 'auto' })).toBeGreaterThan(standard * 2.5)
    expect(await held({ service_tier: 'flex' })).toBeLessThan(standard * 1.5)
    expect(await held({ service_tier: 'priority' })).toBeGreaterThan(standard * 2.5)
  })
})

it('searches of the provider are charged by their number, and held for as many as are allowed', async () => {
  const usage = { ...MESSAGES_USAGE, server_tool_use: { web_search_requests: 3 } }
  const members = { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 4 }] }
  const receipt = await charged(MESSAGES, CLAUDE, { usage, members })
  expect(receipt).toMatchObject({ units: { web_search: 3 }, charge_credits: (WRITTEN + 30_000) / 1e6 })
  expect(receipt['lines']).toContainEqual({ type: 'unit', unit: 'web_search', count: 3, price: 0.01, amount: '0.03' })
  const { units: _, ...price } = CLAUDE
  const free = await charged(MESSAGES, price, { usage, members })
  expect(free['unnamed']).toEqual([{ name: 'web_search', charged_as: null }])
  expect(receipt.held_credits - free.held_credits).toBeCloseTo(0.04, 3)
})

describe('sound and pictures', () => {
  const GPT: PriceFields = { input: 2.5, output: 10, input_audio: 40, output_audio: 80, input_image: 5 }

  it.each([
    ['chat', 'chat-completions', {}],
    ['chat', 'chat-completions', { stream: true }],
    ['responses', 'chat-completions', {}],
  ] as const)('of chat completions have prices of their own: %s at %s, %j', async (format, dialect, members) => {
    const usage = {
      prompt_tokens: 150,
      completion_tokens: 60,
      total_tokens: 210,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100, image_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 40 },
    }
    const receipt = await charged([format, dialect], GPT, { usage, members })
    const sum = 30 * 2.5 + 100 * 40 + 20 * 5 + 20 * 10 + 40 * 80
    expect(receipt).toMatchObject({
      parts: { input_audio: 100, input_image: 20, output_audio: 40 },
      charge_credits: sum / 1e6,
    })
  })

  it('of Gemini too, apart from what of them was cached, at the price of long prompts', async () => {
    const flash: PriceFields = {
      input: 0.5,
      output: 3,
      cache_read: 0.05,
      input_audio: 1,
      cache_read_audio: 0.1,
      steps: [{ above: 200_000, input: 1, output: 6, cache_read: 0.1, input_audio: 2 }],
    }
    const audio = (prompt: number) => ({
      promptTokenCount: prompt,
      cachedContentTokenCount: 100,
      candidatesTokenCount: 10,
      totalTokenCount: prompt + 10,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: prompt - 90 },
        { modality: 'AUDIO', tokenCount: 90 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'AUDIO', tokenCount: 40 },
      ],
    })
    const members = { messages: [{ role: 'user', content: 'word '.repeat(110_000) }] }
    const short = await charged(['chat', 'gemini'], flash, { usage: audio(200_000), members })
    expect(short.charge_credits).toBe((199_850 * 0.5 + 50 * 1 + 60 * 0.05 + 40 * 0.1 + 10 * 3) / 1e6)
    const long = await charged(['chat', 'gemini'], flash, { usage: audio(200_001), members })
    // The step names no sound of its own in the cache.
    expect(long.charge_credits).toBe(Math.ceil(199_851 * 1 + 50 * 2 + 100 * 0.1 + 10 * 6) / 1e6)
    expect(long['unnamed']).toEqual([{ name: 'cache_read_audio', charged_as: 'cache_read' }])
  })
})

it('a call is charged the price of a request and at least the least', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const route: Route = ['chat', 'chat-completions']
  const request = await charged(route, { input: 1, output: 1, units: { request: 0.002 } }, { usage })
  expect(request.charge_credits).toBe(0.002015)
  const least = await charged(route, { input: 1, output: 1, minimum: 0.5 }, { usage })
  expect(least).toMatchObject({ charge_credits: 0.5, held_credits: 0.5 })
  house.upstream.script({ type: 'status', status: 400 })
  const refused = await ask(house, route, { key })
  const receipt = await get(house.farebox, `/v1/receipts/${refused.headers.get('x-request-id') ?? ''}`, key)
  expect(await receipt.json()).toMatchObject({ charge_credits: 0, lines: [] })
})

it('what a price does not name needs attention until it has a price', async () => {
  const { admin } = house.farebox
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 5,
    cache_creation: { ephemeral_1h_input_tokens: 5 },
    output_tokens: 10,
    service_tier: 'priority',
    server_tool_use: { web_search_requests: 1 },
  }
  await charged(MESSAGES, { input: 1, output: 1 }, { usage })
  const about = async () => (await admin.call('overview', {})).attention.filter(({ kind }) => kind === 'missing_price')
  expect(await about()).toMatchObject([{ subject: 'messages', page: 'models' }])
  const missing = (await admin.call('status', {})).missing_prices
  expect(missing).toEqual([
    { model: 'messages', name: 'cache_write_1h', charged_as: 'cache_write' },
    { model: 'messages', name: 'web_search', charged_as: null },
    { model: 'messages', name: 'tier/priority', charged_as: 'tier/standard' },
  ])
  const text = (await about())[0]?.text
  expect(text).toContain('cache_write_1h (charged as cache_write), web_search (charged nothing), tier/priority')
  await charged(MESSAGES, { ...CLAUDE, tiers: { priority: 2 } }, { usage })
  expect(await about()).toEqual([])
  expect(await admin.call('status', {})).not.toHaveProperty('missing_prices')
})

describe('a price is refused', () => {
  it.each([
    [
      'steps',
      {
        steps: [
          { above: 10, input: 1, output: 1 },
          { above: 10, input: 1, output: 1 },
        ],
      },
    ],
    ['steps', { steps: [] }],
    ['steps', { steps: [{ above: 10, input: 1 }] }],
    ['tiers', { tiers: { standard: 2 } }],
    ['tiers', { tiers: { 'no words': 2 } }],
    ['tiers', { tiers: { flex: -1 } }],
    ['tiers', { tiers: { flex: 101 } }],
    ['units', { units: { image: 1001 } }],
    ['units', { units: { 'image//high': 1 } }],
    ['units', { units: { constructor: -1 } }],
    ['decimals', { units: { image: 0.0000000000001 } }],
    ['decimals', { minimum: 0.0000001 }],
    ['decimals', { input_audio: 0.0000001 }],
    ['decimals', { tiers: { flex: 0.0000001 } }],
    ['cache_write_1h', { cache_write_1h: -1 }],
    ['cache_write_2h', { cache_write_2h: 1 }],
  ])('for its %s: %j', async (member, wrong) => {
    const body = { input: 1, output: 1, ...wrong } as PriceFields
    const call = house.farebox.admin.call('priceModel', { id: 'messages', body })
    await expect(call).rejects.toThrow(member)
  })
})

it('a price that names the same keeps its version, and one that does not gets a new one', async () => {
  const version = async (price: PriceFields) => {
    const model = await house.farebox.admin.call('priceModel', {
      id: 'messages',
      body: { ...price, confirm_jump: true },
    })
    return model.price?.version ?? 0
  }
  const first = await version(CLAUDE)
  expect(await version({ ...CLAUDE, tiers: { batch: 0.5, fast: 6 } })).toBe(first)
  expect(await version({ ...CLAUDE, tiers: { batch: 0.5, fast: 7 } })).toBe(first + 1)
  const shown = (await house.farebox.admin.call('listModels', {})).find(({ id }) => id === 'messages')?.price
  expect(shown).toEqual({ ...CLAUDE, version: first + 1, tiers: { batch: 0.5, fast: 7 } })
})
