// Damage to the files of a gateway that was killed under load: a log that is gone, cut or garbled, and pages that were overwritten.
// What is found, and by what, is what docs/ledger.md says.

import {
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import { verifyFolder } from '#app/verify-folder.ts'
import { openWholeBooks } from '#app/whole-books.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { readTail } from '#store/tail.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { paidCall } from '../support/paid-calls.ts'
import { costlyAnswers } from '../support/load.ts'
import { endProcesses, farebox, startProcess, temporaryFolder } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { foundAtStart } from './found-at-start.ts'
import { isLong } from '../support/cases.ts'

const CUTS = isLong ? 200 : 6
/** Which of the pages are overwritten: every one, or every other one. */
const PAGE_STEP = isLong ? 1 : 2
const WAL = 'farebox.db-wal'

let upstream: Upstream | undefined

afterEach(async () => {
  await endProcesses()
  await upstream?.close()
})

/** A data folder whose gateway was killed while it answered calls, and what it had answered. */
async function killedUnderLoad(folder: string, calls: number): Promise<{ dataDir: string; key: string }> {
  const dataDir = join(folder, 'killed')
  const program = await startProcess({ dataDir })
  upstream = await startUpstream()
  upstream.script(costlyAnswers())
  await setUpUpstream(program, upstream.url)
  const { key } = await program.admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })
  const target = { url: program.url, key }
  for (let count = 0; count < calls; count += 8) {
    await Promise.all(Array.from({ length: 8 }, (_, index) => paidCall(target, index % 2 === 0)))
  }
  const running = Array.from({ length: 8 }, () => paidCall(target, true).catch(() => undefined))
  program.kill('SIGKILL')
  await program.exited
  await Promise.all(running)
  return { dataDir, key }
}

function copyOf(dataDir: string): string {
  const copy = mkdtempSync(join(dataDir, '..', 'copy-'))
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

function overwrite(path: string, position: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, position)
  closeSync(file)
}

/** How many entries there are, with those of the journal, where the books add up. */
function soundEntries(dataDir: string): number {
  const { db, close } = openWholeBooks(dataDir, { isRunning: false })
  try {
    const { ok, entries } = verifyLedger(db)
    return ok ? entries : Number.NaN
  } finally {
    close()
  }
}

it('a log that is gone, cut or garbled is found by the start, and stays found', { timeout: 240_000 }, async () => {
  const folder = await temporaryFolder()
  const { dataDir } = await killedUnderLoad(folder, 48)
  const all = soundEntries(dataDir)
  expect(all).toBeGreaterThan(90)
  // Nothing is wrong with what a kill leaves.
  expect(await foundAtStart(copyOf(dataDir))).toBe('')
  const walBytes = statSync(join(dataDir, WAL)).size
  expect(readTail(dataDir)?.frame).toBeGreaterThan(6)

  const gone = copyOf(dataDir)
  rmSync(join(gone, WAL))
  for (let start = 0; start < 2; start++) expect(await foundAtStart(gone)).toMatch(/had been written and are gone/)
  expect(verifyFolder(gone)?.problems.join()).toMatch(/had been written and are gone/)

  const missed: string[] = []
  for (let cut = 0; cut < CUTS; cut++) {
    // The last frames may hold nothing but what the kill interrupted. What the journal still has is projected once more.
    const position = Math.floor((walBytes * 0.9 * cut) / CUTS)
    const truncated = copyOf(dataDir)
    truncateSync(join(truncated, WAL), position)
    if ((await foundAtStart(truncated)) === '' && soundEntries(truncated) !== all)
      missed.push(`cut at ${position} of ${walBytes}`)
    rmSync(truncated, { recursive: true })
    const garbled = copyOf(dataDir)
    overwrite(join(garbled, WAL), position, Buffer.alloc(64, 0xa5))
    if ((await foundAtStart(garbled)) === '' && soundEntries(garbled) !== all)
      missed.push(`garbled at ${position} of ${walBytes}`)
    rmSync(garbled, { recursive: true })
  }
  expect(missed).toEqual([])
})

