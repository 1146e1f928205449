import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { NO_LIMITS, type Member } from '#core/member.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { backUp } from '#store/backup.ts'
import { applyCatalogChange, loadCatalog, type CatalogChange } from '#store/catalog-rows.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { applyVisitChange } from '#store/session-rows.ts'

const MEMBER: Member = {
  id: 'm',
  name: 'Ann',
  role: 'member',
  status: 'active',
  packages: 'all',
  passwordHash: undefined,
  limits: NO_LIMITS,
  createdAtMs: 1,
}
const INVITE = { memberId: 'm', codeHash: 'c'.repeat(43), createdAtMs: 1, expiresAtMs: 2 }
const NEWER = { memberId: 'm', codeHash: 'd'.repeat(43), createdAtMs: 3, expiresAtMs: 4 }

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-invites-'))
  db = openForWriting(folder)
  apply({ type: 'put-member', member: MEMBER }, { type: 'put-invite', invite: INVITE })
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const apply = (...changes: readonly CatalogChange[]) => changes.forEach((change) => applyCatalogChange(db, change))
const invites = () => loadCatalog(db).invites

it('takes the place of the one before, which no late purge of that one can end', () => {
  expect(invites()).toEqual([INVITE])
  apply({ type: 'put-invite', invite: NEWER })
  applyVisitChange(db, { type: 'delete-invite', codeHash: INVITE.codeHash })
  expect(invites()).toEqual([NEWER])
  apply({ type: 'delete-invite', codeHash: NEWER.codeHash })
  expect(invites()).toEqual([])
})

const ENDS: readonly (readonly [string, Partial<Member>])[] = [
  ['suspended', { status: 'suspended' }],
  ['an administrator', { role: 'administrator' }],
  ['given a password', { passwordHash: 'hash' }],
]
it.each(ENDS)('ends with the change by which its member is %s, and with no other', (_how, edit) => {
  apply({ type: 'put-member', member: { ...MEMBER, packages: [] } })
  expect(invites()).toEqual([INVITE])
  apply({ type: 'put-member', member: { ...MEMBER, ...edit } })
  expect(invites()).toEqual([])
})

it('goes with its member', () => {
  apply({ type: 'delete-member', id: 'm' })
  expect(invites()).toEqual([])
})

it('is in no backup, where a code that was used since would be good again', () => {
  const place = mkdtempSync(join(tmpdir(), 'farebox-invites-backup-'))
  try {
    const file = join(place, 'backup.db')
    expect(backUp(db, { dataDir: folder, file, isForced: false }, verifyLedger)).toMatchObject({ type: 'made' })
    const copy = new Database(file, { readonly: true })
    expect(copy.prepare('SELECT (SELECT count(*) FROM invite), (SELECT count(*) FROM member)').raw().get()).toEqual([
      0, 1,
    ])
    copy.close()
    expect(invites()).toEqual([INVITE])
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
