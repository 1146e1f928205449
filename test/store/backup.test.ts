import { existsSync, mkdirSync, readdirSync, rmSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger/verify.ts'
import { backUp, type BackupAnswer } from '#store/backup.ts'
import { openForReading, NEWEST_SCHEMA } from '#store/database.ts'
import { Books, terms } from '../ledger/books.ts'
import { testProvider } from '../support/provider.ts'

let folder: string
let books: Books
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-backup-'))
  mkdirSync(join(folder, 'data'))
  books = await Books.open({ dataDir: join(folder, 'data'), clock: { nowMs: 1_800_000_000_000 } })
  file = join(folder, 'monday.db')
})

afterEach(async () => {
  await books.stop()
  await rm(folder, { recursive: true, force: true })
})

function make(options: { readonly isForced?: boolean; readonly file?: string } = {}): BackupAnswer {
  const db = openForReading(books.dataDir)
  try {
    const request = { dataDir: books.dataDir, file: options.file ?? file, isForced: options.isForced ?? false }
    return backUp(db, request, verifyLedger)
  } finally {
    db.close()
  }
}

async function spend(): Promise<string> {
  const keyId = await books.addKey(terms('topup', 1000))
  await books.resolve(await books.held(keyId, 100), 40)
  return keyId
}

function expectRefused(answer: BackupAnswer, reason: string, says: string): void {
  expect(answer).toMatchObject({ type: 'refused', reason, message: expect.stringContaining(says) as string })
}

