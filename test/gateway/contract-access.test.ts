import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import { makeKey } from '#core/key-format.ts'
import { chatModel } from '../support/farebox.ts'
import {
  asResponse,
  chat,
  CHAT_PATH,
  expectError,
  get,
  HELLO,
  manualClock,
  post,
  rawText,
  sendRaw,
  startPair,
  type ManualClock,
  type Pair,
} from './support.ts'

const DAY_MS = 86_400_000
const UNKNOWN_KEY = makeKey(Buffer.alloc(64, 7))
const CHAT = { model: 'chat', messages: HELLO }

let clock: ManualClock
let pair: Pair
let tests = 0
/** Of the test's key, and of its package where it has one of its own. */
let name = ''

beforeAll(async () => {
  clock = manualClock('2026-03-10T12:00:00.000Z')
  pair = await startPair({ clock })
})

beforeEach(() => {
  name = `test ${++tests}`
  pair.upstream.forget()
})

afterAll(() => pair.close())

async function newKey(packageName = 'plenty'): Promise<string> {
  return (await pair.farebox.admin.call('createKey', { body: { name, package: packageName } })).key
}

async function newKeyWith(terms: Partial<PackageCreate>): Promise<string> {
  await pair.farebox.admin.call('addPackage', { body: { name, type: 'topup', credits: 5, ...terms } })
  return newKey(name)
}

/** The refused call cost nothing and reached nobody. */
async function expectUntouched(key: string): Promise<void> {
  expect(pair.upstream.requests).toEqual([])
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: 0, total_requests: 0 })
}

