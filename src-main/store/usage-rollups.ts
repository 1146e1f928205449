// Keeps the roll-ups of the usage records: sums by hour and by day of the machine's time zone. They are written in the transaction
// that writes the records, on the writer thread. What is read back from the records is what is summed, so that a filling of all
// roll-ups and the keeping of them are one and the same work.

import { largest } from '#core/append.ts'
import type { Statement } from 'better-sqlite3'
import { Calendar, DAY_MS } from '#core/calendar.ts'
import { latencyClass } from '#core/latency.ts'
import type { Db } from '#store/database.ts'
import { MEASURES, RECORD_SHARES } from '#store/usage-measures.ts'
import { DAY_SLICES, HOUR_SLICES, idsOf, PART_COLUMNS, PARTS, WHOLE_SLICE } from '#store/usage-slices.ts'
import { isTelling, tellAnew } from '#store/usage-telling.ts'

/** A record as a row: when, how long a stream took to begin, its parts in the order of their bits, and its share of each sum. */
type Row = readonly [createdAtMs: number, firstTokenMs: number | null, id: string, ...rest: (string | number)[]]
const PARTS_AT = 3
const KEY_AT = PARTS_AT
const BITS = Object.values(PARTS)
const SHARES_AT = PARTS_AT + BITS.length
const CHARGE_AT = MEASURES.indexOf('charge_micro')

/** Each name is a query of its own: SQLite prepares a join anew for every record that is looked up, which costs ten times the reading. */
const nameOf = (column: string) => `coalesce((SELECT ${column} FROM attribution WHERE id = attribution_id), '')`
const RECORD_ROW = `SELECT created_at_ms, iif(is_stream = 1, first_byte_ms, NULL), id, key_id, model_id, coalesce(provider_id, ''),
  package_id, ${nameOf('tool')}, ${nameOf('project')}, ${nameOf('tags')}, ${RECORD_SHARES} FROM usage_record`

/** No slice has higher ids. */
const WHOLE = idsOf(WHOLE_SLICE)
/** What the parts that a slice leaves out are in its groups. */
const LEFT_OUT = ''
/** Combinations of parts whose groups are remembered. */
const MAX_KNOWN = 20_000
/** Cells that are gathered before a filling writes them, at the end of a day, and records that it reads at once. */
const FILL_CELLS = 20_000
const FILL_PAGE = 10_000
/** Long enough for a day to be looked back at, whatever the clocks do. */
const FIRST_TOKENS_MS = 2 * DAY_MS

/** The slice, and its parts. */
type Parts = readonly [slice: number, ...parts: string[]]
/** `id` is undefined until the group was found in the database. */
type Group = { readonly parts: Parts; id: number | undefined }
/** The groups of one combination of parts. */
type Combination = { readonly hours: readonly Group[]; readonly days: readonly Group[] }
/** Sums by group and the beginning of an interval. */
type Cells = Map<number, Map<Group, number[]>>

/** The time zone whose days the roll-ups are of; undefined where there are none yet. */
export function summedZone(db: Db): string | undefined {
  return db.prepare<[], string>('SELECT time_zone FROM usage_rollup').pluck().get()
}

export class UsageRollups {
  readonly #db: Db
  readonly #calendar: Calendar
  readonly #statements: ReturnType<typeof prepare>
  /** By their names. */
  readonly #combinations = new Map<string, Combination>()
  readonly #groups = new Map<string, Group>()
  /** Of groups that the present transaction has made. */
  readonly #newIds = new Map<Group, number>()
  #hours: Cells = new Map()
  #days: Cells = new Map()
  #cells = 0
  #firstTokens = new Map<string, { startedAtMs: number; keyId: string; latency: number; calls: number }>()
  /** From when on first tokens are kept. */
  #firstTokensFromMs = 0
  /** Whether others are told of hours that change. */
  isTold: boolean

  constructor(db: Db, timeZone: string) {
    this.#db = db
    this.#calendar = new Calendar(timeZone)
    this.#statements = prepare(db)
    this.isTold = isTelling(db)
  }

