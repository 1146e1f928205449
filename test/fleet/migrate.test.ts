// Books of one gateway are moved into an empty database, shared there, and taken back.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '#app/migrate.ts'
import { openForWriting } from '#store/database.ts'
import { exported } from '../recompute/exported.ts'
import { recompute } from '../recompute/recompute.ts'
import { startFarebox, testConfig, type Farebox } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { HOLD, pay, WAIT, type Key } from './gateways.ts'
import { furnish, lastEntryIn, leftIn, PARTLY, type Installation } from './installation.ts'
import { expectRecomputed, expectSoundFleet } from './support.ts'

const SEED = 27
/** For a machine that has much else to do: gateways are started ten times. */
const LIMIT_MS = 240_000
/** Some more than one piece of a catalogue has. */
const MANY = 10_100

let postgres: Postgres
let upstream: Upstream
let house: Installation
let folder: string
let env: Readonly<Record<string, string>>

describe('a data folder with books of its own', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-move-'))
    postgres = await startPostgres()
    upstream = await startUpstream()
    house = await furnish(upstream, SEED)
    env = { FAREBOX_DATABASE_URL: postgres.url }
  }, LIMIT_MS)
  afterAll(async () => {
    await postgres.close()
    await upstream.close()
    for (const path of [folder, house.dataDir]) await rm(path, { recursive: true, force: true })
  })

  const move = (errand: 'bring' | 'take-back', dataDir = house.dataDir, more = env) =>
    migrate({ config: testConfig(dataDir, more), errand, log: () => undefined })
  const refused = (message: RegExp) => ({ type: 'refused', message: expect.stringMatching(message) })
  const keyOf = (name: string) => house.keys.get(name) as Key

  it('shares nothing where there is nothing, and takes nothing back where nothing is shared', async () => {
    expect(await move('bring', join(folder, 'none'))).toEqual(refused(/no database of Farebox/))
    expect(await move('bring', house.dataDir, {})).toEqual(refused(/FAREBOX_DATABASE_URL/))
    expect(await move('take-back')).toEqual(refused(/shares its books with no other/))
    const empty = await startFarebox({ dataDir: join(folder, 'empty') })
    await empty.stop()
    expect(await move('bring', empty.dataDir)).toEqual(refused(/Nothing is set up/))
    const gone = { FAREBOX_DATABASE_URL: 'postgres://farebox@127.0.0.1:1/none' }
    expect(await move('bring', house.dataDir, gone)).toEqual(refused(/cannot be reached/))
    // It is as it was.
    const alone = await startFarebox({ dataDir: house.dataDir })
    await alone.stop()
  })

  it(
    'is moved whole, is shared, and comes back to the micro-credit',
    async () => {
      const copy = join(folder, 'copy')
      await cp(house.dataDir, copy, { recursive: true })
      const moved = await move('bring')
      expect(moved).toMatchObject({ type: 'moved', problems: [] })
      expect(await move('bring')).toEqual(moved)
      const before = { [house.dataDir]: lastEntryIn(house.dataDir) }
      await expectSameLeft()
      await expectRecomputed(postgres, [house.dataDir], before)
      // Another one that has books of its own.
      expect(await move('bring', copy)).toEqual(refused(/catalogue of its own/))
      await expect(startFarebox({ dataDir: house.dataDir })).rejects.toThrow(/shares its books with others/)

      const other = await share()
      await expectSoundFleet(postgres)
      await expectRecomputed(postgres, [house.dataDir, other], before)

      expect(await move('take-back')).toMatchObject({ type: 'moved', problems: [] })
      await expectSameLeft()
      expect(recompute(exported(house.dataDir)).code).toBe(0)
      await expect(startFarebox({ dataDir: other })).rejects.toThrow(/shares its books with others/)
      await expect(startFarebox({ dataDir: other, env })).rejects.toThrow(/moved out of it/)
      expect(await move('take-back')).toEqual({ type: 'moved', sums: [], problems: [] })
      expect(await move('bring')).toEqual(refused(/moved out of it/))

      // By itself again, with what both have left of it.
      const alone = await startFarebox({ dataDir: house.dataDir })
      const left = PARTLY.all - PARTLY.used - 2
      for (let call = 0; call < left; call += 1) expect(await pay(alone, keyOf('spent in part'))).toBe(200)
      expect(await pay(alone, keyOf('spent in part'))).toBe(402)
      expect(await alone.admin.call('verifyLedger', {})).toMatchObject({ ok: true })
      await alone.stop()
      await rm(other, { recursive: true, force: true })
    },
    LIMIT_MS,
  )

  /** A second gateway joins, both are called, and end; the second one's folder. */
  async function share(): Promise<string> {
    const first = await startFarebox({ dataDir: house.dataDir, env })
    const second = await startFarebox({ env })
    for (const gateway of [second, first]) {
      expect(await pay(gateway, keyOf('spent in part'))).toBe(200)
      for (const name of ['of a day a', 'of a month b', 'large c', 'without end a'])
        expect(await pay(gateway, keyOf(name))).toBe(200)
      for (const name of ['small b', 'of a month c', 'over']) expect(await pay(gateway, keyOf(name))).toBe(403)
      expect(await pay(gateway, keyOf('small c'))).toBe(402)
    }
    await changeOn(second, first)
    for (const { admin } of [first, second]) expect(await admin.call('verifyLedger', {})).toMatchObject({ ok: true })
    await first.stop()
    expect(await move('take-back')).toEqual(refused(/Other gateways share these books: .*Stop them first/))
    await second.stop()
    return second.dataDir
  }

  async function changeOn(gateway: Farebox, other: Farebox): Promise<void> {
    await gateway.admin.call('topUpKey', { id: 'small a', body: { credits: 1.25 } })
    await gateway.admin.call('adjustKey', { id: 'large c', body: { credits: -0.5, reason: 'shared' } })
    const seen = () => other.admin.call('showKey', { id: 'small a' })
    await expect.poll(seen, WAIT).toMatchObject({ balance: { total_credits: (PARTLY.all * HOLD) / 1e6 + 1.25 } })
  }

  /** Each balance by itself. What nobody has used since its day began is not shared yet. */
  async function expectSameLeft(): Promise<void> {
    const sql = 'SELECT key_id AS key, cycle, free + leased - owed AS left FROM farebox.account ORDER BY key_id, cycle'
    const shared = new Map(
      (await postgres.query(sql)).map((row) => [`${String(row['key'])} ${String(row['cycle'])}`, row]),
    )
    const here = leftIn(house.dataDir)
    const both = here.filter(({ key, cycle }) => shared.has(`${key} ${cycle}`))
    expect(both.map(({ key, cycle }) => shared.get(`${key} ${cycle}`))).toEqual(both)
    expect(both.length).toBeGreaterThan(8)
    expect(both.some(({ left }) => left < 0)).toBe(true)
  }

  it('is moved in pieces where it is large, and all of it at once', async () => {
    const alone = await startFarebox()
    const { dataDir } = alone
    await alone.admin.call('addPackage', { body: { name: 'last', type: 'topup', credits: 1 } })
    const made = await alone.admin.call('createKey', { body: { name: 'last', package: 'last' } })
    await alone.stop()
    const db = openForWriting(dataDir)
    db.exec(`INSERT INTO member (id, name, role, status, packages, created_at_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
      SELECT 'member-' || i, 'member ' || i, 'member', 'active', '[]', 0 FROM n`)
    db.close()
    const other = await startPostgres()
    try {
      const large = { FAREBOX_DATABASE_URL: other.url }
      const moved = await move('bring', dataDir, large)
      expect(moved).toMatchObject({ type: 'moved', problems: [], sums: expect.arrayContaining([members(MANY)]) })
      expect(await move('bring', dataDir, large)).toEqual(moved)
      const times = 'SELECT count(*) AS pieces, count(DISTINCT made_at) AS times FROM farebox.change'
      expect(await other.query(times)).toEqual([{ pieces: 2, times: 1 }])
      const second = await startFarebox({ env: large })
      expect(await second.admin.call('listMembers', {})).toHaveLength(MANY)
      expect(await second.admin.call('showKey', { id: made.id })).toMatchObject({ balance: { remaining_credits: 1 } })
      await second.close()
    } finally {
      await other.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  const members = (count: number) => ({ what: 'members', here: count, shared: count })
})
