import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { completeBooks } from '#app/whole-books.ts'
import { batchText } from '#ledger/batch-text.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { backUp } from '#store/backup.ts'
import { applyMigrations, openForReading, openForWriting, NEWEST_SCHEMA } from '#store/database.ts'
import { JOURNAL_FILES } from '#store/journal-frames.ts'
import { lockDataDir } from '#store/lock.ts'
import { finishRestore, restoreBackup, type RestoreAnswer } from '#store/restore.ts'
import { Books, terms } from '../ledger/books.ts'

const NOW = Date.parse('2027-01-15T08:00:00.000Z')
const KEPT = 'farebox.before-restore-20270115T080000000Z.db'

let folder: string
let dataDir: string
let file: string
const clock = { nowMs: NOW }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-restore-'))
  dataDir = join(folder, 'data')
  file = join(folder, 'monday.db')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

function restore(options: { readonly file?: string; readonly isDryRun?: boolean } = {}): RestoreAnswer {
  const { isDryRun = false } = options
  return restoreBackup(
    { dataDir, file: options.file ?? file, nowMs: NOW, isDryRun },
    { check: verifyLedger, complete: completeBooks },
  )
}

type Keys = { readonly first: string; readonly second: string }
/** Made once, and copied for each test. */
let made: { readonly folder: string; readonly keys: Keys } | undefined

afterAll(() => rmSync(made?.folder ?? '', { recursive: true, force: true }))

/** A data folder with one key and one call, its backup, and then a second key with another call. */
async function makeBackupAndGoOn(): Promise<Keys> {
  if (made === undefined) {
    const keys = await makeOnce()
    const copy = await mkdtemp(join(tmpdir(), 'farebox-restore-'))
    cpSync(folder, copy, { recursive: true })
    made = { folder: copy, keys }
  } else cpSync(made.folder, folder, { recursive: true })
  return made.keys
}

async function makeOnce(): Promise<Keys> {
  mkdirSync(dataDir, { recursive: true })
  const books = await Books.open({ dataDir, clock })
  const first = await spend(books)
  const db = openForReading(dataDir)
  expect(backUp(db, { dataDir, file, isForced: false }, verifyLedger).type).toBe('made')
  db.close()
  const second = await spend(books)
  await books.stop()
  return { first, second }
}

async function spend(books: Books): Promise<string> {
  const keyId = await books.addKey(terms('topup', 1000))
  await books.resolve(await books.held(keyId, 100), 40)
  return keyId
}

/** The ids of the keys in a database, which has to be sound. */
function keysIn(path: string): string[] {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    expect(verifyLedger(db)).toMatchObject({ ok: true, problems: [] })
    return db.prepare<[], string>('SELECT id FROM key ORDER BY id').pluck().all()
  } finally {
    db.close()
  }
}

const filesOf = (path: string) =>
  readdirSync(path)
    .filter((name) => !name.startsWith('farebox.lock') && name !== 'farebox.tail')
    .toSorted()

function expectRefused(answer: RestoreAnswer, says: string): void {
  expect(answer).toMatchObject({ type: 'refused', message: expect.stringContaining(says) as string })
}

