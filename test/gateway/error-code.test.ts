// The code of an error is the contract's integer, and a text for the clients that cannot read a number there, wherever an error comes from.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { ask, FORMATS, startFormats, type Format } from './formats.ts'
import { eventData, get, post, type Pair } from './support.ts'

let pair: Pair
let key = ''
let poor = ''

beforeAll(async () => {
  pair = await startFormats({
    env: {
      FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1',
      FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '0',
      FAREBOX_RATE_LIMIT_WAIT_MS: '0',
    },
    packages: [{ name: 'poor', type: 'topup', credits: 0.000001 }],
  })
  key = await pair.farebox.newKey('plenty')
  poor = await pair.farebox.newKey('poor')
})

beforeEach(() => pair.upstream.forget())

afterAll(async () => {
  await pair.close()
})

const AGENTS = [
  ['openai-java', { 'user-agent': 'OpenAIClientImpl/Java 4.101.0' }, 'string'],
  ['async-openai', { 'user-agent': 'async-openai' }, 'string'],
  ['any other client', { 'user-agent': 'curl/8.5.0' }, 'number'],
] as const

const TOO_MANY_PARTS = `{"model":"chat","x":[${'{},'.repeat(150_000)}{}]}`

async function codeOf(response: Response): Promise<unknown> {
  const text = await response.text()
  const { error } = JSON.parse(text) as { error: { code: unknown; type: unknown; message: unknown } }
  expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) })
  expect(Number(error.code)).toBe(response.status)
  return typeof error.code
}

describe.each(AGENTS)('%s', (_client, headers, type) => {
  const send = (format: Format, members: object, given: string | undefined = key) =>
    ask(pair, format, { ...(given && { key: given }), members: { model: format.dialect, ...members }, headers })

  // Google's clients read Google's own errors, whose code is a number for all.
  const formats = FORMATS.filter(({ name }) => name !== 'gemini')

  describe.each(formats.map((format) => [format.name, format] as const))('in %s', (_name, format) => {
    it.each<[string, () => Promise<Response>, number]>([
      ['without a key', () => send(format, {}, ''), 401],
      ['with an unknown key', () => send(format, {}, `key_${'x'.repeat(43)}`), 401],
      ['without credits', () => send(format, {}, poor), 402],
      ['for an unknown model', () => send(format, { model: 'nobody' }), 404],
      ['for a member that is wrong', () => send(format, { stream: 'yes' }), 400],
      ['for what is no JSON', () => post(pair.farebox, '{', { path: format.path, key, headers }), 400],
      [
        'for a body of too many parts',
        () => post(pair.farebox, TOO_MANY_PARTS, { path: format.path, key, headers }),
        413,
      ],
    ])('has a code of its type %s', async (_what, call, status) => {
      const response = await call()
      expect(response.status).toBe(status)
      expect(await codeOf(response)).toBe(type)
    })

    it.each<[string, Behaviour, number]>([
      ['fails', { type: 'status', status: 500 }, 502],
      ['is busy', { type: 'status', status: 429 }, 429],
      ['is overloaded', { type: 'status', status: 503 }, 503],
      [
        'judges with 500',
        { type: 'status', status: 500, body: { error: { message: 'Unsupported param: tools' } } },
        400,
      ],
      [
        'gives no code',
        { type: 'status', status: 400, body: { error: { message: 'No.', type: 'x', code: null } } },
        400,
      ],
      [
        'gives a number',
        { type: 'status', status: 422, body: { error: { message: 'No.', type: 'x', code: 422 } } },
        422,
      ],
      ['gives reasons', { type: 'status', status: 422, body: { detail: [{ loc: ['n'], msg: 'No.' }] } }, 422],
    ])('has one where its provider %s', async (_what, behaviour, status) => {
      pair.upstream.script(behaviour)
      const response = await send(format, {})
      expect(response.status).toBe(status)
      expect(await codeOf(response)).toBe(type)
    })

    it('has one in a stream that breaks', async () => {
      pair.upstream.script({
        type: 'answer',
        pieces: ['one ', 'two ', 'three '],
        cut: { at: { afterEvent: 5 }, how: 'reset' },
      })
      const text = await (await send(format, { stream: true })).text()
      const last = JSON.parse(eventData(text).at(-1) ?? '') as Record<string, never>
      // The responses format has codes of its own there, which are texts.
      if (format.name === 'responses') expect(last['response']?.['error']?.['code']).toBe('server_error')
      else expect([typeof last['error']?.['code'], Number(last['error']?.['code'])]).toEqual([type, 502])
    })
  })

  it('reads a code where there is no such path, and of a request to the rest of the gateway', async () => {
    expect(await codeOf(await fetch(`${pair.farebox.url}/v1/nowhere`, { headers }))).toBe(type)
    expect(await codeOf(await fetch(`${pair.farebox.url}/v1/models/nobody`, { headers }))).toBe(type)
    expect(await codeOf(await fetch(`${pair.farebox.url}/v1/balance`, { headers }))).toBe(type)
    const counting = { path: '/v1/messages/count_tokens', key, headers }
    expect(await codeOf(await post(pair.farebox, { model: 'nobody', messages: [] }, counting))).toBe(type)
    expect((await get(pair.farebox, '/v1/models')).status).toBe(200)
  })
})
