// The audit log on disk: what it never loses, whoever writes how much of the rest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listAudit, type Doer, type NewAuditEntry } from '#store/audit-rows.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { applyVisitChange } from '#store/session-rows.ts'

const KEPT = 100_000
const PAGE = { action: undefined, actor: undefined, limit: 5000, beforeSeq: Number.MAX_SAFE_INTEGER }

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-audit-'))
  db = openForWriting(folder)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

function entry(action: string, doer: Doer = 'administrator'): NewAuditEntry {
  const source = doer === 'stranger' ? '192.0.2.1' : undefined
  return {
    atMs: 1,
    actor: 'owner',
    action,
    subject: undefined,
    outcome: 'done',
    status: 200,
    details: '{}',
    doer,
    source,
  }
}

const add = (action: string, doer?: Doer) =>
  applyVisitChange(db, { type: 'add-audit-entry', entry: entry(action, doer) })

it('is never changed, and what it keeps is never deleted', () => {
  for (const doer of ['administrator', 'member', 'stranger'] as const) add('first', doer)
  expect(() => db.exec(`UPDATE audit_entry SET actor = 'somebody else'`)).toThrow('never changed')
  expect(() => db.exec(`UPDATE audit_entry SET count = 2 WHERE doer <> 'stranger'`)).toThrow('never changed')
  expect(() => db.exec(`UPDATE audit_entry SET doer = 'stranger'`)).toThrow('never changed')
  expect(() => db.exec('DELETE FROM audit_entry')).toThrow('never deleted')
  expect(() => db.exec(`INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry`)).toThrow('never deleted')
})

it('keeps the latest 100,000 entries of administrators', { timeout: 60_000 }, () => {
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEPT + 5})
    INSERT INTO audit_entry (seq, at_ms, actor, action, outcome, details, number)
    SELECT i, 1, 'owner', 'old', 'done', '{}', i FROM n`)
  add('new')
  const [count, least] = db.prepare('SELECT count(*), min(seq) FROM audit_entry').raw().get() as [number, number]
  expect([count, least]).toEqual([KEPT, 7])
  const page = { action: undefined, actor: undefined, limit: 2 }
  expect(listAudit(db, { ...page, beforeSeq: KEPT + 7 }).map(({ action }) => action)).toEqual(['new', 'old'])
  expect(listAudit(db, { ...page, beforeSeq: 8 }).map(({ seq }) => seq)).toEqual([7])
  expect(listAudit(db, { ...page, beforeSeq: KEPT + 7, action: 'none' })).toEqual([])
})

it('loses nothing of others to what strangers do, nor to what members do', { timeout: 60_000 }, () => {
  add('mine')
  add('theirs', 'member')
  db.transaction(() => {
    for (let count = 0; count < 3000; count++) add(`knock ${count}`, 'stranger')
  })()
  const strangers = listAudit(db, PAGE).filter(({ doer }) => doer === 'stranger')
  expect(strangers).toHaveLength(1000)
  expect(strangers[0]?.action).toBe('knock 2999')
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEPT + 1})
    INSERT INTO audit_entry (at_ms, actor, action, outcome, details, doer, number)
    SELECT 1, 'mia', 'busy', 'done', '{}', 'member', i FROM n`)
  add('the last', 'member')
  expect(listAudit(db, { ...PAGE, action: 'theirs' })).toEqual([])
  expect(listAudit(db, { ...PAGE, action: 'mine' })).toHaveLength(1)
  expect(listAudit(db, { ...PAGE, action: 'knock 2999' })).toHaveLength(1)
})

describe('an entry about strangers', () => {
  it('counts what came again, and never down', () => {
    add('signIn', 'stranger')
    const again = { type: 'count-audit-entry', entry: entry('signIn', 'stranger') } as const
    applyVisitChange(db, { ...again, count: 7, lastAtMs: 9 })
    expect(listAudit(db, PAGE)).toMatchObject([{ atMs: 1, count: 7, lastAtMs: 9, source: '192.0.2.1' }])
    expect(() => applyVisitChange(db, { ...again, count: 6, lastAtMs: 9 })).toThrow('never changed')
    // One that is not there any more is not made anew.
    applyVisitChange(db, { type: 'count-audit-entry', entry: entry('other', 'stranger'), count: 2, lastAtMs: 9 })
    expect(listAudit(db, PAGE)).toHaveLength(1)
  })
})
