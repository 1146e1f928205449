// Changes of the catalogue that several gateways make, in one order. Whoever makes one has it accepted by the shared books first; the others make
// the same change as soon as they hear of it.

import type { Catalog } from '#catalog/catalog.ts'
import type { InTurn } from '#catalog/turns.ts'
import type { AccountTerms } from '#ledger/account.ts'
import type { BalanceRow } from '#ledger/rows.ts'
import { FleetRefused } from '#core/fleet.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

export type SharedAdjustment = {
  readonly keyId: string
  readonly amountMicro: number
  readonly reason: string
  readonly id: string
}

export type SharedTerms = { readonly keyId: string; readonly terms: AccountTerms; readonly reason: string }

/** What is one change: rows of the catalogue, and what they mean for accounts. All of it is JSON. */
export type SharedChange = {
  readonly rows: readonly CatalogChange[]
  /** Accounts of keys that are new. */
  readonly openings: readonly BalanceRow[]
  readonly adjustments: readonly SharedAdjustment[]
  readonly terms: readonly SharedTerms[]
}

export interface SharedBooks {
  /** In which changes of this gateway and of others take turns. */
  readonly inTurn: InTurn
  /** Has a change accepted for all gateways, and then makes it here. Throws FleetRefused where it is not accepted. */
  make(change: SharedChange, locally: () => Promise<void>): Promise<void>
  /** Tells the others of a change that holds here whatever they say, at once or as soon as they can be told. Says whether they know. */
  tell(change: SharedChange): Promise<boolean>
}

export const NO_CHANGE: SharedChange = { rows: [], openings: [], adjustments: [], terms: [] }

/** Makes a change here, and on the other gateways where there are any. */
export async function makeShared(
  { shared }: { readonly shared?: SharedBooks | undefined },
  change: Partial<SharedChange>,
  locally: () => Promise<void>,
): Promise<void> {
  if (shared === undefined) return locally()
  return shared.make({ ...NO_CHANGE, ...change }, locally)
}

/** Terms as other gateways can follow them. Throws FleetRefused where a cycle would have to begin at one moment on all of them. */
export function sharedTerms(
  { catalog, shared }: { readonly catalog: Catalog; readonly shared?: SharedBooks | undefined },
  changes: readonly (SharedTerms & { readonly isUsageReset?: boolean })[],
): SharedTerms[] {
  if (shared === undefined) return []
  return changes.map(({ keyId, terms, reason, isUsageReset = false }) => {
    const before = catalog.package(catalog.key(keyId)?.packageId ?? '')
    const isSame = before?.type === terms.packageType && before.timeZone === terms.timeZone
    if (!isSame || isUsageReset) throw new FleetRefused('not-shared')
    return { keyId, terms, reason }
  })
}
