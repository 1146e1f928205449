// Reads files of separated values, as RFC 4180 and spreadsheets write them.

/** No report has so many columns. */
const MAX_FIELDS = 1_000

/** Spreadsheets of countries that write numbers with commas put semicolons between fields. */
export const SEPARATORS = [',', ';', '\t'] as const
export type Separator = (typeof SEPARATORS)[number]

/**
 * Rows of fields, at most `maxRows` of them; undefined where a quote is never closed or stands at a wrong place, so that half a file is
 * never taken for a whole one.
 */
export function csvRows(text: string, separator: Separator, maxRows: number): string[][] | undefined {
  const rows: string[][] = []
  let row: string[] = []
  const fields = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*)?)(${separator}|\\r?\\n|$)`,
    'gy',
  )
  const body = text.replace(/^\ufeff/, '')
  while (fields.lastIndex < body.length && rows.length < maxRows) {
    const match = fields.exec(body)
    if (match === null || row.length >= MAX_FIELDS) return undefined
    const [, quoted, plain = '', end] = match
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === separator) continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  // A separator at the very end has an empty field behind it.
  if (row.length > 0) rows.push([...row, ''])
  return rows
}
