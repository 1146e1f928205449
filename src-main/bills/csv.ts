// Reads files of separated values, as RFC 4180 and spreadsheets write them.

/** No report has so many columns. */
const MAX_FIELDS = 1_000
/** Of all lines: more would not fit into the memory of the thread that reads them. */
const MAX_ALL_FIELDS = 6_000_000

/** Spreadsheets of countries that write numbers with commas put semicolons between fields. */
export const SEPARATORS = [',', ';', '\t'] as const
export type Separator = (typeof SEPARATORS)[number]

/**
 * Rows of fields, read as far as they are taken. The last one is undefined where a quote is never closed or stands at a wrong place, so that
 * half a file is never taken for a whole one.
 */
export function* csvRows(text: string, separator: Separator): Generator<string[] | undefined> {
  let row: string[] = []
  let fieldsLeft = MAX_ALL_FIELDS
  const fields = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*)?)(${separator}|\\r?\\n|$)`,
    'gy',
  )
  const body = text.replace(/^\ufeff/, '')
  while (fields.lastIndex < body.length) {
    const match = fields.exec(body)
    fieldsLeft -= 1
    if (match === null || row.length >= MAX_FIELDS || fieldsLeft < 0) return yield undefined
    const [, quoted, plain = '', end] = match
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === separator) continue
    if (row.length > 1 || row[0] !== '') yield row
    row = []
  }
  // A separator at the very end has an empty field behind it.
  if (row.length > 0) yield [...row, '']
}