it('a gateway on such a folder says so, and charges nothing', { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder()
  const { dataDir, key } = await killedUnderLoad(folder, 16)
  const untouched = copyOf(dataDir)
  const half = Math.floor(statSync(join(dataDir, WAL)).size / 2)
  truncateSync(join(dataDir, WAL), half)
  const program = await startProcess({ dataDir })
  expect((await program.admin.call('status', {})).ledger).toBe('mismatch')
  expect((await paidCall({ url: program.url, key }, false)).status).not.toBe(200)
  expect((await program.admin.call('verifyLedger', {})).problems.join()).toMatch(/farebox\.tail/)
  await program.stop()
  const verified = await farebox(['ledger', 'verify'], { dataDir })
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('are gone') as string })
  // Whoever accepts the loss goes on without it.
  rmSync(join(dataDir, 'farebox.tail'))
  const again = await startProcess({ dataDir })
  expect((await again.admin.call('status', {})).ledger).toBe('ok')
  await again.stop()
  // A folder that was copied as it was is as good as the first one.
  const moved = await startProcess({ dataDir: untouched })
  expect((await moved.admin.call('status', {})).ledger).toBe('ok')
  expect((await paidCall({ url: moved.url, key }, false)).status).not.toBe(403)
  await moved.stop()
  // A backup takes its place, however much older it is.
  const backup = join(folder, 'old.db')
  const source = await startProcess({ dataDir: join(folder, 'other') })
  await source.admin.call('backUp', { body: { file: backup } })
  await source.stop()
  expect((await farebox(['restore', backup], { dataDir: untouched })).code).toBe(0)
  const restored = await startProcess({ dataDir: untouched })
  expect((await restored.admin.call('status', {})).ledger).toBe('ok')
  await restored.stop()
})

it(
  `a page that was overwritten with zeros is found, whichever it is (of every ${PAGE_STEP})`,
  { timeout: 240_000 },
  async () => {
    const folder = await temporaryFolder()
    const { dataDir } = await killedUnderLoad(folder, 48)
    // One file, as after a checkpoint.
    const db = new Database(join(dataDir, 'farebox.db'))
    db.pragma('wal_checkpoint(TRUNCATE)')
    const pages = Number(db.pragma('page_count', { simple: true }))
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    expect(db.pragma('freelist_count', { simple: true })).toBe(0)
    db.close()
    expect(verifyFolder(dataDir)).toMatchObject({ ok: true, problems: [] })
    const found = { byVerify: 0, byStart: 0 }
    const missed: number[] = []
    const copy = copyOf(dataDir)
    const original = readFileSync(join(dataDir, 'farebox.db'))
    for (let page = 0; page < pages; page += PAGE_STEP) {
      for (const suffix of ['-wal', '-shm']) rmSync(join(copy, `farebox.db${suffix}`), { force: true })
      cpSync(join(dataDir, 'farebox.db'), join(copy, 'farebox.db'))
      overwrite(join(copy, 'farebox.db'), page * pageBytes, Buffer.alloc(pageBytes))
      if (original.subarray(page * pageBytes, (page + 1) * pageBytes).every((byte) => byte === 0)) continue
      if (isFoundByVerify(copy)) found.byVerify += 1
      else missed.push(page + 1)
      if (page % (5 * PAGE_STEP) === 0 && (await foundAtStart(copy)) !== '') found.byStart += 1
    }
    console.log(
      `${pages} pages, every ${PAGE_STEP}: ${found.byVerify} found by ledger verify, ${found.byStart} of every fifth of them by the start`,
    )
    expect(missed).toEqual([])
    expect(existsSync(join(dataDir, 'farebox.tail'))).toBe(true)
  },
)

function isFoundByVerify(dataDir: string): boolean {
  try {
    return verifyFolder(dataDir)?.ok === false
  } catch {
    // It says that it is no database of ours, which is as good.
    return true
  }
}
