// The table under the chart as data: what the page draws and what its CSV file has are one and the same cells.

import type { Totals, UsageReport } from '#contract/reports.ts'
import type { CsvField } from '#contract/csv.ts'
import { creditsText } from '#renderer/data/money.ts'
import {
  amountOf,
  doubtOf,
  plus,
  seriesIds,
  summed,
  TOKEN_CLASSES,
  unitOf,
  type AmountSeries,
  type Doubt,
  type Measure,
  type Unit,
} from '#renderer/data/usage-amounts.ts'

export type TableCell =
  | {
      readonly type: 'amount'
      readonly unit: Unit
      readonly value: bigint | undefined
      readonly doubt: Doubt | undefined
    }
  /** `part` of the amount before: 0.1 is ten per cent more; undefined where there was nothing before. */
  | {
      readonly type: 'change'
      readonly unit: Unit
      readonly value: bigint | undefined
      readonly part: number | undefined
    }
  /** A part of one. */
  | { readonly type: 'share'; readonly part: number | undefined }

export type TableColumn =
  | { readonly id: string; readonly type: 'measure'; readonly measure: Measure }
  | { readonly id: string; readonly type: 'previous' | 'change'; readonly measure: Measure }
  | { readonly id: string; readonly type: 'share' }
  | { readonly id: string; readonly type: 'series'; readonly measure: Measure; readonly series: AmountSeries }

export type RowHead =
  | {
      readonly type: 'group'
      readonly kind: AmountSeries['kind']
      readonly name: string | null
      /** Of a key, provider or package. */
      readonly groupId: string | null
      readonly seriesId: string
    }
  /** `endMs` is left out of it. */
  | { readonly type: 'interval'; readonly startMs: number; readonly endMs: number }

export type TableRow = { readonly id: string; readonly head: RowHead; readonly cells: readonly TableCell[] }
export type UsageTable = {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
  readonly totals: readonly TableCell[]
}

/** One row for each group, in the order of the report. */
export function groupTable(report: UsageReport, measure: Measure): UsageTable {
  const whole = amountOf(report.totals, measure)
  const rest = otherMeasures(measure)
  const ids = seriesIds(report)
  const cells = ({ totals, previous }: { readonly totals: Totals; readonly previous: Totals }): TableCell[] => [
    amountCell(totals, measure),
    ...comparison(amountOf(totals, measure), amountOf(previous, measure), unitOf(measure)),
    { type: 'share', part: partOf(amountOf(totals, measure), whole) },
    ...rest.map((other) => amountCell(totals, other)),
  ]
  return {
    columns: [...leading(measure), { id: 'share', type: 'share' }, ...rest.map(measureColumn)],
    rows: report.series.map((series, index) => {
      const id = ids[index] ?? ''
      const { kind, name, id: groupId } = series
      return { id, head: { type: 'group', kind, name, groupId, seriesId: id }, cells: cells(series) }
    }),
    totals: cells(report),
  }
}

type IntervalOptions = {
  readonly measure: Measure
  /** What the chart draws. */
  readonly series: readonly AmountSeries[]
  /** For each interval the one of the period before; undefined while that is not known. */
  readonly before: readonly (bigint | undefined)[] | undefined
}

/** One row for each interval. */
export function intervalTable(report: UsageReport, { measure, series, before }: IntervalOptions): UsageTable {
  const unit = unitOf(measure)
  const sums = summed(series, report.intervals.length)
  const parts = series.length > 1 ? series : []
  const cellsOf = (sum: TableCell, earlier: bigint | undefined, amounts: readonly (bigint | undefined)[]) => [
    sum,
    ...comparison(sum.type === 'amount' ? sum.value : undefined, earlier, unit),
    ...amounts.map((value): TableCell => ({ type: 'amount', unit, value, doubt: undefined })),
  ]
  const whole = report.group === 'none' ? report.series[0]?.points : undefined
  return {
    columns: [
      ...leading(measure),
      ...parts.map((one) => ({ id: `series ${one.id}`, type: 'series' as const, measure, series: one })),
    ],
    rows: report.intervals.map((start, index) => {
      const point = whole?.[index]
      const doubt = point === undefined ? undefined : doubtOf(point, measure)
      const sum: TableCell = { type: 'amount', unit, value: sums[index], doubt }
      const amounts = parts.map((one) => one.points[index])
      return { id: start, head: intervalHead(report, index), cells: cellsOf(sum, before?.[index], amounts) }
    }),
    totals: cellsOf(
      amountCell(report.totals, measure),
      before?.reduce(plus, undefined),
      parts.map((one) => one.points.reduce(plus, undefined)),
    ),
  }
}

