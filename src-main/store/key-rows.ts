// Reads and writes keys.

import { tagsOfText, tagsText } from '#core/attribution.ts'
import { SUSPENDERS, type Key, type PreviousValue, type StoredKeyStatus } from '#core/entities.ts'
import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
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
  value_since_ms: number | null
  previous_hash: string | null
  previous_until_ms: number | null
  tool: string | null
  project: string | null
  tags: string
}

/** Inserts or replaces a key. Throws SqliteError where a constraint says no. */
export function putKey(db: Db, key: Key): void {
  statement(
    db,
    `INSERT INTO key (id, name, owner, member_id, hash, hint, package_id, status, suspended_by, expires_at_ms,
       created_at_ms, value_since_ms, previous_hash, previous_until_ms, tool, project, tags)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, owner = excluded.owner, member_id = excluded.member_id,
       hash = excluded.hash, hint = excluded.hint, value_since_ms = excluded.value_since_ms,
       previous_hash = excluded.previous_hash, previous_until_ms = excluded.previous_until_ms, package_id = excluded.package_id, status = excluded.status, suspended_by = excluded.suspended_by,
       expires_at_ms = excluded.expires_at_ms, tool = excluded.tool, project = excluded.project, tags = excluded.tags`,
  ).run([
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
    key.valueSinceMs,
    key.previous?.hash ?? null,
    key.previous?.validUntilMs ?? null,
    key.tool ?? null,
    key.project ?? null,
    tagsText(key.tags ?? []),
  ])
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
    valueSinceMs: row.value_since_ms ?? row.created_at_ms,
    previous: previousOf(row),
    tool: row.tool ?? undefined,
    project: row.project ?? undefined,
    tags: row.tags === '' ? undefined : tagsOfText(row.tags),
  }
}

function previousOf({ previous_hash: hash, previous_until_ms: validUntilMs }: KeyRow): PreviousValue | undefined {
  return hash === null || validUntilMs === null ? undefined : { hash, validUntilMs }
}
