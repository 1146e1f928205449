// Days of bills as the page shows them.

import type { BillDay } from '#contract/bills.ts'

type TokenCounts = NonNullable<BillDay['tokens']>['ours']

export function billId({ day, provider }: Pick<BillDay, 'day' | 'provider'>): string {
  return `${day} ${provider}`
}

/** Theirs less ours; undefined where no report of tokens is kept. */
export function tokenDifference({ tokens }: Pick<BillDay, 'tokens'>): number | undefined {
  return tokens === null ? undefined : tokenSum(tokens.theirs) - tokenSum(tokens.ours)
}

export function tokenSum({ input, cache_read: read, cache_write: written, output }: TokenCounts): number {
  return input + read + written + output
}

/** Exact decimal text with up to twelve decimals, as an amount of micro-credits: what is finer is cut off. */
export function microOfText(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const micro = BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
  return text.startsWith('-') ? -micro : micro
}

/** The last whole day of UTC before an instant, as `2026-11-22`. */
export function lastDayBefore(instant: string): string {
  const dayMs = 86_400_000
  return new Date(Math.floor(Date.parse(instant) / dayMs) * dayMs - 1).toISOString().slice(0, 10)
}

/** Names that somebody typed with commas between them; undefined where there are none. */
export function namesIn(text: string): string[] | undefined {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  return names.length === 0 ? undefined : names
}
