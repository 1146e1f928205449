// What an administrator adds to a key's credits, or takes from them, by hand.

import type { CatalogContext } from '#catalog/context.ts'
import { noKey, revokedIsFinal, viewOf } from '#catalog/keys.ts'
import type { KeyAdjust, KeyTopUp, KeyView } from '#contract/schemas.ts'
import { creditsToMicro } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

/** Adds credits to a key of a `topup` package, or to the present cycle of any other that counts credits. */
export function topUpKey(context: CatalogContext, idOrName: string, input: KeyTopUp): Promise<KeyView | Refusal> {
  const { credits, reason = 'top-up', idempotency_id: id } = input
  return adjustBy(context, idOrName, { kind: 'top-up', credits, reason, id })
}

/** Corrects a key's credits in either direction, with a reason. Taking more than is left is allowed: it leaves a debt. */
export function adjustKey(context: CatalogContext, idOrName: string, input: KeyAdjust): Promise<KeyView | Refusal> {
  const { credits, reason, idempotency_id: id } = input
  return adjustBy(context, idOrName, { kind: 'correction', credits, reason, id })
}

type Adjustment = {
  readonly kind: 'top-up' | 'correction'
  readonly credits: number
  readonly reason: string
  readonly id: string | undefined
}

async function adjustBy(
  context: CatalogContext,
  idOrName: string,
  { kind, credits, reason, id }: Adjustment,
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  if (context.catalog.package(key.packageId)?.type === 'unlimited') {
    return refuse('invalid_request', `Key '${key.name}' is unlimited; there are no credits to change.`)
  }
  if (context.ledger.state === 'mismatch') {
    return refuse('conflict', 'The ledger does not add up, so nothing is written to it. See: farebox ledger verify')
  }
  const amountMicro = creditsToMicro(credits)
  if (amountMicro === undefined) {
    return refuse('invalid_request', "'credits' takes at most six decimals.", { param: 'credits' })
  }
  if (amountMicro === 0) return refuse('invalid_request', "'credits' must not be 0.", { param: 'credits' })
  await context.ledger.adjust(key.id, { amountMicro, reason, id: `${kind}:${id ?? context.newId()}` })
  return viewOf(context, key)
}
