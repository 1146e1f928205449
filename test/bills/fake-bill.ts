// The bill that a provider makes of what its meter saw, by the rules of its published interfaces and none of ours: tokens by the hour in
// which a request ended, cached ones among the input or apart, under the name of a snapshot; money by day and line, in dollars as JSON
// numbers or in cents as decimal text, rounded line by line.
//
// Sources: platform.openai.com/docs/api-reference/usage and platform.claude.com/docs/en/api/admin (usage_report, cost_report), both read
// on 2026-11-22, and the types of openai-client-base 0.16 for `input_cache_write_tokens`.

import { centsOf } from './prices.ts'
import { DAY, HOUR, MONTH, type Extra, type Metered, type Month } from './traffic.ts'

export type Bucket = { readonly startMs: number; readonly endMs: number; readonly results: readonly object[] }
export type FakeBill = { readonly usage: readonly Bucket[]; readonly costs: readonly Bucket[] }
export type Style = 'openai' | 'anthropic'

/** A millionth of a millionth of a dollar. A cent for a million tokens is ten thousand of them for each. */
const PARTS_PER_CENT_RATE = 10_000n
const PARTS_PER_CENT = 10n ** 10n

/** Until the end of `untilMs`, before which it counted everything. */
export function billOf({ metered, extras, days }: Month, style: Style): FakeBill {
  const { usageResult, costResults } = STYLES[style]
  const [byHour, byDay] = [groupsOf(metered, HOUR), groupsOf(metered, DAY)]
  const usage = bucketsOf(days * 24, HOUR, (startMs) =>
    Array.from(byHour.get(startMs)?.values() ?? [], (requests) => usageResult(requests)),
  )
  const costs = bucketsOf(days, DAY, (startMs) => {
    const groups = [...(byDay.get(startMs)?.values() ?? [])]
    const models = Map.groupBy(groups.flat(), ({ model }) => model)
    const ofDay = [...extras].filter(([place]) => place.startsWith(`${startMs} `))
    return [
      ...[...models].flatMap(([model, requests]) => costResults(requests, extras.get(`${startMs} ${model}`))),
      ...ofDay.flatMap(([place, extra]) => extraResult(extra, style, place.split(' ')[1] ?? '')),
    ]
  })
  return { usage, costs }
}

function bucketsOf(count: number, widthMs: number, resultsOf: (startMs: number) => readonly object[]): Bucket[] {
  return Array.from({ length: count }, (_, index) => {
    const startMs = MONTH + index * widthMs
    return { startMs, endMs: startMs + widthMs, results: resultsOf(startMs) }
  })
}

