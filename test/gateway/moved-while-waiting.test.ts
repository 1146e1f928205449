// A key that is moved to another package while one of its calls waits to be let in: the call is paid for, and recorded, by
// the package that the key has when its credits are held.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openForReading } from '#store/database.ts'
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
    ],
  })
})

afterAll(() => pair.close())

/** Lets a call wait behind another one of its key, moves the key, and returns the call's package and output cap. */
async function moveWhileWaiting(to: string): Promise<{ package: string; cap: unknown; status: number }> {
  const { farebox, upstream } = pair
  const { admin } = farebox
  const created = await admin.call('createKey', { body: { name: `to ${to}`, package: 'first' } })
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
  await admin.call('moveKey', { id: created.id, body: { package: to } })
  leaving.abort()
  const answer = await waiting
  await answer.text()
  // Before a gateway answers about usage, all of it is in the tables.
  await admin.call('usage', {})
  const db = openForReading(farebox.dataDir)
  try {
    const sql = `SELECT package.name FROM usage_record JOIN package ON package.id = usage_record.package_id WHERE usage_record.id = ?`
    const owner = db
      .prepare<[string], string>(sql)
      .pluck()
      .get(answer.headers.get('x-request-id') ?? '')
    return { package: owner ?? '', cap: upstream.requests[1]?.body['max_tokens'], status: answer.status }
  } finally {
    db.close()
  }
}

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
