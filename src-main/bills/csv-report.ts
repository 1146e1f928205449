// Reads a file of a console: which one it is, how its numbers are written, and what its lines say.

import { FORMATS, columnName, columnParts, meaningsIn, type CsvFormat } from '#bills/csv-formats.ts'
import { SEPARATORS, csvRows, type Separator } from '#bills/csv.ts'
import { isOfModels, readCostFields, readUsageFields, type Fields } from '#bills/fields.ts'
import { decimalMarkOf, isNumberText, numberText, type DecimalMark } from '#bills/numbers.ts'
import { MAX_LINES, onlyOnce, spanName, type BillReport, type ReportProblem, type Span } from '#bills/report.ts'
import type { Meaning } from '#contract/bill-columns.ts'

/** How a file is read. */
export type CsvPreview = {
  readonly format: string
  /** What each column is taken for and what it says in the first line that is read; null for those that are not read. */
  readonly columns: readonly {
    readonly column: string
    readonly meaning: Meaning | null
    readonly example: string | null
  }[]
  readonly separator: Separator
  readonly decimalMark: DecimalMark
  readonly lines: number
  /** Lines of other services, and sums: they are about no model. */
  readonly otherLines: number
}

export type ReadCsv = { readonly report: BillReport; readonly preview: CsvPreview }

/** Some files say what they are about before the names of their columns. */
const MAX_BEFORE = 20
const MAX_EXAMPLE = 40
/** No known column has a longer one. */
const MAX_COLUMN_NAME = 200

const WHOLE: readonly Meaning[] = [
  'input_all',
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'requests',
]

export function readCsv(text: string): ReadCsv | ReportProblem {
  const table = tableIn(text)
  if ('type' in table) return table
  const { format, meanings, columns, separator, rows } = table
  const decimalMark = decimalMarkOf(numbersIn(rows, meanings), separator)
  if (decimalMark === undefined) {
    return problem('Its numbers can be read in two ways (1,234 and 1.234). Save it with all decimals, or with points.')
  }
  const spans = new Map<string, Span>()
  const usage: [string, BillReport['usage'][number]][] = []
  const costs: [string, BillReport['costs'][number]][] = []
  let first: Fields | undefined
  let otherLines = 0
  const hasServices = meanings.includes('service')
  for (const [index, row] of rows.entries()) {
    const line = table.headLines + index + 1
    if (row.length !== columns.length)
      return problem(`Line ${line} has ${row.length} fields in place of ${columns.length}.`)
    const fields = { ...table.always, ...fieldsOf(row, meanings, decimalMark) }
    if (hasServices && !isOfModels(fields.service)) {
      otherLines += 1
      continue
    }
    first ??= fields
    const identity = identityOf(row, meanings)
    for (const kind of format.tells) {
      const read = kind === 'usage' ? readUsageFields(fields) : readCostFields(fields)
      if (read.type === 'problem') return problem(`Line ${line}: ${read.message}`)
      spans.set(spanName(read.span), read.span)
      if (read.type === 'usage') usage.push([identity, { ...read.line, identity }])
      if (read.type === 'cost') costs.push([identity, { ...read.line, identity }])
    }
  }
  const covered = [...spans.values()]
  const report = {
    usage: onlyOnce(usage),
    usageSpans: format.tells.includes('usage') ? covered : [],
    costs: onlyOnce(costs),
    costSpans: format.tells.includes('costs') ? covered : [],
  }
  const shown = columns.map((column, at) => shownColumn(column, meanings[at], first))
  const preview = { format: format.name, columns: shown, separator, decimalMark, lines: rows.length, otherLines }
  return { report, preview }
}

type Table = {
  readonly format: CsvFormat
  readonly separator: Separator
  readonly columns: readonly string[]
  readonly meanings: readonly (Meaning | undefined)[]
  readonly always: Fields
  /** Lines up to the names of the columns, these included. */
  readonly headLines: number
  readonly rows: readonly (readonly string[])[]
}

function tableIn(text: string): Table | ReportProblem {
  let isSeparated = false
  for (const separator of SEPARATORS) {
    const table = separatedTable(text, separator)
    if (table === 'broken') continue
    if (table !== undefined) return table
    isSeparated = true
  }
  if (!isSeparated) return problem(NO_FILE)
  const known = FORMATS.map(({ name }) => name).join('; ')
  return problem(`The columns are of no file that Farebox reads. It reads: ${known}.`)
}

