// A new database is made at once instead of by one migration after the other. What makes it is written down by this test, with `-u`.

import Database from 'better-sqlite3'
import { format, resolveConfig } from 'prettier'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { applyMigrations, MIGRATIONS, NEWEST_SCHEMA, schemaOf, type Db } from '#store/database.ts'

const FILE = 'src-main/store/migrations/all-at-once.ts'
const HEAD = `// What all migrations together make of a database that is new, in the words in which SQLite keeps it. One migration after the other would
// take six times as long. \`npm test -- test/store/all-at-once -u\` writes this file after a migration was added.`

let migrated: Db
beforeEach(() => {
  migrated = new Database(':memory:')
  for (const { sql, version } of MIGRATIONS) {
    migrated.exec(sql)
    migrated.pragma(`user_version = ${version}`)
  }
})
afterEach(() => migrated.close())

type Made = { readonly type: string; readonly name: string; readonly tbl_name: string; readonly sql: string | null }

/** Everything that was made, in that order; also the indexes that SQLite makes by itself, which have no words. */
const madeIn = (db: Db) =>
  db.prepare<[], Made>('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid').all()

it('has in its file what the migrations make of a new database', async () => {
  const statements = madeIn(migrated).flatMap(({ name, sql }) =>
    sql === null || name.startsWith('sqlite_') ? [] : sql,
  )
  const text = `${HEAD}

export const NEW_DATABASE = {
  version: ${NEWEST_SCHEMA},
  sql: [
    ${statements.map((sql) => JSON.stringify(sql)).join(',\n    ')},
  ].join(';'),
} as const
`
  const formatted = await format(text, { ...(await resolveConfig(FILE)), filepath: FILE })
  await expect(formatted).toMatchFileSnapshot(`../../${FILE}`)
})

it('makes the same, to the letter and in the same order', () => {
  const made = new Database(':memory:')
  try {
    applyMigrations(made)
    expect(schemaOf(made)).toBe(schemaOf(migrated))
    expect(madeIn(made)).toEqual(madeIn(migrated))
  } finally {
    made.close()
  }
})

it('leaves nothing out: migrations of a new database put no rows into it', () => {
  const tables = madeIn(migrated).filter(({ type, name }) => type === 'table' && name !== 'sqlite_sequence')
  expect(tables.length).toBeGreaterThan(20)
  const rows = tables.map(({ name }) => [name, migrated.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()])
  expect(rows.filter(([, count]) => count !== 0)).toEqual([])
})

it('is not what makes a database of an older schema', () => {
  for (const upTo of [MIGRATIONS[0].version, MIGRATIONS.at(-2)?.version ?? 0]) {
    const older = new Database(':memory:')
    applyMigrations(older, upTo)
    expect(schemaOf(older)).toBe(upTo)
    older.close()
  }
})
