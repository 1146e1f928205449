// Reads and writes refused calls. Each key has a bound of its own, and so have all strangers together, so that nobody can push out what
// happened to others by being refused often.

import { belongsTo, type RefusedBurst } from '#core/refused-call.ts'
import { uuidV7Time } from '#core/uuid.ts'
import type { Db } from '#store/database.ts'

export type StoredRefused = {
  readonly id: string
  readonly last_id: string
  readonly key_id: string | null
  readonly key_name: string | null
  readonly endpoint: string
  readonly model_id: string | null
  readonly code: string
  readonly status: number
  readonly message: string
  readonly limit_name: string | null
  readonly limit_scope: string | null
  readonly count: number
  readonly at_ms: number
  readonly last_at_ms: number
  readonly tails: string
}

/** Rows that are kept of one key, of all strangers, and in all. */
const KEPT_OF_ONE = 200
const KEPT = 4000

/** Writes bursts as they are by now, inside the caller's transaction. */
export function saveRefused(db: Db, bursts: readonly RefusedBurst[]): void {
  // A key that was removed meanwhile has no rows.
  const put = db.prepare(
    `INSERT INTO refused_call (id, last_id, key_id, endpoint, model_id, code, status, message, limit_name, limit_scope, count, at_ms,
       last_at_ms, tails)
     SELECT @id, @lastId, @keyId, @endpoint, @modelId, @code, @status, @message, @limit, @limitScope, @count, @atMs, @lastAtMs, @tails
     WHERE @keyId IS NULL OR EXISTS (SELECT 1 FROM key WHERE id = @keyId)
     ON CONFLICT (id) DO UPDATE SET last_id = excluded.last_id, message = excluded.message, count = excluded.count,
       at_ms = excluded.at_ms, last_at_ms = excluded.last_at_ms, tails = excluded.tails`,
  )
  const trimOne = db.prepare(
    `DELETE FROM refused_call WHERE id IN (SELECT id FROM refused_call INDEXED BY refused_call_key WHERE key_id IS ?
       ORDER BY last_at_ms DESC LIMIT -1 OFFSET ${KEPT_OF_ONE})`,
  )
  const keyIds = new Set<string | null>()
  for (const { keyId = null, modelId = null, limit = null, limitScope = null, ...burst } of bursts) {
    put.run({ ...burst, keyId, modelId, limit, limitScope })
    keyIds.add(keyId)
  }
  for (const keyId of keyIds) trimOne.run(keyId)
  db.prepare(
    `DELETE FROM refused_call WHERE id IN (SELECT id FROM refused_call INDEXED BY refused_call_latest
       ORDER BY last_at_ms DESC, id DESC LIMIT -1 OFFSET ${KEPT})`,
  ).run()
}

export type RefusedFilter = {
  /** undefined: all there are, and those without a key. */
  readonly keyIds: readonly string[] | undefined
  readonly modelId: string | undefined
  readonly code: string | undefined
  readonly sinceMs: number | undefined
  /** Left out itself. */
  readonly untilMs: number | undefined
  readonly before: RefusedPlace | undefined
  readonly limit: number
}
export type RefusedPlace = { readonly lastAtMs: number; readonly id: string }

const ROWS = `SELECT refused_call.*, key.name AS key_name FROM refused_call LEFT JOIN key ON key.id = refused_call.key_id`
const AFTER_ALL: RefusedPlace = { lastAtMs: Number.MAX_SAFE_INTEGER, id: '' }

/** The latest first, by when each happened last. */
export function listRefused(db: Db, filter: RefusedFilter): StoredRefused[] {
  const { keyIds, modelId = null, code = null, sinceMs = 0, untilMs, before = AFTER_ALL, limit } = filter
  return db
    .prepare<[Record<string, string | number | null>], StoredRefused>(
      `${ROWS} WHERE (last_at_ms, refused_call.id) < (@beforeMs, @beforeId) AND last_at_ms >= @sinceMs AND at_ms < @untilMs
         AND (@keyIds IS NULL OR key_id IN (SELECT value FROM json_each(@keyIds)))
         AND (@modelId IS NULL OR model_id = @modelId) AND (@code IS NULL OR code = @code)
       ORDER BY last_at_ms DESC, refused_call.id DESC LIMIT @limit`,
    )
    .all({
      keyIds: keyIds === undefined ? null : JSON.stringify(keyIds),
      modelId,
      code,
      sinceMs,
      untilMs: untilMs ?? Number.MAX_SAFE_INTEGER,
      beforeMs: before.lastAtMs,
      beforeId: before.id,
      limit,
    })
}

/** `isCertain`: false where only its time says that the request was one of them. */
export type FoundRefused = { readonly row: StoredRefused; readonly isCertain: boolean }

/** The refusals that a request was one of; undefined where none is known, or too many could be meant. */
export function findRefused(db: Db, requestId: string): FoundRefused | undefined {
  const atMs = uuidV7Time(requestId)
  const rows = db
    .prepare<[number, number], StoredRefused>(`${ROWS} WHERE at_ms <= ? AND last_at_ms >= ?`)
    .all(atMs, atMs)
  const perhaps: StoredRefused[] = []
  for (const row of rows) {
    const belongs = belongsTo({ lastId: row.last_id, count: row.count, tails: row.tails }, requestId)
    if (belongs === 'surely') return { row, isCertain: true }
    if (belongs === 'perhaps') perhaps.push(row)
  }
  const [only] = perhaps
  return only !== undefined && perhaps.length === 1 ? { row: only, isCertain: false } : undefined
}

/** How many calls were refused in bursts that began in a time, as far as rows are kept. */
export function countRefused(
  db: Db,
  filter: Pick<RefusedFilter, 'keyIds' | 'modelId' | 'sinceMs' | 'untilMs'>,
): number {
  const { keyIds, modelId = null, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER } = filter
  const row = db
    .prepare<[Record<string, string | number | null>], { refused: number | null }>(
      `SELECT sum(count) AS refused FROM refused_call WHERE at_ms >= @sinceMs AND at_ms < @untilMs
         AND (@keyIds IS NULL OR key_id IN (SELECT value FROM json_each(@keyIds))) AND (@modelId IS NULL OR model_id = @modelId)`,
    )
    .get({ keyIds: keyIds === undefined ? null : JSON.stringify(keyIds), modelId, sinceMs, untilMs })
  return row?.refused ?? 0
}
