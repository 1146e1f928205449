// farebox scan: what tools used on this machine by their own logs, at the price card.

import { countUpTo, type Flag } from '#cli/flags.ts'
import { UsageError } from '#cli/errors.ts'
import { printable, tableOf, view, type Columns } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import { sumToCredits } from '#core/money.ts'
import type { Scan } from '#scan/scan.ts'
import type { ScanRow } from '#scan/tally.ts'

const GROUPS = ['model', 'day', 'project', 'tool'] as const
type Group = (typeof GROUPS)[number]

const group: Flag<Group> = {
  type: 'string',
  read: ([only = ''], name) => {
    const found = GROUPS.find((one) => one === only)
    if (found === undefined) throw new UsageError(`${name} takes ${GROUPS.join(', ')}.`)
    return found
  },
}

const DAYS = '30'

const scanVerb = verb({
  name: 'scan',
  usage: '[--days N] [--by model|day|project|tool]',
  summary: 'says what tools used by their own logs on this machine, and what it would have cost',
  flags: { days: countUpTo(3660), by: group },
  async run(_client, { flags, sources }) {
    const [{ scan }, { date, priceOfModel }] = await Promise.all([import('#scan/scan.ts'), sources.priceCard()])
    const days = Number(flags.days ?? DAYS)
    const { env, homeDir: home } = sources
    const found = await scan({ home, env, nowMs: Date.now(), days, priceOfModel })
    const value = valueOf(found, days, date)
    return view(value, textOf(found.rows, flags.by ?? 'model', value))
  },
})

export const SCAN_VERBS = [scanVerb]

function valueOf({ rows, files, skipped, isPartial }: Scan, days: number, date: string) {
  return {
    days,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    price_card: date,
    files,
    rows: rows.map(({ cost_micro: cost, ...row }) => ({ ...row, credits: cost === null ? null : sumToCredits(cost) })),
    total_credits: sumToCredits(sum(rows.map(({ cost_micro: cost }) => cost ?? 0))),
    unpriced: unpriced(rows),
    skipped,
    is_partial: isPartial,
  }
}

function unpriced(rows: readonly ScanRow[]): string[] {
  return [...new Set(rows.filter(({ cost_micro: cost }) => cost === null).map(({ model }) => model))].toSorted()
}

type Sums = {
  readonly name: string
  readonly calls: number
  readonly input: number
  readonly read: number
  readonly written: number
  readonly output: number
  /** null where nothing of it has a price. */
  readonly cost: number | null
}

function sumsBy(rows: readonly ScanRow[], by: Group): Sums[] {
  const groups = Map.groupBy(rows, (row) => row[by])
  return [...groups].map(([name, group]) => {
    const of = (count: (row: ScanRow) => number) => sum(group.map(count))
    return {
      name,
      calls: of((row) => row.calls),
      input: of((row) => row.input_tokens),
      read: of((row) => row.cache_read_tokens),
      written: of((row) => row.cache_write_tokens),
      output: of((row) => row.output_tokens),
      cost: group.every((row) => row.cost_micro === null) ? null : of((row) => row.cost_micro ?? 0),
    }
  })
}

function textOf(rows: readonly ScanRow[], by: Group, value: ReturnType<typeof valueOf>): string {
  const { days, price_card: date, total_credits: total, unpriced: none, skipped, is_partial: isPartial } = value
  const columns: Columns<Sums> = {
    [by.toUpperCase()]: ({ name }) => (name === '' ? null : name),
    CALLS: ({ calls }) => calls,
    INPUT: ({ input }) => input,
    'CACHE READ': ({ read }) => read,
    'CACHE WRITE': ({ written }) => written,
    OUTPUT: ({ output }) => output,
    USD: ({ cost }) => (cost === null ? null : sumToCredits(cost).toFixed(2)),
  }
  const sums = sumsBy(rows, by).toSorted((left, right) =>
    by === 'day' ? left.name.localeCompare(right.name) : (right.cost ?? -1) - (left.cost ?? -1),
  )
  return [
    tableOf(columns, sums, `No tool has written about a call in the last ${days} days.`),
    ...(rows.length === 0 ? [] : [`\n${total.toFixed(2)} USD at the price card of ${date}, in ${days} days.`]),
    ...(none.length === 0 ? [] : [`Without a price there, and left out of the sum: ${none.map(printable).join(', ')}`]),
    ...(skipped.lines + skipped.files === 0
      ? []
      : [`Passed over: ${skipped.lines} lines that are too long, ${skipped.files} files that cannot be read.`]),
    ...(isPartial ? ['There are more files or folders than were looked at.'] : []),
    'It is read from the logs of the tools, nothing of it is kept, and the ledger has none of it.',
  ].join('\n')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