describe('a backup', () => {
  it('is one file for its owner only, with all that was acknowledged, while the writer is at work', async () => {
    await spend()
    const answer = make()
    expect(answer).toMatchObject({
      type: 'made',
      bytes: statSync(file).size,
      contents: { schema: NEWEST_SCHEMA, books: { keys: 1, entries: 3, usageRecords: 1, openHolds: 0, problems: [] } },
    })
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'monday.db'])
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    await spend()
    const copy = new Database(file, { readonly: true })
    expect(copy.prepare('SELECT count(*) FROM ledger_entry').pluck().get()).toBe(3)
    expect(copy.pragma('journal_mode', { simple: true })).toBe('delete')
    copy.close()
  })

  it('says which providers have secrets that are not in it', async () => {
    const provider = { id: 'p', name: 'openai', baseUrl: 'https://one.example/v1', hasSecret: true }
    const changes = [
      { type: 'put-provider' as const, provider: testProvider(provider) },
      { type: 'put-provider' as const, provider: testProvider({ id: 'q', name: 'local', hasSecret: false }) },
    ]
    await books.writer.call('change', { changes, batch: { entries: [], usage: [], balances: [] } })
    expect(make()).toMatchObject({
      contents: { secretHolders: [{ id: 'p', name: 'openai', baseUrl: 'https://one.example/v1' }] },
    })
  })

  it('leaves behind what was deleted from the database', async () => {
    const name = 'provider-that-was-removed-long-ago'
    const put = { type: 'put-provider' as const, provider: testProvider({ id: 'gone', name }) }
    const batch = { entries: [], usage: [], balances: [] }
    await books.writer.call('change', { changes: [put], batch })
    await books.writer.call('change', { changes: [{ type: 'delete-provider', id: 'gone' }], batch })
    expect(make().type).toBe('made')
    expect(readFileSync(file).includes(name)).toBe(false)
  })

  it('replaces an older backup only when it is forced', async () => {
    await spend()
    expect(make().type).toBe('made')
    const before = readFileSync(file)
    await spend()
    expectRefused(make(), 'taken', 'There is a file')
    expect(readFileSync(file)).toEqual(before)
    expect(make({ isForced: true })).toMatchObject({ type: 'made', contents: { books: { keys: 2 } } })
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'monday.db'])
  })

  it.each([
    ['text', 'this is my diary'],
    ['nothing', ''],
  ])('never replaces a file of %s', (_, content) => {
    writeFileSync(file, content)
    expectRefused(make({ isForced: true }), 'taken', 'is no database')
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('does not follow a link at its place', () => {
    const target = join(folder, 'target.db')
    writeFileSync(target, readFileSync(join(books.dataDir, 'farebox.db')))
    symlinkSync(target, file)
    expectRefused(make(), 'taken', 'There is a file')
    expectRefused(make({ isForced: true }), 'taken', 'is no database')
  })

  it('is refused where there is a folder, where there is none, and where nobody may write', () => {
    mkdirSync(join(folder, 'folder'))
    expectRefused(make({ file: join(folder, 'folder'), isForced: true }), 'taken', 'is no database')
    expectRefused(make({ file: join(folder, 'missing', 'monday.db') }), 'no-place', 'is not there')
    writeFileSync(file, 'a file')
    expectRefused(make({ file: join(file, 'monday.db') }), 'no-place', 'is not there')
    expectRefused(make({ file: join(folder, 'x'.repeat(300)) }), 'no-place', 'cannot be written')
    if (process.platform === 'linux') expectRefused(make({ file: '/proc/monday.db' }), 'no-place', '')
  })

  it('never lands among the files of the gateway, by whatever name', () => {
    const link = join(folder, 'link')
    symlinkSync(books.dataDir, link)
    const before = readdirSync(books.dataDir).toSorted()
    for (const place of [books.dataDir, link, join(books.dataDir, '..', 'data')]) {
      for (const name of ['farebox.db', 'farebox.db-wal', 'new.db']) {
        expectRefused(make({ file: join(place, name), isForced: true }), 'no-place', "the gateway's own files")
      }
    }
    expect(readdirSync(books.dataDir).toSorted()).toEqual(before)
  })

  it('does not touch what another backup is writing, and clears what one left behind when it is forced', () => {
    for (const half of ['', 'SQLite format 3\0 and half of a backup', '\0'.repeat(8192)]) {
      writeFileSync(`${file}.new`, half)
      expectRefused(make(), 'taken', 'left by a backup that broke off')
      expect(readFileSync(`${file}.new`, 'utf8')).toBe(half)
      expect(make({ isForced: true }).type).toBe('made')
      expect(existsSync(`${file}.new`)).toBe(false)
      rmSync(file)
    }
  })

  it('does not take away what somebody has under the name of what it writes, also when it is forced', () => {
    writeFileSync(`${file}.new`, 'this is my diary')
    expectRefused(make({ isForced: true }), 'taken', 'was not left by a backup')
    expect(readFileSync(`${file}.new`, 'utf8')).toBe('this is my diary')
    expect(existsSync(file)).toBe(false)
  })

  it('is not kept of books that do not add up, and the older one stays', async () => {
    const keyId = await spend()
    expect(make().type).toBe('made')
    const before = readFileSync(file)
    const db = new Database(join(books.dataDir, 'farebox.db'))
    db.prepare('UPDATE balance SET available_micro = available_micro + 1 WHERE key_id = ?').run(keyId)
    db.close()
    expectRefused(make({ isForced: true }), 'unsound', `key ${keyId}: the stored balance is not the sum`)
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'monday.db'])
  })

  it('is not kept of a database whose rules somebody took away', async () => {
    await spend()
    const db = new Database(join(books.dataDir, 'farebox.db'))
    db.exec('DROP TRIGGER ledger_entry_no_delete')
    db.close()
    expectRefused(make(), 'unsound', 'not a database of Farebox')
    expect(existsSync(file)).toBe(false)
  })

  it('is not kept of a damaged database', async () => {
    for (let key = 0; key < 40; key++) await spend()
    await books.stop()
    const path = join(books.dataDir, 'farebox.db')
    const bytes = readFileSync(path)
    const pageBytes = 4096
    for (let page = 20; page < bytes.length / pageBytes; page++)
      bytes.fill(0xa5, page * pageBytes, page * pageBytes + 64)
    writeFileSync(path, bytes)
    expectRefused(make(), 'unsound', 'damaged')
    expect(readdirSync(folder)).toEqual(['data'])
  })
})
