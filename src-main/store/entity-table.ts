// One table of fields for an entity: how each of its members is written in its row. What is inserted, replaced and read follows
// from it, so that a column is named once. For entities of which there are few: a row is read field by field.

import { microCredits, type MicroCredits } from '#core/money.ts'
import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
import { oneOf } from '#store/values.ts'

type Cell = string | number | null

/** Rows are trusted to have the shape of their table: STRICT and CHECK saw to it when they were written. */
export type Field<Value> = {
  write(value: Value): Cell
  read(cell: Cell): Value
}

export const text: Field<string> = { write: (value) => value, read: (cell) => cell as string }
export const integer: Field<number> = { write: (value) => value, read: (cell) => cell as number }
export const flag: Field<boolean> = { write: Number, read: (cell) => cell === 1 }
export const micro: Field<MicroCredits> = { write: (value) => value, read: (cell) => microCredits(cell as number) }

/** Written by this program from values that were checked. */
export function json<Value>(): Field<Value> {
  return { write: (value) => JSON.stringify(value), read: (cell) => JSON.parse(cell as string) as Value }
}

export function wordOf<Value extends string>(values: readonly Value[]): Field<Value> {
  return { write: (value) => value, read: (cell) => oneOf(values, cell as string) }
}

/** undefined in memory is null in the row. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return {
    write: (value) => (value === undefined ? null : field.write(value)),
    read: (cell) => (cell === null ? undefined : field.read(cell)),
  }
}

export type Fields<Entity> = { readonly [Member in keyof Entity]-?: Field<Entity[Member]> }
export type EntityTable<Entity> = {
  /** Inserts or replaces. Throws SqliteError where a constraint says no. */
  put(db: Db, entity: Entity): void
  /** All in the order in which they were made. */
  load(db: Db): Entity[]
}

/** A table with an `id` and a `created_at_ms`, neither of which changes. Columns are called as the members are, in the words of SQL. */
export function entityTable<Entity extends { readonly id: string; readonly createdAtMs: number }>(
  table: string,
  fields: Fields<Entity>,
): EntityTable<Entity> {
  const members = Object.entries(fields as Readonly<Record<string, Field<unknown>>>).map(([member, field]) => {
    return { member, column: member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field }
  })
  const columns = members.map(({ column }) => column)
  const changes = columns.filter((column) => column !== 'id' && column !== 'created_at_ms')
  const put = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (id) DO UPDATE SET ${changes.map((column) => `${column} = excluded.${column}`).join(', ')}`
  const read = (row: Readonly<Record<string, Cell>>) =>
    Object.fromEntries(members.map(({ member, column, field }) => [member, field.read(row[column] ?? null)]))
  return {
    put(db, entity) {
      const values = entity as Readonly<Record<string, unknown>>
      statement(db, put).run(members.map(({ member, field }) => field.write(values[member])))
    },
    load: (db) =>
      db
        .prepare<[], Readonly<Record<string, Cell>>>(`SELECT * FROM ${table} ORDER BY rowid`)
        .all()
        .map((row) => read(row) as Entity),
  }
}
