// Keys as they come from the database: there can be very many, so that a start brings them to the main thread as columns.

import { tagsOfText } from '#core/attribution.ts'
import { mapRows, type Columns } from '#core/columns.ts'
import { SUSPENDERS, type Key, type PreviousValue, type StoredKeyStatus } from '#core/entities.ts'
import { oneOf } from '#store/values.ts'

export type KeyRow = {
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

export function keysOf(columns: Columns<KeyRow>): Key[] {
  return mapRows(columns, keyOf)
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
