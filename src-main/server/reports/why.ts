// Why a request ended as it did: refused before it was a call, or a call with a receipt. What others may not see is not there.

import type { WhyView } from '#contract/refused.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { whyCall } from '#core/why.ts'
import { refusedView } from '#reports/refused-view.ts'
import { isRequestId, receiptOf, type ReadReceipt } from '#server/gateway/receipts.ts'
import type { FoundRefused } from '#store/refused-rows.ts'

/** Finds the refusals that a request was one of; undefined where there are none. */
export type FindRefused = (id: string) => Promise<FoundRefused | undefined>

export type WhyDeps = {
  readonly readReceipt: ReadReceipt
  readonly findRefused: FindRefused
  /** undefined stands for requests without a known key. */
  readonly mayShow: (keyId: string | undefined) => boolean
}

export async function whyOf(id: string, deps: WhyDeps): Promise<WhyView | Refusal> {
  const receipt = await receiptOf(id, deps.readReceipt, deps.mayShow)
  if (!isRefusal(receipt)) {
    const { outcome, status, attempts } = receipt
    const why = whyCall({ outcome, status, attempts: attempts === 'unknown' ? undefined : attempts })
    return { id, ...why, refused: null, receipt, is_certain: true }
  }
  const found = await refusedBy(id, deps)
  if (found === undefined)
    return refuse('not_found', 'Nothing is known of this request. It may be too long ago, or still running.')
  const refused = refusedView(found.row)
  const { message: says, advice } = refused
  return { id, says, advice, refused, receipt: null, is_certain: found.isCertain }
}

/** The refusals of a request, of those that `mayShow`. */
export async function refusedBy(
  id: string,
  { findRefused, mayShow }: Omit<WhyDeps, 'readReceipt'>,
): Promise<FoundRefused | undefined> {
  const found = isRequestId(id) ? await findRefused(id) : undefined
  return found !== undefined && mayShow(found.row.key_id ?? undefined) ? found : undefined
}
