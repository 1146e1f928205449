// Disjoint classes of what OpenAI's formats count: there cached and written tokens are part of the input, and reasoning is part of the
// output. Servers that copy them do not always keep to that, and their total tells.

import type { ReportedCounts } from '#core/usage.ts'

/** The counts of a usage object; undefined for what it does not say. */
export type NestedCounts = Readonly<
  Record<'input' | 'cacheRead' | 'cacheWrite' | 'output' | 'reasoning' | 'total', number | undefined>
>

export function splitUsage(counts: NestedCounts): Omit<ReportedCounts, 'details'> {
  const { input, cacheRead, cacheWrite, reasoning, output, total } = counts
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const isApart = isCountedApart(counts, cached)
  const whole = input === undefined || !isApart ? input : input + cached
  return {
    inputTokens: input === undefined || isApart ? input : input - cached,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: outputTokens(whole, counts),
    reasoningTokens: reasoning,
    ...(input === undefined && output === undefined ? { totalTokens: total } : {}),
  }
}

/** Whether cached tokens stand beside the input: there are more of them, or they are what the total has beyond input and output. */
function isCountedApart({ input, output, reasoning, total }: NestedCounts, cached: number): boolean {
  if (input === undefined || cached === 0) return false
  if (cached > input) return true
  if (output === undefined || total === undefined) return false
  return total - input - output === cached && reasoning !== cached
}

/** xAI leaves reasoning out of the output but not out of the total, so the larger of the two is what is paid. */
function outputTokens(input: number | undefined, { output, total }: NestedCounts): number | undefined {
  if (input === undefined || total === undefined) return output
  return Math.max(output ?? 0, total - input)
}
