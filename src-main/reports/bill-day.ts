// One provider's day as it is shown, whether reports or the answers themselves said what is billed.

import { decimalText, type Span } from '#bills/report.ts'
import type { Cause } from '#contract/bill-causes.ts'
import type { BillDay } from '#contract/bills.ts'

export type BillDaysRequest = {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly fromMs: number
  /** Left out itself. */
  readonly toMs: number
  readonly nowMs: number
}

export type Day = { readonly view: BillDay; readonly time: Span; readonly unexplainedParts: bigint }

/** Causes by which nothing is billed that should not be. */
const HARMLESS: readonly Cause[] = ['rounding', 'hour_edge']

export function stateOf(causes: readonly Cause[]): BillDay['state'] {
  if (causes.includes('unexplained')) return 'unexplained'
  if (causes.includes('not_reported_yet')) return 'open'
  return causes.every((cause) => HARMLESS.includes(cause)) ? 'agrees' : 'explained'
}

/** All in millionths of a micro-credit; `ofTokens` is undefined where no tokens are compared. */
export function shownMoney(ours: bigint, theirs: bigint, ofTokens: bigint | undefined): NonNullable<BillDay['money']> {
  const difference = decimalText(theirs - ours)
  const ofTokensText = ofTokens === undefined ? null : decimalText(ofTokens)
  return { ours: decimalText(ours), theirs: decimalText(theirs), difference, of_tokens: ofTokensText }
}
