// farebox usage --by: what each member, key or model used in a time, as a table, as the API gives it, or as CSV.

import type { AdminClient } from '#cli/client.ts'
import { csvLine } from '#contract/csv.ts'
import { UsageError } from '#cli/errors.ts'
import { view, type Output } from '#cli/output.ts'
import { requestQuery } from '#cli/request.ts'
import { totalsText } from '#cli/usage-report.ts'
import type { UsageReport, UsageReportQuery } from '#contract/reports.ts'
import { SUM_COLUMNS } from '#contract/usage-sums.ts'

/** As many groups as the gateway tells apart without the course of time. */
const EVERYBODY = '999'
const CHOICES = [
  'member',
  'owner',
  'key',
  'model',
  'provider',
  'package',
  'tool',
  'project',
  'tag',
  'session',
] as const satisfies readonly UsageReport['group'][]

type Asked = Pick<
  UsageReportQuery,
  'from' | 'to' | 'key' | 'model' | 'provider' | 'package' | 'owner' | 'member' | 'tool' | 'project' | 'tag'
>

/** Of the present month unless a time is named. */
export async function usageBy(
  client: AdminClient,
  by: string,
  {
    asked,
    isCsv,
  }: { readonly asked: { readonly [Name in keyof Asked]?: string | undefined }; readonly isCsv: boolean },
): Promise<Output> {
  if (!CHOICES.some((choice) => choice === by)) throw new UsageError(`--by must be one of ${CHOICES.join(', ')}.`)
  const fixed = { group: by, rollup: 'day', points: 'none', top: EVERYBODY }
  const query = requestQuery('usageReport', { ...asked, from: asked.from ?? 'month', ...fixed })
  const ask = () => client.call('usageReport', { query })
  if (isCsv) return { type: 'chunks', chunks: csvChunks(ask) }
  const report = await ask()
  return view(report, totalsText(report))
}

/** Every line says of which time it is, so that files can be put together. */
async function* csvChunks(ask: () => Promise<UsageReport>): AsyncGenerator<string> {
  const { from, to, time_zone, group, series } = await ask()
  yield csvLine(['from', 'to', 'time_zone', 'kind', group, 'id', ...SUM_COLUMNS])
  for (const { kind, name, id, totals } of series) {
    yield csvLine([from, to, time_zone, kind, name, id, ...SUM_COLUMNS.map((column) => totals[column])])
  }
}
