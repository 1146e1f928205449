// A start on a long history takes as long as one on none: what is old was summed up before. And an end waits for nobody who reads all of it.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import { summarisedUpTo, SUMMARY_STEP } from '#ledger/summary.ts'
import { readTail } from '#store/tail.ts'
import { cpuMicros } from '../bench/process-figures.ts'
import { fill } from '../bench/scale-fill.ts'
import { chatModel } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { isLong } from '../support/cases.ts'

/** Each makes two entries, so that the long test has a million. */
const CALLS = isLong ? 500_000 : 50_000
const MAX_MORE_MS = 1000

afterEach(endProcesses)

/** The quickest of a few starts: whatever else the machine does makes one slower, and none quicker. */
async function quickestMs(dataDir: string): Promise<number> {
  const starts: number[] = []
  while (starts.length < 3) starts.push(await readyMs(dataDir))
  return Math.min(...starts)
}

/** Until it is ready: in processor time where the system tells it, because on a busy machine the clock says more of the others. */
async function readyMs(dataDir: string): Promise<number> {
  const startedMs = performance.now()
  const program = await startProcess({ dataDir })
  const cpu = cpuMicros([program.pid])
  const tookMs = cpu === undefined ? performance.now() - startedMs : cpu / 1000
  expect(await program.admin.call('status', {})).toMatchObject({ ledger: 'ok' })
  expect(await program.stop()).toEqual({ code: 0, signal: null })
  return tookMs
}

it(`starts as quickly after ${CALLS} calls`, { timeout: 300_000 }, async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  const program = await startProcess({ dataDir })
  await program.admin.call('addModel', {
    body: chatModel('bench-chat', { targets: [{ provider: 'demo', model: 'demo-chat' }] }),
  })
  await program.stop()
  const before = await quickestMs(dataDir)
  fill(dataDir, { keys: 100, calls: CALLS })
  const after = await quickestMs(dataDir)
  console.log(`ready after ${Math.round(before)} ms, and after ${CALLS} calls after ${Math.round(after)} ms`)
  expect(after).toBeLessThan(before + MAX_MORE_MS)
  const db = new Database(join(dataDir, 'farebox.db'), { readonly: true })
  expect(2 * CALLS - summarisedUpTo(db)).toBeLessThan(SUMMARY_STEP)
  db.close()
})

/** A table at which SQLite looks for minutes in one statement: a column of it is made of megabytes for each row. It becomes one when its rows are there. */
const SLOW_TABLE = `CREATE TABLE slow (bytes INTEGER);
  WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
    INSERT INTO slow SELECT 4000000 FROM number;
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = 'CREATE TABLE slow (bytes INTEGER,
    made TEXT NOT NULL AS (replace(hex(zeroblob(bytes)), ''0'', ''1'')) VIRTUAL)' WHERE name = 'slow'`
const WELL_IN_IT_MICROS = 1_500_000

it.runIf(process.platform === 'linux')(
  'ends in the middle of a look at all books, with everything written',
  { timeout: 60_000 },
  async () => {
    const dataDir = join(await temporaryFolder(), 'data')
    await (await startProcess({ dataDir })).stop()
    const db = new Database(join(dataDir, 'farebox.db'))
    db.unsafeMode().exec(SLOW_TABLE)
    db.close()
    const program = await startProcess({ dataDir })
    const used = () => cpuMicros([program.pid]) ?? Number.NaN
    const before = used()
    const isVerified = program.admin.call('verifyLedger', {}).then(
      () => true,
      () => false,
    )
    await expect.poll(used).toBeGreaterThan(before + WELL_IN_IT_MICROS)
    expect(await program.stop()).toEqual({ code: 0, signal: null })
    expect(await isVerified).toBe(false)
    expect(program.stderr()).toBe('')
    expect(readTail(dataDir)).toMatchObject({ isClosed: true })
  },
)
