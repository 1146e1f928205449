// Three gateways, one PostgreSQL, one balance.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { post } from '../gateway/support.ts'
import { BODY, DEAREST, Gateways, HOLD, keepPaying, pay, STREAMED, WAIT, type Gateway, type Key } from './gateways.ts'
import { isLong } from '../support/cases.ts'

/** A second and a half, where these tests do not share a processor with much else: three gateways, the provider and a hundred clients are one process. */
const STREAMS_END_MS = isLong ? 1500 : 10_000

let gateways: Gateways
let first: Gateway
let second: Gateway
let third: Gateway

describe('three gateways on one balance', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(3)
    ;[first, second, third] = gateways.all as [Gateway, Gateway, Gateway]
  })
  afterEach(() => gateways.expectSound())
  afterAll(() => gateways.close())

  const nth = (index: number) => [first, second, third][index % 3] as Gateway

  it('shows the calls and the last use of all gateways on each of them, by the key and to administrators', async () => {
    const made = await gateways.newKey(20 * HOLD)
    gateways.upstream.script(DEAREST)
    const shown = async (gateway: Gateway) => {
      const { admin } = gateway
      const own = await gateway.balance(made.key)
      const one = (await admin.call('showKey', { id: made.id })).balance
      const listed = (await admin.call('listKeys', {})).find(({ id }) => id === made.id)?.balance
      return [own, one, listed].map((view) => [view?.['total_requests'], view?.['last_used_at']])
    }
    for (let call = 1; call <= 6; call += 1) {
      const gateway = nth(call % 2)
      expect(await pay(gateway, made)).toBe(200)
      // Its own calls count at once.
      expect((await gateway.balance(made.key)).total_requests).toBeGreaterThanOrEqual(Math.ceil(call / 2))
    }
    for (const gateway of [first, second, third]) {
      await expect.poll(async () => (await gateway.balance(made.key)).total_requests, WAIT).toBe(6)
    }
    const lastUse = (await first.balance(made.key)).last_used_at
    expect(lastUse).not.toBeNull()
    for (const gateway of [first, second, third]) {
      expect(await shown(gateway)).toEqual(Array.from({ length: 3 }, () => [6, lastUse]))
    }
  })

  it('answers no more of 300 calls over three gateways than the balance carries', async () => {
    const { key, id } = await gateways.newKey(10 * HOLD)
    gateways.upstream.script(DEAREST)
    const calls = Array.from({ length: 300 }, (_, index) => post(nth(index), BODY, { key }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(new Set(statuses)).toEqual(new Set([200, 402]))
    await expect
      .poll(() => gateways.accountOf(id), WAIT)
      .toMatchObject({ used: 10 * HOLD, leased: 0, free: 0, owed: 0 })
  })

  it('shows on every gateway what was used on all of them, and what was topped up on one', async () => {
    const { key, id } = await gateways.newKey(4 * HOLD)
    gateways.upstream.script(DEAREST)
    for (const gateway of gateways.all) expect((await post(gateway, BODY, { key })).status).toBe(200)
    for (const gateway of gateways.all) {
      await expect
        .poll(() => gateway.balance(key), WAIT)
        .toMatchObject({ used_credits: (3 * HOLD) / 1e6, remaining_credits: HOLD / 1e6 })
    }
    await second.admin.call('topUpKey', { id, body: { credits: (2 * HOLD) / 1e6 } })
    const calls = Array.from({ length: 9 }, (_, index) => post(nth(index), BODY, { key }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    await expect
      .poll(() => third.balance(key), WAIT)
      .toMatchObject({ used_credits: (6 * HOLD) / 1e6, remaining_credits: 0 })
  })

  it('shows the receipt of a call on every gateway, and none of another key', async () => {
    const [own, other] = [await gateways.newKey(4 * HOLD), await gateways.newKey(4 * HOLD)]
    gateways.upstream.script(DEAREST)
    const answer = await post(second, BODY, own)
    await answer.text()
    const id = answer.headers.get('x-request-id') ?? ''
    const path = `/v1/receipts/${id}`
    const read = async (gateway: Gateway, { key }: Key) => {
      const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const receipt = await read(second, own)
    expect(receipt).toMatchObject({ status: 200, body: { object: 'receipt', charge_credits: HOLD / 1e6 } })
    for (const gateway of [first, third]) {
      // Another gateway that has much else to do is not heard of in time.
      await expect.poll(() => read(gateway, own), WAIT).toEqual(receipt)
      expect((await read(gateway, other)).status).toBe(404)
      // As its dashboard reads it.
      await expect.poll(() => gateway.admin.call('receipt', { id }).catch(String), WAIT).toEqual(receipt.body)
    }
  })

  it('reports on every gateway what the calls of all of them add up to', async () => {
    const { key, id } = await gateways.newKey(9 * HOLD)
    gateways.upstream.script(DEAREST)
    for (const gateway of gateways.all) await (await post(gateway, BODY, { key })).text()
    const reportOf = ({ admin }: Gateway) => admin.call('usageReport', { query: { key: id, group: 'model' } })
    const totals = { requests: 3, charge_credits: (3 * HOLD) / 1e6 }
    for (const gateway of gateways.all) {
      await expect.poll(() => reportOf(gateway), WAIT).toMatchObject({ totals, series: [{ name: 'chat', totals }] })
      expect(await gateway.admin.call('verifyLedger', {})).toMatchObject({ ok: true })
    }
  })

  it('shows calls of the others as they end', async () => {
    const made = await gateways.newKey(1000 * HOLD)
    gateways.upstream.script(DEAREST)
    const leaving = new AbortController()
    const { token } = JSON.parse(await readFile(join(first.dataDir, 'instance.json'), 'utf8')) as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    const events = await fetch(`${first.url}/api/events`, { headers, signal: leaving.signal })
    let text = ''
    const reading = (async () => {
      for await (const chunk of events.body ?? []) text += Buffer.from(chunk).toString()
    })().catch(() => undefined)
    // They are told that somebody looks within a moment, and tell of what ends from then on.
    const paying = keepPaying(second, made)
    await expect.poll(() => text, WAIT).toContain('event: usage')
    expect(await paying.stop()).toBeGreaterThan(0)
    leaving.abort()
    await reading
  })

  it('ends 100 streams of a key on another gateway within 1.5 seconds once it is revoked on one', async () => {
    const { key, id } = await gateways.newKey(1000 * HOLD)
    gateways.upstream.script({ type: 'endless', delayMs: 20 })
    const streams = Array.from({ length: 100 }, () => post(second, STREAMED, { key }))
    await expect.poll(() => gateways.upstream.requests.length, WAIT).toBe(100)
    const running = await Promise.all(streams)
    const begin = performance.now()
    await first.admin.call('revokeKey', { id })
    await Promise.all(running.map((stream) => stream.text()))
    expect(performance.now() - begin).toBeLessThan(STREAMS_END_MS)
    expect((await post(third, BODY, { key })).status).toBe(403)
  })

  it('serves within its leases while PostgreSQL is gone, refuses beyond them, and loses no charge', async () => {
    const made = await gateways.newKey(1000 * HOLD)
    gateways.upstream.script(DEAREST)
    const paying = keepPaying(first, made)
    await gateways.expectLease(made)
    await gateways.postgres.stop()
    const without = [await post(first, BODY, made), await post(second, BODY, made)]
    const paid = 1 + (await paying.stop())
    expect(without.map(({ status }) => status)).toEqual([200, 503])
    expect(without[1]?.headers.get('retry-after')).toBe('5')
    const change = first.admin.call('addPackage', { body: { name: 'never', type: 'topup', credits: 1 } })
    await expect(change).rejects.toMatchObject({ status: 503 })
    await gateways.postgres.start()
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: (paid + 1) * HOLD, owed: 0 })
  })
})
