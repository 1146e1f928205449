// PostgreSQL is restored from a backup while gateways run that know of more than it has: what they charged and leased since, and what they changed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Postgres } from '../support/postgres.ts'
import { DEAREST, Gateways, HOLD, keepPaying, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { expectRecomputed, expectSoundFleet } from './support.ts'

const CALLS = 60

let gateways: Gateways
let original: Postgres
let restored: Postgres
let first: Gateway
let second: Gateway

/** As an administrator who stops it, restores its files and starts it again. */
async function restore(backup: Postgres): Promise<void> {
  await gateways.postgres.stop()
  await backup.start()
  restored = backup
  Object.assign(gateways, { postgres: restored })
  for (const { line } of gateways.all) line.lead(restored.url)
}

const accountOf = async ({ id }: Key) => {
  const sql = `SELECT used, leased, owed, free FROM farebox.account WHERE key_id = '${id}'`
  return (await restored.query(sql))[0]
}

describe('a PostgreSQL that was restored from a backup', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(2)
    original = gateways.postgres
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterAll(async () => {
    await gateways.close()
    await original.close()
  })

  it('is told again what was charged and leased since, also by a gateway that it never knew, and nothing is spent past', async () => {
    const made = await gateways.newKey(CALLS * HOLD)
    gateways.upstream.script(DEAREST)
    for (const gateway of [first, second]) expect(await pay(gateway, made)).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: 2 * HOLD })
    await gateways.expectHeard()
    const backup = await gateways.postgres.backup()
    const third = await gateways.join()
    const paying = gateways.all.map((gateway) => keepPaying(gateway, made))
    const used = async () => Number((await gateways.accountOf(made.id))?.used)
    await expect.poll(used, WAIT).toBeGreaterThan(9 * HOLD)
    await restore(backup)
    expect(Number((await accountOf(made))?.used)).toBe(2 * HOLD)
    for (const gateway of gateways.all) {
      await expect.poll(async () => [200, 402].includes(await pay(gateway, made)), WAIT).toBe(true)
    }
    for (const payer of paying) await payer.stop()
    for (const gateway of gateways.all) await expect.poll(() => pay(gateway, made), WAIT).toBe(402)
    await expect.poll(() => accountOf(made), WAIT).toEqual({ used: CALLS * HOLD, leased: 0, owed: 0, free: 0 })
    await expectSoundFleet(restored)
    await expectRecomputed(
      restored,
      gateways.all.map(({ dataDir }) => dataDir),
    )
    await gateways.end(third)
  })

  it('is told what those charged that have seen later changes, and takes none of them back in, whatever is changed since', async () => {
    const made = await gateways.newKey(10 * HOLD)
    await gateways.expectHeard()
    const backup = await restored.backup()
    const lost = await gateways.newKey(10 * HOLD)
    for (const gateway of [first, second]) expect(await pay(gateway, made)).toBe(200)
    expect(await pay(second, lost)).toBe(200)
    await restore(backup)
    await expect.poll(() => accountOf(made), WAIT).toMatchObject({ used: 2 * HOLD, leased: 0, owed: 0 })
    for (const { log } of [first, second]) {
      await expect.poll(() => log.some((line) => /later state of the shared database/.test(line)), WAIT).toBe(true)
    }
    const third = await gateways.join()
    await third.admin.call('addPackage', { body: { name: 'since', type: 'topup', credits: 1 } })
    for (const name of ['one', 'two', 'three'])
      await third.admin.call('createKey', { body: { name, package: 'since' } })
    const tries = () => first.log.filter((line) => /later state/.test(line)).length
    const before = tries()
    await expect.poll(tries, WAIT).toBeGreaterThan(before)
    for (const gateway of [first, second])
      expect([await pay(gateway, made), await pay(gateway, lost)]).toEqual([503, 503])
    for (let call = 0; call < 8; call += 1) expect(await pay(third, made)).toBe(200)
    expect(await pay(third, made)).toBe(402)
    await expect.poll(() => accountOf(made), WAIT).toMatchObject({ used: 10 * HOLD, owed: 0 })
    await expectSoundFleet(restored)
    await gateways.end(second)
    await expect(gateways.join({ dataDir: second.dataDir })).rejects.toThrow(/Begin with an empty folder/)
  })
})
