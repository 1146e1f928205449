// Comma-separated values as in RFC 4180, made safe for spreadsheets.

/** One line, with its line end. Numbers and booleans as they are; unknown is an empty field, never 0. */
export function csvLine(fields: readonly (string | number | boolean | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}

/**
 * A spreadsheet runs text that begins like this as a formula, and a key's or model's name is somebody's free choice. The
 * apostrophe makes it text (OWASP, "CSV injection"); the full-width forms are read like their ASCII ones.
 */
const FORMULA_START = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

function csvField(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = FORMULA_START.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) || value !== value.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
