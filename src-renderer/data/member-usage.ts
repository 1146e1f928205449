// What members used, out of a report that is grouped by member and has no course of time.

import type { Totals, UsageReport } from '#contract/reports.ts'
import { NO_TOTALS, SUM_COLUMNS } from '#contract/usage-sums.ts'
import type { CsvField } from '#contract/csv.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'
import { dateIn, lastDateBefore } from '#renderer/data/zone-dates.ts'

export type UsedByNobody = {
  /** What the keys say of their owner, who is no member (any more); null where they say nothing. */
  readonly name: string | null
  readonly totals: Totals
}

export type MemberUsage = {
  /** Of a member by their id: undefined where it cannot be told, because there are too many members. */
  readonly of: (memberId: string) => Totals | undefined
  readonly nobody: readonly UsedByNobody[]
}

export function memberUsage({ series }: Pick<UsageReport, 'series'>): MemberUsage {
  const byId = new Map(series.flatMap(({ id, totals }) => (id === null ? [] : [[id, totals] as const])))
  const isWhole = series.every(({ kind }) => kind !== 'other')
  const ofOthers = series.filter(({ kind, id, totals }) => kind === 'value' && id === null && totals.requests > 0)
  return {
    of: (memberId) => byId.get(memberId) ?? (isWhole ? NO_TOTALS : undefined),
    nobody: ofOthers.map(({ name, totals }) => ({ name, totals })),
  }
}

/** All classes together; undefined where nobody counted the tokens of any of these calls. */
export function tokensOf(totals: Totals): number | undefined {
  if (totals.requests > 0 && totals.unknown_usage >= totals.requests) return undefined
  return totals.input_tokens + totals.cache_read_tokens + totals.cache_write_tokens + totals.output_tokens
}

/** The same columns as `farebox usage --by member --csv`. Every line says of which time it is, so that files can be put together. */
export function memberLines({ from, to, time_zone: zone, series }: UsageReport): CsvField[][] {
  return [
    ['from', 'to', 'time_zone', 'kind', 'member', 'id', ...SUM_COLUMNS],
    ...series.map(({ kind, name, id, totals }): CsvField[] => [
      from,
      to,
      zone,
      kind,
      name ?? undefined,
      id ?? undefined,
      ...SUM_COLUMNS.map((column) =>
        column === 'charge_credits' ? creditsField(totals[column]) : { number: String(totals[column]) },
      ),
    ]),
  ]
}

function creditsField(credits: number): CsvField {
  const micro = microOf(credits)
  return micro === undefined ? undefined : { number: creditsText(micro) }
}

/** `farebox-members-2026-11-01-2026-11-21-Europe-Berlin`: what is in the file, its first and last day, and the zone of these. */
export function fileNameOf(
  what: string,
  { from, to, time_zone: zone }: Pick<UsageReport, 'from' | 'to' | 'time_zone'>,
) {
  const days = `${dateIn(zone, Date.parse(from))}-${lastDateBefore(zone, Date.parse(to))}`
  return `farebox-${what}-${days}-${zone.replaceAll(/[^A-Za-z0-9+-]+/g, '-')}`
}
