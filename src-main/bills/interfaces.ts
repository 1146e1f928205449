// What a provider is asked for its usage and its costs, and what its pages say about the next one.
//
// Sources: platform.openai.com/docs/api-reference/usage and platform.claude.com/docs/en/api/admin (usage_report, cost_report), both
// read on 2026-11-22; openrouter.ai/docs/api/api-reference/analytics/get-user-activity, read on 2026-11-27. Their readers are in pages.ts
// and activity.ts.

import { resultsOf } from '#bills/pages.ts'
import type { Json } from '#bills/report.ts'
import { membersOf } from '#core/members.ts'
import { parseMeasured } from '#dialect/request-body.ts'

export type ReportWish = {
  /** Midnights of UTC, but for the end of usage: that is a whole hour. */
  readonly fromMs: number
  readonly usageToMs: number
  readonly costsToMs: number
  /** What the provider calls the keys that Farebox uses, and its project or workspace; undefined for all of the account. */
  readonly accounts: readonly string[] | undefined
  readonly project: string | undefined
}

/** One report: where it is, and what is asked. Both are ours: nothing of an answer is in them. */
export type ReportRequest = {
  readonly report: 'usage' | 'costs' | 'activity'
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** The key that it is about, where its pages do not say so. */
  readonly account?: string | undefined
}

type ReportInterface = {
  readonly requests: (wish: ReportWish) => readonly ReportRequest[]
  readonly headers: (secret: string) => Readonly<Record<string, string>>
  /** What of a page was wished for, where it could not be asked for alone, and what the page does not say of itself. */
  readonly wishedOf: (page: object, wish: ReportWish) => object
  readonly nextPageOf: (page: unknown) => NextPage
  readonly hasProjects: boolean
}

/** Hours that are asked for at a time: as many as both providers allow. */
const HOURS_PER_PAGE = '168'
const DAYS_PER_PAGE = '31'

export const INTERFACES = {
  openai: {
    headers: (secret) => ({ authorization: `Bearer ${secret}` }),
    requests: ({ fromMs, usageToMs, costsToMs, accounts, project }) => {
      const time = (toMs: number) => [pair('start_time', seconds(fromMs)), pair('end_time', seconds(toMs))]
      const ofProject = several('project_ids[]', project === undefined ? [] : [project])
      const usage = [
        ...time(usageToMs),
        pair('bucket_width', '1h'),
        pair('limit', HOURS_PER_PAGE),
        ...several('group_by[]', ['model', 'api_key_id']),
        ...several('api_key_ids[]', accounts),
        ...ofProject,
      ]
      const costs = [...time(costsToMs), pair('bucket_width', '1d'), pair('limit', DAYS_PER_PAGE)]
      return [
        { report: 'usage', path: '/v1/organization/usage/completions', query: usage },
        { report: 'usage', path: '/v1/organization/usage/embeddings', query: usage },
        {
          report: 'costs',
          path: '/v1/organization/costs',
          query: [...costs, pair('group_by[]', 'line_item'), ...ofProject],
        },
      ]
    },
    wishedOf: (page) => page,
    nextPageOf,
    hasProjects: true,
  },
  anthropic: {
    headers: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
    requests: ({ fromMs, usageToMs, costsToMs, accounts, project }) => {
      const time = (toMs: number) => [pair('starting_at', instant(fromMs)), pair('ending_at', instant(toMs))]
      const usage = [
        ...time(usageToMs),
        pair('bucket_width', '1h'),
        pair('limit', HOURS_PER_PAGE),
        ...several('group_by[]', ['model', 'api_key_id']),
        ...several('api_key_ids[]', accounts),
        ...several('workspace_ids[]', project === undefined ? [] : [project]),
      ]
      const costs = [...time(costsToMs), pair('bucket_width', '1d'), pair('limit', DAYS_PER_PAGE)]
      return [
        { report: 'usage', path: '/v1/organizations/usage_report/messages', query: usage },
        {
          report: 'costs',
          path: '/v1/organizations/cost_report',
          query: [...costs, ...several('group_by[]', ['description', 'workspace_id'])],
        },
      ]
    },
    // Costs can be grouped by workspace, and not be asked for one of them.
    wishedOf: (page, { project }) => (project === undefined ? page : withoutOthers(page, project)),
    nextPageOf,
    hasProjects: true,
  },
  openrouter: {
    headers: (secret) => ({ authorization: `Bearer ${secret}` }),
    // All of the days that it keeps come at once; of keys it can be asked for one at a time, and does not name it then.
    requests: ({ accounts }) =>
      (accounts ?? [undefined]).map((account) => ({
        report: 'activity',
        path: '/api/v1/activity',
        query: account === undefined ? [] : [pair('api_key_hash', account)],
        account,
      })),
    wishedOf: (page, wish) => ({ ...page, ...activityTime(wish) }),
    nextPageOf: (page) => (hasData(page) ? LAST : UNCLEAR),
    hasProjects: false,
  },
} as const satisfies Readonly<Record<string, ReportInterface>>

