// What is changed while a call waits to be let in holds for it: its key and package, its model, the price. It is paid for, and recorded, by
// the package that the key has when its credits are held.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openForReading } from '#store/database.ts'
import { chatModel } from '../support/farebox.ts'
import { chat, get, requestArrives, startPair, type Pair } from './support.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPair({
    env: { RATE_LIMIT_WAIT: 'true' },
    packages: [
      { name: 'first', type: 'topup', credits: 1, limits: { concurrent_requests: 1 } },
      { name: 'second', type: 'topup', credits: 2 },
      { name: 'tiny', type: 'topup', credits: 0.0003 },
      { name: 'free', type: 'unlimited' },
      { name: 'others', type: 'topup', credits: 1, models: [] },
    ],
  })
})

afterAll(() => pair.close())

let keys = 0

/** Lets a call wait behind another one of its key, changes something, and returns the call's answer and how it was recorded. */
async function changeWhileWaiting(change: (keyId: string) => Promise<unknown>) {
  const { farebox, upstream } = pair
  const { admin } = farebox
  keys += 1
  const created = await admin.call('createKey', { body: { name: `key ${keys}`, package: 'first' } })
  upstream.forget()
  upstream.once({ type: 'endless', delayMs: 5 })
  const leaving = new AbortController()
  const first = await chat(farebox, created.key, { stream: true }, { signal: leaving.signal })
  expect(first.status).toBe(200)
  const arrived = requestArrives(farebox)
  const waiting = chat(farebox, created.key)
  await arrived
  // The waiting call has read its body and met the gate when another request has been answered after it.
  await (await get(farebox, '/health')).text()
  await (await get(farebox, '/health')).text()
  expect(upstream.requests).toHaveLength(1)
  await change(created.id)
  leaving.abort()
  const answer = await waiting
  const text = await answer.text()
  // Before a gateway answers about usage, all of it is in the tables.
  await admin.call('usage', {})
  const db = openForReading(farebox.dataDir)
  try {
    const sql = `SELECT package.name, charge_micro AS charge FROM usage_record JOIN package ON package.id = usage_record.package_id WHERE usage_record.id = ?`
    const record = db
      .prepare<[string], { name: string; charge: number }>(sql)
      .get(answer.headers.get('x-request-id') ?? '')
    return { answer, text, record, asked: upstream.requests[1]?.body }
  } finally {
    db.close()
  }
}

async function moveWhileWaiting(to: string): Promise<{ package: string; cap: unknown; status: number }> {
  const move = (id: string) => pair.farebox.admin.call('moveKey', { id, body: { package: to } })
  const { answer, record, asked } = await changeWhileWaiting(move)
  return { package: record?.name ?? '', cap: asked?.['max_tokens'], status: answer.status }
}

const admin = () => pair.farebox.admin
const addModel = () => admin().call('apply', { body: { document: { models: [chatModel('chat')] } } })

it.each([
  ['its model is disabled', () => admin().call('disableModel', { id: 'chat' }), 404],
  ['its model is removed', () => admin().call('removeModel', { id: 'chat' }), 404],
  ['its key is suspended', (id: string) => admin().call('suspendKey', { id }), 403],
  ['its key is revoked', (id: string) => admin().call('revokeKey', { id }), 403],
  [
    'its key is moved to a package without the model',
    (id: string) => admin().call('moveKey', { id, body: { package: 'others' } }),
    404,
  ],
  [
    'its package is limited to other models',
    () => admin().call('editPackage', { id: 'first', body: { models: [] } }),
    404,
  ],
  ['its package expires', () => admin().call('editPackage', { id: 'first', body: { valid_until: '2020-01-01' } }), 402],
] as const)('is refused, holds nothing and asks no provider where %s', async (_, change, status) => {
  try {
    const { answer, text, record, asked } = await changeWhileWaiting(change)
    expect({ status: answer.status, text, record, asked }).toMatchObject({
      status,
      record: undefined,
      asked: undefined,
    })
  } finally {
    await addModel()
    await admin().call('enableModel', { id: 'chat' })
    await admin().call('editPackage', { id: 'first', body: { models: 'all', valid_until: null } })
  }
})

it('is charged at the price that was set while it waited', async () => {
  const { price } = chatModel('chat')
  const dearer = { ...price, input: 100 * (price?.input ?? 1), output: 100 * (price?.output ?? 1) }
  const before = await changeWhileWaiting(() => Promise.resolve())
  const { answer, record } = await changeWhileWaiting(() => admin().call('priceModel', { id: 'chat', body: dearer }))
  await admin().call('priceModel', { id: 'chat', body: price ?? dearer })
  expect(answer.status).toBe(200)
  expect(record?.charge).toBeGreaterThan(50 * (before.record?.charge ?? 0))
})

it('is recorded under the package that paid for it', async () => {
  expect(await moveWhileWaiting('second')).toMatchObject({ status: 200, package: 'second' })
  const report = () => pair.farebox.admin.call('verifyLedger', {})
  await expect.poll(report).toMatchObject({ ok: true, open_holds: 0 })
})

it('gets the whole output cap of a key that is now unlimited', async () => {
  expect(await moveWhileWaiting('free')).toEqual({ status: 200, package: 'free', cap: 1000 })
})

it('gets no more output than the credits of its new package pay for', async () => {
  const { cap, ...rest } = await moveWhileWaiting('tiny')
  expect(rest).toEqual({ status: 200, package: 'tiny' })
  expect(cap).toBeLessThan(100)
})
