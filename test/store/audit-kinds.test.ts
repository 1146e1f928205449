// A database from before entries had kinds: what was noted stays, and stays protected.

import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { auditKinds } from '#store/migrations/0130-audit-kinds.ts'
import { members } from '#store/migrations/0050-members.ts'
import { addAuditEntry, listAudit } from '#store/audit-rows.ts'

it('keeps every entry that was there as one of an administrator', () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE key (id TEXT PRIMARY KEY) STRICT')
  db.exec(members.sql)
  for (const outcome of ['done', 'unauthenticated']) {
    db.prepare(
      `INSERT INTO audit_entry (at_ms, actor, action, outcome, status, details) VALUES (5, 'nobody', 'signIn', ?, 200, '{}')`,
    ).run(outcome)
  }
  db.exec(auditKinds.sql)
  const page = { beforeSeq: 100, action: undefined, actor: undefined, limit: 10 }
  const old = { doer: 'administrator', count: 1, atMs: 5, lastAtMs: 5, source: undefined }
  expect(listAudit(db, page)).toMatchObject([
    { ...old, outcome: 'unauthenticated' },
    { ...old, outcome: 'done' },
  ])
  expect(() => db.exec('DELETE FROM audit_entry')).toThrow('never deleted')
  const entry = { atMs: 6, actor: 'owner', action: 'new', subject: undefined, outcome: 'done', status: 200 }
  addAuditEntry(db, { ...entry, details: '{}', doer: 'administrator', source: undefined })
  expect(listAudit(db, page)[0]).toMatchObject({ seq: 3, action: 'new' })
  db.close()
})
