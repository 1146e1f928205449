// Who calls were made for, as numbers: names stand once in tables of their own, so that each usage record has two short numbers.

import type { Database } from 'better-sqlite3'
import type { Cell } from '#ledger/rows.ts'

type AttributionIds = (names: readonly Cell[]) => readonly [attributionId: number | null, sessionId: number | null]

/** Returns a function that finds or makes the numbers of a call's tool, project, tags and session, inside the caller's transaction. */
export function attributionIds(db: Database): AttributionIds {
  const find = db
    .prepare<[readonly Cell[]], number>('SELECT id FROM attribution WHERE tool = ? AND project = ? AND tags = ?')
    .pluck()
  const add = db.prepare<[readonly Cell[]]>('INSERT INTO attribution (tool, project, tags) VALUES (?, ?, ?)')
  const findSession = db.prepare<Cell[], number>('SELECT id FROM call_session WHERE name = ?').pluck()
  const addSession = db.prepare<Cell[]>('INSERT INTO call_session (name) VALUES (?)')
  const partyId = (names: readonly Cell[]) => find.get(names) ?? Number(add.run(names).lastInsertRowid)
  const sessionId = (name: Cell) => findSession.get(name) ?? Number(addSession.run(name).lastInsertRowid)
  return ([tool = null, project = null, tags = null, session = null]) => [
    tool === null && project === null && tags === null ? null : partyId([tool ?? '', project ?? '', tags ?? '']),
    session === null ? null : sessionId(session),
  ]
}

/** The same, asked once for names that come again. It is good for one transaction, because a number that is rolled back is nobody's. */
export function askedOnce(idsOf: AttributionIds): AttributionIds {
  const known = new Map<string, ReturnType<AttributionIds>>()
  return (names) => {
    const text = names.join('\n')
    const before = known.get(text)
    if (before !== undefined) return before
    const ids = idsOf(names)
    known.set(text, ids)
    return ids
  }
}
