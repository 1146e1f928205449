// Sums of the calls of other gateways that share the books, by hour and day as this gateway's own are kept. What comes is the sum of an hour as it is now, by
// gateway and everything that it is kept apart by; what it has grown by is added to the sums that leave something out.

import { Calendar } from '#core/calendar.ts'
import type { Db } from '#store/database.ts'
import { addSums, MEASURES, NO_SUMS, type Sums } from '#store/usage-measures.ts'
import { DAY_SLICES, idsOf, PART_COLUMNS, PARTS, WHOLE_SLICE } from '#store/usage-slices.ts'
import type { HourSums } from '#store/usage-telling.ts'

export type ElsewhereHours = {
  readonly gateway: string
  readonly hours: readonly HourSums[]
  /** Up to which of its changes everything is here then; undefined where more is to come. */
  readonly upTo: number | undefined
}

const ALL_TOGETHER = ''
const BITS = Object.values(PARTS)
const WHOLE = idsOf(WHOLE_SLICE)
const MAX_KNOWN = 20_000

export class ElsewhereRollups {
  readonly #db: Db
  readonly #calendar: Calendar
  readonly #statements: ReturnType<typeof prepare>
  readonly #groups = new Map<string, number>()

  constructor(db: Db, timeZone: string) {
    this.#db = db
    this.#calendar = new Calendar(timeZone)
    this.#statements = prepare(db)
  }

  /** By the ids of gateways. */
  positions(): Record<string, number> {
    const rows = this.#db.prepare<[], [string, number]>('SELECT gateway, up_to FROM elsewhere_position').raw().all()
    return Object.fromEntries(rows)
  }

  /** One transaction. */
  take(taken: ElsewhereHours): void {
    try {
      this.#db.transaction(() => this.#take(taken)).immediate()
    } catch (error) {
      // Groups that it made are gone again.
      this.#groups.clear()
      throw error
    }
  }

  /** Fills the sums that leave something out anew, by the days of another time zone. In a transaction. */
  refill(): void {
    this.#db.exec(`DELETE FROM elsewhere_day; DELETE FROM elsewhere_hour WHERE group_id < ${WHOLE.first}`)
    const starts = this.#db.prepare<[], number>('SELECT DISTINCT started_at_ms FROM elsewhere_hour').pluck().all()
    for (const startedAtMs of starts) {
      for (const { id, ...sums } of this.#statements.hoursAt.all(startedAtMs)) {
        const row = this.#statements.partsOf.get(id)
        if (row !== undefined) this.#add(startedAtMs, row, { id, sums })
      }
    }
  }

  #take({ gateway, hours, upTo }: ElsewhereHours): void {
    const { oldHour, putHour, notePosition } = this.#statements
    for (const { startedAtMs, parts, sums } of hours) {
      const id = this.#groupId(gateway, WHOLE_SLICE, parts)
      const before = oldHour.get(startedAtMs, id) ?? NO_SUMS
      const grown = addSums([sums, negative(before)])
      putHour.run(startedAtMs, id, ...MEASURES.map((name) => sums[name]))
      if (MEASURES.some((name) => grown[name] !== 0)) this.#add(startedAtMs, parts, { id, sums: grown })
    }
    if (upTo !== undefined) notePosition.run(gateway, upTo)
  }

  /** `whole`: the group of the gateway by itself. */
  #add(startedAtMs: number, parts: readonly string[], whole: { readonly id: number; readonly sums: Sums }): void {
    const { addHour, addDay } = this.#statements
    const values = MEASURES.map((name) => whole.sums[name])
    addHour.run(startedAtMs, this.#groupId(ALL_TOGETHER, 0, parts), ...values)
    const dayMs = this.#calendar.dayStart(startedAtMs)
    for (const slice of DAY_SLICES) {
      const id = slice === WHOLE_SLICE ? whole.id : this.#groupId(ALL_TOGETHER, slice, parts)
      addDay.run(dayMs, id, ...values)
    }
  }

  #groupId(gateway: string, slice: number, parts: readonly string[]): number {
    const own = BITS.map((bit, place) => ((slice & bit) === 0 ? '' : (parts[place] ?? '')))
    const name = [gateway, slice, ...own].join('\0')
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const { findGroup, newGroupId, addGroup } = this.#statements
    const { first, end } = idsOf(slice)
    let id = findGroup.get(slice, ...own, gateway)
    if (id === undefined) {
      id = newGroupId.get(first, first, end) ?? first
      addGroup.run(id, gateway, slice, ...own)
    }
    if (this.#groups.size >= MAX_KNOWN) this.#groups.clear()
    this.#groups.set(name, id)
    return id
  }
}

function negative(sums: Sums): Sums {
  return Object.fromEntries(MEASURES.map((name) => [name, -sums[name]])) as Sums
}

function prepare(db: Db) {
  const names = MEASURES.join(', ')
  const marks = MEASURES.map(() => '?').join(', ')
  const put = (table: string, grown: (name: string) => string) =>
    db.prepare<number[]>(
      `INSERT INTO ${table} (started_at_ms, group_id, ${names}) VALUES (?, ?, ${marks})
       ON CONFLICT (started_at_ms, group_id) DO UPDATE SET ${MEASURES.map((name) => `${name} = ${grown(name)}`).join(', ')}`,
    )
  const added = (name: string) => `${name} + excluded.${name}`
  const columns = Object.values(PART_COLUMNS)
  const isSame = ['slice', ...columns, 'gateway'].map((column) => `${column} = ?`).join(' AND ')
  return {
    oldHour: db.prepare<[number, number], Sums>(
      `SELECT ${names} FROM elsewhere_hour WHERE started_at_ms = ? AND group_id = ?`,
    ),
    hoursAt: db.prepare<[number], Sums & { readonly id: number }>(
      `SELECT group_id AS id, ${names} FROM elsewhere_hour WHERE started_at_ms = ? AND group_id >= ${WHOLE.first} AND group_id < ${WHOLE.end}`,
    ),
    partsOf: db.prepare<[number], string[]>(`SELECT ${columns.join(', ')} FROM elsewhere_group WHERE id = ?`).raw(),
    putHour: put('elsewhere_hour', (name) => `excluded.${name}`),
    addHour: put('elsewhere_hour', added),
    addDay: put('elsewhere_day', added),
    findGroup: db.prepare<(string | number)[], number>(`SELECT id FROM elsewhere_group WHERE ${isSame}`).pluck(),
    newGroupId: db
      .prepare<[number, number, number], number>(
        'SELECT coalesce(max(id) + 1, ?) FROM elsewhere_group WHERE id >= ? AND id < ?',
      )
      .pluck(),
    addGroup: db.prepare<(string | number)[]>(
      `INSERT INTO elsewhere_group (id, gateway, slice, ${columns.join(', ')}) VALUES (?, ?, ?, ${columns.map(() => '?').join(', ')})`,
    ),
    notePosition: db.prepare<[string, number]>(
      'INSERT INTO elsewhere_position (gateway, up_to) VALUES (?, ?) ON CONFLICT (gateway) DO UPDATE SET up_to = excluded.up_to',
    ),
  }
}
