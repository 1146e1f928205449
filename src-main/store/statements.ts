// Prepared statements of a connection by their text: preparing one takes longer than many of them take to run.

import type { Statement } from 'better-sqlite3'
import type { Db } from '#store/database.ts'

/** The texts are made of a few conditions, so that there are not many of them. */
const MAX_TEXTS = 500

const known = new WeakMap<Db, Map<string, Statement<unknown[]>>>()

/** The statement of a text, for objects of named parameters. */
export function statement<Row>(db: Db, sql: string): Statement<[object], Row> {
  const texts = known.get(db) ?? new Map<string, Statement<unknown[]>>()
  known.set(db, texts)
  const found = texts.get(sql)
  if (found !== undefined) return found as Statement<[object], Row>
  if (texts.size >= MAX_TEXTS) texts.clear()
  const made = db.prepare<[object], Row>(sql)
  texts.set(sql, made as Statement<unknown[]>)
  return made
}
