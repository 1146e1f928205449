// Reads and writes keys.

import { SUSPENDERS, type Key, type StoredKeyStatus } from '#core/entities.ts'
import type { Db } from '#store/database.ts'
import { oneOf } from '#store/values.ts'

type KeyRow = {
  id: string
  name: string
  owner: string | null
  member_id: string | null
  hash: string
  hint: string
  package_id: string
  status: string
  suspended_by: string | null
  expires_at_ms: number | null
  created_at_ms: number
}

/** Inserts or replaces a key. Throws SqliteError where a constraint says no. */
export function putKey(db: Db, key: Key): void {
  db.prepare(
    `INSERT INTO key (id, name, owner, member_id, hash, hint, package_id, status, suspended_by, expires_at_ms,
       created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, owner = excluded.owner, member_id = excluded.member_id,
       package_id = excluded.package_id, status = excluded.status, suspended_by = excluded.suspended_by,
       expires_at_ms = excluded.expires_at_ms`,
  ).run(
    key.id,
    key.name,
    key.owner ?? null,
    key.memberId ?? null,
    key.hash,
    key.hint,
    key.packageId,
    key.storedStatus,
    key.suspendedBy ?? null,
    key.expiresAtMs ?? null,
    key.createdAtMs,
  )
}

/** All keys in the order in which they were made. */
export function loadKeys(db: Db): Key[] {
  return db.prepare<[], KeyRow>('SELECT * FROM key ORDER BY rowid').all().map(keyOf)
}

function keyOf(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? undefined,
    memberId: row.member_id ?? undefined,
    hash: row.hash,
    hint: row.hint,
    packageId: row.package_id,
    storedStatus: oneOf<StoredKeyStatus>(['active', 'suspended', 'revoked'], row.status),
    suspendedBy: row.suspended_by === null ? undefined : oneOf(SUSPENDERS, row.suspended_by),
    expiresAtMs: row.expires_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
  }
}