  /** Fills the roll-ups where that was never done, or in another time zone. One transaction. Says whether it did anything. */
  open(): boolean {
    const { timeZone } = this.#calendar
    if (summedZone(this.#db) === timeZone) return false
    this.#db.transaction(() => this.#fill(timeZone)).immediate()
    return true
  }

  /** Adds records that were just inserted, inside the caller's transaction. */
  add(recordIds: readonly string[]): void {
    if (recordIds.length === 0) return
    this.#forget()
    for (const id of recordIds) {
      const row = this.#statements.record.get(id)
      if (row !== undefined) this.#gather(row)
    }
    this.#write()
  }

  #fill(timeZone: string): void {
    this.#db.exec(
      'DELETE FROM usage_hour; DELETE FROM usage_day; DELETE FROM usage_first_token; DELETE FROM usage_group',
    )
    this.#groups.clear()
    this.#combinations.clear()
    this.#forget()
    const newestMs = this.#db.prepare<[], number | null>('SELECT max(created_at_ms) FROM usage_record').pluck().get()
    this.#firstTokensFromMs = (newestMs ?? 0) - FIRST_TOKENS_MS
    let dayMs = Number.NaN
    for (const row of this.#records()) {
      const next = this.#calendar.dayStart(row[0])
      if (next !== dayMs && this.#cells > FILL_CELLS) this.#write()
      dayMs = next
      this.#gather(row)
    }
    this.#write()
    this.#db.prepare('INSERT OR REPLACE INTO usage_rollup (id, time_zone) VALUES (1, ?)').run(timeZone)
    if (this.isTold) tellAnew(this.#db)
  }

  /** All records in the order of their time. In pages, because a connection that is in the middle of reading cannot write. */
  *#records(): Generator<Row> {
    const page = this.#db
      .prepare<[number, string, number], Row>(
        `${RECORD_ROW} WHERE (created_at_ms, id) > (?, ?) ORDER BY created_at_ms, id LIMIT ?`,
      )
      .raw()
    for (let after: Row | undefined; ;) {
      const rows = page.all(after?.[0] ?? Number.MIN_SAFE_INTEGER, after?.[2] ?? '', FILL_PAGE)
      yield* rows
      if (rows.length < FILL_PAGE) return
      after = rows.at(-1)
    }
  }

  #gather(row: Row): void {
    const [createdAtMs, firstTokenMs] = row
    const shares = row.slice(SHARES_AT) as number[]
    const dayMs = this.#calendar.dayStart(createdAtMs)
    const hourMs = this.#calendar.hourStart(createdAtMs)
    const { hours, days } = this.#combination(row)
    for (const group of hours) this.#sum(this.#hours, hourMs, group, shares)
    for (const group of days) this.#sum(this.#days, dayMs, group, shares)
    if (firstTokenMs !== null && createdAtMs >= this.#firstTokensFromMs)
      this.#countFirstToken(hourMs, String(row[KEY_AT]), firstTokenMs)
  }

  #countFirstToken(hourMs: number, keyId: string, timeMs: number): void {
    const latency = latencyClass(timeMs)
    const name = `${hourMs} ${latency} ${keyId}`
    const count = this.#firstTokens.get(name)
    if (count !== undefined) count.calls += 1
    else this.#firstTokens.set(name, { startedAtMs: hourMs, keyId, latency, calls: 1 })
  }