export type SortOrder = { readonly column: string; readonly isDescending: boolean }

/** By the cells of a column, unknown ones last; `head` is the first column. Without an order as it is. */
export function sorted(
  table: UsageTable,
  order: SortOrder | undefined,
  headText: (head: RowHead) => string,
): UsageTable {
  if (order === undefined) return table
  const index = table.columns.findIndex((column) => column.id === order.column)
  if (index === -1 && order.column !== 'head') return table
  const direction = order.isDescending ? -1 : 1
  const compare = (left: TableRow, right: TableRow) =>
    index === -1
      ? direction * compareHeads(left.head, right.head, headText)
      : compareCells(left.cells[index], right.cells[index], direction)
  return { ...table, rows: table.rows.toSorted(compare) }
}

export type CsvWords = {
  readonly head: (head: RowHead) => string
  readonly headColumn: string
  /** One or two names of columns: changes have their amount and their part. */
  readonly columns: (column: TableColumn) => readonly string[]
  readonly total: string
}

/** Every row and column as they are shown, with all digits. */
export function csvLines(table: UsageTable, words: CsvWords): CsvField[][] {
  return [
    [words.headColumn, ...table.columns.flatMap(words.columns)],
    ...table.rows.map((row) => [words.head(row.head), ...row.cells.flatMap(csvFields)]),
    [words.total, ...table.totals.flatMap(csvFields)],
  ]
}

function csvFields(cell: TableCell): CsvField[] {
  if (cell.type === 'share') return [percentField(cell.part)]
  const amount = cell.value === undefined ? undefined : { number: exactText(cell.value, cell.unit) }
  return cell.type === 'change' ? [amount, percentField(cell.part)] : [amount]
}

function exactText(value: bigint, unit: Unit): string {
  return unit === 'credits' ? creditsText(value) : String(value)
}

function percentField(part: number | undefined): CsvField {
  return part === undefined ? undefined : { number: (part * 100).toFixed(2) }
}

function leading(measure: Measure): TableColumn[] {
  return [
    measureColumn(measure),
    { id: 'previous', type: 'previous', measure },
    { id: 'change', type: 'change', measure },
  ]
}

function measureColumn(measure: Measure): TableColumn {
  return { id: measure, type: 'measure', measure }
}

/** What stands beside a measure; for tokens that is what they are made of. */
function otherMeasures(measure: Measure): Measure[] {
  if (measure === 'tokens') return [...TOKEN_CLASSES, 'requests', 'cost']
  return (['cost', 'requests', 'failed', 'tokens'] as const).filter((other) => other !== measure)
}

function amountCell(totals: Totals, measure: Measure): TableCell {
  return { type: 'amount', unit: unitOf(measure), value: amountOf(totals, measure), doubt: doubtOf(totals, measure) }
}

function comparison(now: bigint | undefined, before: bigint | undefined, unit: Unit): TableCell[] {
  const value = now === undefined || before === undefined ? undefined : now - before
  return [
    { type: 'amount', unit, value: before, doubt: undefined },
    { type: 'change', unit, value, part: partOf(value, before) },
  ]
}

/** Exact to a hundredth of a per cent. */
function partOf(part: bigint | undefined, whole: bigint | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole === 0n) return undefined
  return Number((part * 10_000n) / whole) / 10_000
}

function intervalHead({ intervals, to }: UsageReport, index: number): RowHead {
  return {
    type: 'interval',
    startMs: Date.parse(intervals[index] ?? to),
    endMs: Date.parse(intervals[index + 1] ?? to),
  }
}

function compareHeads(left: RowHead, right: RowHead, headText: (head: RowHead) => string): number {
  if (left.type === 'interval' && right.type === 'interval') return left.startMs - right.startMs
  return headText(left).localeCompare(headText(right))
}

function compareCells(left: TableCell | undefined, right: TableCell | undefined, direction: 1 | -1): number {
  const [first, second] = [sortValue(left), sortValue(right)]
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
  return first === second ? 0 : first < second ? -direction : direction
}

function sortValue(cell: TableCell | undefined): bigint | number | undefined {
  return cell === undefined || cell.type === 'share' ? cell?.part : cell.value
}
