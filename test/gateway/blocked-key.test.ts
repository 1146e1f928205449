import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectBroken, expectSoundBooks } from './fault-support.ts'
import {
  chat,
  CHAT_PATH,
  expectError,
  get,
  HELLO,
  manualClock,
  rawText,
  requestArrives,
  soon,
  startPair,
  usageOf,
  warmUp,
  type ManualClock,
  type Pair,
} from './support.ts'

let pair: Pair
let clock: ManualClock
let keys = 0
let name = ''
let key = ''

beforeAll(async () => {
  clock = manualClock('2026-03-10T12:00:00.000Z')
  pair = await startPair({ clock, env: { RATE_LIMIT_WAIT: 'true' } })
  await warmUp(pair)
})

beforeEach(async () => {
  pair.upstream.forget()
  ;({ key, name } = await createKey({}))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

function createKey(members: { package?: string; expires?: string }) {
  return pair.farebox.admin.call('createKey', { body: { name: `blocked ${++keys}`, package: 'plenty', ...members } })
}

describe('a key that is blocked while it is in use', () => {
  it.each(['revokeKey', 'suspendKey'] as const)('by %s loses its streams within a second', async (action) => {
    pair.upstream.script({ type: 'endless', delayMs: 5 })
    const otherKey = await pair.farebox.newKey('plenty')
    const leaving = new AbortController()
    const other = await chat(pair.farebox, otherKey, { stream: true }, { signal: leaving.signal })
    const response = await chat(pair.farebox, key, { stream: true })
    const text = response.text()
    await soon(() => pair.upstream.requests.length === 2)
    const blockedAtMs = performance.now()
    await pair.farebox.admin.call(action, { id: name })
    await expectError(await chat(pair.farebox, key), 403)
    expectBroken(await text, 'permission_error', /blocked/)
    expect(performance.now() - blockedAtMs).toBeLessThan(1000)
    await soon(() => pair.upstream.requests[1]?.closedAtMs)
    expect(pair.upstream.requests[0]?.closedAtMs).toBeUndefined()
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ outcome: 'cut', usage_source: 'estimated' })
    expect(record?.charge_credits).toBeGreaterThan(0)
    leaving.abort()
    await soon(() => pair.upstream.requests[0]?.closedAtMs)
    expect(other.status).toBe(200)
  })

  it('by a new value without an overlap loses its streams, and lives on with that value', async () => {
    pair.upstream.script({ type: 'endless', delayMs: 5 })
    const text = (await chat(pair.farebox, key, { stream: true })).text()
    await soon(() => pair.upstream.requests.length)
    const rotated = await pair.farebox.admin.call('rotateKey', { id: name, body: { overlap: 'none' } })
    expectBroken(await text, 'permission_error', /blocked/)
    await expectError(await chat(pair.farebox, key), 401)
    pair.upstream.script({ type: 'answer' })
    expect((await chat(pair.farebox, rotated.key)).status).toBe(200)
  })

  it('by a new value with an overlap keeps its streams', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: 300 })
    const call = chat(pair.farebox, key)
    await soon(() => pair.upstream.requests.length)
    await pair.farebox.admin.call('rotateKey', { id: name, body: { overlap: '1h' } })
    expect((await call).status).toBe(200)
  })

  it('gets an error for an answer that had not begun', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const call = chat(pair.farebox, key)
    await soon(() => pair.upstream.requests.length)
    await pair.farebox.admin.call('revokeKey', { id: name })
    await expectError(await call, 403)
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ outcome: 'failed', status: 403, charge_credits: 0 })
  })

  it('by its expiry loses its streams about a second later', async () => {
    const { key: shortLived } = await createKey({ expires: '1d' })
    pair.upstream.script({ type: 'endless', delayMs: 5 })
    const text = (await chat(pair.farebox, shortLived, { stream: true })).text()
    clock.advance(86_400_000)
    const startedAtMs = performance.now()
    expectBroken(await text, 'permission_error', /blocked/)
    expect(performance.now() - startedAtMs).toBeLessThan(2000)
    await expectError(await chat(pair.farebox, shortLived), 403)
  })

  it('gets no further with a request that waited for credits or for its turn meanwhile', async () => {
    await pair.farebox.admin.call('addPackage', { body: { name: 'one', type: 'topup', credits: 0.001 } })
    const limits = { concurrent_requests: 1 }
    await pair.farebox.admin.call('addPackage', { body: { name: 'single', type: 'topup', credits: 5, limits } })
    for (const packageName of ['one', 'single']) {
      pair.upstream.forget()
      pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
      const created = await createKey({ package: packageName })
      const first = chat(pair.farebox, created.key)
      await soon(() => pair.upstream.requests.length)
      const arrived = requestArrives(pair.farebox)
      const second = chat(pair.farebox, created.key)
      await arrived
      await (await get(pair.farebox, '/health')).text()
      pair.upstream.script({ type: 'answer' })
      await pair.farebox.admin.call('revokeKey', { id: created.name })
      for (const call of [first, second]) await expectError(await call, 403)
      expect(pair.upstream.requests).toHaveLength(1)
      const balance = (await pair.farebox.admin.call('showKey', { id: created.name })).balance
      expect(balance).toMatchObject({ held_credits: 0, used_credits: 0 })
    }
  })

  it('gets no further with a request whose body was still on the way', async () => {
    const body = JSON.stringify({ model: 'chat', messages: HELLO })
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', `content-length: ${body.length}`]
    const { hostname, port } = new URL(pair.farebox.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const arrived = requestArrives(pair.farebox)
    socket.write(rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines) + body.slice(0, 10))
    await arrived
    await pair.farebox.admin.call('revokeKey', { id: name })
    socket.write(body.slice(10))
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
    expect(pair.upstream.requests).toEqual([])
  })
})
