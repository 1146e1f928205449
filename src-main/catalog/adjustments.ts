// What an administrator adds to a key's credits, or takes from them, by hand.

import type { CatalogContext } from '#catalog/context.ts'
import { noKey, revokedIsFinal, viewOf } from '#catalog/keys.ts'
import type { KeyAdjust, KeyTopUp, KeyView } from '#contract/schemas.ts'
import { iso } from '#catalog/dates.ts'
import { makeShared } from '#catalog/shared.ts'
import { creditsToMicro, microToCredits, MAX_AMOUNT } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { FirstAdjustment } from '#ledger/entries.ts'

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

const KINDS = ['top-up', 'correction'] as const

type AdjustmentKind = (typeof KINDS)[number]

/** How the ledger names an adjustment with an id. */
export function adjustmentId(kind: AdjustmentKind, id: string): string {
  return `${kind}:${id}`
}

type Adjustment = {
  readonly kind: AdjustmentKind
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
  const first = id === undefined ? undefined : await firstOf(context, key.id, id)
  if (first !== undefined) {
    const isSame = first.kind === kind && first.amountMicro === amountMicro && first.reason === reason
    return isSame ? viewOf(context, key) : usedBefore(id ?? '', first)
  }
  if (!context.ledger.canAdjust(key.id, amountMicro)) {
    const says = `A key can have ${microToCredits(MAX_AMOUNT)} credits at most, and no larger a debt.`
    return refuse('invalid_request', says, { param: 'credits' })
  }
  const adjustment = { amountMicro, reason, id: adjustmentId(kind, id ?? context.newId()) }
  await makeShared(context, { adjustments: [{ keyId: key.id, ...adjustment }] }, () =>
    context.ledger.adjust(key.id, adjustment),
  )
  return viewOf(context, key)
}

type First = FirstAdjustment & Pick<Adjustment, 'kind'>

/** What was made with an id, as whichever kind. Amounts are read from the disk: most ids are never seen again. */
async function firstOf(context: CatalogContext, keyId: string, id: string): Promise<First | undefined> {
  const kind = KINDS.find((candidate) => context.ledger.hasAdjustment(keyId, adjustmentId(candidate, id)))
  const first = kind && (await context.readAdjustment({ keyId, id: adjustmentId(kind, id) }))
  return kind && first && { ...first, kind }
}

/** A repeated id means the same change; for a different change the answer would not say what became of that one. */
function usedBefore(id: string, { kind, amountMicro, reason, createdAtMs }: First): Refusal {
  const what = `a ${kind} of ${microToCredits(amountMicro)} credits at ${iso(createdAtMs)} ('${reason}')`
  const says = `The id '${id}' was already used for ${what}. Nothing was changed; use another id for another change.`
  return refuse('conflict', says, { param: 'idempotency_id' })
}
