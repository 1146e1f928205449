// `farebox ledger export`: everything that the books rest on, as JSON lines, so that a program that shares no code with
// Farebox can recompute them. Reads only. No hashes of keys and no hints are written, and nothing else that is secret.

import type { Database } from 'better-sqlite3'
import { BALANCE_COLUMNS, ENTRY_COLUMNS, USAGE_COLUMNS } from '#ledger/rows.ts'

export type ExportHeader = {
  readonly program: string
  readonly exportedAt: string
}

/** Raised when the meaning of a line changes; a new member or a new kind of line does not raise it. */
const FORMAT = 1
/** Lines are handed out in pieces of about this size: a call for each line would cost more than the line. */
const CHUNK_CHARACTERS = 65_536

type Part = { readonly line: string; readonly table: string; readonly columns: string; readonly order: string }

/** In the order of the file: what others refer to comes first, so that a reader needs one pass. */
const PARTS: readonly Part[] = [
  { line: 'package', table: 'package', columns: 'id, name, type, credits_micro, time_zone', order: 'id' },
  { line: 'key', table: 'key', columns: 'id, name, package_id, status, tool, project, tags', order: 'id' },
  {
    line: 'price',
    table: 'price',
    columns:
      'model_id, version, input_micro, output_micro, cache_read_micro, cache_write_micro, created_at_ms, details',
    order: 'model_id, version',
  },
  { line: 'entry', table: 'ledger_entry', columns: `seq, ${ENTRY_COLUMNS}`, order: 'seq' },
  { line: 'project', table: 'project', columns: 'id, limits, created_at_ms', order: 'id' },
  { line: 'attribution', table: 'attribution', columns: 'id, tool, project, tags', order: 'id' },
  { line: 'call_session', table: 'call_session', columns: 'id, name', order: 'id' },
  { line: 'usage', table: 'usage_record', columns: USAGE_COLUMNS, order: 'id' },
  { line: 'balance', table: 'balance', columns: BALANCE_COLUMNS, order: 'key_id' },
]

/**
 * The export in pieces, each of whole lines, as one consistent snapshot: what is written meanwhile is not in it. The last
 * line counts the others, so that a file that was cut off is noticed. Nothing else may use the connection until the end.
 */
export function* exportLedger(db: Database, header: ExportHeader): Generator<string> {
  db.exec('BEGIN')
  try {
    const first = { line: 'header', format: FORMAT, program: header.program, exported_at: header.exportedAt }
    yield `${JSON.stringify(first)}\n`
    const counts: Record<string, number> = {}
    for (const part of PARTS) counts[part.line] = yield* linesOf(db, part)
    yield `${JSON.stringify({ line: 'end', counts })}\n`
  } finally {
    db.exec('ROLLBACK')
  }
}

/** SQLite writes the JSON itself: its integers keep all their digits, also those that somebody tampered with. */
function* linesOf(db: Database, { line, table, columns, order }: Part): Generator<string, number> {
  const members = columns.split(', ').map((column) => `'${column}', ${column}`)
  const sql = `SELECT json_object('line', '${line}', ${members.join(', ')}) FROM ${table} ORDER BY ${order}`
  let chunk = ''
  let count = 0
  for (const json of db.prepare<[], string>(sql).pluck().iterate()) {
    chunk += `${json}\n`
    count += 1
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
  return count
}