describe('a restore', () => {
  it('puts the backup in the place of the database, and keeps what was there', async () => {
    const { first, second } = await makeBackupAndGoOn()
    expect(restore()).toMatchObject({
      type: 'restored',
      keptAs: join(dataDir, KEPT),
      contents: { schema: NEWEST_SCHEMA, endsAtMs: NOW, books: { keys: 1, entries: 3, usageRecords: 1 } },
      present: { type: 'read', entries: 6, usageRecords: 2, keys: [{ id: first }, { id: second }] },
    })
    expect(filesOf(dataDir)).toEqual([KEPT, 'farebox.db'])
    expect(keysIn(join(dataDir, 'farebox.db'))).toEqual([first])
    expect(keysIn(join(dataDir, KEPT))).toEqual([first, second].toSorted())
    if (process.platform !== 'win32') expect(statSync(join(dataDir, 'farebox.db')).mode & 0o777).toBe(0o600)
    // What was kept can be restored in turn, and is kept under another name then.
    expect(restore({ file: join(dataDir, KEPT) })).toMatchObject({
      keptAs: join(dataDir, 'farebox.before-restore-20270115T080000001Z.db'),
    })
    expect(keysIn(join(dataDir, 'farebox.db'))).toEqual([first, second].toSorted())
    expect(openForWriting(dataDir).close().open).toBe(false)
  })

  it('only looks in a dry run', async () => {
    const { first, second } = await makeBackupAndGoOn()
    const before = readFileSync(join(dataDir, 'farebox.db'))
    expect(restore({ isDryRun: true })).toMatchObject({ type: 'restored', keptAs: undefined, present: { entries: 6 } })
    // SQLite leaves an empty log where it has read.
    expect(filesOf(dataDir).filter((name) => !/-(wal|shm|1|2)$/.test(name))).toEqual(['farebox.db'])
    expect(readFileSync(join(dataDir, 'farebox.db'))).toEqual(before)
    expect(keysIn(join(dataDir, 'farebox.db'))).toEqual([first, second].toSorted())
  })

  it('works where there was no data folder', async () => {
    const { first } = await makeBackupAndGoOn()
    dataDir = join(folder, 'another', 'machine')
    expect(restore()).toMatchObject({ type: 'restored', keptAs: undefined, present: { type: 'none' } })
    expect(filesOf(dataDir)).toEqual(['farebox.db'])
    expect(keysIn(join(dataDir, 'farebox.db'))).toEqual([first])
  })

  it('brings the backup of the last development schema to the present one, and leaves the file as it is', async () => {
    const old = new Database(file)
    applyMigrations(old, 1)
    old.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
        VALUES ('p', 'p', 'topup', 5, 'UTC', '"all"', 1);
      INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
        VALUES ('k', 'k', '${'h'.repeat(43)}', 'hint', 'p', 'active', 1);
      PRAGMA user_version = 570`)
    old.close()
    const before = readFileSync(file)
    expect(restore()).toMatchObject({ type: 'restored', contents: { schema: 1, keys: [{ id: 'k' }] } })
    expect(readFileSync(file)).toEqual(before)
    const db = openForReading(dataDir)
    expect(db.pragma('user_version', { simple: true })).toBe(NEWEST_SCHEMA)
    db.close()
  })

  it('takes the log of a killed process into what is kept, and plays nothing of it into the backup', async () => {
    const { first, second } = await makeBackupAndGoOn()
    // The files of a process that was killed: a second folder, copied while its database was in use.
    const running = await Books.open({ dataDir, clock })
    const third = await spend(running)
    const killed = join(folder, 'killed')
    cpSync(dataDir, killed, { recursive: true })
    await running.stop()
    dataDir = killed
    expect(statSync(join(killed, 'farebox.db-wal')).size).toBeGreaterThan(0)
    expect(restore()).toMatchObject({ type: 'restored', present: { entries: 9 } })
    expect(filesOf(killed)).toEqual([KEPT, 'farebox.db'])
    expect(keysIn(join(killed, KEPT))).toEqual([first, second, third].toSorted())
    const db = openForWriting(killed)
    expect(db.prepare('SELECT id FROM key').pluck().all()).toEqual([first])
    db.close()
  })

  it.each([
    ['is damaged', (path: string) => writeFileSync(path, Buffer.alloc(20_000, 0xa5))],
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['was made by a newer Farebox', (path: string) => new Database(path).exec('PRAGMA user_version = 9999').close()],
  ])('works where the database %s, and keeps that too, with its log', async (_, spoil) => {
    const { first } = await makeBackupAndGoOn()
    const path = join(dataDir, 'farebox.db')
    spoil(path)
    const spoilt = readFileSync(path)
    writeFileSync(`${path}-wal`, 'a log of nobody knows what')
    expect(restore().type).toBe('restored')
    expect(keysIn(path)).toEqual([first])
    expect(existsSync(`${path}-wal`)).toBe(false)
    const kept = readFileSync(join(dataDir, KEPT))
    expect(kept.length).toBe(spoilt.length)
  })
})

describe('what is refused changes nothing:', () => {
  /** Runs a restore that must be refused, and compares the folder before and after. */
  function expectNothing(says: string, options: { readonly file?: string } = {}): void {
    const before = filesOf(dataDir).map((name) => [name, readFileSync(join(dataDir, name))])
    expectRefused(restore(options), says)
    expect(filesOf(dataDir).map((name) => [name, readFileSync(join(dataDir, name))])).toEqual(before)
  }

  beforeEach(makeBackupAndGoOn)

  /** Changes the backup as somebody does who has no business to. */
  function tamper(sql: string): void {
    const db = new Database(file)
    db.exec(sql)
    db.close()
  }

  it('a data folder that is in use', () => {
    const lock = lockDataDir(dataDir)
    expectNothing('Another Farebox is using this data folder')
    lock.release()
    expect(restore().type).toBe('restored')
  })

  it('no file, and a folder', () => {
    expectNothing('There is no file', { file: join(folder, 'tuesday.db') })
    expectNothing('is not a file', { file: folder })
  })

  it.each(['farebox.restore.new', 'farebox.restored-20270115T080000000Z.db'])('what a restore left as %s', (name) => {
    const draft = join(folder, name)
    cpSync(file, draft)
    expectNothing('not a backup', { file: draft })
    expect(existsSync(draft)).toBe(true)
  })

  it.each([
    ['text', 'SQLite is not what this is'.repeat(100)],
    ['nothing', ''],
    ['a head without a body', 'SQLite format 3\0'],
  ])('a file of %s', (_, content) => {
    writeFileSync(file, content)
    expectNothing('it is not a database of Farebox')
  })

  it('the database of another program', () => {
    rmSync(file)
    tamper('CREATE TABLE note (text TEXT); PRAGMA user_version = 3')
    expectNothing('it is not a database of Farebox')
  })

  it.each([
    ['one trigger more', `CREATE TRIGGER free AFTER INSERT ON usage_record BEGIN SELECT 1; END`],
    ['one trigger less', 'DROP TRIGGER key_revoked_is_final'],
    ['one view more', 'CREATE VIEW everything AS SELECT * FROM key'],
    ['no schema version', 'PRAGMA user_version = 0'],
    ['a changed table', 'ALTER TABLE package ADD COLUMN note TEXT'],
  ])('a database with %s', (_, sql) => {
    tamper(sql)
    expectNothing('it is not a database of Farebox')
  })

  it('a backup of an older development version', () => {
    tamper('PRAGMA user_version = 560')
    expectNothing('made by a development version of Farebox')
  })

  it('a backup of a newer Farebox', () => {
    tamper('PRAGMA user_version = 9999')
    expectNothing('made by a newer Farebox')
  })

  it('a damaged backup', () => {
    const bytes = readFileSync(file)
    for (let page = 25; page < bytes.length / 4096; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 100)
    writeFileSync(file, bytes)
    expectNothing('it is damaged')
  })

  it('half of a backup', () => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length / 2))
    expectNothing('it is damaged')
  })

  it('a backup with a row that refers to none', () => {
    tamper(`PRAGMA foreign_keys = OFF; DELETE FROM package`)
    expectNothing('rows refer to rows that are not there')
  })

  it('books that do not add up', () => {
    tamper('UPDATE balance SET available_micro = available_micro + 1')
    expectNothing('its ledger does not add up')
  })

  it('a database that was copied while it was in use', () => {
    writeFileSync(`${file}-wal`, 'the latest calls')
    expectNothing('not a backup but a database that was in use')
  })

  it('a database whose journal has more, under whatever name', async () => {
    const running = await Books.open({ dataDir, clock })
    await running.stopWith([batchText({ entries: [], usage: [], balances: [] })])
    const copy = join(folder, 'copied')
    cpSync(dataDir, copy, { recursive: true })
    const says = 'the journal beside it has more'
    expectNothing(says, { file: join(copy, 'farebox.db') })
    renameSync(join(copy, 'farebox.db'), join(copy, 'tuesday.db'))
    expectNothing(says, { file: join(copy, 'tuesday.db') })
    // As a restore keeps them.
    for (const name of JOURNAL_FILES) renameSync(join(copy, name), join(copy, name.replace('farebox', 'tuesday')))
    expectNothing(says, { file: join(copy, 'tuesday.db') })
    expect(readdirSync(copy).filter((name) => name.startsWith('tuesday.db'))).toEqual(['tuesday.db'])
  })
})

describe('a restore that is killed', () => {
  const SCRIPT = join(import.meta.dirname, 'restore-killed.mjs')
  const run = (folderOfRun: string, dieBefore: number) =>
    spawnSync(process.execPath, [SCRIPT, folderOfRun, file, String(dieBefore)], { encoding: 'utf8' })

  it('leaves the old database or the new one, wherever it dies', { timeout: 120_000 }, async () => {
    const { first, second } = await makeBackupAndGoOn()
    // With a log, so that there is more to lose than one file.
    const running = await Books.open({ dataDir, clock })
    const third = await spend(running)
    const pristine = join(folder, 'pristine')
    cpSync(dataDir, pristine, { recursive: true })
    await running.stop()
    const all = [first, second, third].toSorted()
    const copy = join(folder, 'all')
    cpSync(pristine, copy, { recursive: true })
    const changes = Number(run(copy, 0).stdout)
    expect(changes).toBeGreaterThan(10)
    const outcomes: string[] = []
    for (let dieBefore = 1; dieBefore <= changes; dieBefore++) {
      const place = join(folder, `killed-${dieBefore}`)
      cpSync(pristine, place, { recursive: true })
      expect(run(place, dieBefore).signal).toBe('SIGKILL')
      // What a start does.
      const lock = lockDataDir(place)
      finishRestore(place)
      openForWriting(place).close()
      const keys = keysIn(join(place, 'farebox.db'))
      const kept = filesOf(place).filter((name) => /^farebox\.before-restore-\w+\.db$/.test(name))
      if (keys.length === 1) {
        expect(keys).toEqual([first])
        expect(kept.map((name) => keysIn(join(place, name)))).toEqual([all])
      } else {
        expect(keys).toEqual(all)
        expect(kept).toEqual([])
      }
      outcomes.push(keys.length === 1 ? 'new' : 'old')
      lock.release()
      rmSync(place, { recursive: true })
    }
    expect(outcomes).toEqual(outcomes.toSorted().toReversed())
    expect(new Set(outcomes)).toEqual(new Set(['old', 'new']))
    console.log(`a restore killed before each of its ${changes} changes: ${outcomes.join(' ')}`)
  })
})
