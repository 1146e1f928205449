// Reads pages of the usage and cost interfaces of OpenAI and Anthropic. All four are lists of stretches of time with results in
// each; what differs is how their fields are called. Those of OpenRouter are read in activity.ts.
//
// Sources: platform.openai.com/docs/api-reference/usage and platform.claude.com/docs/en/api/admin (usage_report, cost_report),
// both read on 2026-11-22.

import { isActivity, readActivity } from '#bills/activity.ts'
import { costLine, readUsageFields, textOf, type Fields } from '#bills/fields.ts'
import {
  amountOf,
  MAX_LINES,
  ofCents,
  onlyOnce,
  type Amount,
  type BillReport,
  type CostLine,
  type Json,
  type ReportProblem,
  type Span,
  type UsageLine,
} from '#bills/report.ts'
import { membersOf } from '#core/members.ts'

type Gathered = {
  readonly usage: [string, UsageLine][]
  readonly usageSpans: Span[]
  readonly costs: [string, CostLine][]
  readonly costSpans: Span[]
}

/** The report of one page, or of a list of several. */
export function readPages(body: unknown): BillReport | ReportProblem {
  const gathered: Gathered = { usage: [], usageSpans: [], costs: [], costSpans: [] }
  for (const page of Array.isArray(body) ? body : [body]) {
    const wrong = gatherPage(membersOf(page), gathered)
    if (wrong !== undefined) return wrong
  }
  const { usage, costs, usageSpans, costSpans } = gathered
  return { usage: onlyOnce(usage), costs: onlyOnce(costs), usageSpans, costSpans }
}

function linesOf({ usage, costs, usageSpans, costSpans }: Gathered): number {
  return usage.length + costs.length + usageSpans.length + costSpans.length
}

function gatherPage(page: Json, gathered: Gathered): ReportProblem | undefined {
  const { data, report } = page
  if (!Array.isArray(data)) return problem('It is no page of a usage or cost report.')
  if (data.length > MAX_LINES) return tooLong()
  if (isActivity(page)) return gatherActivity(page, data.length, gathered)
  const buckets = data.map(membersOf)
  const results = buckets.flatMap(resultsOf)
  const lines = linesOf(gathered) + buckets.length + results.length
  if (lines > MAX_LINES) return tooLong()
  const priced = results.filter((result) => 'amount' in result).length
  if (priced !== 0 && priced !== results.length) return problem('A page has both usage and costs.')
  // A page of costs that was asked for is marked: where nothing was billed, its results do not tell.
  const isOfCosts = priced > 0 || report === 'costs'
  for (const bucket of buckets) {
    const wrong = isOfCosts ? gatherCosts(bucket, gathered) : gatherUsage(bucket, gathered)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function gatherActivity(page: Json, length: number, gathered: Gathered): ReportProblem | undefined {
  if (linesOf(gathered) + 2 * length > MAX_LINES) return tooLong()
  const read = readActivity(page)
  if ('type' in read) return read
  for (const line of read.usage) gathered.usage.push([line.identity, line])
  for (const line of read.costs) gathered.costs.push([line.identity, line])
  for (const span of read.usageSpans) gathered.usageSpans.push(span)
  for (const span of read.costSpans) gathered.costSpans.push(span)
  return undefined
}

export function tooLong(): ReportProblem {
  return problem(`It has more than ${MAX_LINES} lines. Take a shorter time.`)
}

function gatherUsage(bucket: Json, { usage, usageSpans }: Gathered): ReportProblem | undefined {
  const span = readUsageFields(spanFields(bucket))
  if (span.type === 'problem') return problem(`A stretch of time cannot be read: ${span.message}`)
  usageSpans.push(span.span)
  for (const result of resultsOf(bucket)) {
    const read = readUsageFields({ ...spanFields(bucket), ...usageFields(result) })
    if (read.type === 'problem') return problem(`A result cannot be read: ${read.message}`)
    if (read.type === 'usage') {
      const identity = identityOf(bucket, result)
      usage.push([identity, { ...read.line, identity }])
    }
  }
  return undefined
}

function gatherCosts(bucket: Json, { costs, costSpans }: Gathered): ReportProblem | undefined {
  const read = readUsageFields(spanFields(bucket))
  if (read.type === 'problem') return problem(`A stretch of time cannot be read: ${read.message}`)
  const { span } = read
  costSpans.push(span)
  for (const result of resultsOf(bucket)) {
    const amount = resultAmount(result)
    if (amount === undefined) return problem('An amount is no decimal number.')
    const identity = identityOf(bucket, result)
    costs.push([identity, { ...costLine(costFields(result), { span, amount }), identity }])
  }
  return undefined
}

/** OpenAI says `{"value": 0.06, "currency": "usd"}`; Anthropic says cents, as decimal text. */
function resultAmount({ amount }: Json): Amount | undefined {
  if (typeof amount === 'string') {
    const cents = amountOf(amount)
    return cents && ofCents(cents)
  }
  return amountOf(textOf(membersOf(amount)['value']) ?? '')
}

function costFields(result: Json): Fields {
  return defined({
    model: textOf(result['model']),
    item: textOf(result['line_item']),
    kind: textOf(result['cost_type']),
    currency: textOf(result['currency'] ?? membersOf(result['amount'])['currency']),
  })
}

function usageFields(result: Json): Fields {
  const written = membersOf(result['cache_creation'])
  return defined({
    model: textOf(result['model']),
    account: textOf(result['api_key_id']),
    requests: textOf(result['num_model_requests']),
    input_all: textOf(result['input_tokens']),
    input: textOf(result['uncached_input_tokens']),
    cache_read: textOf(result['input_cached_tokens'] ?? result['cache_read_input_tokens']),
    // OpenAI's is among its input tokens, as the cached ones are; it came with the types of 2026.
    cache_write: textOf(result['input_cache_write_tokens'] ?? written['ephemeral_5m_input_tokens']),
    cache_write_1h: textOf(written['ephemeral_1h_input_tokens']),
    output: textOf(result['output_tokens']),
  })
}

function spanFields(bucket: Json): Fields {
  return defined({
    start: textOf(bucket['start_time'] ?? bucket['starting_at']),
    end: textOf(bucket['end_time'] ?? bucket['ending_at']),
  })
}

/** Everything of a result that is no number: a page that comes twice, or with a revised number, has the same lines. */
function identityOf(bucket: Json, result: Json): string {
  const words = Object.entries(result).filter(([name, value]) => name !== 'amount' && !isCount(value))
  return JSON.stringify([spanFields(bucket), words.toSorted(([one], [other]) => (one < other ? -1 : 1))])
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'object' && value !== null)
}

export function resultsOf({ results, result }: Json): Json[] {
  const list = results ?? result
  return Array.isArray(list) ? list.map(membersOf) : []
}

function defined(fields: { readonly [Name in keyof Fields]: string | undefined }): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function problem(message: string): ReportProblem {
  return { type: 'problem', message }
}
