// Comma-separated values as in RFC 4180, made safe for spreadsheets: what the command line prints and what the dashboard saves.

import type { LedgerList } from '#contract/reports.ts'

/** The columns of the ledger as a file. */
export const LEDGER_COLUMNS = [
  'seq',
  'created_at',
  'key',
  'kind',
  'amount_credits',
  'charge_credits',
  'available_credits',
  'request_id',
  'model',
  'reason',
  'cycle_started_at',
] as const satisfies readonly (keyof LedgerList['entries'][number])[]

/** Text, a number, or a number as exact decimal text with a point. Unknown stays empty, never 0. */
export type CsvField = string | number | boolean | { readonly number: string } | null | undefined

/** Every line ends in CR LF, also the last one. */
export function csvText(lines: readonly (readonly CsvField[])[]): string {
  return lines.map(csvLine).join('')
}

/** One line, with its line end. */
export function csvLine(fields: readonly CsvField[]): string {
  return `${fields.map(fieldText).join(',')}\r\n`
}

/**
 * A spreadsheet runs text that begins like this as a formula, and a key's or model's name is somebody's free choice. The
 * apostrophe makes it text (OWASP, "CSV injection"); the full-width forms are read like their ASCII ones.
 */
const FORMULA_START = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/**
 * The same behind a semicolon: a spreadsheet of a country that writes numbers with commas parts the fields there, and does not take the
 * quotes of a field for quotes then, because they are not at its beginning.
 */
const FORMULA_INSIDE = /;(?=["\s]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/

function fieldText(field: CsvField): string {
  if (field === undefined || field === null) return ''
  if (typeof field === 'number' || typeof field === 'boolean') return String(field)
  // What is no number is treated as text, so that no formula can come in by this way.
  if (typeof field === 'object' && PLAIN_NUMBER.test(field.number)) return field.number
  const text = typeof field === 'object' ? field.number : field
  const inside = text.replace(FORMULA_INSIDE, ";'")
  const safe = FORMULA_START.test(text) ? `'${inside}` : inside
  return /[",;\t\r\n]/.test(safe) || text !== text.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
