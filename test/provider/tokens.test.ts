// Tokens that are got with secrets of several parts: when they are renewed, by whom, and what a failing token endpoint comes to.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import type { Provider } from '#core/entities.ts'
import { readTokenSecret, type TokenSecret } from '#core/token-secrets.ts'
import { Tokens } from '#provider/tokens.ts'
import { testProvider } from '../support/provider.ts'
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.ts'
import { closeConnections, openConnections } from './support.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

let endpoint: TokenEndpoint
/** By how much each clock has gone on. */
let passed: { wall: number; monotonic: number }
const known: string[] = []

beforeEach(async () => {
  endpoint = await startTokenEndpoint()
  passed = { wall: 0, monotonic: 0 }
  known.length = 0
})
afterEach(async () => {
  await closeConnections()
  await endpoint.close()
})

function passMs(ms: number): void {
  passed = { wall: passed.wall + ms, monotonic: passed.monotonic + ms }
}

function secretOf(text: string): TokenSecret {
  const secret = readTokenSecret(text)
  if (secret === undefined || secret.type === 'flaw') throw new Error('no secret that gets tokens')
  return secret
}

type Setting = { readonly provider?: Partial<Provider>; readonly text?: string; readonly timeLimitMs?: number }

function tokens({ provider = {}, text = endpoint.entraClient, timeLimitMs = 10_000 }: Setting = {}): Tokens {
  const startedAtMs = Date.now()
  return new Tokens(testProvider({ name: 'ours', ...provider }), secretOf(text), {
    connections: openConnections(),
    userAgent: 'farebox/test',
    secrets: { noteToken: (_id, token) => void known.push(token) },
    nowMs: () => startedAtMs + passed.wall,
    monotonicMs: () => passed.monotonic,
    timeLimitMs,
  })
}

async function failureOf(promise: Promise<string>): Promise<UpstreamFailure> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamFailure)) throw new Error('it did not fail as an upstream does')
  for (const canary of Object.values(endpoint.canaries)) expect(error.message).not.toContain(canary)
  return error
}

describe('a token', () => {
  it('is got by a service account with an assertion that it signs for an hour', async () => {
    const token = await tokens({ text: endpoint.serviceAccount }).current()
    expect(token).toBe(endpoint.tokens[0])
    const [{ claims } = {}] = endpoint.grants
    expect(Number(claims?.['exp']) - Number(claims?.['iat'])).toBe(3600)
    expect(known).toEqual([token])
  })

  it('is got by a client of Entra with its secret, in the body of the request alone', async () => {
    expect(await tokens().current()).toBe(endpoint.tokens[0])
    expect(endpoint.grants).toHaveLength(1)
  })

  it('is got once for a hundred calls at once, also when it has run out', async () => {
    const source = tokens()
    for (const round of [1, 2, 3]) {
      const given = await Promise.all(Array.from({ length: 100 }, () => source.current()))
      expect(new Set(given)).toEqual(new Set([endpoint.tokens[round - 1]]))
      expect(endpoint.grants).toHaveLength(round)
      passMs(HOUR)
    }
  })

  it('is renewed beside the calls in the last minutes of its life, and used until then', async () => {
    const source = tokens()
    const first = await source.current()
    passMs(54 * MINUTE)
    expect(await source.current()).toBe(first)
    expect(endpoint.grants).toHaveLength(1)
    const { promise: until, resolve } = Promise.withResolvers<void>()
    endpoint.script({ type: 'late', until })
    passMs(2 * MINUTE)
    expect(await Promise.all([source.current(), source.current()])).toEqual([first, first])
    resolve()
    await expect.poll(async () => (await source.current()) === endpoint.tokens[1]).toBe(true)
    expect(endpoint.grants).toHaveLength(2)
  })

  it('is renewed when the machine slept, whichever clock went on', async () => {
    const source = tokens()
    await source.current()
    passed = { ...passed, wall: HOUR }
    expect(await source.current()).toBe(endpoint.tokens[1])
    passed = { wall: 0, monotonic: HOUR }
    expect(await source.current()).toBe(endpoint.tokens[2])
  })

  it('that lives for a second serves the calls that waited for it, and the next ones get another', async () => {
    endpoint.script({ type: 'grant', seconds: 1 })
    const source = tokens()
    const given = await Promise.all([source.current(), source.current()])
    expect(given).toEqual([endpoint.tokens[0], endpoint.tokens[0]])
    passMs(SECOND)
    expect(await source.current()).toBe(endpoint.tokens[1])
  })

  it.each([
    ['as a text', '3600', 50 * MINUTE],
    ['not at all', null, 3 * MINUTE],
  ])('may say %s how long it lives', async (_how, seconds, ms) => {
    endpoint.script({ type: 'grant', seconds })
    const source = tokens()
    const first = await source.current()
    passMs(ms)
    expect(await source.current()).toBe(first)
    passMs(HOUR)
    expect(await source.current()).not.toBe(first)
  })

  it('that the provider refuses is not used again', async () => {
    const source = tokens()
    const first = await source.current()
    source.refused('another')
    expect(await source.current()).toBe(first)
    source.refused(first)
    expect(await source.current()).toBe(endpoint.tokens[1])
  })
})

