// PostgreSQL is restored from a backup while no gateway runs: only the gateways' disks know what was spent since the backup.

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Postgres } from '../support/postgres.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { expectSoundFleet } from './support.ts'

const CALLS = 40
const LEFT = 80
const TOTAL = CALLS * HOLD + LEFT
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const
/** Calls that find nothing to spend end soon. */
const IMPATIENT = { FAREBOX_HOLD_WAIT_MS: '300' }

let gateways: Gateways
let backup: Postgres
let restored: Postgres | undefined
let folders: readonly string[]
let made: Key

/** Put the data folders, and a PostgreSQL, back to where all gateways had ended. */
async function rewind(of?: 'files' | 'dump'): Promise<void> {
  for (const folder of folders) {
    await rm(folder, { recursive: true, force: true })
    await cp(`${folder}.ended`, folder, { recursive: true })
  }
  await restore(of)
}

async function restore(of?: 'files' | 'dump'): Promise<void> {
  const copy = await backup.backup(of)
  await restored?.stop()
  restored = copy
  await copy.start()
  Object.assign(gateways, { postgres: copy })
}

const start = (index: number): Promise<Gateway> => gateways.join({ dataDir: folders[index] as string, env: IMPATIENT })

const accountOf = async () => {
  const { used, owed, leased, free } = (await gateways.accountOf(made.id)) ?? {}
  return { used, owed, leased, free }
}

/** As many calls as there may be; says how many were answered. */
async function spend(some: readonly Gateway[], most = 3): Promise<number> {
  let paid = 0
  for (let call = 0; call < most; call += 1)
    for (const gateway of some) if ((await pay(gateway, made)) === 200) paid += 1
  return paid
}

async function endAll(): Promise<void> {
  for (let last = gateways.all.at(-1); last !== undefined; last = gateways.all.at(-1)) await gateways.end(last)
}

/** Three gateways of which two spend almost all of a balance after a backup, and which end then. */
async function spendAfterBackup({ signal, isCold, isThirdOn }: Scene): Promise<void> {
  gateways = await Gateways.begin(1)
  const [first] = gateways.all as [Gateway]
  const folder = await temporaryFolder()
  folders = [first.dataDir, join(folder, 'second'), join(folder, 'third')]
  const env = { FAREBOX_DATABASE_URL: gateways.postgres.url, FAREBOX_SECRETS: 'vault' }
  gateways.upstream.script(DEAREST)
  made = await gateways.newKey(TOTAL)
  await gateways.end(first)
  const begin = () => Promise.all(folders.map((dataDir) => startProcess({ dataDir, env })))
  let processes = await begin()
  for (const process of processes) await expect.poll(() => pay(process, made), WAIT).toBe(200)
  if (!isThirdOn) await processes.pop()?.stop()
  if (isCold) for (const process of processes) await process.stop()
  const source = await gateways.postgres.backup()
  if (isCold) processes = await begin()
  // The third one spends nothing more.
  for (let paid = 3; paid < CALLS; paid += 1) expect(await pay(processes[paid % 2] as FareboxProcess, made)).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  for (const process of processes) process.kill(signal)
  for (const process of processes) await process.exited
  for (const dataDir of folders) await cp(dataDir, `${dataDir}.ended`, { recursive: true })
  await gateways.postgres.stop()
  backup = source
  await backup.start()
}

/** The third gateway is on after the backup, or has stopped before it. */
type Scene = { readonly signal: 'SIGTERM' | 'SIGKILL'; readonly isCold: boolean; readonly isThirdOn: boolean }

function describeRestore(name: string, scene: Scene, tests: () => void): void {
  describe(`a PostgreSQL that is restored after all gateways were ${name}`, () => {
    let original: Postgres | undefined
    afterEach(endAll)
    afterAll(async () => {
      await backup.stop()
      await restored?.stop()
      restored = undefined
      await gateways.upstream.close()
      await original?.close()
      await endProcesses()
    })

    it('is behind by almost all of a balance', async () => {
      await spendAfterBackup(scene)
      original = gateways.postgres
    })
    tests()
  })
}

/** One after the other, each of which spends what it can. */
async function expectNothingSpent(order: readonly number[]): Promise<void> {
  const started: Gateway[] = []
  for (const index of order) {
    started.push(await start(index))
    if (started.length < order.length) expect(await spend(started, 2)).toBe(0)
  }
  await expectAllSpent(started)
}

/** What is left pays for no call. */
async function expectAllSpent(started: readonly Gateway[]): Promise<void> {
  for (const gateway of started) await expect.poll(() => pay(gateway, made), WAIT).toBe(402)
  await expect.poll(accountOf, WAIT).toEqual({ used: CALLS * HOLD, owed: 0, leased: 0, free: LEFT })
  await expectSoundFleet(gateways.postgres)
}

