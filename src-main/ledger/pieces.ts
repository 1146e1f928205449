// Long tables in pieces, each read by a statement of its own. SQLite cannot be interrupted from here, and a process that ends waits for
// what its threads do: in pieces, a look at everything can be given up within the time of one.

import type { Database } from 'better-sqlite3'

/** Rows of a piece: some tens of milliseconds for each question about them. */
export const PIECE = 32_768

const PRIMARY_KEYS = { ledger_entry: 'seq', usage_record: 'id' } as const

/** Primary keys, both of them in the piece. */
export type Piece = { readonly from: number | string; readonly upTo: number | string }

/** Every row of the table is in exactly one piece, in the order of the primary key; all but the last have `rows` rows. */
export function* piecesOf(db: Database, table: keyof typeof PRIMARY_KEYS, rows: number): Generator<Piece> {
  const column = PRIMARY_KEYS[table]
  const one = (sql: string) => db.prepare<[...(number | string)[]], number | string | null>(sql).pluck()
  const last = one(`SELECT max(${column}) FROM ${table}`).get() ?? undefined
  if (last === undefined) return
  const end = one(`SELECT ${column} FROM ${table} WHERE ${column} >= ? ORDER BY ${column} LIMIT 1 OFFSET ${rows - 1}`)
  const next = one(`SELECT min(${column}) FROM ${table} WHERE ${column} > ?`)
  let from = one(`SELECT min(${column}) FROM ${table}`).get() ?? undefined
  while (from !== undefined) {
    const upTo = end.get(from) ?? last
    yield { from, upTo }
    from = next.get(upTo) ?? undefined
  }
}
