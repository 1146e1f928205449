// A month of traffic of which two books are kept: ours, as usage records, and a provider's, which counts by rules of its own. It
// knows requests, not calls: it counts each in the hour in which it ended, cached tokens among the prompt, under the name of a
// snapshot, and some that we never hear of.

import { doubtsOf, type DoubtfulRecord, type OurHour } from '#bills/ours.ts'
import type { TokenCounts } from '#bills/report.ts'
import type { OurSide } from '#bills/tokens.ts'
import { randomFrom } from '../support/random.ts'

export const HOUR = 3_600_000
/** 2026-10-01. */
export const MONTH = 1_790_812_800_000
const HOURS = 30 * 24
const FAULTS = ['not_through_farebox', 'after_disconnect', 'repeated_attempt', 'estimated', 'hour_edge', 'unexplained']

/** A request as the provider's meter saw it. `prompt` has the cached tokens in it. */
export type Metered = {
  readonly endMs: number
  readonly model: string
  readonly key: string
  readonly prompt: number
  readonly cached: number
  readonly completion: number
}

export type Month = {
  readonly side: OurSide
  readonly metered: readonly Metered[]
  /** By the beginning of the hour and the model: what was done, and the calls that it was done to. */
  readonly faults: ReadonlyMap<string, { readonly cause: string; readonly calls: readonly string[] }>
}

type Call = { readonly used: TokenCounts; readonly atMs: number; readonly durationMs: number }

/** `share`: in how many of the hours of a model something goes wrong. */
export function makeMonth(seed: number, share: number, models = 20): Month {
  const random = randomFrom(seed)
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  const records: DoubtfulRecord[] = []
  const metered: Metered[] = []
  const faults = new Map<string, { readonly cause: string; readonly calls: readonly string[] }>()

  const newCall = (startMs: number): Call => ({
    used: { input: upTo(9000), cache_read: random() < 0.5 ? upTo(5000) : 0, cache_write: 0, output: upTo(2000) },
    atMs: startMs + upTo(40 * 60_000),
    durationMs: upTo(60_000),
  })
  const meter = (model: string, { used, atMs, durationMs }: Call, key = 'ours') => {
    const { input, cache_read: cached, output: completion } = used
    metered.push({ endMs: atMs + durationMs, model, key, prompt: input + cached, cached, completion })
  }
  const record = (model: string, { used, atMs, durationMs }: Call, more: Partial<DoubtfulRecord> = {}) => {
    const id = `call-${records.length}`
    const ordinary = {
      isServed: true,
      outcome: 'answered',
      usageSource: 'reported',
      estimatedClasses: '',
      hasUnits: false,
    }
    const times = { startMs: atMs, endMs: atMs + durationMs }
    records.push({ id, upstreamModel: model, counts: used, failedModels: [], ...ordinary, ...times, ...more })
    return id
  }
  /** Makes one thing go wrong, and returns the calls that it happened to. */
  const harm = (model: string, startMs: number, cause: string): string[] => {
    const call = newCall(startMs)
    const { used } = call
    const guessed = { ...used, output: used.output + upTo(50) * (random() < 0.5 && used.output > 50 ? -1 : 1) }
    switch (cause) {
      case 'not_through_farebox':
        meter(model, call, 'somebody-else')
        return []
      case 'after_disconnect': {
        meter(model, call)
        const isUnknown = random() < 0.5
        const nothing = {
          usageSource: 'none',
          estimatedClasses: '',
          counts: { input: 0, cache_read: 0, cache_write: 0, output: 0 },
        }
        const estimate = { usageSource: 'estimated', estimatedClasses: 'output', counts: guessed }
        return [record(model, call, { outcome: 'client_gone', ...(isUnknown ? nothing : estimate) })]
      }
      case 'repeated_attempt':
        meter(model, call)
        meter(model, { ...call, used: { ...used, output: 0 } })
        return [record(model, call, { failedModels: [model] })]
      case 'estimated':
        meter(model, call)
        return [record(model, { ...call, used: guessed }, { usageSource: 'estimated', estimatedClasses: 'output' })]
      case 'hour_edge': {
        const late = { ...call, atMs: startMs + HOUR - 1000, durationMs: 1000 + upTo(60_000) }
        meter(model, late)
        return [record(model, late)]
      }
      default:
        // The provider has lost it, which no rule knows of.
        record(model, call)
        return []
    }
  }

  for (let index = 0; index < models * HOURS; index++) {
    const model = `model-${index % models}.5`
    const startMs = MONTH + Math.floor(index / models) * HOUR
    const cause = startMs < MONTH + (HOURS - 1) * HOUR && random() < share ? FAULTS[upTo(FAULTS.length) - 1] : undefined
    for (let calls = upTo(3); calls > 0; calls--) {
      const call = newCall(startMs)
      meter(model, call)
      // A count of ours can be right, too.
      const isGuess = cause === undefined && random() < 0.05
      record(model, call, isGuess ? { usageSource: 'estimated', estimatedClasses: 'output' } : {})
    }
    if (cause !== undefined) faults.set(`${startMs} ${model}`, { cause, calls: harm(model, startMs, cause) })
  }
  return { side: { hours: hoursOf(records), doubtful: records.flatMap(doubtsOf) }, metered, faults }
}

