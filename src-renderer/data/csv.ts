// Comma-separated values as in RFC 4180, made safe for spreadsheets.

/** Text, or a number as exact decimal text with a point; undefined is unknown and stays empty, never 0. */
export type CsvField = string | { readonly number: string } | undefined

/** Every line ends in CR LF, also the last one. */
export function csvText(lines: readonly (readonly CsvField[])[]): string {
  return lines.map((fields) => `${fields.map(fieldText).join(',')}\r\n`).join('')
}

/**
 * A spreadsheet runs text that begins like this as a formula, and a key's or model's name is somebody's free choice. The
 * apostrophe makes it text (OWASP, "CSV injection"); the full-width forms are read like their ASCII ones.
 */
const FORMULA_START = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/

function fieldText(field: CsvField): string {
  if (field === undefined) return ''
  // What is no number is treated as text, so that no formula can come in by this way.
  if (typeof field === 'object' && PLAIN_NUMBER.test(field.number)) return field.number
  const text = typeof field === 'object' ? field.number : field
  const safe = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) || text !== text.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