  #sum(cells: Cells, startedAtMs: number, group: Group, shares: readonly number[]): void {
    let interval = cells.get(startedAtMs)
    if (interval === undefined) cells.set(startedAtMs, (interval = new Map()))
    const sums = interval.get(group)
    const charge = shares[CHARGE_AT] ?? 0
    if (sums === undefined) {
      interval.set(group, [...shares, charge])
      this.#cells += 1
      return
    }
    for (let index = 0; index < shares.length; index += 1) sums[index] = (sums[index] ?? 0) + (shares[index] ?? 0)
    sums[MEASURES.length] = Math.max(sums[MEASURES.length] ?? 0, charge)
  }

  #combination(row: Row): Combination {
    const parts = row.slice(PARTS_AT, SHARES_AT).map(String)
    const name = parts.join('\0')
    const known = this.#combinations.get(name)
    if (known !== undefined) return known
    if (this.#combinations.size >= MAX_KNOWN) {
      this.#combinations.clear()
      this.#groups.clear()
    }
    const group = (slice: number) =>
      this.#group([slice, ...parts.map((part, place) => (slice & (BITS[place] ?? 0) ? part : LEFT_OUT))])
    const made = { hours: HOUR_SLICES.map(group), days: DAY_SLICES.map(group) }
    this.#combinations.set(name, made)
    return made
  }

  #group(parts: Parts): Group {
    const name = parts.join('\0')
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const group = { parts, id: undefined }
    this.#groups.set(name, group)
    return group
  }

  #write(): void {
    this.#writeCells(this.#hours, this.#statements.hour, this.isTold)
    this.#writeCells(this.#days, this.#statements.day, false)
    this.#writeFirstTokens()
    this.#forget()
  }

  /** In the order of the table, which is the quickest. */
  #writeCells(cells: Cells, put: Statement<number[]>, areTold: boolean): void {
    for (const [startedAtMs, interval] of cells) {
      const rows = Array.from(interval, ([group, sums]) => ({ id: this.#groupId(group), sums }))
      if (rows.length > 1) rows.sort((left, right) => left.id - right.id)
      for (const { id, sums } of rows) {
        put.run(startedAtMs, id, ...sums)
        if (areTold && id >= WHOLE.first) this.#statements.changed.run(startedAtMs, id)
      }
    }
  }

  /** Only what the last days say is of use; at the beginning of an hour the oldest go. */
  #writeFirstTokens(): void {
    const { firstToken, dropFirstTokens } = this.#statements
    for (const { startedAtMs, keyId, latency, calls } of this.#firstTokens.values()) {
      firstToken.run(startedAtMs, keyId, latency, calls)
    }
    const fromMs = largest(this.#hours.keys()) - FIRST_TOKENS_MS
    if (fromMs === this.#firstTokensFromMs) return
    this.#firstTokensFromMs = fromMs
    dropFirstTokens.run(fromMs)
  }

  /** What a transaction that failed had gathered is none of the next one's. */
  #forget(): void {
    this.#hours = new Map()
    this.#days = new Map()
    this.#firstTokens = new Map()
    this.#cells = 0
    this.#newIds.clear()
  }

  /** What was found is remembered for good: a group that is made now goes again if its transaction fails. */
  #groupId(group: Group): number {
    const known = group.id ?? this.#newIds.get(group)
    if (known !== undefined) return known
    const { findGroup, newGroupId, addGroup } = this.#statements
    const { parts } = group
    group.id = findGroup.get(...parts)
    if (group.id !== undefined) return group.id
    const { first, end } = idsOf(parts[0])
    const id = newGroupId.get(first, first, end) ?? first
    addGroup.run(id, ...parts)
    this.#newIds.set(group, id)
    return id
  }
}

function prepare(db: Db) {
  const columns = [...MEASURES, 'most_charge_micro']
  const parts = ['slice', ...Object.values(PART_COLUMNS)]
  const marks = columns.map(() => '?').join(', ')
  const grown = MEASURES.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')
  const put = (table: string) =>
    db.prepare<number[]>(
      `INSERT INTO ${table} (started_at_ms, group_id, ${columns.join(', ')}) VALUES (?, ?, ${marks})
       ON CONFLICT (started_at_ms, group_id) DO UPDATE SET ${grown},
         most_charge_micro = max(most_charge_micro, excluded.most_charge_micro)`,
    )
  return {
    record: db.prepare<[string], Row>(`${RECORD_ROW} WHERE id = ?`).raw(),
    hour: put('usage_hour'),
    day: put('usage_day'),
    changed: db.prepare<[number, number]>(
      `INSERT INTO usage_changed (started_at_ms, group_id, times) VALUES (?, ?, 1)
       ON CONFLICT (started_at_ms, group_id) DO UPDATE SET times = times + 1`,
    ),
    firstToken: db.prepare<[number, string, number, number]>(
      `INSERT INTO usage_first_token (started_at_ms, key_id, latency_class, calls) VALUES (?, ?, ?, ?)
       ON CONFLICT (started_at_ms, key_id, latency_class) DO UPDATE SET calls = calls + excluded.calls`,
    ),
    dropFirstTokens: db.prepare<[number]>('DELETE FROM usage_first_token WHERE started_at_ms < ?'),
    findGroup: db
      .prepare<(string | number)[], number>(
        `SELECT id FROM usage_group WHERE ${parts.map((part) => `${part} = ?`).join(' AND ')}`,
      )
      .pluck(),
    newGroupId: db
      .prepare<[number, number, number], number>(
        'SELECT coalesce(max(id) + 1, ?) FROM usage_group WHERE id >= ? AND id < ?',
      )
      .pluck(),
    addGroup: db.prepare<(string | number)[]>(
      `INSERT INTO usage_group (id, ${parts.join(', ')}) VALUES (?, ${parts.map(() => '?').join(', ')})`,
    ),
  }
}
