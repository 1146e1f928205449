// Reads and writes members.

import { MEMBER_STATUSES, ROLES, type Member } from '#core/member.ts'
import type { Db } from '#store/database.ts'
import { oneOf } from '#store/values.ts'

type MemberRow = {
  id: string
  name: string
  role: string
  status: string
  packages: string
  password_hash: string | null
  created_at_ms: number
}

/** Inserts or replaces a member. Throws SqliteError where a constraint says no. */
export function putMember(db: Db, member: Member): void {
  db.prepare(
    `INSERT INTO member (id, name, role, status, packages, password_hash, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role, status = excluded.status,
       packages = excluded.packages, password_hash = excluded.password_hash`,
  ).run(
    member.id,
    member.name,
    member.role,
    member.status,
    JSON.stringify(member.packages),
    member.passwordHash ?? null,
    member.createdAtMs,
  )
}

/** Their sessions go with them; keys of theirs that were revoked stay, as nobody's. */
export function deleteMember(db: Db, id: string): void {
  db.prepare('DELETE FROM member WHERE id = ?').run(id)
}

/** All members in the order in which they were made. */
export function loadMembers(db: Db): Member[] {
  return db.prepare<[], MemberRow>('SELECT * FROM member ORDER BY rowid').all().map(memberOf)
}

function memberOf(row: MemberRow): Member {
  return {
    id: row.id,
    name: row.name,
    role: oneOf(ROLES, row.role),
    status: oneOf(MEMBER_STATUSES, row.status),
    // Written by this program from values that were checked.
    packages: JSON.parse(row.packages) as Member['packages'],
    passwordHash: row.password_hash ?? undefined,
    createdAtMs: row.created_at_ms,
  }
}
