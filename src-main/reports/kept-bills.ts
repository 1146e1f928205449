// Reports of providers on their way into the database and back: there they are numbers by time, here what bills are compared by.

import { createHash } from 'node:crypto'
import type { BillReport, CostLine, UsageLine } from '#bills/report.ts'
import { readReport } from '#bills/read.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { keptReport, type KeptSpan, type LineRow, type ReportKind, type ReportRows } from '#store/bill-reports.ts'
import type { Db } from '#store/database.ts'

/** Names in a report that are kept; no model and no key has a longer one. */
const MAX_NAME = 200
const IDENTITY_DIGITS = 32

export type ReadForKeeping = { readonly form: string; readonly rows: ReportRows }

/** What is kept of a report; lines of one `form` can be told to be the same one. */
export function rowsToKeep(text: string): ReadForKeeping | Refusal {
  const read = readReport(text)
  if (read.type === 'problem') return refuse('invalid_request', read.message, { param: 'file' })
  const { usage, usageSpans, costs, costSpans } = read.report
  const isTooLong = [...usage, ...costs].some(
    ({ model = '', account = '' }) => model.length > MAX_NAME || account.length > MAX_NAME,
  )
  if (isTooLong) return refuse('invalid_request', 'A model or a key in it has too long a name.', { param: 'file' })
  const rows = {
    spans: [
      ...usageSpans.map((span) => ({ kind: 'usage' as const, ...span })),
      ...costSpans.map((span) => ({ kind: 'costs' as const, ...span })),
    ],
    lines: [...usage.map((line) => rowOf('usage', line)), ...costs.map((line) => rowOf('costs', line))],
  }
  return { form: read.preview?.format ?? 'pages', rows }
}

function rowOf(kind: ReportKind, line: UsageLine | CostLine): LineRow {
  const { startMs, endMs: _endMs, identity, ...rest } = line
  const text = JSON.stringify(rest, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return { kind, startMs, identity: hashOf(identity), line: text }
}

function hashOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, IDENTITY_DIGITS)
}

export type KeptRange = { readonly providerId: string; readonly fromMs: number; readonly toMs: number }
export type KeptReport = { readonly report: BillReport; readonly spans: readonly KeptSpan[] }

/** The report that what is kept of a time makes. */
export function reportKept(db: Db, range: KeptRange): KeptReport {
  const { spans, lines } = keptReport(db, range)
  const ends = new Map(spans.map(({ kind, startMs, endMs }) => [`${kind} ${startMs}`, endMs]))
  const of = <Line>(kind: ReportKind): Line[] =>
    lines.filter((row) => row.kind === kind).map((row) => lineOf(row, ends.get(`${kind} ${row.startMs}`)) as Line)
  const spansOf = (wanted: ReportKind) =>
    spans.filter(({ kind }) => kind === wanted).map(({ startMs, endMs }) => ({ startMs, endMs }))
  const report = {
    usage: of<UsageLine>('usage'),
    usageSpans: spansOf('usage'),
    costs: of<CostLine>('costs'),
    costSpans: spansOf('costs'),
  }
  return { report, spans }
}

/** `rowOf` wrote it. */
function lineOf({ startMs, identity, line }: LineRow, endMs: number | undefined): unknown {
  const { amount, ...rest } = JSON.parse(line) as {
    readonly amount?: { readonly parts: string; readonly places: number }
  }
  const exact = amount === undefined ? {} : { amount: { ...amount, parts: BigInt(amount.parts) } }
  return { model: undefined, account: undefined, ...rest, ...exact, startMs, endMs, identity }
}
