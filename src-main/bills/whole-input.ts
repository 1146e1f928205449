// Our side for reports that tell an input as one number, whatever of it was cached.

import type { DoubtfulCall } from '#bills/ours.ts'
import { spanName, type BillReport, type TokenCounts } from '#bills/report.ts'
import { inOrder, spanAt } from '#bills/spans.ts'
import type { OurSide } from '#bills/tokens.ts'

/** With one number for the input in the stretches of time of which the report has no more than that. */
export function sideFor({ usage, usageSpans }: BillReport, side: OurSide): OurSide {
  const wholes = new Set(usage.filter(({ isInputWhole }) => isInputWhole === true).map(spanName))
  if (wholes.size === 0) return side
  const spans = inOrder(usageSpans)
  const isWhole = ({ startMs }: { readonly startMs: number }) => {
    const span = spanAt(spans, startMs)
    return span !== undefined && wholes.has(spanName(span))
  }
  return {
    hours: side.hours.map((hour) => (isWhole(hour) ? { ...hour, counts: wholeInput(hour.counts) } : hour)),
    doubtful: side.doubtful.map((call) => (isWhole(call) ? wholeCall(call) : call)),
  }
}

function wholeCall(call: DoubtfulCall): DoubtfulCall {
  const hasInput = call.open.some((name) => name !== 'output')
  const open = [...(hasInput ? (['input'] as const) : []), ...call.open.filter((name) => name === 'output')]
  return { ...call, counts: wholeInput(call.counts), open }
}

function wholeInput({ input, cache_read: read, cache_write: written, output }: TokenCounts): TokenCounts {
  return { input: input + read + written, cache_read: 0, cache_write: 0, output }
}
