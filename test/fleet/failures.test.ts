// The rows of the table of failures in docs/fleet.md that need no process of their own.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { post } from '../gateway/support.ts'
import { BODY, DEAREST, Gateways, HOLD, keepPaying, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { expectRecomputed } from './support.ts'

const HOUR_MS = 3_600_000

let gateways: Gateways
let first: Gateway
let second: Gateway
let folder: string
/** How far the clock of the second is off, and for how long it stood still. */
let offMs = 0
let stoodMs = 0

describe('gateways that share their books', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-fleet-'))
    gateways = await Gateways.begin(1)
    const clock = {
      nowMs: () => Date.now() + offMs + stoodMs,
      monotonicMs: () => performance.now() + stoodMs,
    }
    second = await gateways.join({ clock, env: { FAREBOX_HOLD_WAIT_MS: '2000' } })
    first = gateways.all[0] as Gateway
  })
  afterEach(async () => {
    offMs = 0
    second.line.set('whole')
    await gateways.expectSound()
  })
  afterAll(async () => {
    await gateways.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** As if the second had not been heard of for so long that no call of it can run any more. */
  const forgetSecond = () =>
    gateways.postgres.run(`UPDATE farebox.gateway SET free_at = now() - interval '1 s', seen_at = now() - interval '1 h'
      WHERE place LIKE '%${second.dataDir}'`)
  const doubts = ({ id }: Key) => gateways.postgres.query(`SELECT settled_as FROM farebox.doubt WHERE key_id = '${id}'`)

  it('count a batch once of which the answer was lost', async () => {
    const made = await gateways.newKey(100 * HOLD)
    gateways.upstream.script(DEAREST)
    expect(await pay(second, made)).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: HOLD })
    const { prompt_tokens: input } = DEAREST.usage
    gateways.upstream.once({
      ...DEAREST,
      usage: { prompt_tokens: input, completion_tokens: 7, total_tokens: input + 7 },
    })
    const used = HOLD + input + 2 * 7
    // How the sum of that charge ends.
    const isSent = second.line.muteAt(`,${input + 2 * 7}]]`)
    expect(await pay(second, made)).toBe(200)
    await isSent
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used })
    second.line.set('whole')
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: used + HOLD, owed: 0 })
  })

  it('stop admitting a minute after PostgreSQL was last heard of, also inside leases', async () => {
    const made = await gateways.newKey(1000 * HOLD)
    gateways.upstream.script(DEAREST)
    const paying = keepPaying(second, made)
    await gateways.expectLease(made)
    second.line.set('cut')
    const paid = await paying.stop()
    expect(await pay(second, made)).toBe(200)
    stoodMs += 61_000
    const refused = await post(second, BODY, made)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    second.line.set('whole')
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: (paid + 2) * HOLD, owed: 0 })
  })

  it('go on with what is free while another stands still, and let it go on inside its lease afterwards', async () => {
    const made = await gateways.newKey(1000 * HOLD)
    gateways.upstream.script(DEAREST)
    expect(await pay(second, made)).toBe(200)
    second.line.set('deaf')
    for (let index = 0; index < 5; index += 1) expect(await pay(first, made)).toBe(200)
    second.line.set('whole')
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: 7 * HOLD, owed: 0 })
  })

  it('free the leases of one that was not heard of, and take its charges when it comes back', async () => {
    const made = await gateways.newKey(10 * HOLD)
    gateways.upstream.script(DEAREST)
    gateways.upstream.once({ ...DEAREST, headersAfterMs: 1500 })
    const running = pay(second, made)
    await expect.poll(() => gateways.upstream.requests.length, WAIT).toBe(1)
    second.line.set('cut')
    await forgetSecond()
    await expect.poll(() => doubts(made), WAIT).toMatchObject([{ settled_as: null }])
    // All of the balance is free by now: the lease of the other is not waited for.
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ leased: 0, free: 10 * HOLD })
    for (let index = 0; index < 9; index += 1) expect(await pay(first, made)).toBe(200)
    expect(await running).toBe(200)
    second.line.set('whole')
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: 10 * HOLD, owed: 0, free: 0 })
    await expect.poll(() => doubts(made), WAIT).toMatchObject([{ settled_as: 'told' }])
    expect(await pay(first, made)).toBe(402)
  })

  it('know of a key that was revoked while PostgreSQL was gone, at once and everywhere', async () => {
    const made = await gateways.newKey(10 * HOLD)
    await gateways.postgres.stop()
    await first.admin.call('revokeKey', { id: made.id })
    expect((await post(first, BODY, made)).status).toBe(403)
    await gateways.postgres.start()
    await expect.poll(async () => (await post(second, BODY, made)).status, WAIT).toBe(403)
  })

  it('begin no cycle before its time, nor go on in one that is over, whatever their clocks say', async () => {
    const made = await gateways.newKey(2 * HOLD, 'daily')
    gateways.upstream.script(DEAREST)
    offMs = 25 * HOUR_MS
    expect((await post(second, BODY, made)).status).toBe(503)
    offMs = 0
    expect(await pay(first, made)).toBe(200)
    // An hour within a day is nobody's business.
    const { length } = await gateways.postgres.query(`SELECT * FROM farebox.account WHERE key_id = '${made.id}'`)
    expect(length).toBe(1)
    expect(await pay(first, made)).toBe(200)
    expect(await pay(first, made)).toBe(402)
  })

  it('spend nothing of a day that is over for the others', async () => {
    const made = await gateways.newKey(2 * HOLD, 'daily')
    gateways.upstream.script(DEAREST)
    // It was opened today by whoever made the key, and the day before is none that anybody has.
    const [{ cycle } = {}] = await gateways.postgres.query(
      `SELECT cycle FROM farebox.account WHERE key_id = '${made.id}'`,
    )
    const before = Number(cycle) - 24 * HOUR_MS
    const g = `(SELECT id FROM farebox.gateway WHERE place LIKE '%${second.dataDir}')`
    const e = `(SELECT epoch FROM farebox.gateway WHERE place LIKE '%${second.dataDir}')`
    const sql = `SELECT farebox.take(${g}, ${e}, 0, '${made.id}', ${before}, 1, 1, 0, NULL, 5) AS answer`
    const isLate = Date.now() - Number(cycle) > 6000
    if (isLate) expect(await gateways.postgres.query(sql)).toMatchObject([{ answer: { error: 'late' } }])
    expect(await pay(second, made)).toBe(200)
  })

  it('refuse a copy of a folder, and a folder that was restored', async () => {
    const made = await gateways.newKey(10 * HOLD)
    gateways.upstream.script(DEAREST)
    const third = await gateways.join()
    const [twin, older] = [join(folder, 'twin'), join(folder, 'older')]
    expect(await pay(third, made)).toBe(200)
    await gateways.end(third)
    await cp(third.dataDir, older, { recursive: true })
    const again = await gateways.join({ dataDir: third.dataDir })
    expect(await pay(again, made)).toBe(200)
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ used: 2 * HOLD })
    await gateways.end(again)
    await cp(third.dataDir, twin, { recursive: true })
    await expect(gateways.join({ dataDir: older })).rejects.toThrow(/restored from a backup/)
    const last = await gateways.join({ dataDir: third.dataDir })
    await expect(gateways.join({ dataDir: twin })).rejects.toThrow(/runs already/)
    await gateways.end(last)
    await rm(third.dataDir, { recursive: true, force: true })
  })

  it('say in a check of the ledger where a shared balance does not add up, and where it cannot be looked at', async () => {
    const made = await gateways.newKey(10 * HOLD)
    const check = () => first.admin.call('verifyLedger', {})
    expect(await check()).toMatchObject({ ok: true, problems: [] })
    await gateways.postgres.run(`INSERT INTO farebox.account VALUES ('${made.id}', 0, 5, 0, 0, 5, 0);
      INSERT INTO farebox.charged VALUES ('nobody', '${made.id}', 0, 3)`)
    const says = `in the shared database what is used and owed is not what gateways charged, for key ${made.id}`
    expect(await check()).toMatchObject({ ok: false, problems: [says] })
    for (const table of ['account', 'charged'])
      await gateways.postgres.run(`DELETE FROM farebox.${table} WHERE key_id = '${made.id}' AND cycle = 0`)
    expect(await check()).toMatchObject({ ok: true })
    first.line.set('cut')
    expect(await check()).toMatchObject({ ok: false, problems: [expect.stringMatching(/cannot be reached/)] })
    first.line.set('whole')
  })

  it('agree with a program that shares no code with them', async () => {
    const folders = gateways.all.map(({ dataDir }) => dataDir)
    await expect
      .poll(async () => expectRecomputed(gateways.postgres, folders).then(() => 'agreed', String), WAIT)
      .toBe('agreed')
  })
})