describe('a renewal that fails', () => {
  const BROKEN = { type: 'answer', status: 500, body: 'oops' } as const

  it('stops no call while the token lives, is tried again after a second, and then fails the calls', async () => {
    const source = tokens()
    const first = await source.current()
    endpoint.script(BROKEN)
    passMs(56 * MINUTE)
    expect(await source.current()).toBe(first)
    await expect.poll(() => endpoint.grants.length).toBe(2)
    for (const _call of Array(10)) expect(await source.current()).toBe(first)
    expect(endpoint.grants).toHaveLength(2)
    await expect
      .poll(async () => {
        passMs(100)
        expect(await source.current()).toBe(first)
        return endpoint.grants.length
      })
      .toBe(3)
    passMs(5 * MINUTE)
    expect((await failureOf(source.current())).status).toBe(500)
    endpoint.script({ type: 'grant' })
    expect((await failureOf(source.current())).status).toBe(500)
    passMs(SECOND)
    expect(await source.current()).toBe(endpoint.tokens.at(-1))
  })

  it.each([
    ['an error of its own', BROKEN, { kind: 'status', status: 500 }],
    [
      'busy',
      { type: 'answer', status: 429, body: '{}', headers: { 'retry-after': '7' } },
      { kind: 'status', status: 429, retryAfterSeconds: 7 },
    ],
    [
      'a redirect',
      { type: 'answer', status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } },
      { kind: 'malformed' },
    ],
    ['a page', { type: 'answer', status: 200, body: '<html>' }, { kind: 'malformed' }],
    ['a list', { type: 'answer', status: 200, body: '[]' }, { kind: 'malformed' }],
    ['no token', { type: 'answer', status: 200, body: '{"expires_in":3600}' }, { kind: 'malformed' }],
    ['a token with a line end', { type: 'grant', token: 'one\r\ntwo' }, { kind: 'malformed' }],
    ['a token that has run out', { type: 'grant', seconds: 0 }, { kind: 'malformed' }],
    [
      'a token of another kind',
      { type: 'answer', status: 200, body: '{"access_token":"t","token_type":"mac"}' },
      { kind: 'malformed' },
    ],
    [
      'a refusal',
      { type: 'answer', status: 401, body: '{"error":"invalid_client","error_codes":[7000222]}' },
      { kind: 'secret', status: 401 },
    ],
    ['a refusal without words', { type: 'answer', status: 400, body: '' }, { kind: 'secret', status: 401 }],
  ] as const)('says so: %s', async (_what, behaviour, expected) => {
    endpoint.script(behaviour)
    expect(await failureOf(tokens().current())).toMatchObject(expected)
    expect(known).toEqual([])
  })

  it('names the error of a refusal, and nothing else of what is said there', async () => {
    const wrong = JSON.stringify({
      ...(JSON.parse(endpoint.entraClient) as object),
      client_secret: endpoint.canaries['the private key'],
    })
    const { message } = await failureOf(tokens({ text: wrong }).current())
    expect(message).toContain("'ours' refuses Farebox's secret (invalid_client, AADSTS7000215).")
  })

  it('says that nobody is there, or nobody answers in time', async () => {
    endpoint.script({ type: 'silence' })
    expect(await failureOf(tokens({ timeLimitMs: 50 }).current())).toMatchObject({ kind: 'timeout' })
    const gone = await startTokenEndpoint()
    await gone.close()
    expect(await failureOf(tokens({ text: gone.entraClient }).current())).toMatchObject({ kind: 'connect' })
  })

  it('makes no connection to where the provider may not be', async () => {
    const source = tokens({ provider: { network: 'public' } })
    expect(await failureOf(source.current())).toMatchObject({ kind: 'address' })
    expect(endpoint.grants).toEqual([])
  })

  it('says that a private key signs nothing, without a word of it', async () => {
    const account = JSON.parse(endpoint.serviceAccount) as { private_key: string }
    const private_key = account.private_key.replace(/[A-Z]{2}/, 'Aa')
    const source = tokens({ text: JSON.stringify({ ...account, private_key: `${private_key}broken` }) })
    const failure = await failureOf(source.current())
    expect(failure.kind).toBe('secret')
  })
})

describe('a clock that is off', () => {
  it.each([-2 * HOUR, 2 * HOUR])('is corrected by that of the endpoint, once: by %d ms', async (skewMs) => {
    endpoint.setSkewMs(skewMs)
    expect(await tokens({ text: endpoint.serviceAccount }).current()).toBe(endpoint.tokens[0])
    expect(endpoint.grants).toHaveLength(2)
  })

  it('is no reason to ask again for who signs nothing', async () => {
    endpoint.setSkewMs(HOUR)
    endpoint.script({ type: 'answer', status: 401, body: '{"error":"invalid_client"}' })
    expect((await failureOf(tokens().current())).kind).toBe('secret')
    expect(endpoint.grants).toHaveLength(1)
  })
})
