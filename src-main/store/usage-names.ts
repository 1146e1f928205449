// The names of what sums are told apart by, and the zone that they are in.

import type { Db } from '#store/database.ts'

const TABLES = { key: 'key', provider: 'provider', package: 'package' } as const

/** The name of a key, provider or package; its id where it was removed. */
export function nameOf(db: Db, of: keyof typeof TABLES, id: string): string {
  return db.prepare<[string], string>(`SELECT name FROM ${TABLES[of]} WHERE id = ?`).pluck().get(id) ?? id
}

/** The time zone whose days and hours the roll-ups are of. */
export function rollupZone(db: Db): string {
  const zone = db.prepare<[], string>('SELECT time_zone FROM usage_rollup').pluck().get()
  if (zone === undefined) throw new Error('the roll-ups were not filled')
  return zone
}
