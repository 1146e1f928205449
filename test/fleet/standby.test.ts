// PostgreSQL falls over to a standby that lacks the last commits, while gateways have leases and have charged what nobody else knows any more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Postgres } from '../support/postgres.ts'
import { DEAREST, Gateways, HOLD, keepPaying, pay, WAIT, type Gateway } from './gateways.ts'
import { expectRecomputed, expectSoundFleet } from './support.ts'

const CALLS = 60

let gateways: Gateways
let standby: Postgres
let first: Gateway
let second: Gateway

describe('a standby without the last commits', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(2)
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterAll(async () => {
    await standby.stop()
    await gateways.close()
  })

  it('is told again what was charged and leased, and nothing is spent past', async () => {
    const made = await gateways.newKey(CALLS * HOLD)
    gateways.upstream.script(DEAREST)
    for (const gateway of [first, second]) expect(await pay(gateway, made)).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: 2 * HOLD })
    standby = await gateways.postgres.standby()
    await expect
      .poll(() => standby.query('SELECT sum(used)::bigint AS used FROM farebox.account'), WAIT)
      .toEqual([{ used: 2 * HOLD }])
    // What comes now it never gets.
    await standby.stop()
    const paying = [keepPaying(first, made), keepPaying(second, made)]
    const used = async () => Number((await gateways.accountOf(made.id))?.used)
    await expect.poll(used, WAIT).toBeGreaterThan(6 * HOLD)
    await gateways.postgres.stop()
    await standby.start()
    expect(await standby.query('SELECT sum(used)::bigint AS used FROM farebox.account')).toEqual([{ used: 2 * HOLD }])
    await standby.query('SELECT pg_promote() AS is_promoted')
    for (const { line } of gateways.all) line.lead(standby.url)
    for (const gateway of [first, second]) {
      await expect.poll(async () => [200, 402].includes(await pay(gateway, made)), WAIT).toBe(true)
    }
    for (const payer of paying) await payer.stop()
    // Until nothing is left, and no further.
    await expect.poll(() => pay(first, made), WAIT).toBe(402)
    const account = () =>
      standby.query(`SELECT used, leased, owed, free FROM farebox.account WHERE key_id = '${made.id}'`)
    await expect.poll(account, WAIT).toEqual([{ used: CALLS * HOLD, leased: 0, owed: 0, free: 0 }])
    // What calls add up to was lost there too, and is told again.
    for (const { admin } of gateways.all) {
      const report = () => admin.call('usageReport', { query: { key: made.id } })
      await expect
        .poll(report, WAIT)
        .toMatchObject({ totals: { requests: CALLS, charge_credits: (CALLS * HOLD) / 1e6 } })
    }
    await expectSoundFleet(standby)
    await expectRecomputed(
      standby,
      gateways.all.map(({ dataDir }) => dataDir),
    )
  })
})
