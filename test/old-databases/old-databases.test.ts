// Databases that earlier versions of Farebox left behind, after everything that can be in one had happened (record.ts). Each is
// opened by this version: nothing that was in it is lost or changed, its books hold, and its keys work.

import Database from 'better-sqlite3'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openForWriting } from '#store/database.ts'
import { postChat } from '../support/chat.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { startUpstream } from '../support/upstream.ts'

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Tables whose rows are what happened, and may never change. The others are views of them, or settings. */
const HISTORY = [
  'ledger_entry',
  'usage_record',
  'audit_entry',
  'price',
  'key',
  'member',
  'invite',
  'package',
  'model',
  'provider',
]
const DUMPS = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'))

afterEach(endProcesses)

describe.each(DUMPS)('a database of version %s', (name) => {
  const dump = readFileSync(join(import.meta.dirname, name), 'utf8')

  it('keeps all that it knows, has its books verified, and serves its keys', { timeout: 60_000 }, async () => {
    const dataDir = join(await temporaryFolder(), 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const file = join(dataDir, 'farebox.db')
    const before = rowsOf(file, (db) => db.exec(dump))
    expect(HISTORY.filter((table) => before[table]?.length === 0)).toEqual([])

    openForWriting(dataDir).close()
    expect(rowsOf(file)).toMatchObject(before)
    const upstream = await startUpstream()
    const program = await startProcess({ dataDir })
    expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true })
    await program.admin.call('editProvider', { id: 'fake', body: { base_url: upstream.url } })
    await program.admin.call('setProviderSecret', { id: 'fake', body: { secret: 'sk-new' } })
    const key = /^-- The key 'free': (\S+)/.exec(dump)?.[1] ?? ''
    const response = await postChat({ url: program.url, key }, { model: 'model-for-tests' })
    expect(response.status).toBe(200)
    await response.text()
    expect(await program.stop()).toEqual({ code: 0, signal: null })
    await upstream.close()

    for (const table of ['ledger_entry', 'usage_record']) {
      const after = rowsOf(file)[table] ?? []
      expect(after.length).toBeGreaterThan(before[table]?.length ?? 0)
      expect(after).toMatchObject([...(before[table] ?? []), ...after.slice(before[table]?.length)])
    }
  })
})

/** What the tables of history have, in the order in which it came. */
function rowsOf(file: string, prepare?: (db: Database.Database) => void): Rows {
  const db = new Database(file)
  prepare?.(db)
  const rows = HISTORY.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()])
  db.close()
  return Object.fromEntries(rows) as Rows
}
