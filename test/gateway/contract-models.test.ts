import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { expectError, get, manualClock, startPair, type Pair } from './support.ts'

const CREATED = '2026-03-10T12:34:56.789Z'

let pair: Pair
let everything: string
let onlyEmbed: string

beforeAll(async () => {
  pair = await startPair({ clock: manualClock(CREATED) })
  const { admin } = pair.farebox
  await admin.call('addModel', { body: chatModel('vendor/chat:free', { display_name: 'Vendor Chat' }) })
  await admin.call('addModel', { body: chatModel('off', { enabled: false }) })
  await admin.call('addPackage', { body: { name: 'narrow', type: 'topup', credits: 1, models: ['embed', 'off'] } })
  everything = await pair.farebox.newKey('plenty')
  onlyEmbed = await pair.farebox.newKey('narrow')
})

afterAll(() => pair.close())

async function ids(response: Response): Promise<string[]> {
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: { id: string }[] }).data.map((model) => model.id)
}

describe('the model list', () => {
  it('is public and wraps the enabled models', async () => {
    const response = await get(pair.farebox, '/v1/models')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const body = (await response.json()) as { data: unknown[] }
    expect(Object.keys(body).toSorted()).toEqual(['data', 'first_id', 'has_more', 'last_id', 'object'])
    expect(body).toMatchObject({ object: 'list', has_more: false, first_id: 'chat', last_id: 'vendor/chat:free' })
    expect(body.data).toHaveLength(3)
    expect(body.data[2]).toEqual({
      id: 'vendor/chat:free',
      object: 'model',
      type: 'model',
      created: Math.floor(Date.parse(CREATED) / 1000),
      created_at: CREATED,
      owned_by: 'upstream',
      display_name: 'Vendor Chat',
      context_window: 100_000,
      max_output_tokens: 1000,
      max_input_tokens: 100_000,
      max_tokens: 1000,
      capabilities: null,
      lifecycle: 'active',
      line: null,
      deprecated_at: null,
      retires_at: null,
      context_length: 100_000,
      top_provider: { context_length: 100_000, max_completion_tokens: 1000 },
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      supported_parameters: expect.arrayContaining(['max_tokens', 'tools', 'temperature']),
    })
  })

  it("has every member that Anthropic's SDK knows, and no limit of 0", async () => {
    const { data } = (await (await get(pair.farebox, '/v1/models')).json()) as { data: Anthropic.ModelInfo[] }
    // The type demands each of them, so that a newer SDK with more of them fails here.
    const members: Record<keyof Anthropic.ModelInfo, true> = {
      id: true,
      type: true,
      display_name: true,
      created_at: true,
      max_input_tokens: true,
      max_tokens: true,
      capabilities: true,
      lifecycle: true,
      line: true,
      deprecated_at: true,
      retires_at: true,
    }
    for (const model of data) for (const name of Object.keys(members)) expect(model).toHaveProperty(name)
    expect(data.find(({ id }) => id === 'embed')?.max_tokens).not.toBe(0)
  })

  it('shows a key only what that key may call', async () => {
    expect(await ids(await get(pair.farebox, '/v1/models', everything))).toEqual(['chat', 'embed', 'vendor/chat:free'])
    expect(await ids(await get(pair.farebox, '/v1/models', onlyEmbed))).toEqual(['embed'])
    const headers = { 'x-api-key': onlyEmbed }
    expect(await ids(await fetch(`${pair.farebox.url}/models`, { headers }))).toEqual(['embed'])
  })

  it('shows everything to a key that is unknown or blocked: nobody needs one here', async () => {
    const everyone = await ids(await get(pair.farebox, '/v1/models'))
    const { admin } = pair.farebox
    const { key } = await admin.call('createKey', { body: { name: 'blocked', package: 'narrow' } })
    expect(await ids(await get(pair.farebox, '/v1/models', key))).toEqual(['embed'])
    await admin.call('revokeKey', { id: 'blocked' })
    for (const presented of ['key_wrong', key]) {
      expect(await ids(await get(pair.farebox, '/v1/models', presented))).toEqual(everyone)
      expect((await get(pair.farebox, '/v1/models/chat', presented)).status).toBe(200)
    }
  })

  it('refuses a key in the query string', async () => {
    await expectError(await get(pair.farebox, `/v1/models?key=${everything}`), 401)
    await expectError(await get(pair.farebox, `/v1/models/chat?api_key=${everything}`), 401)
  })

  it('follows when a model is disabled and enabled', async () => {
    const { admin } = pair.farebox
    await admin.call('disableModel', { id: 'chat' })
    expect(await ids(await get(pair.farebox, '/v1/models'))).toEqual(['embed', 'vendor/chat:free'])
    await expectError(await get(pair.farebox, '/v1/models/chat'), 404)
    await admin.call('enableModel', { id: 'chat' })
    expect(await ids(await get(pair.farebox, '/v1/models'))).toContain('chat')
  })
})

describe('one model', () => {
  it('is the same object as in the list', async () => {
    const list = (await (await get(pair.farebox, '/v1/models')).json()) as { data: { id: string }[] }
    expect(list.data).toHaveLength(3)
    for (const model of list.data) {
      for (const path of [`/v1/models/${model.id}`, `/v1/models/${encodeURIComponent(model.id)}`]) {
        expect(await (await get(pair.farebox, path)).json()).toEqual(model)
      }
    }
  })

  it('is found by the names that clients give it with a date or a mark behind it', async () => {
    for (const name of ['chat-20260101', 'chat[1m]', 'chat-20260101[1m]', 'vendor/chat:free-20260101']) {
      const id = name.replace(/-20260101|\[1m\]/g, '')
      expect(await (await get(pair.farebox, `/v1/models/${name}`)).json()).toMatchObject({ id })
    }
    await expectError(await get(pair.farebox, '/v1/models/chat-2026010'), 404)
    await expectError(await get(pair.farebox, '/v1/models/chat-20260101', onlyEmbed), 404)
  })

  it('is not found when it does not exist, is disabled, or is not for the key that asks', async () => {
    for (const path of ['/v1/models/none', '/v1/models/off', '/v1/models/none/', '/v1/models/CHAT']) {
      await expectError(await get(pair.farebox, path), 404)
    }
    await expectError(await get(pair.farebox, '/v1/models/chat', onlyEmbed), 404)
    expect((await get(pair.farebox, '/v1/models/embed', onlyEmbed)).status).toBe(200)
  })
})

describe('a HEAD', () => {
  const head = (path: string, headers: Record<string, string> = {}) =>
    fetch(pair.farebox.url + path, { method: 'HEAD', headers })

  it('is answered as a GET is, without a body', async () => {
    for (const path of ['/v1/models', '/models', '/v1/models/chat', '/v1/models/', '/v1/models/none']) {
      const asked = await get(pair.farebox, path)
      const answer = await head(path)
      expect([answer.status, await answer.text()], path).toEqual([asked.status, ''])
      expect(answer.headers.get('content-type')).toBe(asked.headers.get('content-type'))
    }
    expect((await head(`/v1/models?key=${everything}`)).status).toBe(401)
  })

  it('says at the place where Claude Code looks first that somebody is there', async () => {
    expect((await head('/api/hello')).status).toBe(200)
    expect((await head('/api/hello', { 'x-api-key': 'key_wrong' })).status).toBe(200)
    await expectError(await get(pair.farebox, '/api/hello'), 404)
    expect((await head('/api/hello', { origin: 'https://page.example' })).status).toBe(403)
  })
})
