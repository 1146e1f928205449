// farebox scan: what tools used on this machine by their own logs, at the price card.

import { countUpTo, type Flag } from '#cli/flags.ts'
import { UsageError } from '#cli/errors.ts'
import { printable, tableOf, view, type Columns } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import { sumToCredits } from '#core/money.ts'
import type { Scan } from '#scan/scan.ts'
import { SCAN_GROUPS, sumOf, sumsBy, unpricedIn, type ScanGroup, type ScanSum } from '#scan/summary.ts'
import type { ScanRow } from '#scan/tally.ts'

const group: Flag<ScanGroup> = {
  type: 'string',
  read: ([only = ''], name) => {
    const found = SCAN_GROUPS.find((one) => one === only)
    if (found === undefined) throw new UsageError(`${name} takes ${SCAN_GROUPS.join(', ')}.`)
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

function valueOf({ rows, files, skipped, uncounted, isPartial }: Scan, days: number, date: string) {
  return {
    days,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    price_card: date,
    files,
    rows: rows.map(({ cost_micro: cost, ...row }) => ({ ...row, credits: cost === null ? null : sumToCredits(cost) })),
    total_credits: sumToCredits(sumOf(rows).cost_micro ?? 0),
    unpriced: unpricedIn(rows),
    skipped,
    uncounted,
    is_partial: isPartial,
  }
}

function textOf(rows: readonly ScanRow[], by: ScanGroup, value: ReturnType<typeof valueOf>): string {
  const {
    days,
    price_card: date,
    total_credits: total,
    unpriced: none,
    skipped,
    uncounted,
    is_partial: isPartial,
  } = value
  const columns: Columns<ScanSum> = {
    [by.toUpperCase()]: ({ name }) => (name === '' ? null : name),
    CALLS: ({ calls }) => calls,
    INPUT: ({ input_tokens: input }) => input,
    'CACHE READ': ({ cache_read_tokens: read }) => read,
    'CACHE WRITE': ({ cache_write_tokens: written }) => written,
    OUTPUT: ({ output_tokens: output }) => output,
    USD: ({ cost_micro: cost }) => (cost === null ? null : sumToCredits(cost).toFixed(2)),
  }
  return [
    tableOf(columns, sumsBy(rows, by), `No tool has written about a call in the last ${days} days.`),
    ...(rows.length === 0 ? [] : [`\n${total.toFixed(2)} USD at the price card of ${date}, in ${days} days.`]),
    ...(none.length === 0 ? [] : [`Without a price there, and left out of the sum: ${none.map(printable).join(', ')}`]),
    ...(skipped.lines + skipped.files === 0
      ? []
      : [`Passed over: ${skipped.lines} lines that are too long, ${skipped.files} files that cannot be read.`]),
    ...(uncounted.length === 0 ? [] : [`Used here without counts that could be read: ${uncounted.join(', ')}`]),
    ...(isPartial ? ['There are more files or folders than were looked at.'] : []),
    'It is read from the logs of the tools, nothing of it is kept, and the ledger has none of it.',
  ].join('\n')
}
