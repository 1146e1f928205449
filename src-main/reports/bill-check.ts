// Compares a report of a provider with the records of its calls, on the report thread: both sides can be long.

import { checkBill, timeOf, type Bill } from '#bills/check.ts'
import type { CsvPreview } from '#bills/csv-report.ts'
import { doubtsOf, type DoubtfulRecord, type OurHour } from '#bills/ours.ts'
import { readReport } from '#bills/read.ts'
import { decimalText, type BillReport, type Span } from '#bills/report.ts'
import type { CompareOptions, OurSide } from '#bills/tokens.ts'
import { iso } from '#catalog/dates.ts'
import type { BillCheck } from '#contract/bills.ts'
import { unitParts } from '#core/fine-pricing.ts'
import type { Price } from '#core/price.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { UsageDetails } from '#core/usage.ts'
import { readAccount } from '#store/bill-reports.ts'
import { billHours, doubtfulRecords, type BillHour, type BillRange, type BillRecord } from '#store/bill-rows.ts'
import { reportKept, type KeptRange } from '#reports/kept-bills.ts'
import { priceOfHour } from '#reports/stored-price.ts'
import type { Db } from '#store/database.ts'

/** The report as its file has it, or what is kept of the time from one instant to another that is left out. */
export type BillSource = { readonly text: string; readonly madeMs: number } | Omit<KeptRange, 'providerId'>

export type BillCheckRequest = {
  readonly providerId: string
  readonly providerName: string
  readonly source: BillSource
  /** What is known of the account where nothing is said. */
  readonly accounts: readonly string[] | undefined
}

const HOUR_MS = 3_600_000
/** The longest time that one report is compared for. */
const MAX_DAYS = 100
/** Records in doubt beyond these would be too many to tell apart. */
const MAX_DOUBTFUL = 50_000
/** Differences that are listed, and calls that each of them names. */
const MAX_LISTED = 500
const MAX_CALLS = 20

/** A report that was read, and compared with our side, which is in its classes. */
export type ComparedBill = SourceReport & { readonly bill: Bill; readonly time: Span; readonly side: OurSide }

type SourceReport = {
  readonly report: BillReport
  readonly preview: CsvPreview | undefined
  readonly madeMs: CompareOptions['madeMs']
  /** When the latest of it was made. */
  readonly latestMs: number
}

export function billCheck(db: Db, request: BillCheckRequest): BillCheck | Refusal {
  const compared = compareBill(db, request)
  if (isRefusal(compared)) return compared
  const { bill, time, preview, latestMs } = compared
  const { providerName: provider } = request
  return { provider, ...shownTime(time), made_at: iso(latestMs), columns: shownColumns(preview), ...shownBill(bill) }
}

export function compareBill(db: Db, request: BillCheckRequest): ComparedBill | Refusal {
  const read = readSource(db, request)
  if (isRefusal(read)) return read
  const time = timeOf(read.report)
  if (time === undefined) return refuse('invalid_request', 'The report is about no time.', { param: 'file' })
  if (time.endMs - time.startMs > MAX_DAYS * 24 * HOUR_MS) {
    const says = `The report is about more than ${MAX_DAYS} days. Take a shorter time.`
    return refuse('invalid_request', says, { param: 'file' })
  }
  const { providerId, providerName, accounts = readAccount(db, providerId).accountKeys } = request
  // What ran when the report begins may be counted in its first hour.
  const side = ourSide(db, { providerId, providerName, fromMs: time.startMs - HOUR_MS, toMs: time.endMs })
  if (side === undefined) {
    return refuse('invalid_request', 'Too many calls of that time are in doubt. Take a shorter time.', {
      param: 'file',
    })
  }
  const options = { accounts: accounts === undefined ? undefined : new Set(accounts), madeMs: read.madeMs }
  const bill = checkBill(read.report, side, options)
  return { ...read, bill, time, side: bill.side }
}

function readSource(db: Db, { providerId, source }: BillCheckRequest): SourceReport | Refusal {
  if ('text' in source) {
    const { text, madeMs } = source
    const read = readReport(text)
    if (read.type === 'problem') return refuse('invalid_request', read.message, { param: 'file' })
    return { ...read, madeMs: () => madeMs, latestMs: madeMs }
  }
  const { report, spans } = reportKept(db, { providerId, ...source })
  if (spans.length === 0) return refuse('not_found', 'No report of that time is kept.')
  const latestMs = spans.reduce((latest, { madeMs }) => Math.max(latest, madeMs), 0)
  const made = new Map(spans.map(({ kind, startMs, madeMs }) => [`${kind} ${startMs}`, madeMs]))
  return { report, preview: undefined, latestMs, madeMs: (kind, startMs) => made.get(`${kind} ${startMs}`) ?? latestMs }
}

