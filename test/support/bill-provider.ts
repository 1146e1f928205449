// A provider that answers chat completions, meters them by rules of its own, and reports them as OpenAI and Anthropic publish their
// interfaces for usage and costs (read on 2026-11-22), and OpenRouter its activity (2026-11-27): only to an administrator, in pages where
// they have any, and with the faults that a test asks for.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

const HOUR = 3_600_000
const DAY = 24 * HOUR
export const BILL_MODEL = 'real-chat-2026-01-01'

export type BillRequest = {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}
/** What the next request for a report gets in place of its page. */
export type BillFault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Half of the page that it would have got. */
  | 'half'
type Metered = { readonly endMs: number; readonly prompt: number; readonly completion: number; readonly key: string }
type Bucket = { readonly startMs: number; readonly endMs: number; readonly metered: readonly Metered[] }

/** A key as a provider lists it, with the beginning and the end of its text. */
type ListedKey = { readonly id: string; readonly name: string; readonly hint: string }

export type BillProvider = {
  readonly url: string
  readonly requests: BillRequest[]
  /** The headers of the calls that it was sent. */
  readonly calls: IncomingHttpHeaders[]
  readonly faults: BillFault[]
  /** What somebody else of the account used, and what is metered beside the calls. */
  readonly metered: Metered[]
  /** The keys of its projects or workspaces. */
  readonly projects: Map<string, readonly ListedKey[]>
  /** Buckets on one page, however many are asked for. */
  perPage: number
  /** How long after a call it is in a report. */
  lateMs: number
  close(): Promise<void>
}

