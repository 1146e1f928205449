// PostgreSQL is restored from a backup while no gateway runs: only the gateways' disks know what was spent since the backup.

import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Postgres } from '../support/postgres.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { CAN_SHARE, expectSoundFleet } from './support.ts'

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
async function rewind(from: Postgres = backup): Promise<void> {
  for (const folder of folders) {
    await rm(folder, { recursive: true, force: true })
    await cp(`${folder}.ended`, folder, { recursive: true })
  }
  await restore(from)
}

async function restore(from: Postgres): Promise<void> {
  const copy = await from.backup()
  await restored?.stop()
  restored = copy
  await copy.start()
  Object.assign(gateways, { postgres: copy })
}

const start = (index: number): Promise<Gateway> =>
  gateways.join({ dataDir: folders[index] as string, env: IMPATIENT })

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
  for (const gateway of [...gateways.all]) await gateways.end(gateway)
}

/** Three gateways of which two spend almost all of a balance after a backup, and which end then. */
async function spendAfterBackup(signal: 'SIGTERM' | 'SIGKILL', isCold: boolean): Promise<void> {
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
  if (isCold) for (const process of processes) await process.stop()
  else for (const process of processes) await expect.poll(() => pay(process as never, made), WAIT).toBe(200)
  const source = await gateways.postgres.backup()
  if (isCold) processes = await begin()
  // The third one spends nothing.
  for (let paid = isCold ? 0 : processes.length; paid < CALLS; paid += 1) {
    expect(await pay(processes[paid % 2] as never, made)).toBe(200)
  }
  await new Promise((resolve) => setTimeout(resolve, 1500))
  for (const process of processes) process.kill(signal)
  for (const process of processes) await process.exited
  for (const dataDir of folders) await cp(dataDir, `${dataDir}.ended`, { recursive: true })
  await gateways.postgres.stop()
  backup = source
  await backup.start()
}

describe.runIf(CAN_SHARE).each([
  ['killed, the backup made while they ran', 'SIGKILL', false],
  ['stopped, the backup made while none ran', 'SIGTERM', true],
] as const)('a PostgreSQL that is restored after all gateways were %s', (_, signal, isCold) => {
  let original: Postgres
  afterEach(endAll)
  afterAll(async () => {
    await backup.stop()
    await restored?.stop()
    restored = undefined
    await gateways.upstream.close()
    await original.close()
    await endProcesses()
  })

  it('is behind by almost all of a balance', async () => {
    await spendAfterBackup(signal, isCold)
    original = gateways.postgres
  })

  it.each(ORDERS)('lends nothing until all have reported, started as %i, %i, %i', async (...order) => {
    await rewind()
    const started: Gateway[] = []
    for (const index of order) {
      started.push(await start(index))
      if (started.length < order.length) expect(await spend(started, 2)).toBe(0)
    }
    // What is left pays for no call.
    for (const gateway of started) await expect.poll(() => pay(gateway, made), WAIT).toBe(402)
    await expect.poll(accountOf, WAIT).toEqual({ used: CALLS * HOLD, owed: 0, leased: 0, free: LEFT })
    await expectSoundFleet(gateways.postgres)
  })
})
