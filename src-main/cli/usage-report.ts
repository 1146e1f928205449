// farebox usage report: sums of the usage by group and time, as a table or as CSV.

import { csvLine } from '#contract/csv.ts'
import { countUpTo, text, toggle } from '#cli/flags.ts'
import { table, timeIn, view, type Cell } from '#cli/output.ts'
import { requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { Totals, UsageReport } from '#contract/reports.ts'
import { SUM_COLUMNS } from '#contract/usage-sums.ts'

const MAX_TOP = 999

const report = verb({
  name: 'usage report',
  usage: [
    '[--from WHEN] [--to WHEN] [--group none|model|key|provider|package|owner|member|tool|project|tag] [--rollup hour|day] [--top N]',
    '[--key NAME] [--model ID] [--provider NAME] [--package NAME] [--owner NAME] [--member NAME] [--tool NAME]',
    '[--project NAME] [--tag NAME] [--csv]',
  ].join(' '),
  summary: 'sums up the usage by group and time, and compares it with the period before',
  flags: {
    from: text,
    to: text,
    group: text,
    rollup: text,
    top: countUpTo(MAX_TOP),
    key: text,
    model: text,
    provider: text,
    package: text,
    owner: text,
    member: text,
    tool: text,
    project: text,
    tag: text,
    csv: toggle,
  },
  async run(client, { flags: { csv, ...filter } }) {
    const query = requestQuery('usageReport', filter)
    if (csv === true) return { type: 'chunks', chunks: csvChunks(async () => client.call('usageReport', { query })) }
    const answer = await client.call('usageReport', { query })
    return view(answer, totalsText(answer))
  },
})

export const USAGE_REPORT_VERBS = [report]

/** A line for each interval of each group; of the rest its sum is called `other`, as in the answer of the API. */
async function* csvChunks(ask: () => Promise<UsageReport>): AsyncGenerator<string> {
  const { series, intervals } = await ask()
  yield csvLine(['interval', 'kind', 'name', ...SUM_COLUMNS])
  for (const { kind, name, points } of series) {
    yield intervals
      .map((interval, index) => {
        const point = points[index]
        return point === undefined ? '' : csvLine([interval, kind, name, ...SUM_COLUMNS.map((column) => point[column])])
      })
      .join('')
  }
}

const TOTAL_HEADERS = ['REQUESTS', 'FAILED', 'IN', 'CACHED', 'WRITTEN', 'OUT', 'CREDITS']

/** The sums of a report for people, with the time that they are of. */
export function totalsText(answer: UsageReport): string {
  const zone = answer.time_zone
  const head = `${timeIn(answer.from, zone)} to ${timeIn(answer.to, zone)}, ${zone}`
  const rows = answer.group === 'none' ? intervalRows(answer) : groupRows(answer)
  const total = ['total', ...cellsOf(answer.totals), answer.group === 'none' ? null : answer.previous.charge_credits]
  const first = answer.group === 'none' ? answer.rollup : answer.group
  const headers = [first.toUpperCase(), ...TOTAL_HEADERS, ...(answer.group === 'none' ? [] : ['BEFORE'])]
  const body = rows.length === 0 ? 'There was no usage.' : table(headers, [...rows, total], '')
  const before = `The same length of time before: ${answer.previous.charge_credits} credits in ${answer.previous.requests} requests.`
  return [head, '', body, '', before, ...doubts(answer.totals)].join('\n')
}

/** Without groups the course of time is what there is to see. Intervals in which nothing happened are left out. */
function intervalRows({ intervals, series, time_zone: zone }: UsageReport): Cell[][] {
  const points = series[0]?.points ?? []
  return intervals.flatMap((interval, index) => {
    const point = points[index]
    return point === undefined || point.requests === 0 ? [] : [[timeIn(interval, zone), ...cellsOf(point)]]
  })
}

function groupRows({ group, series }: UsageReport): Cell[][] {
  return series.map(({ kind, id, name, totals, previous }) => [
    kind === 'other' ? 'other' : group === 'member' ? memberName(id, name) : name,
    ...cellsOf(totals),
    previous.charge_credits,
  ])
}

/** Keys can say of their owner whom they like, also the name of a member. */
function memberName(id: string | null, name: string | null): string {
  if (name === null) return '(nobody)'
  return id === null ? `${name} (no member)` : name
}

function cellsOf(totals: Totals): Cell[] {
  return [
    totals.requests,
    totals.failed,
    totals.input_tokens,
    totals.cache_read_tokens,
    totals.cache_write_tokens,
    totals.output_tokens,
    totals.charge_credits,
  ]
}

function doubts({ estimated_usage: estimated, unknown_usage: unknown }: Totals): string[] {
  return [
    ...(estimated === 0 ? [] : [`For ${estimated} calls some tokens were counted by Farebox or are not known.`]),
    ...(unknown === 0 ? [] : [`The tokens of ${unknown} calls are not known and not in the sums.`]),
  ]
}
