// One line of a report by what its fields say, as text: where pages and files differ only in names, they are read here.

import {
  amountOf,
  type Amount,
  type CostKind,
  type CostLine,
  type ReportProblem,
  type Span,
  type TokenCounts,
  type UsageLine,
} from '#bills/report.ts'
import type { Meaning } from '#contract/bill-columns.ts'
import { endOfDate, startOfDate } from '#core/cycle.ts'

/** What a line says, as text. */
export type Fields = { readonly [meaning in Meaning]?: string }

/** A member of JSON as the text of a field; undefined where it is neither, and for null, which stands for what a report was not grouped by. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Google's services whose models are called; an account is billed for many others, and for sums that are of none. */
const SERVICES = /\b(gemini|generative language|vertex ai)\b/i

/** Whether the models of a service are called. */
export function isOfModels(service: string | undefined): boolean {
  return SERVICES.test(service ?? '')
}

/** A stretch of time of which nothing is told is a span alone. */
type Empty = { readonly type: 'empty'; readonly span: Span }
type ReadUsage = { readonly type: 'usage'; readonly span: Span; readonly line: Omit<UsageLine, 'identity'> }
type ReadCost = { readonly type: 'cost'; readonly span: Span; readonly line: Omit<CostLine, 'identity'> }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function readUsageFields(fields: Fields): ReadUsage | Empty | ReportProblem {
  const span = spanOf(fields)
  if (span === undefined) return problem('it does not say of which hours or days it is.')
  const { account } = fields
  const model = modelOf(fields)
  if (model === undefined) {
    const isEmpty = countOf(fields.input_all ?? fields.input ?? '0') === 0 && countOf(fields.output ?? '0') === 0
    return isEmpty
      ? { type: 'empty', span }
      : problem('it does not say of which model it is: group the report by model.')
  }
  const counts = countsOf(fields)
  const requests = fields.requests === undefined ? undefined : countOf(fields.requests)
  const isWrong = counts === undefined || (requests === undefined && fields.requests !== undefined)
  if (isWrong) return problem('a count is no whole number of at least 0.')
  return { type: 'usage', span, line: { ...span, model, counts, requests, account } }
}

export function readCostFields(fields: Fields): ReadCost | Empty | ReportProblem {
  const span = spanOf(fields)
  if (span === undefined) return problem('it does not say of which days it is.')
  if (fields.amount === undefined) return { type: 'empty', span }
  const amount = amountOf(fields.amount)
  if (amount === undefined) return problem('its amount is no decimal number.')
  return { type: 'cost', span, line: costLine(fields, { span, amount }) }
}

/** The line for an amount; `item` is OpenAI's, which says model and class (`gpt-4o, cached input`) or what else is billed. */
export function costLine(
  fields: Fields,
  { span, amount }: { readonly span: Span; readonly amount: Amount },
): Omit<CostLine, 'identity'> {
  const { item, account, currency = 'USD' } = fields
  const [, ofItem] = /^(\S+), .*(?:input|output|tokens)/i.exec(item ?? '') ?? []
  return {
    ...span,
    model: modelOf(fields) ?? ofItem,
    kind:
      fields.sku === undefined
        ? kindOf(fields.kind ?? (ofItem === undefined ? item : undefined))
        : kindOfSku(fields.sku),
    currency: currency.toUpperCase(),
    amount,
    account,
  }
}

/** `openai/gpt-4o-mini` and `free` are the model `openai/gpt-4o-mini:free`. */
function modelOf({ model, variant = 'standard' }: Fields): string | undefined {
  return model === undefined || variant === 'standard' ? model : `${model}:${variant}`
}

/** Google's items are in words: `Generate content output token count gemini 2.5 flash short input text`. */
function kindOfSku(sku: string): CostKind {
  if (/\b(grounding|search|maps)\b/i.test(sku)) return 'tool'
  return /\b(tokens?|characters?|gemini|embed|embedding|predictions?)\b/i.test(sku) ? 'tokens' : 'other'
}

/** What the lines of bills call tools: `web_search`, `web search tool calls`, `assistants api | file search`. */
const TOOLS =
  /\b(web search|file search|code interpreter|code execution|vector stor|computer use|web fetch|tool call|container)/

