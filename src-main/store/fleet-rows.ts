// What this gateway knows of the books that it shares with others.

import type { Db } from '#store/database.ts'

export type FleetNote = {
  readonly gatewayId: string
  /** undefined until it first joined. */
  readonly booksId: string | undefined
  /** Of the catalogue that it has. */
  readonly version: number
}

export function loadFleet(db: Db): FleetNote | undefined {
  const sql = 'SELECT gateway_id AS gatewayId, books_id AS booksId, version FROM fleet'
  const row = db.prepare<[], Omit<FleetNote, 'booksId'> & { booksId: string | null }>(sql).get()
  return row && { ...row, booksId: row.booksId ?? undefined }
}

export function keepFleet(db: Db, { gatewayId, booksId, version }: FleetNote): void {
  db.prepare(
    `INSERT INTO fleet (one, gateway_id, books_id, version) VALUES (1, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET gateway_id = excluded.gateway_id, books_id = excluded.books_id, version = excluded.version`,
  ).run(gatewayId, booksId ?? null, version)
}

/** Of a gateway that has a note. */
export function keepFleetVersion(db: Db, version: number): void {
  db.prepare('UPDATE fleet SET version = ?').run(version)
}
