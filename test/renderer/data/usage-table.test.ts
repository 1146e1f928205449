import { describe, expect, it } from 'vitest'
import { csvText } from '#contract/csv.ts'
import { amountOf, doubtOf, seriesOf, summed } from '#renderer/data/usage-amounts.ts'
import { csvLines, groupTable, intervalTable, sorted, type TableCell } from '#renderer/data/usage-table.ts'
import { report, totals } from './usage-report.ts'

const THREE = report([
  {
    name: 'b',
    points: [
      { micro: 100_000, requests: 1 },
      { micro: 200_000, requests: 2 },
    ],
    previous: { micro: 200_000 },
  },
  { name: 'a', points: [{ micro: 1, requests: 1 }, { requests: 0 }] },
  {
    kind: 'other',
    points: [
      { micro: 5, requests: 3 },
      { micro: 7, requests: 4 },
    ],
  },
])

describe('amounts', () => {
  it('are micro-credits, exactly as the API wrote them', () => {
    expect(amountOf(totals({ micro: 300_000 + 13 }), 'cost')).toBe(300_013n)
    expect(amountOf(totals({ micro: 9_007_199_254_740 }), 'cost')).toBe(9_007_199_254_740n)
  })

  it('of tokens are the sum of their classes, in which reasoning is contained', () => {
    expect(amountOf({ ...totals({ input: 10, output: 5 }), reasoning_tokens: 4, cache_read_tokens: 2 }, 'tokens')).toBe(
      17n,
    )
  })

  it('are unknown where nobody counted any of the calls, and never 0', () => {
    expect(amountOf(totals({ requests: 2, unknown: 2 }), 'tokens')).toBeUndefined()
    expect(amountOf(totals({ requests: 2, unknown: 2 }), 'requests')).toBe(2n)
    expect(amountOf(totals(), 'tokens')).toBe(0n)
  })

  it('of tokens are in doubt where calls were estimated, charges never', () => {
    const some = totals({ requests: 5, estimated: 2, unknown: 1 })
    expect(doubtOf(some, 'output')).toEqual({ estimated: 2, unknown: 1, requests: 5 })
    expect(doubtOf(some, 'cost')).toBeUndefined()
    expect(doubtOf(totals({ requests: 5 }), 'output')).toBeUndefined()
  })
})

describe('series', () => {
  it('beyond the first ones are one with those that the report has summed up already', () => {
    const series = seriesOf(THREE, 'cost', 1)
    expect(series.map((one) => one.kind)).toEqual(['value', 'other'])
    expect(series[1]?.points).toEqual([6n, 7n])
  })

  it('are as many as they are where they fit', () => {
    expect(seriesOf(THREE, 'cost', 6).map((one) => one.name)).toEqual(['b', 'a', null])
  })

  it('add up to the same totals however few are shown', () => {
    for (const most of [0, 1, 2, 6]) expect(summed(seriesOf(THREE, 'cost', most), 2)).toEqual([100_006n, 200_007n])
  })

  it('are the classes of tokens where nothing is grouped', () => {
    const whole = report([{ kind: 'all', points: [{ input: 3, output: 4 }] }], { group: 'none' })
    expect(seriesOf(whole, 'tokens', 6).map((one) => [one.name, one.points])).toEqual([
      ['input', [3n]],
      ['cache_read', [0n]],
      ['cache_write', [0n]],
      ['output', [4n]],
    ])
    expect(seriesOf(whole, 'output', 6).map((one) => one.points)).toEqual([[4n]])
  })
})

describe('the table of groups', () => {
  const table = groupTable(THREE, 'cost')

  it('has the totals of the report, which are the sums of its rows', () => {
    const sums = table.rows.map((row) => valueIn(row.cells[0])).reduce((left, right) => (left ?? 0n) + (right ?? 0n))
    expect(valueIn(table.totals[0])).toBe(300_013n)
    expect(sums).toBe(300_013n)
  })

  it('compares with the period before, and has no per cent of nothing', () => {
    expect(table.rows[0]?.cells.slice(1, 3)).toEqual([
      { type: 'amount', unit: 'credits', value: 200_000n, doubt: undefined },
      { type: 'change', unit: 'credits', value: 100_000n, part: 0.5 },
    ])
    expect(table.rows[1]?.cells[2]).toEqual({ type: 'change', unit: 'credits', value: 1n, part: undefined })
  })

  it('has a cell for every column', () => {
    for (const row of table.rows) expect(row.cells).toHaveLength(table.columns.length)
    expect(table.totals).toHaveLength(table.columns.length)
  })
})

