// Lists as comma-separated values: page after page until the end or the limit, so that an export of any length needs the memory of
// one page.

import { CommandFailure } from '#cli/errors.ts'
import { csvLine, type CsvField } from '#contract/csv.ts'

export type CsvList<Row> = {
  readonly columns: readonly (keyof Row & string)[]
  readonly cellOf: (row: Row, column: keyof Row & string) => CsvField
  /** How many rows one request asks for; the gateway may give fewer. */
  readonly pageSize: number
  readonly read: (place: {
    readonly limit: string
    readonly before?: string
  }) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>
}

type Part = { readonly limit?: string | undefined; readonly before?: string | undefined }

/** The lines in pieces, the heads first. A gateway that gives one page twice is an error: it would go on for ever. */
export async function* csvPages<Row>(list: CsvList<Row>, part: Part): AsyncGenerator<string> {
  yield csvLine(list.columns)
  let wanted = part.limit === undefined ? Number.POSITIVE_INFINITY : Number(part.limit)
  let { before } = part
  while (wanted > 0) {
    const limit = String(Math.min(wanted, list.pageSize))
    const { rows, next } = await list.read({ ...(before === undefined ? {} : { before }), limit })
    const wantedRows = rows.slice(0, wanted)
    yield wantedRows.map((row) => csvLine(list.columns.map((column) => list.cellOf(row, column)))).join('')
    wanted -= wantedRows.length
    if (next === null) return
    if (next === before) throw new CommandFailure('unknown_answer', 'The gateway gave the same page twice.')
    before = next
  }
}