describe('401', () => {
  const ENDPOINTS = ['POST /v1/chat/completions', 'POST /chat/completions', 'POST /v1/embeddings', 'POST /embeddings']

  it.each([...ENDPOINTS, 'GET /v1/balance', 'POST /v1/v1/embeddings'])('%s needs a good key', async (endpoint) => {
    const key = await newKey()
    const [method = '', path = ''] = endpoint.split(' ')
    const wrong: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: key },
      { authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` },
      { authorization: `Token ${key}` },
      { authorization: `Bearer ${key} ${key}` },
      { authorization: `Bearer ${key},` },
      { authorization: `Bearer ${key.slice(0, -1)}` },
      { authorization: `Bearer ${key}0` },
      { authorization: `Bearer ${key.replace('key_', 'KEY_')}` },
      { authorization: `Bearer sk-${key.slice(4)}` },
      { authorization: `Bearer ${UNKNOWN_KEY}` },
      { authorization: "Bearer ' OR 1=1 --" },
      { authorization: `Bearer ${'k'.repeat(8000)}` },
      { 'x-api-key': UNKNOWN_KEY },
      { 'x-api-key': '' },
      { 'x-goog-api-key': key },
      { authorization: `Bearer ${key}`, 'x-api-key': UNKNOWN_KEY },
      { authorization: `Bearer ${UNKNOWN_KEY}`, 'x-api-key': key },
      { cookie: `key=${key}` },
    ]
    for (const headers of wrong) {
      await expectError(await fetch(pair.farebox.url + path, { method, headers }), 401)
    }
    await expectUntouched(key)
  })

  it('is the same for a key that does not exist and one that is no key', async () => {
    const messages = [UNKNOWN_KEY, 'key_wrong', 'x'].map(async (key) => expectError(await chat(pair.farebox, key), 401))
    expect(new Set(await Promise.all(messages)).size).toBe(1)
  })

  it('is the answer to a key in the query string, and says why', async () => {
    const key = await newKey()
    const encoded = key.replace('key_', 'key%5F')
    for (const query of [`key=${key}`, `api_key=${key}`, 'api_key=', 'access_token=x', 'TOKEN=x', `a=1&b=${encoded}`]) {
      const withKey = await expectError(await get(pair.farebox, `/v1/balance?${query}`, key), 401)
      expect(withKey).toMatch(/query/)
      await expectError(await post(pair.farebox, CHAT, { path: `${CHAT_PATH}?${query}` }), 401)
    }
    await expectUntouched(key)
  })

  it('is the answer to a header that is sent twice, also when both hold the same key', async () => {
    const key = await newKey()
    const line = `authorization: Bearer ${key}`
    for (const lines of [
      [line, line],
      [line, `Authorization: Bearer ${UNKNOWN_KEY}`],
      [`AUTHORIZATION: Bearer ${UNKNOWN_KEY}`, line],
      [`x-api-key: ${key}`, `X-Api-Key: ${key}`],
      [`x-goog-api-key: ${key}`, `X-Goog-Api-Key: ${key}`],
    ]) {
      const answer = await sendRaw(pair.farebox, rawText(pair.farebox, 'GET /v1/balance HTTP/1.1', lines))
      expect(await expectError(asResponse(answer), 401)).toMatch(/twice/)
    }
  })

  it('comes before the body is read', async () => {
    const lines = ['content-type: application/json', 'content-length: 30000000']
    const started = performance.now()
    const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines))
    await expectError(asResponse(answer), 401)
    expect(answer.headers.get('connection')).toBe('close')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('is not the answer to either header alone, to both with one key, or to a scheme in other letters', async () => {
    const key = await newKey()
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { authorization: `BEARER   ${key}` },
      { 'x-api-key': key },
      { 'x-api-key': key, 'x-goog-api-key': UNKNOWN_KEY },
      { authorization: `Bearer ${key}`, 'x-goog-api-key': '' },
      { authorization: `Bearer ${key}`, 'x-api-key': key },
    ]) {
      expect((await fetch(`${pair.farebox.url}/v1/balance`, { headers })).status).toBe(200)
    }
  })

  it.each(['/v1beta/models/chat:generateContent', '/v1/models/chat:countTokens'])(
    'is for Google’s header at %s as for every other one',
    async (path) => {
      const key = await newKey()
      const ask = async (headers: Record<string, string>) => {
        const response = await post(pair.farebox, { contents: [{ parts: [{ text: 'Hello' }] }] }, { path, headers })
        await response.text()
        return response.status
      }
      for (const wrong of [
        { 'x-goog-api-key': UNKNOWN_KEY },
        { 'x-goog-api-key': '' },
        { authorization: `Bearer ${key}`, 'x-goog-api-key': UNKNOWN_KEY },
        { 'x-api-key': key, 'x-goog-api-key': UNKNOWN_KEY },
      ]) {
        expect(await ask(wrong), JSON.stringify(wrong)).toBe(401)
      }
      await expectUntouched(key)
      expect(await ask({ 'x-goog-api-key': key })).toBe(200)
      expect(await ask({ 'x-api-key': key, 'x-goog-api-key': key })).toBe(200)
    },
  )
})

describe('402', () => {
  it('is the answer when the credits are used up', async () => {
    const key = await newKeyWith({ credits: 0 })
    const response = await chat(pair.farebox, key)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.get('retry-after')).toBeNull()
    expect(await expectError(response, 402)).toMatch(/^The credits of this key are used up: 0 of 0 used\./)
    await expectUntouched(key)
  })

  it('follows the call that used the last credit, and ends with a top-up', async () => {
    const key = await newKeyWith({ credits: 0.0003 })
    // The provider counts more than was held for the input.
    pair.upstream.once({ type: 'answer', usage: { prompt_tokens: 300, completion_tokens: 1, total_tokens: 301 } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
    await expectError(await chat(pair.farebox, key), 402)
    await expectError(await post(pair.farebox, { model: 'embed', input: 'x' }, { key, path: '/v1/embeddings' }), 402)
    await pair.farebox.admin.call('topUpKey', { id: name, body: { credits: 1 } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })

  it('does not stop a model whose every price is 0', async () => {
    await pair.farebox.admin.call('addModel', { body: chatModel('gratis', { price: { input: 0, output: 0 } }) })
    expect((await chat(pair.farebox, await newKeyWith({ credits: 0 }), { model: 'gratis' })).status).toBe(200)
  })

  it('is the answer from the instant on that the package is not valid any more', async () => {
    const key = await newKeyWith({ valid_until: new Date(clock.nowMs() + DAY_MS).toISOString() })
    clock.advance(DAY_MS - 1)
    expect((await chat(pair.farebox, key)).status).toBe(200)
    clock.advance(1)
    expect(await expectError(await chat(pair.farebox, key), 402)).toMatch(/expired/)
    expect((await get(pair.farebox, '/v1/balance', key)).status).toBe(200)
    await pair.farebox.admin.call('editPackage', { id: name, body: { valid_until: null } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

describe('403', () => {
  const refused = async (key: string) => {
    await expectError(await get(pair.farebox, '/v1/balance', key), 403)
    // The list of models needs no key: whoever has one that is blocked gets what everybody gets.
    expect((await get(pair.farebox, '/v1/models', key)).status).toBe(200)
    await expectError(await post(pair.farebox, { model: 'embed' }, { key, path: '/embeddings' }), 403)
    return expectError(await chat(pair.farebox, key), 403)
  }

  it('is the answer to a suspended key until it is resumed', async () => {
    const key = await newKey()
    await pair.farebox.admin.call('suspendKey', { id: name })
    expect(await refused(key)).toBe('This key is suspended.')
    await pair.farebox.admin.call('resumeKey', { id: name })
    await expectUntouched(key)
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })

  it('is the answer to an expired key from that instant on, until it is extended', async () => {
    const key = await newKey()
    clock.advance(90 * DAY_MS - 1)
    expect((await chat(pair.farebox, key)).status).toBe(200)
    clock.advance(1)
    expect(await refused(key)).toBe('This key is expired.')
    await pair.farebox.admin.call('extendKey', { id: name, body: { expires: '1d' } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })

  it('is the answer to a revoked key for ever', async () => {
    const key = await newKey()
    await pair.farebox.admin.call('revokeKey', { id: name })
    expect(await refused(key)).toBe('This key is revoked.')
    await expect(pair.farebox.admin.call('resumeKey', { id: name })).rejects.toMatchObject({ status: 409 })
    await expect(pair.farebox.admin.call('extendKey', { id: name, body: { expires: '1d' } })).rejects.toThrow()
    expect(await refused(key)).toBe('This key is revoked.')
  })
})