/** Each price once, however many hours were charged at it. */
function hoursOf(rows: readonly BillHour[]): OurHour[] {
  const prices = new Map<string, Price | undefined>()
  return rows.map((row) => {
    const { hour, model, calls, charge_micro: chargeMicro, input, cache_read, cache_write, output } = row
    const name = `${row.version} ${row.model_id}`
    if (!prices.has(name)) prices.set(name, priceOfHour(row))
    const counts = { input, cache_read, cache_write, output }
    return { startMs: hour * HOUR_MS, model, calls, counts, chargeMicro, price: prices.get(name) }
  })
}

function ourSide(db: Db, range: BillRange): OurSide | undefined {
  const records = doubtfulRecords(db, range, MAX_DOUBTFUL + 1)
  if (records.length > MAX_DOUBTFUL) return undefined
  const doubtful = records.flatMap((record) => doubtsOf(recordInDoubt(record, range)))
  return { hours: hoursOf(billHours(db, range)), doubtful }
}

function recordInDoubt(record: BillRecord, { providerId, providerName }: BillRange): DoubtfulRecord {
  const { created_at_ms: startMs, upstream_model: upstreamModel, details } = record
  // All were written by this program.
  const attempts = JSON.parse(record.attempts ?? '[]') as readonly {
    readonly provider?: string
    readonly model?: string
  }[]
  const units = details === null ? undefined : (JSON.parse(details) as UsageDetails).units
  const unitPrices = record.price_details === null ? undefined : (JSON.parse(record.price_details) as Price).units
  return {
    id: record.id,
    isServed: record.provider_id === providerId && upstreamModel !== null,
    upstreamModel: upstreamModel ?? '',
    outcome: record.outcome,
    usageSource: record.usage_source,
    estimatedClasses: record.estimated_classes,
    counts: {
      input: record.input_tokens ?? 0,
      cache_read: record.cache_read_tokens ?? 0,
      cache_write: record.cache_write_tokens ?? 0,
      output: record.output_tokens ?? 0,
    },
    hasUnits: units !== undefined,
    unitParts: units === undefined ? 0n : unitParts(units, unitPrices),
    startMs,
    endMs: startMs + record.duration_ms,
    failedModels: attempts
      .slice(0, -1)
      .flatMap(({ provider, model = '' }) => (provider === providerName ? [model] : [])),
  }
}

function shownBill({ tokens, money, unexplained }: Bill): Pick<BillCheck, 'tokens' | 'money' | 'unexplained'> {
  return {
    tokens: {
      compared: tokens.compared,
      differing: tokens.differences.length,
      differences: tokens.differences
        .slice(0, MAX_LISTED)
        .map(({ model, ours, theirs, causes, calls, startMs, endMs }) => ({
          ...shownTime({ startMs, endMs }),
          model,
          ours,
          theirs,
          causes: [...causes],
          ...shownCalls(calls),
        })),
    },
    money: {
      compared: money.compared,
      differing: money.differences.length,
      differences: money.differences
        .slice(0, MAX_LISTED)
        .map(({ model, oursParts, theirsParts, tokenParts, currency, causes, calls, ...time }) => ({
          ...shownTime(time),
          model: model ?? null,
          ours: decimalText(oursParts),
          theirs: decimalText(theirsParts),
          of_tokens: decimalText(tokenParts),
          currency,
          causes: [...causes],
          ...shownCalls(calls),
        })),
    },
    unexplained,
  }
}

export function shownTime({ startMs, endMs }: Span): { readonly from: string; readonly to: string } {
  return { from: iso(startMs), to: iso(endMs) }
}

export function shownCalls(ids: readonly string[]): { calls: string[]; call_count: number } {
  return { calls: ids.slice(0, MAX_CALLS), call_count: ids.length }
}

function shownColumns(preview: CsvPreview | undefined): BillCheck['columns'] {
  if (preview === undefined) return null
  const { format, columns, separator, decimalMark, lines, otherLines } = preview
  const read = columns.map((column) => ({ ...column }))
  return { format, read, separator, decimal_mark: decimalMark, lines, other_lines: otherLines }
}
