import { useMemo } from 'react'
import type { UsageReportQuery } from '#contract/reports.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { memberUsage, type MemberUsage } from '#renderer/data/member-usage.ts'

const EVERY_MS = 60_000

/** The question for the sums of all members, without the course of time. */
export const BY_MEMBER = {
  group: 'member',
  rollup: 'day',
  points: 'none',
  top: '999',
} as const satisfies UsageReportQuery

/** Of the present month, in the zone of the gateway; undefined until it is known, or where it could not be read. */
export function useMemberUsage(): { readonly usage: MemberUsage | undefined; readonly isLoading: boolean } {
  const { data, isLoading } = useApi('usageReport', { query: { ...BY_MEMBER, from: 'month' } }, { everyMs: EVERY_MS })
  return { usage: useMemo(() => data && memberUsage(data), [data]), isLoading }
}
