// Three gateways, one PostgreSQL, one balance.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HELLO, post } from '../gateway/support.ts'
import { countedBound } from '../gateway/input-bound.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { CAN_SHARE, expectSoundFleet } from './support.ts'

const OUTPUT_CAP = 100
/** For a machine that has much else to do. */
const WAIT = { timeout: 20_000 }
const BODY = JSON.stringify({ model: 'chat', messages: HELLO, max_tokens: OUTPUT_CAP })
const INPUT = await countedBound(BODY)
/** What one call holds, and what an answer costs that uses all of it, in micro-credits. */
const HOLD = INPUT + 2 * OUTPUT_CAP
const DEAREST = {
  type: 'answer',
  usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT_CAP, total_tokens: INPUT + OUTPUT_CAP },
  headersAfterMs: 20,
} as const

let postgres: Postgres
let upstream: Upstream
const gateways: Farebox[] = []

async function join(): Promise<Farebox> {
  const gateway = await startFarebox({ env: { FAREBOX_DATABASE_URL: postgres.url, FAREBOX_HOLD_WAIT_MS: '20000' } })
  gateways.push(gateway)
  return gateway
}

/** A key that all gateways know. */
async function newKey(microCredits: number): Promise<{ readonly id: string; readonly key: string }> {
  const [first] = gateways
  const name = `of ${microCredits} ${Math.random()}`
  const { admin } = first as Farebox
  await admin.call('addPackage', { body: { name, type: 'topup', credits: microCredits / 1e6 } })
  const made = await admin.call('createKey', { body: { name, package: name } })
  for (const gateway of gateways) await expect.poll(() => knows(gateway, made.key), WAIT).toBe(true)
  return made
}

async function knows({ url }: Farebox, key: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  return response.status === 200
}

describe.runIf(CAN_SHARE)('three gateways on one balance', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    upstream = await startUpstream()
    const first = await join()
    await first.admin.call('apply', {
      body: {
        document: {
          providers: [{ name: 'upstream', dialect: 'chat-completions', base_url: upstream.url }],
          models: [chatModel('chat')],
        },
      },
    })
    await join()
    await join()
  })

  afterEach(async () => {
    upstream.forget()
    await expectSoundFleet(postgres)
  })

  afterAll(async () => {
    for (const gateway of gateways) await gateway.close()
    await upstream.close()
    await postgres.close()
  })

  it('answers no more of 300 calls over three gateways than the balance carries', async () => {
    const { key, id } = await newKey(10 * HOLD)
    upstream.script(DEAREST)
    const calls = Array.from({ length: 300 }, (_, index) => post(gateways[index % 3] as Farebox, BODY, { key }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(new Set(statuses)).toEqual(new Set([200, 402]))
    await expect.poll(() => accountOf(id), WAIT).toMatchObject({ used: 10 * HOLD, leased: 0, free: 0, owed: 0 })
  })

  it('shows on every gateway what was used on all of them, and what was topped up on one', async () => {
    const { key, id } = await newKey(4 * HOLD)
    upstream.script(DEAREST)
    for (const gateway of gateways) expect((await post(gateway, BODY, { key })).status).toBe(200)
    for (const gateway of gateways) {
      await expect
        .poll(() => gateway.balance(key), WAIT)
        .toMatchObject({ used_credits: (3 * HOLD) / 1e6, remaining_credits: HOLD / 1e6 })
    }
    const [, second, third] = gateways as [Farebox, Farebox, Farebox]
    await second.admin.call('topUpKey', { id, body: { credits: (2 * HOLD) / 1e6 } })
    const calls = Array.from({ length: 9 }, (_, index) => post(gateways[index % 3] as Farebox, BODY, { key }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    await expect
      .poll(() => third.balance(key), WAIT)
      .toMatchObject({ used_credits: (6 * HOLD) / 1e6, remaining_credits: 0 })
  })

  it('ends the streams of a key on every gateway once it is revoked on one', async () => {
    const { key, id } = await newKey(1000 * HOLD)
    upstream.script({ type: 'endless', delayMs: 5 })
    const [first, second, third] = gateways as [Farebox, Farebox, Farebox]
    const body = JSON.stringify({ ...JSON.parse(BODY), stream: true })
    const streams = Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? second : third, body, { key }))
    await expect.poll(() => upstream.requests.length, WAIT).toBe(20)
    await first.admin.call('revokeKey', { id })
    await Promise.all(streams.map(async (stream) => (await stream).text()))
    expect((await post(third, BODY, { key })).status).toBe(403)
  })

  it('serves within its leases while PostgreSQL is gone, refuses beyond them, and loses no charge', async () => {
    const { key, id } = await newKey(1000 * HOLD)
    upstream.script(DEAREST)
    const [first, second] = gateways as [Farebox, Farebox]
    // Several at once leave a lease for several.
    const warm = await Promise.all(Array.from({ length: 4 }, () => post(first, BODY, { key })))
    expect(warm.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await postgres.stop()
    const without = [await post(first, BODY, { key }), await post(second, BODY, { key })]
    expect(without.map(({ status }) => status)).toEqual([200, 503])
    expect(without[1]?.headers.get('retry-after')).toBe('5')
    const change = first.admin.call('addPackage', { body: { name: 'never', type: 'topup', credits: 1 } })
    await expect(change).rejects.toMatchObject({ status: 503 })
    await postgres.start()
    await expect.poll(async () => (await post(second, BODY, { key })).status, WAIT).toBe(200)
    await expect.poll(() => accountOf(id), WAIT).toMatchObject({ used: 6 * HOLD, owed: 0 })
  })
})

async function accountOf(id: string): Promise<Record<string, unknown> | undefined> {
  return (await postgres.query(`SELECT * FROM farebox.account WHERE key_id = '${id}'`))[0]
}