/** By the time in which they ended, the model and the key. */
function groupsOf(metered: readonly Metered[], widthMs: number): Map<number, Map<string, Metered[]>> {
  const times = new Map<number, Map<string, Metered[]>>()
  for (const request of metered) {
    const startMs = MONTH + Math.floor((request.endMs - MONTH) / widthMs) * widthMs
    const groups = times.get(startMs) ?? new Map<string, Metered[]>()
    times.set(startMs, groups)
    const name = `${request.model} ${request.key}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [request])
    else group.push(request)
  }
  return times
}

type Counted = 'prompt' | 'cached' | 'written' | 'completion'

function total(requests: readonly Metered[], of: Counted): number {
  return requests.reduce((sum, request) => sum + request[of], 0)
}

function plain(requests: readonly Metered[]): number {
  return total(requests, 'prompt') - total(requests, 'cached') - total(requests, 'written')
}

/** What each line of a bill is for, with its exact amount. */
function linesOf(requests: readonly Metered[], extra: Extra | undefined): [item: string, parts: bigint][] {
  const cents = centsOf(requests[0]?.model ?? '')
  const percent = 100n + (extra?.type === 'repriced' ? BigInt(extra.percent) : 0n)
  const fee = extra?.type === 'surcharge' ? BigInt(extra.cents) * PARTS_PER_CENT : 0n
  const parts = (tokensOf: (request: Metered) => number, rate: number) => {
    const weighed = requests.reduce((sum, one) => sum + BigInt(tokensOf(one)) * BigInt(one.percent), 0n)
    return (weighed * BigInt(rate) * PARTS_PER_CENT_RATE * percent) / 10_000n
  }
  return [
    ['input', parts(({ prompt, cached, written }) => prompt - cached - written, cents.input) + fee],
    ['cached input', parts(({ cached }) => cached, cents.cached)],
    ['cache write input', parts(({ written }) => written, cents.written)],
    ['output', parts(({ completion }) => completion, cents.output)],
  ]
}

type StyleRules = {
  readonly usageResult: (requests: readonly Metered[]) => object
  readonly costResults: (requests: readonly Metered[], extra: Extra | undefined) => readonly object[]
}

const STYLES: Readonly<Record<Style, StyleRules>> = {
  openai: {
    usageResult: (requests) => ({
      object: 'organization.usage.completions.result',
      input_tokens: total(requests, 'prompt'),
      output_tokens: total(requests, 'completion'),
      input_cached_tokens: total(requests, 'cached'),
      input_cache_write_tokens: total(requests, 'written'),
      input_audio_tokens: 0,
      output_audio_tokens: 0,
      num_model_requests: requests.length,
      project_id: null,
      user_id: null,
      api_key_id: requests[0]?.key,
      model: `${requests[0]?.model}-2026-07-18`,
      batch: null,
      service_tier: null,
    }),
    costResults: (requests, extra) =>
      linesOf(requests, extra).map(([item, parts]) => ({
        object: 'organization.costs.result',
        amount: { value: Number(parts) / 1e12, currency: 'usd' },
        line_item: `${requests[0]?.model}-2026-07-18, ${item}`,
        project_id: null,
        organization_id: 'org-a',
      })),
  },
  anthropic: {
    usageResult: (requests) => {
      const hour = Math.floor(total(requests, 'written') / 3)
      return {
        uncached_input_tokens: plain(requests),
        cache_creation: {
          ephemeral_1h_input_tokens: hour,
          ephemeral_5m_input_tokens: total(requests, 'written') - hour,
        },
        cache_read_input_tokens: total(requests, 'cached'),
        output_tokens: total(requests, 'completion'),
        server_tool_use: { web_search_requests: 0 },
        account_id: null,
        service_account_id: null,
        api_key_id: requests[0]?.key,
        workspace_id: null,
        model: snapshot(requests),
        service_tier: 'standard',
        context_window: '0-200k',
        inference_geo: 'not_available',
      }
    },
    costResults: (requests, extra) =>
      linesOf(requests, extra).map(([item, parts], index) => ({
        currency: 'USD',
        // As fine as a line happens to be written.
        amount: centsText(parts, 2 + ((requests.length + index) % 7)),
        workspace_id: null,
        description: `${snapshot(requests)} Usage - ${item}`,
        cost_type: 'tokens',
        context_window: '0-200k',
        model: snapshot(requests),
        service_tier: 'standard',
        token_type: item,
      })),
  },
}

function snapshot(requests: readonly Metered[]): string {
  return `${requests[0]?.model.replace('.', '-')}-20260718`
}

/** Fees and what is in another currency; another price, and a fee among tokens, have no line of their own. */
function extraResult(extra: Extra, style: Style, project: string): object[] {
  if (extra.type === 'repriced' || extra.type === 'surcharge') return []
  const { cents } = extra
  const [item, description, kind] = WORDS[extra.type]
  const currency = extra.type === 'euros' ? 'EUR' : 'USD'
  if (style === 'openai') {
    const amount = { value: cents / 100, currency: currency.toLowerCase() }
    return [{ object: 'organization.costs.result', amount, line_item: item, project_id: project }]
  }
  return [{ currency, amount: `${cents}.00`, workspace_id: project, description, cost_type: kind, model: null }]
}

const WORDS = {
  searches: ['web search tool calls', 'Web Search Usage', 'web_search'],
  euros: ['vat', 'VAT', 'vat'],
  plan: ['priority support plan', 'Support plan', 'support'],
} as const

/** Cents as decimal text, rounded to so many places. */
function centsText(parts: bigint, places: number): string {
  const unit = 10n ** BigInt(Math.max(0, 10 - places))
  const rounded = ((parts + unit / 2n) / unit) * unit
  const fraction = (rounded % PARTS_PER_CENT).toString().padStart(10, '0').slice(0, Math.min(places, 10))
  return `${rounded / PARTS_PER_CENT}.${fraction}`
}

/** A list of buckets as pages. */
export function pagesOf(buckets: readonly Bucket[], style: Style, perPage: number): object[] {
  return Array.from({ length: Math.ceil(buckets.length / perPage) }, (_, index) =>
    pageOf(buckets, style, { first: index * perPage, perPage }),
  )
}

/** The page that begins with the bucket of this number. */
export function pageOf(
  buckets: readonly Bucket[],
  style: Style,
  { first, perPage }: { readonly first: number; readonly perPage: number },
): object {
  const isLast = first + perPage >= buckets.length
  return {
    ...(style === 'openai' ? { object: 'page' } : {}),
    data: buckets.slice(first, first + perPage).map(({ startMs, endMs, results }) => ({
      ...(style === 'openai'
        ? { object: 'bucket', start_time: startMs / 1000, end_time: endMs / 1000 }
        : { starting_at: instant(startMs), ending_at: instant(endMs) }),
      results,
    })),
    has_more: !isLast,
    next_page: isLast ? null : `page_${Buffer.from(String(first + perPage)).toString('base64')}`,
  }
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000', '')
}
