import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_LIMITS } from '#core/member.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { backUp } from '#store/backup.ts'
import { applyCatalogChange } from '#store/catalog-rows.ts'
import { openForWriting, type Db } from '#store/database.ts'
import type { NewAuditEntry } from '#store/audit-rows.ts'
import { applyVisitChange, loadVisits } from '#store/session-rows.ts'

const SESSION = {
  id: 's',
  memberId: 'm',
  cookieHash: 'c'.repeat(43),
  tokenHash: 't'.repeat(43),
  createdAtMs: 1,
  lastSeenAtMs: 2,
}
const FAILURE = { subject: 'f'.repeat(43), count: 3, lastAtMs: 4 }
const MEMBER = {
  id: 'm',
  name: 'Ann',
  role: 'member',
  status: 'active',
  packages: 'all',
  passwordHash: undefined,
  limits: NO_LIMITS,
  createdAtMs: 1,
} as const

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-visits-'))
  db = openForWriting(folder)
  applyCatalogChange(db, { type: 'put-member', member: MEMBER })
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

function entry(action: string): NewAuditEntry {
  return {
    atMs: 1,
    actor: 'owner',
    action,
    subject: undefined,
    outcome: 'done',
    status: 200,
    details: '{}',
    doer: 'administrator',
    source: undefined,
  }
}

describe('sessions', () => {
  it('are loaded as they were written, with when their member was last seen, and go with their member', () => {
    applyVisitChange(db, { type: 'put-session', session: SESSION })
    applyVisitChange(db, { type: 'put-session', session: { ...SESSION, lastSeenAtMs: 9 } })
    applyVisitChange(db, { type: 'put-failure', failure: FAILURE })
    expect(loadVisits(db)).toEqual({
      sessions: [{ ...SESSION, lastSeenAtMs: 9 }],
      failures: [FAILURE],
      lastSeenAtMs: new Map([['m', 9]]),
    })
    applyCatalogChange(db, { type: 'delete-member', id: 'm' })
    applyVisitChange(db, { type: 'put-session', session: SESSION })
    expect(loadVisits(db).sessions).toEqual([])
  })

  it('are in no backup', () => {
    applyVisitChange(db, { type: 'put-session', session: SESSION })
    applyVisitChange(db, {
      type: 'put-session',
      session: { ...SESSION, id: 'o', memberId: undefined, cookieHash: 'd'.repeat(43), tokenHash: 'u'.repeat(43) },
    })
    applyVisitChange(db, { type: 'put-failure', failure: FAILURE })
    applyVisitChange(db, { type: 'add-audit-entry', entry: entry('kept') })
    const place = mkdtempSync(join(tmpdir(), 'farebox-visits-backup-'))
    try {
      const file = join(place, 'backup.db')
      expect(backUp(db, { dataDir: folder, file, isForced: false }, verifyLedger)).toMatchObject({ type: 'made' })
      const copy = new Database(file, { readonly: true })
      const count = (table: string) => Number(copy.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
      expect(['session', 'sign_in_failure', 'member', 'audit_entry'].map(count)).toEqual([0, 0, 1, 1])
      copy.close()
      expect(loadVisits(db).sessions).toHaveLength(2)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})
