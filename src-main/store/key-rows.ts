// Reads and writes keys.

import { tagsText } from '#core/attribution.ts'
import { columnTexts, type Columns } from '#core/columns.ts'
import type { Key } from '#core/entities.ts'
import type { Db } from '#store/database.ts'
import type { KeyRow } from '#store/key-columns.ts'
import { statement } from '#store/statements.ts'

const KEY_MEMBERS: Columns<KeyRow> = {
  id: 'id',
  name: 'name',
  owner: 'owner',
  member_id: 'member_id',
  hash: 'hash',
  hint: 'hint',
  package_id: 'package_id',
  status: 'status',
  suspended_by: 'suspended_by',
  expires_at_ms: 'expires_at_ms',
  created_at_ms: 'created_at_ms',
  value_since_ms: 'value_since_ms',
  previous_hash: 'previous_hash',
  previous_until_ms: 'previous_until_ms',
  tool: 'tool',
  project: 'project',
  tags: 'tags',
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
export function readKeys(db: Db): Columns<KeyRow> {
  // The table itself is in that order.
  const sql = `SELECT ${columnTexts<KeyRow>(KEY_MEMBERS)} FROM key NOT INDEXED`
  // Sums of no rows are a row too.
  return db.prepare<[], Columns<KeyRow>>(sql).get() as Columns<KeyRow>
}