describe('the table of intervals', () => {
  const series = seriesOf(THREE, 'cost', 1)

  it('has one row for each, which ends where the next one begins', () => {
    const table = intervalTable(THREE, { measure: 'cost', series, before: [50_000n, undefined] })
    expect(table.rows.map((row) => row.head)).toEqual([
      { type: 'interval', startMs: Date.parse('2026-11-14T23:00:00Z'), endMs: Date.parse('2026-11-15T23:00:00Z') },
      { type: 'interval', startMs: Date.parse('2026-11-15T23:00:00Z'), endMs: Date.parse('2026-11-21T12:00:00Z') },
    ])
    expect(table.rows[0]?.cells.map(valueIn)).toEqual([100_006n, 50_000n, 50_006n, 100_000n, 6n])
    expect(table.rows[1]?.cells.map(valueIn)).toEqual([200_007n, undefined, undefined, 200_000n, 7n])
  })

  it('adds up in every column', () => {
    const { rows, totals: whole } = intervalTable(THREE, { measure: 'cost', series, before: [1n, 2n] })
    for (const [index, cell] of whole.entries()) {
      expect(valueIn(cell)).toBe(rows.reduce((sum, row) => sum + (valueIn(row.cells[index]) ?? 0n), 0n))
    }
  })

  it('does not repeat the only series there is', () => {
    const whole = report([{ kind: 'all', points: [{ micro: 3 }] }], { group: 'none' })
    const table = intervalTable(whole, { measure: 'cost', series: seriesOf(whole, 'cost', 6), before: undefined })
    expect(table.columns.map((column) => column.id)).toEqual(['cost', 'previous', 'change'])
  })
})

describe('sorting', () => {
  const table = groupTable(THREE, 'cost')
  const names = (column: string, isDescending: boolean) =>
    sorted(table, { column, isDescending }, (head) => (head.type === 'group' ? (head.name ?? 'z') : '')).rows.map(
      (row) => (row.head.type === 'group' ? row.head.name : ''),
    )

  it('goes by the cells of a column or by the head', () => {
    expect(names('cost', false)).toEqual(['a', null, 'b'])
    expect(names('cost', true)).toEqual(['b', null, 'a'])
    expect(names('head', false)).toEqual(['a', 'b', null])
  })

  it('leaves the order alone for a column that is not there', () => {
    expect(names('nonsense', true)).toEqual(['b', 'a', null])
  })

  it('puts what is unknown last in both directions', () => {
    const unknown = groupTable(
      report([
        { name: 'unknown', points: [{ requests: 1, unknown: 1 }] },
        { name: 'none', points: [{ requests: 1 }] },
        { name: 'some', points: [{ requests: 1, input: 4 }] },
      ]),
      'tokens',
    )
    for (const isDescending of [true, false]) {
      const rows = sorted(unknown, { column: 'tokens', isDescending }, () => '').rows
      expect(rows.at(-1)?.id).toBe('unknown')
    }
  })
})

describe('the CSV of a table', () => {
  it('has every cell with all digits, and its totals', () => {
    const table = groupTable(THREE, 'cost')
    const text = csvText(
      csvLines(table, {
        head: (head) => (head.type === 'group' ? (head.name ?? 'Other') : ''),
        headColumn: 'Model',
        columns: (column) => (column.type === 'change' ? [column.id, `${column.id} %`] : [column.id]),
        total: 'Total',
      }),
    )
    expect(text.split('\r\n')).toEqual([
      'Model,cost,previous,change,change %,share,requests,failed,tokens',
      'b,0.3,0.2,0.1,50.00,99.99,3,0,0',
      'a,0.000001,0,0.000001,,0.00,1,0,0',
      'Other,0.000012,0,0.000012,,0.00,7,0,0',
      'Total,0.300013,0.2,0.100013,50.00,100.00,11,0,0',
      '',
    ])
  })
})

function valueIn(cell: TableCell | undefined): bigint | undefined {
  return cell === undefined || cell.type === 'share' ? undefined : cell.value
}
