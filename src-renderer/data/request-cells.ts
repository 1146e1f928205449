// What the row of a request shows that it does not say in one field.

import type { UsageView } from '#contract/schemas.ts'

type Tokens = Pick<UsageView, 'input_tokens' | 'cache_read_tokens' | 'cache_write_tokens'>

/** All that went in, whether it was cached or not. Undefined where nobody knows any of it. */
export function inputTokens(tokens: Tokens): number | undefined {
  const known = [tokens.input_tokens, tokens.cache_read_tokens, tokens.cache_write_tokens].flatMap(
    (count) => count ?? [],
  )
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

const OUTCOMES = ['answered', 'refused', 'failed', 'cut', 'client_gone', 'out_of_credits', 'interrupted'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** How bad it is: `good` was answered, `partial` ended before its end, `bad` brought nothing. */
export type Grade = 'good' | 'left' | 'partial' | 'bad'

/** Undefined for an outcome that a newer Farebox has. */
export function outcomeOf({ outcome }: Pick<UsageView, 'outcome'>): Outcome | undefined {
  return OUTCOMES.find((one) => one === outcome)
}

export function gradeOf({ outcome, status }: Pick<UsageView, 'outcome' | 'status'>): Grade {
  if (status >= 400 || outcome === 'refused' || outcome === 'failed') return 'bad'
  if (outcome === 'client_gone') return 'left'
  return outcome === 'answered' ? 'good' : 'partial'
}
