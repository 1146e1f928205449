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

export type Fields = {
  readonly start?: string
  readonly end?: string
  readonly day?: string
  readonly model?: string
  readonly account?: string
  readonly requests?: string
  /** All of the input, whatever of it was cached. */
  readonly input_all?: string
  readonly input?: string
  readonly cache_read?: string
  readonly cache_write?: string
  readonly cache_write_1h?: string
  readonly output?: string
  readonly amount?: string
  readonly currency?: string
  readonly item?: string
  readonly kind?: string
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
  const { model, account } = fields
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
    model: fields.model ?? ofItem,
    kind: kindOf(fields.kind ?? (ofItem === undefined ? item : undefined)),
    currency: currency.toUpperCase(),
    amount,
    account,
  }
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

/** Days and hours are those of UTC, in every report. */
function spanOf({ start, end, day }: Fields): Span | undefined {
  if (day !== undefined) {
    const startMs = instantOf(day)
    return startMs === undefined ? undefined : whole({ startMs, endMs: startMs + DAY_MS })
  }
  const startMs = start === undefined ? undefined : instantOf(start)
  const endMs = end === undefined ? undefined : instantOf(end)
  return startMs === undefined || endMs === undefined ? undefined : whole({ startMs, endMs })
}

/** We know our side by the hour. */
function whole(span: Span): Span | undefined {
  const isWhole = span.startMs % HOUR_MS === 0 && span.endMs % HOUR_MS === 0
  const hours = (span.endMs - span.startMs) / HOUR_MS
  return isWhole && hours >= 1 && hours <= MAX_HOURS ? span : undefined
}

/** The longest stretch that one line is about: a month. */
const MAX_HOURS = 31 * 24

/** Seconds since 1970, a day, or an instant as in RFC 3339. */
function instantOf(text: string): number | undefined {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined
  const instantMs = Date.parse(text)
  return Number.isNaN(instantMs) ? undefined : instantMs
}

function problem(message: string): ReportProblem {
  return { type: 'problem', message }
}
