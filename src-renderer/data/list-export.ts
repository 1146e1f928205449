// Lists as files, with the names of the API as heads of their columns, so that a file reads the same in every language.

import { csvLine, LEDGER_COLUMNS, type CsvField } from '#contract/csv.ts'
import type { LedgerList } from '#contract/reports.ts'
import type { UsageView } from '#contract/schemas.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'

export type LedgerRow = LedgerList['entries'][number]

/** How rows of a list become lines, and which amount of theirs is added up. */
export type ExportForm<Row> = {
  readonly columns: readonly (keyof Row & string)[]
  readonly amountOf: (row: Row) => number
}

export const REQUEST_EXPORT: ExportForm<UsageView> = {
  columns: [
    'id',
    'created_at',
    'key',
    'endpoint',
    'model',
    'provider',
    'upstream_model',
    'stream',
    'outcome',
    'status',
    'input_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
    'output_tokens',
    'reasoning_tokens',
    'usage_source',
    'charge_credits',
    'first_byte_ms',
    'duration_ms',
    'tool',
    'project',
    'tags',
    'session',
  ],
  amountOf: (row) => row.charge_credits,
}

export const LEDGER_EXPORT: ExportForm<LedgerRow> = {
  columns: LEDGER_COLUMNS,
  amountOf: (row) => row.amount_credits,
}

export function headLine<Row>({ columns }: ExportForm<Row>): string {
  return csvLine(columns)
}

/** Credits with all their digits and never in the notation of small numbers, lists with spaces between. */
export function rowLine<Row extends object>({ columns }: ExportForm<Row>, row: Row): string {
  return csvLine(columns.map((name) => fieldOf(name, row[name])))
}

function fieldOf(name: string, value: unknown): CsvField {
  if (Array.isArray(value)) return value.join(' ')
  if (typeof value === 'number' && name.endsWith('_credits')) return { number: creditsText(microOf(value) ?? 0n) }
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return undefined
}
