// Why a bill and our books differ. Plain data, so that what compares them needs no schema library.

export const CAUSES = [
  'not_through_farebox',
  'after_disconnect',
  'repeated_attempt',
  'estimated',
  'hour_edge',
  'not_reported_yet',
  'price_differs',
  'tool_fees',
  'rounding',
  'other_currency',
  'unexplained',
] as const
export type Cause = (typeof CAUSES)[number]
