// The files that people download from the consoles of providers, as data: which columns they have, and what each of them says.

import { csvRows } from '#bills/csv.ts'
import { readCostFields, readUsageFields, type Fields } from '#bills/fields.ts'
import { MAX_LINES, onlyOnce, spanName, type BillReport, type ReportProblem, type Span } from '#bills/report.ts'

/** What a column says; `input_all` is the whole input, whatever of it was cached. */
export type Meaning = keyof Fields

type CsvFormat = {
  readonly name: string
  readonly type: 'usage' | 'costs'
  readonly columns: Readonly<Record<string, Meaning>>
  /** Without these it is another file. */
  readonly needs: readonly string[]
}

const FORMATS: readonly CsvFormat[] = [
  // platform.openai.com/usage, Export, seen in files of 2025-10-12.
  {
    name: 'OpenAI, usage',
    type: 'usage',
    needs: ['start_time', 'end_time', 'model', 'input_tokens', 'output_tokens'],
    columns: {
      start_time: 'start',
      end_time: 'end',
      model: 'model',
      input_tokens: 'input_all',
      input_cached_tokens: 'cache_read',
      input_cache_write_tokens: 'cache_write',
      output_tokens: 'output',
      num_model_requests: 'requests',
      api_key_id: 'account',
    },
  },
  {
    name: 'OpenAI, costs',
    type: 'costs',
    needs: ['start_time', 'end_time', 'amount_value', 'amount_currency'],
    columns: {
      start_time: 'start',
      end_time: 'end',
      amount_value: 'amount',
      amount_currency: 'currency',
      line_item: 'item',
    },
  },
  // The usage and cost pages of Anthropic's console, Export, seen in files of 2026-03-22.
  {
    name: 'Anthropic, usage',
    type: 'usage',
    needs: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
    columns: {
      usage_date_utc: 'day',
      model_version: 'model',
      api_key: 'account',
      usage_input_tokens_no_cache: 'input',
      usage_input_tokens_cache_write_5m: 'cache_write',
      usage_input_tokens_cache_write_1h: 'cache_write_1h',
      usage_input_tokens_cache_read: 'cache_read',
      usage_output_tokens: 'output',
    },
  },
  {
    name: 'Anthropic, costs',
    type: 'costs',
    needs: ['usage_date_utc', 'model', 'cost_usd'],
    columns: { usage_date_utc: 'day', model: 'model', api_key: 'account', cost_usd: 'amount', cost_type: 'kind' },
  },
]

/** How a file is read: what each of its columns is taken for, null for those that are not read. */
export type CsvPreview = {
  readonly format: string
  readonly columns: readonly { readonly column: string; readonly meaning: Meaning | null }[]
  readonly lines: number
}

export type ReadCsv = { readonly report: BillReport; readonly preview: CsvPreview }

export function readCsv(text: string): ReadCsv | ReportProblem {
  // One more than is allowed, and the line of names.
  const all = csvRows(text, MAX_LINES + 2)
  if (all === undefined) return problem('It is no file of comma-separated values, or only a part of one.')
  const [head = [], ...rows] = all
  if (rows.length > MAX_LINES) return problem(`It has more than ${MAX_LINES} lines. Take a shorter time.`)
  const columns = head.map((name) => name.trim().toLowerCase())
  const format = FORMATS.find(({ needs }) => needs.every((name) => columns.includes(name)))
  if (format === undefined) {
    return problem(
      `The columns are of no file that Farebox reads. It reads: ${FORMATS.map(({ name }) => name).join('; ')}.`,
    )
  }
  const meanings = columns.map((column) => format.columns[column])
  const spans = new Map<string, Span>()
  const usage: [string, BillReport['usage'][number]][] = []
  const costs: [string, BillReport['costs'][number]][] = []
  for (const [index, row] of rows.entries()) {
    if (row.length !== columns.length)
      return problem(`Line ${index + 2} has ${row.length} fields in place of ${columns.length}.`)
    const fields: Fields = Object.fromEntries(
      row.flatMap((value, at) => (meanings[at] === undefined || value === '' ? [] : [[meanings[at], value]])),
    )
    const identity = identityOf(row, meanings)
    const read = format.type === 'usage' ? readUsageFields(fields) : readCostFields(fields)
    if (read.type === 'problem') return problem(`Line ${index + 2}: ${read.message}`)
    spans.set(spanName(read.span), read.span)
    if (read.type === 'usage') usage.push([identity, { ...read.line, identity }])
    if (read.type === 'cost') costs.push([identity, { ...read.line, identity }])
  }
  const covered = [...spans.values()]
  const report = {
    usage: onlyOnce(usage),
    usageSpans: format.type === 'usage' ? covered : [],
    costs: onlyOnce(costs),
    costSpans: format.type === 'costs' ? covered : [],
  }
  const named = columns.map((column, at) => ({ column, meaning: meanings[at] ?? null }))
  return { report, preview: { format: format.name, columns: named, lines: rows.length } }
}

const COUNTED: readonly Meaning[] = [
  'input_all',
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'requests',
  'amount',
]

/** Everything of a row that is no count and no amount: a revised number is the same line. */
function identityOf(row: readonly string[], meanings: readonly (Meaning | undefined)[]): string {
  return JSON.stringify(row.map((value, at) => (isPartOfIdentity(value, meanings[at]) ? value : '')))
}

/** Columns that are not read may be counts as well, or may tell projects and tiers apart. */
function isPartOfIdentity(value: string, meaning: Meaning | undefined): boolean {
  return meaning === undefined ? !/^-?\d+(\.\d+)?$/.test(value) : !COUNTED.includes(meaning)
}

function problem(message: string): ReportProblem {
  return { type: 'problem', message }
}