export type NextPage =
  | { readonly type: 'last' }
  | { readonly type: 'next'; readonly page: string }
  /** A page that does not say whether it is the last one is no whole report. */
  | { readonly type: 'unclear' }

/** OpenAI and Anthropic name the next page by a text that is sent back to them. */
function nextPageOf(page: unknown): NextPage {
  if (!hasData(page)) return UNCLEAR
  const { has_more: hasMore, next_page: next } = page as { readonly has_more?: unknown; readonly next_page?: unknown }
  if (hasMore === false) return LAST
  return hasMore === true && typeof next === 'string' && next !== '' && next.length <= MAX_NEXT
    ? { type: 'next', page: next }
    : UNCLEAR
}

/** What of a page is known before it comes. */
export type ReportPageOf = { readonly kind: keyof typeof INTERFACES; readonly wish: ReportWish; readonly marks: object }
/** The page as JSON text, with its marks, and where the next one is. */
type ReportPage = { readonly next: NextPage; readonly kept: string }

/** undefined for what is not JSON. `text` was measured while it arrived. */
export function readReportPage(text: string, { kind, wish, marks }: ReportPageOf): ReportPage | undefined {
  const body = parseMeasured(text)
  if (body === undefined) return undefined
  const { nextPageOf, wishedOf } = INTERFACES[kind]
  const next = nextPageOf(body)
  if (next.type === 'unclear') return { next, kept: '' }
  return { next, kept: JSON.stringify(wishedOf({ ...(body as object), ...marks }, wish)) }
}

/** Names of pages are short, and go into an address. */
const MAX_NEXT = 2_000

const LAST = { type: 'last' } as const
const UNCLEAR = { type: 'unclear' } as const

function hasData(page: unknown): page is { readonly data: readonly unknown[] } {
  return typeof page === 'object' && page !== null && 'data' in page && Array.isArray(page.data)
}

/** OpenRouter tells of so many whole days before today. */
const ACTIVITY_DAYS = 30

/** The days that it tells of, also where nothing was used. */
function activityTime({ fromMs, costsToMs }: ReportWish): { readonly from: string; readonly to: string } {
  return { from: instant(Math.max(fromMs, costsToMs - ACTIVITY_DAYS * 86_400_000)), to: instant(costsToMs) }
}

function withoutOthers(page: object, project: string): object {
  const { data } = page as { readonly data: readonly unknown[] }
  const isOurs = (result: Json) =>
    !('workspace_id' in result) || !('amount' in result) || result['workspace_id'] === project
  const buckets = data.map(membersOf)
  return { ...page, data: buckets.map((bucket) => ({ ...bucket, results: resultsOf(bucket).filter(isOurs) })) }
}

function pair(name: string, value: string): readonly [string, string] {
  return [name, value]
}

function several(name: string, values: readonly string[] = []): (readonly [string, string])[] {
  return values.map((value) => [name, value])
}

function seconds(atMs: number): string {
  return String(atMs / 1000)
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000', '')
}
