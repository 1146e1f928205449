// What this gateway knows of the books that it shares with others.

import type { Db } from '#store/database.ts'

export type FleetNote = {
  readonly gatewayId: string
  /** undefined until it first joined. */
  readonly booksId: string | undefined
  /** Of the catalogue that it has. */
  readonly version: number
  /** Which change made it that version; undefined where that was not noted. */
  readonly mark: string | undefined
}

/** A gateway of the shared books: how often the shared database answered it, where it runs, and when it was last seen, in UTC epoch milliseconds. */
export type SightingRow = readonly [gatewayId: string, answers: number, place: string, seenAtMs: number]

export function loadFleet(db: Db): FleetNote | undefined {
  const sql = 'SELECT gateway_id AS gatewayId, books_id AS booksId, version, mark FROM fleet'
  type Row = Omit<FleetNote, 'booksId' | 'mark'> & { readonly booksId: string | null; readonly mark: string | null }
  const row = db.prepare<[], Row>(sql).get()
  return row && { ...row, booksId: row.booksId ?? undefined, mark: row.mark ?? undefined }
}

export function keepFleet(db: Db, { gatewayId, booksId, version, mark }: FleetNote): void {
  db.prepare(
    `INSERT INTO fleet (one, gateway_id, books_id, version, mark) VALUES (1, ?, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET gateway_id = excluded.gateway_id, books_id = excluded.books_id, version = excluded.version,
       mark = excluded.mark`,
  ).run(gatewayId, booksId ?? null, version, mark ?? null)
  if (booksId === undefined) db.exec('DELETE FROM fleet_seen')
}

export function loadSightings(db: Db): SightingRow[] {
  return db.prepare<[], [...SightingRow]>('SELECT gateway, answers, place, seen_at_ms FROM fleet_seen').raw().all()
}

export function keepSightings(db: Db, rows: readonly SightingRow[]): void {
  const put = db.prepare('INSERT OR REPLACE INTO fleet_seen (gateway, answers, place, seen_at_ms) VALUES (?, ?, ?, ?)')
  for (const [gatewayId, answers, place, seenAtMs] of rows) put.run(gatewayId, answers, place, seenAtMs)
}

/** Of a gateway that has a note. Which change it is is noted behind it. */
export function keepFleetVersion(db: Db, version: number): void {
  db.prepare('UPDATE fleet SET version = ?, mark = NULL').run(version)
}
