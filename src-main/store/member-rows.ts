// Reads and writes members.

import { isInvitable } from '#core/invite.ts'
import { MEMBER_STATUSES, NO_LIMITS, ROLES, type Member, type MemberLimits } from '#core/member.ts'
import type { Db } from '#store/database.ts'
import { entityTable, integer, json, optional, text, wordOf } from '#store/entity-table.ts'
import { deleteInviteOf } from '#store/invite-rows.ts'

const MEMBERS = entityTable<Omit<Member, 'limits'> & { readonly limits: Partial<MemberLimits> }>('member', {
  id: text,
  name: text,
  role: wordOf(ROLES),
  status: wordOf(MEMBER_STATUSES),
  packages: json(),
  passwordHash: optional(text),
  limits: json(),
  createdAtMs: integer,
})

/** Inserts or replaces a member, and ends an invite that they can no longer have. Throws SqliteError where a constraint says no. */
export function putMember(db: Db, member: Member): void {
  MEMBERS.put(db, member)
  if (!isInvitable(member)) deleteInviteOf(db, member.id)
}

/** Their sessions and their invite go with them; their revoked keys stay, without an owner. */
export function deleteMember(db: Db, id: string): void {
  db.prepare('DELETE FROM member WHERE id = ?').run(id)
}

/** All members in the order in which they were made. */
export function loadMembers(db: Db): Member[] {
  return MEMBERS.load(db).map((member) => ({ ...member, limits: { ...NO_LIMITS, ...member.limits } }))
}