/** Tokens unless something else is said, and a tool only where its name is known. */
function kindOf(said = 'tokens'): CostKind {
  if (said === 'tokens') return 'tokens'
  return TOOLS.test(said.toLowerCase().replaceAll('_', ' ')) ? 'tool' : 'other'
}

function countsOf(fields: Fields): TokenCounts | undefined {
  const [all, input, read, write, hour, output] = [
    fields.input_all,
    fields.input,
    fields.cache_read,
    fields.cache_write,
    fields.cache_write_1h,
    fields.output,
  ].map((text) => countOf(text ?? '0'))
  if ([all, input, read, write, hour, output].includes(undefined)) return undefined
  const cacheRead = read ?? 0
  const cacheWrite = (write ?? 0) + (hour ?? 0)
  const uncached = fields.input_all === undefined ? (input ?? 0) : (all ?? 0) - cacheRead - cacheWrite
  if (uncached < 0) return undefined
  return { input: uncached, cache_read: cacheRead, cache_write: cacheWrite, output: output ?? 0 }
}

function countOf(text: string): number | undefined {
  const count = Number(text)
  return /^\d{1,15}(\.0+)?$/.test(text) && Number.isSafeInteger(count) ? count : undefined
}

const PACIFIC = 'America/Los_Angeles'

/** Days and hours are those of UTC, but for Google's days. */
function spanOf(fields: Fields): Span | undefined {
  const { start, end, day, at } = fields
  const { pacific_day: pacificDay, pacific_start: firstDay = pacificDay, pacific_end: lastDay = pacificDay } = fields
  if (firstDay !== undefined || lastDay !== undefined) return pacificSpan(firstDay, lastDay)
  if (at !== undefined) {
    const atMs = instantOf(at)
    const startMs = atMs === undefined ? undefined : atMs - (atMs % DAY_MS)
    return startMs === undefined ? undefined : { startMs, endMs: startMs + DAY_MS }
  }
  if (day !== undefined) {
    const startMs = instantOf(day)
    return startMs === undefined ? undefined : whole({ startMs, endMs: startMs + DAY_MS })
  }
  const startMs = start === undefined ? undefined : instantOf(start)
  const endMs = end === undefined ? undefined : instantOf(end)
  return startMs === undefined || endMs === undefined ? undefined : whole({ startMs, endMs })
}

function pacificSpan(firstDay: string | undefined, lastDay: string | undefined): Span | undefined {
  const [first, last] = [dateOf(firstDay), dateOf(lastDay)]
  if (first === undefined || last === undefined) return undefined
  return whole({ startMs: startOfDate(PACIFIC, first), endMs: endOfDate(PACIFIC, last) })
}

function dateOf(text = ''): Parameters<typeof startOfDate>[1] | undefined {
  const atMs = instantOf(text)
  if (atMs === undefined || atMs % DAY_MS !== 0) return undefined
  const date = new Date(atMs)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** We know our side by the hour. */
function whole(span: Span): Span | undefined {
  const isWhole = span.startMs % HOUR_MS === 0 && span.endMs % HOUR_MS === 0
  const hours = (span.endMs - span.startMs) / HOUR_MS
  return isWhole && hours >= 1 && hours <= MAX_HOURS ? span : undefined
}

/** The longest stretch that one line is about: a month. */
const MAX_HOURS = 31 * 24

/** Seconds since 1970, a day (`2026-10-01`, or `01.10.2026` of a spreadsheet), or an instant; without a zone it is of UTC. */
function instantOf(text: string): number | undefined {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000
  const [, date, time = '00:00', zone = 'Z'] = INSTANT.exec(text.replace(SPREADSHEET_DAY, '$3-$2-$1')) ?? []
  if (date === undefined) return undefined
  const instantMs = Date.parse(`${date}T${time}${zone === ' UTC' ? 'Z' : zone}`)
  return Number.isNaN(instantMs) ? undefined : instantMs
}

const SPREADSHEET_DAY = /^(\d{2})\.(\d{2})\.(\d{4})/
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z| UTC|[+-]\d{2}:\d{2})?)?$/

function problem(message: string): ReportProblem {
  return { type: 'problem', message }
}
