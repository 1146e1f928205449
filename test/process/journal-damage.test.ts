// Damage to the journal of a gateway that was killed while it held what was not projected yet, and files that do not belong together.
// Whatever is done to them, a start finds everything that clients were told, or it says what is missing and charges nothing: it never
// goes on with less in silence. What is found, and by what, is what docs/ledger.md says.

import { cpSync, existsSync, mkdirSync, openSync, closeSync, readSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyFolder } from '#app/verify-folder.ts'
import { openForReading } from '#store/database.ts'
import { FRAMES_AT, JOURNAL_FILES } from '#store/journal-frames.ts'
import { lengthOf, readRecords, watchedBy, type DiskRecord } from '../support/disk-recorder.ts'
import { startFarebox } from '../support/farebox.ts'
import { ForgetfulDisk } from '../support/forgetful-disk.ts'
import { costlyAnswers } from '../support/load.ts'
import { paidCall } from '../support/paid-calls.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { expectInBooks, nothingTold, prepareLoad, runLoad, toldUpTo, type Told } from '../support/told.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { foundAtStart } from './found-at-start.ts'
import { isLong } from '../support/cases.ts'

/** Lengths and places that are tried, evenly over what the journal holds. */
const PLACES = isLong ? 400 : 6
const DATABASE = ['farebox.db', 'farebox.db-wal']
const SAYS = /are gone|is gone|of another database|does not have/

let upstream: Upstream
let folder: string
let copies = 0

type Killed = {
  readonly dataDir: string
  readonly keys: readonly string[]
  readonly told: Told
  /** The file that holds what is not projected, and the bytes of it that are frames. */
  readonly file: string
  readonly frames: readonly { readonly start: number; readonly end: number }[]
  /** The same folder some frames before. */
  readonly earlier: string
}

let killed: Killed
let other: Killed

/** The moment with the most frames that are in the journal, noted, and not in the database. */
function fullestMoment(records: readonly DiskRecord[]): { readonly from: number; readonly to: number } {
  let best = { from: 0, to: 0, frames: 0 }
  let [from, frames] = [0, 0]
  for (const [index, { type, path, first }] of records.entries()) {
    if (type !== 'write') continue
    if (path.endsWith('farebox.db-wal')) [from, frames] = [index, 0]
    // The second line of the note is the journal's.
    if (path.endsWith('farebox.tail') && first > 0) frames += 1
    if (frames > best.frames) best = { from, to: index + 1, frames }
  }
  return best
}

async function killedWithFrames(name: string): Promise<Killed> {
  const root = join(folder, name)
  const keys = await prepareLoad(join(root, 'data'), upstream.url)
  const disk = new ForgetfulDisk(root)
  const log = join(folder, `${name}.log`)
  const program = await startProcess({ dataDir: join(root, 'data'), env: watchedBy({ folder: root, log }) })
  const told = nothingTold()
  const { url, admin } = program
  const load = { url, admin, keys, told, now: () => lengthOf(log), folder: root, clients: 2 }
  await runLoad({ ...load, name: 'changes', callsEach: 2, changes: 1 })
  await runLoad({ ...load, name: 'calls', callsEach: 24, changes: 0 })
  program.kill('SIGKILL')
  await program.exited
  const records = readRecords(log)
  const { from, to } = fullestMoment(records)
  const leave = (at: string) => {
    mkdirSync(join(folder, at))
    disk.leave(join(folder, at), 'all', () => 0)
    return join(folder, at, 'data')
  }
  for (const record of records.slice(0, from)) disk.take(record)
  const earlier = leave(`${name}-earlier`)
  for (const record of records.slice(from, to)) disk.take(record)
  const dataDir = leave(`${name}-killed`)
  const frames = records
    .slice(from, to)
    .filter(({ type, path }) => type === 'write' && JOURNAL_FILES.some((file) => path.endsWith(file)))
  const file = JOURNAL_FILES.find((each) => frames[0]?.path.endsWith(each)) ?? ''
  return {
    dataDir,
    keys,
    told: toldUpTo(told, records[to - 1]?.end ?? 0),
    earlier,
    file,
    frames: frames.map(({ first: start, bytes }) => ({ start, end: start + bytes.length })),
  }
}

function copyOf(dataDir: string): string {
  const copy = join(folder, `copy-${(copies += 1)}`)
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

/** Whether a start finds everything that was told, or says that something is missing. */
async function outcomeOf(dataDir: string): Promise<'whole' | 'said'> {
  const said = await foundAtStart(dataDir)
  if (said === '') {
    const db = openForReading(dataDir)
    try {
      expectInBooks(db, killed.told)
    } finally {
      db.close()
    }
    return 'whole'
  }
  expect(said).toMatch(SAYS)
  return 'said'
}

async function after(damage: (dataDir: string) => void): Promise<'whole' | 'said'> {
  const copy = copyOf(killed.dataDir)
  damage(copy)
  const outcome = await outcomeOf(copy)
  rmSync(copy, { recursive: true })
  return outcome
}

function put(from: string, to: string, names: readonly string[]): void {
  for (const name of names) {
    rmSync(join(to, name), { force: true })
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name))
  }
  if (names.includes('farebox.db-wal')) rmSync(join(to, 'farebox.db-shm'), { force: true })
}