const inAnyOrder = () =>
  it.each(ORDERS)('lends nothing until all have reported, started as %i, %i, %i', async (...order) => {
    await rewind()
    await expectNothingSpent(order)
  })

describeRestore('stopped', { signal: 'SIGTERM', isCold: true, isThirdOn: true }, inAnyOrder)

describeRestore('killed', { signal: 'SIGKILL', isCold: false, isThirdOn: true }, () => {
  inAnyOrder()

  it('lends nothing until all have reported, restored from a dump', async () => {
    await rewind('dump')
    await expectNothingSpent([2, 1, 0])
  })

  it('lends nothing until all have reported, restored twice', async () => {
    await rewind()
    for (const index of [2, 0]) expect(await spend([await start(index)], 2)).toBe(0)
    await endAll()
    await restore()
    await expectNothingSpent([0, 2, 1])
    await endAll()
    await restore()
    await expectNothingSpent([1, 0, 2])
  })

  it('lends nothing where some of them stop again before the others have started, and then what is left', async () => {
    await rewind()
    for (const index of [2, 1]) {
      expect(await spend([await start(index)], 2)).toBe(0)
      await endAll()
    }
    await expectAllSpent([await start(0)])
  })

  it('counts what was charged in a cycle that the backup does not have', async () => {
    await rewind()
    await gateways.postgres.run(`DELETE FROM farebox.lease; DELETE FROM farebox.charged; DELETE FROM farebox.account;
      UPDATE farebox.gateway SET shipped = 0`)
    const claims = JSON.stringify([[made.id, 1, 5, 100]])
    const say = (call: string) => gateways.postgres.query(`SELECT farebox.${call} AS answer`)
    await say(`join_fleet('told', 'here', '', 0, '1 min')`)
    await say(`ship('told', 1, 0, 1, '[["${made.id}", 1, 30]]', '[]')`)
    await say(`claim('told', 1, '${claims}')`)
    expect(await accountOf()).toEqual({ used: 30, owed: 0, leased: 5, free: 65 })
    await expectSoundFleet(gateways.postgres)
  })

  it('lends nothing to a new gateway either, and what is left once an administrator has declared one lost', async () => {
    await rewind()
    const some = [await start(2), await start(0), await gateways.join({ env: IMPATIENT })]
    expect(await spend(some, 1)).toBe(0)
    const [third] = some as [Gateway]
    const { gateways: all } = await third.admin.call('showFleet', {})
    const awaited = all.filter(({ state }) => state === 'awaited')
    expect(awaited.map(({ place }) => place)).toEqual([expect.stringContaining(folders[1] as string)])
    const { id } = awaited[0] as (typeof awaited)[number]
    expect(third.log.join('\n')).toMatch(`credits until these gateways have joined: ${awaited[0]?.place} (${id})`)
    const settled = () => third.admin.call('settleGateway', { id, body: { as: 'free' } })
    await expect(settled()).rejects.toMatchObject({ status: 409 })
    await gateways.postgres.run(`UPDATE farebox.gateway SET free_at = now() WHERE id = '${id}'`)
    await settled()
    await expect.poll(() => spend(some, 1), WAIT).toBeGreaterThan(0)
    // The charges of the lost gateway since the backup are unknown.
    for (const gateway of some) await expect.poll(() => pay(gateway, made), WAIT).toBe(402)
    await expect.poll(accountOf, WAIT).toEqual({ used: CALLS * HOLD, owed: 0, leased: 0, free: LEFT })
    await expect(start(1)).rejects.toThrow(/declared this gateway lost/)
  })
})

describeRestore('killed, one of them before the backup', { signal: 'SIGKILL', isCold: false, isThirdOn: false }, () => {
  it.each(['files', 'dump'] as const)('lends that one nothing before the others have reported (%s)', async (of) => {
    await rewind(of)
    await expectNothingSpent([2, 0, 1])
  })

  it('lends a new gateway nothing before the others have reported', async () => {
    await rewind()
    const brandNew = await gateways.join({ env: IMPATIENT })
    expect(await spend([brandNew], 2)).toBe(0)
    await expectNothingSpent([2, 1, 0])
  })
})

describeRestore('stopped, one of them before the backup', { signal: 'SIGTERM', isCold: true, isThirdOn: false }, () => {
  it('lends nothing until all have reported, where an administrator says that it was restored', async () => {
    await rewind()
    await gateways.postgres.query('SELECT farebox.restored()::text')
    await expectNothingSpent([2, 1, 0])
  })
})
