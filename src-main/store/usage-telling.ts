// Which sums of this gateway's hours the others that share its books do not have yet as they are now. What they are told are whole sums and no differences,
// so that whatever is told twice counts once.

import type { Db } from '#store/database.ts'
import { MEASURES, type Sums } from '#store/usage-measures.ts'
import { idsOf, PART_COLUMNS, WHOLE_SLICE } from '#store/usage-slices.ts'

/** The sums of one hour by everything that they are kept apart by. `parts` in the order of their bits. */
export type HourSums = { readonly startedAtMs: number; readonly parts: readonly string[]; readonly sums: Sums }

/** `times` as it was when they were read: what has changed since is told again. */
type Mark = readonly [startedAtMs: number, groupId: number, times: number]

export type UntoldHours = {
  /** What was told before counts no more. */
  readonly isAnew: boolean
  /** The number of the last telling that was answered. */
  readonly seq: number
  readonly hours: readonly HourSums[]
  readonly marks: readonly Mark[]
}

/** Whom the hours are told, and how many tellings they know. */
export type Told = { readonly booksId: string; readonly seq: number }

export type ToldHours = Pick<UntoldHours, 'marks' | 'seq'>

const WHOLE = idsOf(WHOLE_SLICE)
const PARTS = Object.values(PART_COLUMNS)

export function isTelling(db: Db): boolean {
  return db.prepare('SELECT 1 FROM usage_telling').get() !== undefined
}

/**
 * From now on the gateways of these books are told. Everything is told anew where they have less than they said, and where it was other books before. In a
 * transaction.
 */
export function beginTelling(db: Db, { booksId, seq }: Told): void {
  const known = db.prepare<[], Told>('SELECT books_id AS booksId, seq FROM usage_telling').get()
  if (known?.booksId === booksId) {
    if (seq < known.seq) tellAnew(db)
    return
  }
  db.prepare('INSERT OR REPLACE INTO usage_telling (one, books_id, is_anew, seq) VALUES (1, ?, 1, ?)').run(booksId, seq)
  db.exec('DELETE FROM elsewhere_position')
  markAll(db)
}

/** The hours have become others, as by another time zone. */
export function tellAnew(db: Db): void {
  db.exec('UPDATE usage_telling SET is_anew = 1')
  markAll(db)
}

export function endTelling(db: Db): void {
  db.exec('DELETE FROM usage_telling; DELETE FROM usage_changed')
}

function markAll(db: Db): void {
  db.exec(`DELETE FROM usage_changed;
    INSERT INTO usage_changed SELECT started_at_ms, group_id, 1 FROM usage_hour WHERE group_id >= ${WHOLE.first} AND group_id < ${WHOLE.end}`)
}

/** The newest first, since whoever looks at reports looks at them. */
export function untoldHours(db: Db, most: number): UntoldHours {
  type Row = { readonly isAnew: number; readonly seq: number }
  const { isAnew = 0, seq = 0 } = db.prepare<[], Row>('SELECT is_anew AS isAnew, seq FROM usage_telling').get() ?? {}
  const rows = db
    .prepare<[number], (string | number)[]>(
      `SELECT changed.started_at_ms, changed.group_id, changed.times, ${[...PARTS, ...MEASURES].join(', ')} FROM usage_changed AS changed
         CROSS JOIN usage_hour AS hour ON hour.started_at_ms = changed.started_at_ms AND hour.group_id = changed.group_id
         CROSS JOIN usage_group ON usage_group.id = changed.group_id ORDER BY changed.started_at_ms DESC, changed.group_id DESC LIMIT ?`,
    )
    .raw()
    .all(most)
  return {
    isAnew: isAnew === 1,
    seq,
    marks: rows.map(([startedAtMs, groupId, times]) => [Number(startedAtMs), Number(groupId), Number(times)]),
    hours: rows.map(([startedAtMs, , , ...row]) => ({
      startedAtMs: Number(startedAtMs),
      parts: row.slice(0, PARTS.length).map(String),
      sums: sumsOf(row.slice(PARTS.length)),
    })),
  }
}

/** `seq`: the number of the telling. In a transaction. */
export function noteTold(db: Db, { marks, seq }: ToldHours): void {
  const told = db.prepare('DELETE FROM usage_changed WHERE started_at_ms = ? AND group_id = ? AND times = ?')
  for (const mark of marks) told.run(...mark)
  db.prepare('UPDATE usage_telling SET is_anew = 0, seq = ?').run(seq)
}

function sumsOf(values: readonly (string | number)[]): Sums {
  // A value for each of the columns that were asked for.
  return Object.fromEntries(MEASURES.map((name, index) => [name, Number(values[index])])) as Sums
}