function flipByte(path: string, position: number): void {
  const file = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, position)
  byte[0] = (byte[0] ?? 0) ^ 0x10
  writeSync(file, byte, 0, 1, position)
  closeSync(file)
}

describe('damage to the journal', () => {
  beforeAll(async () => {
    upstream = await startUpstream()
    upstream.script(costlyAnswers())
    folder = await temporaryFolder()
    killed = await killedWithFrames('one')
    other = await killedWithFrames('other')
  }, 120_000)

  afterAll(async () => {
    await endProcesses()
    await upstream.close()
  })

  describe('the journal of a gateway that was killed', { timeout: 600_000 }, () => {
    it('holds what the start projects, once', async () => {
      expect(killed.frames.length).toBeGreaterThan(0)
      expect(await after(() => undefined)).toBe('whole')
      expect(verifyFolder(copyOf(killed.dataDir))).toMatchObject({ ok: true, problems: [] })
    })

    it('is missed when it is gone, by each start and by ledger verify', async () => {
      expect(await after((copy) => rmSync(join(copy, killed.file)))).toBe('said')
      const gone = copyOf(killed.dataDir)
      for (const name of JOURNAL_FILES) rmSync(join(gone, name))
      expect(verifyFolder(gone)?.problems.join()).toMatch(SAYS)
      for (let start = 0; start < 2; start++) expect(await outcomeOf(gone)).toBe('said')
      expect(verifyFolder(gone)?.problems.join()).toMatch(SAYS)
    })

    it('may lose the file of which everything is projected', async () => {
      const free = JOURNAL_FILES.find((name) => name !== killed.file) ?? ''
      expect(await after((copy) => rmSync(join(copy, free)))).toBe('whole')
    })

    it('is missed when it was cut, at whatever length', async () => {
      const end = killed.frames.at(-1)?.end ?? 0
      const outcomes: string[] = []
      for (let place = 0; place < PLACES; place++) {
        const length = Math.floor((end * place) / PLACES)
        outcomes.push(await after((copy) => truncateSync(join(copy, killed.file), length)))
      }
      expect(outcomes).toEqual(outcomes.map(() => 'said'))
    })

    it('is missed when a byte of it was changed, whichever', async () => {
      const start = killed.frames[0]?.start ?? 0
      const end = killed.frames.at(-1)?.end ?? 0
      for (let place = 0; place < PLACES; place++) {
        const position = start + Math.floor(((end - start) * place) / PLACES)
        expect(await after((copy) => flipByte(join(copy, killed.file), position)), String(position)).toBe('said')
      }
      // The name of the journal, and what is projected already.
      for (const position of [0, 20, 30, FRAMES_AT - 1]) {
        await after((copy) => flipByte(join(copy, killed.file), position))
      }
    })
  })

  describe('files that do not belong together', { timeout: 120_000 }, () => {
    const journals = [...JOURNAL_FILES]

    it('are said to be of another database: the journal of another folder, or another database beside it', async () => {
      expect(await after((copy) => put(other.dataDir, copy, journals))).toBe('said')
      expect(await after((copy) => put(other.dataDir, copy, [killed.file]))).toBe('said')
      expect(await after((copy) => put(other.dataDir, copy, DATABASE))).toBe('said')
      expect(await after((copy) => put(other.dataDir, copy, [...DATABASE, 'farebox.tail']))).toBe('said')
      expect(await after((copy) => put(other.dataDir, copy, [...journals, 'farebox.tail']))).toBe('said')
    })

    it('are missed in an older state of the journal', async () => {
      expect(await after((copy) => put(killed.earlier, copy, journals))).toBe('said')
    })

    it('lose nothing with an older state of the database that the journal still goes on from', async () => {
      expect(await after((copy) => put(killed.earlier, copy, DATABASE))).toBe('whole')
    })

    it('are missed when the log of the database is gone, or is that of another', async () => {
      expect(await after((copy) => put(join(folder, 'nowhere'), copy, ['farebox.db-wal']))).toBe('said')
      expect(await after((copy) => put(other.dataDir, copy, ['farebox.db-wal']))).toBe('said')
    })

    it('charge nothing until somebody has decided', async () => {
      const copy = copyOf(killed.dataDir)
      rmSync(join(copy, killed.file))
      const farebox = await startFarebox({ dataDir: copy })
      expect((await farebox.admin.call('status', {})).ledger).toBe('mismatch')
      expect((await paidCall({ url: farebox.url, key: killed.keys[0] ?? '' }, false)).status).toBe(503)
      expect((await farebox.admin.call('verifyLedger', {})).ok).toBe(false)
      await farebox.stop()
      // Whoever accepts the loss goes on without it.
      rmSync(join(copy, 'farebox.tail'))
      const again = await startFarebox({ dataDir: copy })
      expect((await again.admin.call('status', {})).ledger).toBe('ok')
      expect((await paidCall({ url: again.url, key: killed.keys[0] ?? '' }, false)).status).toBe(200)
      await again.stop()
      expect(await foundAtStart(copy)).toBe('')
    })
  })
})
