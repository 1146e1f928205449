// Reads pages of OpenRouter's activity: one line for each day, model and provider behind it, with tokens and money at once.
//
// Source: openrouter.ai/docs/api/api-reference/analytics/get-user-activity, read on 2026-11-27. It says nothing of cached tokens, so that
// the whole input of a line is one number; nothing was tried against a real account.

import { readCostFields, readUsageFields, textOf, type Fields } from '#bills/fields.ts'
import { onlyOnce, spanName, type BillReport, type Json, type ReportProblem, type Span } from '#bills/report.ts'
import { membersOf } from '#core/members.ts'

const DAY_MS = 86_400_000

/** Whether a page is one of it: it was asked for, or its lines have the fields of such a page. */
export function isActivity({ data, report }: Json): boolean {
  if (report === 'activity') return true
  const first = Array.isArray(data) ? membersOf(data[0]) : {}
  return 'model_permaslug' in first && 'date' in first
}

/** What a page tells of: days from `from` to `to`, as it was asked for, or those of its lines. */
export function readActivity({ data, from, to, account }: Json): BillReport | ReportProblem {
  const asked = daysBetween(from, to)
  const days = new Map((asked ?? []).map((span) => [spanName(span), span] as const))
  const usage: [string, BillReport['usage'][number]][] = []
  const costs: [string, BillReport['costs'][number]][] = []
  for (const line of Array.isArray(data) ? data.map(membersOf) : []) {
    const fields = fieldsOf(line, account)
    const [used, billed] = [readUsageFields(fields), readCostFields(fields)]
    if (used.type === 'problem') return problem(used.message)
    if (billed.type === 'problem') return problem(billed.message)
    if (used.type !== 'usage' || billed.type !== 'cost')
      return problem('it does not say what was used, or what it costs.')
    // Days before those that were asked for come as well.
    if (asked !== undefined && !days.has(spanName(used.span))) continue
    days.set(spanName(used.span), used.span)
    const identity = identityOf(line, account)
    usage.push([identity, { ...used.line, identity, isInputWhole: true }])
    costs.push([identity, { ...billed.line, identity }])
  }
  const spans = [...days.values()]
  return { usage: onlyOnce(usage), usageSpans: spans, costs: onlyOnce(costs), costSpans: spans }
}

function fieldsOf(line: Json, account: unknown): Fields {
  const said = {
    day: textOf(line['date']),
    model: modelOf(line),
    account: textOf(account),
    requests: textOf(line['requests']),
    input_all: textOf(line['prompt_tokens']),
    output: textOf(line['completion_tokens']),
    // What is billed by the maker of the model, for a key of one's own there, is `byok_usage_inference`, and in that bill.
    amount: textOf(line['usage']),
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** With the day of its snapshot; the variant (`:free`) may stand only in the name that was asked for. */
function modelOf(line: Json): string | undefined {
  const [asked, exact] = [textOf(line['model']), textOf(line['model_permaslug'])]
  if (exact === undefined || exact.includes(':')) return exact ?? asked
  const [, variant] = asked?.split(':') ?? []
  return variant === undefined ? exact : `${exact}:${variant}`
}

/** Everything of a line that is no number. */
function identityOf(line: Json, account: unknown): string {
  const words = Object.entries(line).filter(([, value]) => typeof value !== 'number')
  return JSON.stringify([textOf(account), words.toSorted(([one], [other]) => (one < other ? -1 : 1))])
}

function daysBetween(from: unknown, to: unknown): Span[] | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.max(0, (toMs - fromMs) / DAY_MS) }, (_, index) => {
    const startMs = fromMs + index * DAY_MS
    return { startMs, endMs: startMs + DAY_MS }
  })
}

function problem(says: string): ReportProblem {
  return { type: 'problem', message: `A line of activity cannot be read: ${says}` }
}