export async function startBillProvider(nowMs: () => number, adminSecret: string): Promise<BillProvider> {
  const metered: Metered[] = []
  const [requests, calls, faults]: [BillRequest[], IncomingHttpHeaders[], BillFault[]] = [[], [], []]
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const projects = new Map<string, readonly ListedKey[]>()
  const provider = { requests, calls, faults, metered, projects, perPage: 50, lateMs: 0 }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://provider')
    if (request.method === 'POST') return answerCall(request, response)
    requests.push({ path: pathname, query: searchParams, headers: request.headers })
    const fault = faults.shift()
    const page =
      keysFor(pathname, searchParams) ?? activityFor(pathname, searchParams) ?? pageFor(pathname, searchParams)
    const isAdmin = [`Bearer ${adminSecret}`, adminSecret].includes(
      request.headers.authorization ?? String(request.headers['x-api-key']),
    )
    if (fault === 'half') return send(response, 200, JSON.stringify(page).slice(0, -9))
    if (fault !== undefined) return send(response, fault.status, fault.body ?? '{}', fault.headers)
    if (!isAdmin)
      return send(response, 401, `{"error":{"message":"no administrator: ${request.headers.authorization}"}}`)
    return page === undefined ? send(response, 404, '{}') : send(response, 200, JSON.stringify(page))
  }

  async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await json(request)
    calls.push(request.headers)
    metered.push({ endMs: nowMs(), prompt: 19, completion: 10, key: 'key_farebox' })
    const message = { role: 'assistant', content: 'Hello.' }
    const usage = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    send(
      response,
      200,
      JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: BILL_MODEL, choices, usage }),
    )
  }

  function keysFor(path: string, query: URLSearchParams): object | undefined {
    const ofOpenAi = /^\/v1\/organization\/projects\/([^/]+)\/api_keys$/.exec(path)?.[1]
    const project = ofOpenAi ?? (path === '/v1/organizations/api_keys' ? query.get('workspace_id') : undefined)
    const keys = projects.get(project ?? '')
    const hint = ofOpenAi === undefined ? 'partial_key_hint' : 'redacted_value'
    return keys && { data: keys.map(({ id, name, hint: text }) => ({ id, name, [hint]: text })), has_more: false }
  }

  /** All whole days of the last thirty, the latest first; never what it was cached of. */
  function activityFor(path: string, query: URLSearchParams): object | undefined {
    if (path !== '/api/v1/activity') return undefined
    const todayMs = nowMs() - (nowMs() % DAY)
    const hash = query.get('api_key_hash')
    const counted = metered.filter(
      ({ endMs, key }) => endMs >= todayMs - 30 * DAY && endMs < todayMs && (hash === null || hash === key),
    )
    const days = [...Map.groupBy(counted, ({ endMs }) => instant(endMs - (endMs % DAY)).slice(0, 10))]
    return {
      data: days.toSorted(([one], [other]) => (one < other ? 1 : -1)).map(([date, ofDay]) => activityOf(date, ofDay)),
    }
  }

  function pageFor(path: string, query: URLSearchParams): object | undefined {
    const results = RESULTS[path]
    if (results === undefined) return undefined
    const isOpenAi = path.startsWith('/v1/organization/')
    const at = (name: string) => Number(query.get(name)) * 1000 || Date.parse(query.get(name) ?? '')
    const [fromMs, toMs] = isOpenAi ? [at('start_time'), at('end_time')] : [at('starting_at'), at('ending_at')]
    const widthMs = query.get('bucket_width') === '1h' ? HOUR : DAY
    const keys = query.getAll('api_key_ids[]')
    const counted = metered.filter(
      ({ key, endMs }) => (keys.length === 0 || keys.includes(key)) && endMs + provider.lateMs <= nowMs(),
    )
    const buckets = Array.from({ length: Math.ceil((toMs - fromMs) / widthMs) }, (_, index): Bucket => {
      const startMs = fromMs + index * widthMs
      const endMs = startMs + widthMs
      return { startMs, endMs, metered: counted.filter((one) => one.endMs >= startMs && one.endMs < endMs) }
    })
    const size = Math.min(provider.perPage, Number(query.get('limit')))
    const first = pageNumber(query.get('page')) * size
    const isLast = first + size >= buckets.length
    return {
      object: 'page',
      // A time in which nothing was used has no results.
      data: buckets.slice(first, first + size).map((bucket) => ({
        ...timesOf(bucket, isOpenAi),
        results: bucket.metered.length === 0 ? [] : results(bucket),
      })),
      has_more: !isLast,
      next_page: isLast ? null : `page_${Buffer.from(`>>?${first / size + 1}`).toString('base64')}&=`,
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(provider, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

function pageNumber(page: string | null): number {
  return page === null ? 0 : Number(/\d+$/.exec(Buffer.from(page.slice(5, -2), 'base64').toString())?.[0])
}

function timesOf({ startMs, endMs }: Bucket, isOpenAi: boolean): object {
  if (isOpenAi) return { object: 'bucket', start_time: startMs / 1000, end_time: endMs / 1000 }
  return { starting_at: instant(startMs), ending_at: instant(endMs) }
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000', '')
}

function sum(metered: readonly Metered[], of: 'prompt' | 'completion'): number {
  return metered.reduce((total, one) => total + one[of], 0)
}

function activityOf(date: string, metered: readonly Metered[]): object {
  return {
    date,
    model: BILL_MODEL.replace(/-\d{4}.*/, ''),
    model_permaslug: BILL_MODEL,
    endpoint_id: '550e8400-e29b-41d4-a716-446655440000',
    provider_name: 'Somebody',
    usage: (sum(metered, 'prompt') + 2 * sum(metered, 'completion')) / 1e6,
    byok_usage_inference: 0,
    requests: metered.length,
    prompt_tokens: sum(metered, 'prompt'),
    completion_tokens: sum(metered, 'completion'),
    reasoning_tokens: 0,
  }
}

const byKey = (bucket: Bucket) => [...Map.groupBy(bucket.metered, ({ key }) => key)]

/** The results of a bucket, by the path of the report. One million tokens cost 1 going in and 2 coming out. */
const RESULTS: Readonly<Record<string, (bucket: Bucket) => object[]>> = {
  '/v1/organization/usage/completions': (bucket) =>
    byKey(bucket).map(([key, metered]) => ({
      object: 'organization.usage.completions.result',
      input_tokens: sum(metered, 'prompt'),
      output_tokens: sum(metered, 'completion'),
      input_cached_tokens: 0,
      num_model_requests: metered.length,
      project_id: null,
      user_id: null,
      api_key_id: key,
      model: BILL_MODEL,
      batch: null,
    })),
  '/v1/organization/usage/embeddings': () => [],
  '/v1/organization/costs': ({ metered }) =>
    (['prompt', 'completion'] as const).map((side, index) => ({
      object: 'organization.costs.result',
      amount: { value: (sum(metered, side) * (index + 1)) / 1e6, currency: 'usd' },
      line_item: `${BILL_MODEL}, ${index === 0 ? 'input' : 'output'}`,
      project_id: null,
    })),
  '/v1/organizations/usage_report/messages': (bucket) =>
    byKey(bucket).map(([key, metered]) => ({
      uncached_input_tokens: sum(metered, 'prompt'),
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      cache_read_input_tokens: 0,
      output_tokens: sum(metered, 'completion'),
      server_tool_use: { web_search_requests: 0 },
      api_key_id: key,
      workspace_id: null,
      model: BILL_MODEL,
      service_tier: null,
      context_window: null,
    })),
  '/v1/organizations/cost_report': ({ metered }) => [
    {
      amount: ((sum(metered, 'prompt') + 2 * sum(metered, 'completion')) / 1e4).toFixed(10),
      currency: 'USD',
      cost_type: 'tokens',
      description: 'Usage of a model',
      model: BILL_MODEL,
      workspace_id: null,
    },
  ],
}