/** What the database makes of records: sums of the calls that used something, by the hour in which they began. */
export function hoursOf(records: readonly DoubtfulRecord[]): OurHour[] {
  const hours = new Map<string, OurHour>()
  for (const { upstreamModel: model, startMs: atMs, counts, usageSource } of records) {
    if (usageSource === 'none') continue
    const startMs = Math.floor(atMs / HOUR) * HOUR
    const sum = hours.get(`${startMs} ${model}`)
    const { input = 0, cache_read = 0, output = 0 } = sum?.counts ?? {}
    hours.set(`${startMs} ${model}`, {
      startMs,
      model,
      calls: (sum?.calls ?? 0) + 1,
      counts: {
        input: input + counts.input,
        cache_read: cache_read + counts.cache_read,
        cache_write: 0,
        output: output + counts.output,
      },
      chargeMicro: 0,
    })
  }
  return [...hours.values()]
}

/** By the hour in which they ended, the model and the key. */
function metersOf(metered: readonly Metered[]): Map<number, Map<string, Metered[]>> {
  const hours = new Map<number, Map<string, Metered[]>>()
  for (const request of metered) {
    const startMs = Math.floor(request.endMs / HOUR) * HOUR
    const groups = hours.get(startMs) ?? new Map<string, Metered[]>()
    hours.set(startMs, groups)
    const name = `${request.model} ${request.key}`
    groups.set(name, [...(groups.get(name) ?? []), request])
  }
  return hours
}

const total = (requests: readonly Metered[], of: 'prompt' | 'cached' | 'completion') =>
  requests.reduce((sum, request) => sum + request[of], 0)

/** Pages of `GET /v1/organization/usage/completions`, as platform.openai.com/docs/api-reference/usage has them on 2026-11-22. */
export function openAiPages(metered: readonly Metered[], perPage: number): object[] {
  const hours = metersOf(metered)
  const buckets = Array.from({ length: HOURS }, (_, index) => {
    const startMs = MONTH + index * HOUR
    const results = Array.from(hours.get(startMs)?.values() ?? [], (requests) => ({
      object: 'organization.usage.completions.result',
      input_tokens: total(requests, 'prompt'),
      output_tokens: total(requests, 'completion'),
      input_cached_tokens: total(requests, 'cached'),
      num_model_requests: requests.length,
      project_id: requests[0]?.key,
      user_id: null,
      api_key_id: null,
      model: `${requests[0]?.model}-2026-07-18`,
      batch: null,
    }))
    return { object: 'bucket', start_time: startMs / 1000, end_time: startMs / 1000 + 3600, results }
  })
  return pagesOf(buckets, perPage)
}

/** Pages of `GET /v1/organizations/usage_report/messages`, as platform.claude.com/docs/en/api/admin has them on 2026-11-22. */
export function anthropicPages(metered: readonly Metered[], perPage: number): object[] {
  const hours = metersOf(metered)
  const buckets = Array.from({ length: HOURS }, (_, index) => {
    const startMs = MONTH + index * HOUR
    const results = Array.from(hours.get(startMs)?.values() ?? [], (requests) => ({
      uncached_input_tokens: total(requests, 'prompt') - total(requests, 'cached'),
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      cache_read_input_tokens: total(requests, 'cached'),
      output_tokens: total(requests, 'completion'),
      server_tool_use: { web_search_requests: 0 },
      api_key_id: requests[0]?.key,
      workspace_id: null,
      model: `${requests[0]?.model.replace('.', '-')}-20260718`,
      service_tier: 'standard',
      context_window: '0-200k',
    }))
    return { starting_at: instant(startMs), ending_at: instant(startMs + HOUR), results }
  })
  return pagesOf(buckets, perPage)
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000', '')
}

function pagesOf(data: readonly object[], perPage: number): object[] {
  return Array.from({ length: Math.ceil(data.length / perPage) }, (_, index) => {
    const isLast = (index + 1) * perPage >= data.length
    const next = isLast ? null : `page_${index + 1}`
    return {
      object: 'page',
      data: data.slice(index * perPage, (index + 1) * perPage),
      has_more: !isLast,
      next_page: next,
    }
  })
}
