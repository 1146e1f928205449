// Reads and writes members.

import { isInvitable } from '#core/invite.ts'
import { MEMBER_STATUSES, NO_LIMITS, ROLES, type Member, type MemberLimits } from '#core/member.ts'
import type { Db } from '#store/database.ts'
import { deleteInviteOf } from '#store/invite-rows.ts'
import { oneOf } from '#store/values.ts'

type MemberRow = {
  id: string
  name: string
  role: string
  status: string
  packages: string
  password_hash: string | null
  limits: string
  created_at_ms: number
}

/** Inserts or replaces a member, and ends an invite that they can no longer have. Throws SqliteError where a constraint says no. */
export function putMember(db: Db, member: Member): void {
  db.prepare(
    `INSERT INTO member (id, name, role, status, packages, password_hash, limits, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role, status = excluded.status,
       packages = excluded.packages, password_hash = excluded.password_hash, limits = excluded.limits`,
  ).run(
    member.id,
    member.name,
    member.role,
    member.status,
    JSON.stringify(member.packages),
    member.passwordHash ?? null,
    JSON.stringify(member.limits),
    member.createdAtMs,
  )
  if (!isInvitable(member)) deleteInviteOf(db, member.id)
}

/** Their sessions and their invite go with them; their revoked keys stay, without an owner. */
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
    limits: { ...NO_LIMITS, ...(JSON.parse(row.limits) as Partial<MemberLimits>) },
    createdAtMs: row.created_at_ms,
  }
}
