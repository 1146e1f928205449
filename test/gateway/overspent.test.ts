// What a crowd, a large reference, dense text and a provider that ignores its cap can make a key spend: no more than its balance, but
// for what a provider does that nobody could have told it not to.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { STEP_TOKENS } from '#pipeline/credit-guard.ts'
import { expectSoundBooks } from './fault-support.ts'
import { chat, expectError, HELLO, post, startPair, usageOf, type CallOptions, type Pair } from './support.ts'

const CALLS = 100
/** In micro-credits for each token. */
const OUTPUT_PRICE = 2

let pair: Pair
let names = 0
let name = ''
let key = ''

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_HOLD_WAIT_MS: '3000' } })
})

beforeEach(() => pair.upstream.forget())

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

async function newKey(microCredits: number): Promise<void> {
  name = `key ${++names}`
  await pair.farebox.admin.call('addPackage', { body: { name, type: 'topup', credits: microCredits / 1e6 } })
  key = (await pair.farebox.admin.call('createKey', { body: { name, package: name } })).key
}

async function chargedMicro(): Promise<number> {
  const records = await usageOf(pair.farebox, name)
  return records.reduce((sum, { charge_credits }) => sum + Math.round(charge_credits * 1e6), 0)
}

/** Makes all calls at once; returns how many were answered. */
async function crowd(members: object, options: CallOptions = {}): Promise<number> {
  const calls = Array.from({ length: CALLS }, () =>
    post(pair.farebox, { messages: HELLO, ...members }, { key, ...options }),
  )
  const answers = await Promise.all(calls)
  await Promise.all(answers.map((answer) => (answer.status === 200 ? answer.text() : expectError(answer, 402))))
  return answers.filter(({ status }) => status === 200).length
}

describe('a crowd on a balance for ten calls', () => {
  /** A provider that keeps to its cap and uses nearly all of it. */
  const nearlyAll = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => {
    const completion_tokens = Math.min(990, Number(body['max_tokens']))
    const usage = { prompt_tokens: 19, completion_tokens, total_tokens: 19 + completion_tokens }
    return { type: 'answer', headersAfterMs: 20, usage } as const
  }

  it.each([{}, { stream: true, stream_options: { include_usage: true } }])(
    'spends no more than that: %j',
    async (how) => {
      await newKey(10 * 2000)
      pair.upstream.script(nearlyAll)
      const answered = await crowd({ model: 'chat', max_tokens: 1000, ...how })
      expect(answered).toBeGreaterThanOrEqual(9)
      expect(answered).toBeLessThanOrEqual(12)
      expect(await chargedMicro()).toBeLessThanOrEqual(10 * 2000)
      expect((await usageOf(pair.farebox, name)).filter(({ overrun }) => overrun)).toEqual([])
    },
  )

  it('tells a call that runs alone on what is left how much that is', async () => {
    await newKey(1000)
    pair.upstream.script(nearlyAll)
    const answer = await chat(pair.farebox, key, { max_tokens: 1000 })
    const cap = Number(pair.upstream.requests[0]?.body['max_tokens'])
    expect(cap).toBeLessThan(500)
    expect(answer.headers.get('x-farebox-adjusted')).toBe(`max_tokens=${cap}`)
    expect(await chargedMicro()).toBe(19 + OUTPUT_PRICE * cap)
  })
})

describe('input that is only referenced', () => {
  /** As much as the model takes. */
  const usage = { input_tokens: 90_000, output_tokens: 1, total_tokens: 90_001 }

  it.each([
    ['an earlier answer', { previous_response_id: 'resp_1', input: 'Hello' }],
    ['a conversation', { conversation: 'conv_1', input: 'Hello' }],
    ['a stored prompt', { prompt: { id: 'pmpt_1' }, input: 'Hello' }],
    ['a file', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }],
    [
      'a document by its address',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example/b' }] }] },
    ],
    ['a search', { input: 'Hello', tools: [{ type: 'web_search' }] }],
  ])('is held for what it can be at most: %s', async (_what, members) => {
    await pair.farebox.admin.call('addProvider', {
      body: { name: `r${names}`, dialect: 'responses', base_url: pair.upstream.url, network: 'local' },
    })
    const targets = [{ provider: `r${names}`, model: 'real' }]
    const model = `responses-${names}`
    const price = { input: 1, output: OUTPUT_PRICE }
    await pair.farebox.admin.call('addModel', {
      body: { id: model, kind: 'chat', context_window: 100_000, max_output_tokens: 1000, price, targets },
    })
    const body = { model, max_output_tokens: 100, ...members }
    const path = '/v1/responses'
    // Too little for one, whatever it refers to: refused in words that say why, and nobody is asked.
    await newKey(50_000)
    const refused = await post(pair.farebox, body, { key, path })
    expect(await expectError(refused, 402)).toMatch(/do not pay for this call\. How large .+ cannot be known before/)
    expect(pair.upstream.requests).toEqual([])
    // Enough for three.
    await newKey(3 * 100_200)
    pair.upstream.script({ type: 'answer', headersAfterMs: 20, usage })
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(pair.farebox, body, { key, path })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await chargedMicro()).toBe(3 * 90_002)
  })
})

describe('a stream of a provider that ignores its cap', () => {
  const TEXTS = {
    prose: 'All these words are what the model says. ',
    base64: Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251)).toString('base64'),
    'rare glyphs': '𓀀𒀁𐎀ꙮ𝔄🜁',
    digits: '31415926535897932384626433832795028841971693993751',
  }

  it.each(Object.entries(TEXTS))('costs at most a step more than the balance: %s', async (_what, text) => {
    const balance = 50_000
    await newKey(balance)
    const whole = text.repeat(Math.ceil(200_000 / text.length))
    const pieces = Array.from({ length: 20_000 }, (_, index) => whole.slice(index * 10, index * 10 + 10))
    pair.upstream.script({ type: 'answer', pieces, usage: null })
    // The balance pays for some 20,000 tokens; the client asks for more than the model has.
    await pair.farebox.admin.call('editModel', { id: 'chat', body: { max_output_tokens: 90_000 } })
    await (await chat(pair.farebox, key, { stream: true, max_tokens: 90_000 })).text()
    const charged = await chargedMicro()
    expect(charged).toBeGreaterThan(balance * 0.9)
    expect(charged).toBeLessThanOrEqual(balance + OUTPUT_PRICE * STEP_TOKENS)
    await pair.farebox.admin.call('editModel', { id: 'chat', body: { max_output_tokens: 1000 } })
  })
})

describe('whole answers of a provider that ignores its cap', () => {
  it('are booked as what they are, once: the next one is held for what the target has done', async () => {
    const usage = { prompt_tokens: 19, completion_tokens: 20_000, total_tokens: 20_019 }
    pair.upstream.script({ type: 'answer', text: 'word '.repeat(20_000), usage, headersAfterMs: 20 })
    await newKey(30_000)
    expect((await chat(pair.farebox, key, { max_tokens: 10 })).status).toBe(200)
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ overrun: true, charge_credits: 0.040019 })
    // A balance for two such answers gets two, however many ask for ten tokens.
    await newKey(2 * 41_000)
    const answered = await crowd({ model: 'chat', max_tokens: 10 })
    expect(answered).toBe(2)
    expect(await chargedMicro()).toBe(2 * 40_019)
    const { targets } = await pair.farebox.admin.call('status', {})
    expect(targets.find(({ model }) => model === 'real-chat')?.ignored_cap).toMatchObject({
      cap: 10,
      output_tokens: 20_000,
    })
  })
})
