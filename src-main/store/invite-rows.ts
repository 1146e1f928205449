// Reads and writes invites.

import type { Invite } from '#core/invite.ts'
import type { Db } from '#store/database.ts'

/** In the place of the one that the member had. */
export function putInvite(db: Db, invite: Invite): void {
  db.prepare(
    `INSERT INTO invite (member_id, code_hash, created_at_ms, expires_at_ms)
     VALUES (@memberId, @codeHash, @createdAtMs, @expiresAtMs)
     ON CONFLICT (member_id) DO UPDATE SET code_hash = excluded.code_hash, created_at_ms = excluded.created_at_ms,
       expires_at_ms = excluded.expires_at_ms`,
  ).run(invite)
}

/** By its code, so that one that took its place in the meantime stays. */
export function deleteInvite(db: Db, codeHash: string): void {
  db.prepare('DELETE FROM invite WHERE code_hash = ?').run(codeHash)
}

export function deleteInviteOf(db: Db, memberId: string): void {
  db.prepare('DELETE FROM invite WHERE member_id = ?').run(memberId)
}

/** All invites in the order in which they were made. */
export function loadInvites(db: Db): Invite[] {
  return db
    .prepare<[], Invite>(
      `SELECT member_id AS memberId, code_hash AS codeHash, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs
       FROM invite ORDER BY created_at_ms, member_id`,
    )
    .all()
}