/** undefined where the first lines have no columns that are known; `broken` where the first line is none. */
function separatedTable(text: string, separator: Separator): Table | ReportProblem | 'broken' | undefined {
  const before: (readonly string[])[] = []
  const rows: (readonly string[])[] = []
  let found: ReturnType<typeof formatOf>
  for (const row of csvRows(text, separator)) {
    // Half a file may begin as a whole one does.
    if (row === undefined && found !== undefined) return problem(NO_FILE)
    if (row === undefined) return before.length === 0 ? 'broken' : undefined
    if (found === undefined) {
      const columns = row.map((name) => name.slice(0, MAX_COLUMN_NAME).trim())
      found = formatOf(columns)
      if (before.push(columns) === MAX_BEFORE && found === undefined) return undefined
    } else if (rows.push(row) > MAX_LINES) {
      return problem(`It has more than ${MAX_LINES} lines. Take a shorter time.`)
    }
  }
  const columns = before.at(-1)
  if (found === undefined || columns === undefined) return undefined
  const always = { ...found.format.always, ...currencyOf(before, columns, found.meanings) }
  return { ...found, separator, columns, always, headLines: before.length, rows }
}

function formatOf(columns: readonly string[]): Pick<Table, 'format' | 'meanings'> | undefined {
  for (const format of FORMATS) {
    const meanings = meaningsIn(format, columns)
    if (meanings !== undefined) return { format, meanings }
  }
  return undefined
}

const NO_FILE = 'It is no file of comma-separated values, or only a part of one.'
const CURRENCIES: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' }

/** As the lines before the columns say it, or the name of the amount: `Cost (€)`. */
function currencyOf(
  before: readonly (readonly string[])[],
  columns: readonly string[],
  meanings: readonly (Meaning | undefined)[],
): Fields {
  const said = before.find(([name = '']) => columnName(name) === 'currency')?.[1]?.trim()
  const { inBrackets: sign } = columnParts(columns[meanings.indexOf('amount')] ?? '')
  const currency = said || (sign && (CURRENCIES[sign] ?? sign))
  return currency ? { currency } : {}
}

function* numbersIn(rows: readonly (readonly string[])[], meanings: readonly (Meaning | undefined)[]) {
  const counted = meanings.flatMap((meaning, at) =>
    meaning !== undefined && isCounted(meaning) ? [{ at, isCount: meaning !== 'amount' }] : [],
  )
  for (const row of rows) for (const { at, isCount } of counted) yield { text: row[at] ?? '', isCount }
}

function isCounted(meaning: Meaning): boolean {
  return meaning === 'amount' || WHOLE.includes(meaning)
}

function fieldsOf(row: readonly string[], meanings: readonly (Meaning | undefined)[], mark: DecimalMark): Fields {
  return Object.fromEntries(
    row.flatMap((value, at) => {
      const meaning = meanings[at]
      if (meaning === undefined || value === '') return []
      return [[meaning, isCounted(meaning) ? numberText(value, mark) : value]]
    }),
  )
}

/** Everything of a row that is no count and no amount: a revised number is the same line. Where lines have names, the name alone. */
function identityOf(row: readonly string[], meanings: readonly (Meaning | undefined)[]): string {
  const id = row[meanings.indexOf('id')]
  if (id !== undefined && id !== '') return JSON.stringify([id])
  return JSON.stringify(row.map((value, at) => (isPartOfIdentity(value, meanings[at]) ? value : '')))
}

/** Columns that are not read may be counts as well, or may tell projects and tiers apart. */
function isPartOfIdentity(value: string, meaning: Meaning | undefined): boolean {
  return meaning === undefined ? !isNumberText(value) : !isCounted(meaning)
}

function shownColumn(
  column: string,
  meaning: Meaning | undefined,
  first: Fields | undefined,
): CsvPreview['columns'][number] {
  const example = meaning === undefined ? undefined : first?.[meaning]
  return { column, meaning: meaning ?? null, example: example?.slice(0, MAX_EXAMPLE) ?? null }
}

function problem(message: string): ReportProblem {
  return { type: 'problem', message }
}
