// What the administrator's actions work with.

import type { Catalog } from '#catalog/catalog.ts'
import type { Target } from '#core/entities.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { SecretKeeper, SecretStore } from '#secret/port.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

export type CatalogContext = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly secrets: SecretKeeper
  /** The other place where secrets may be from before. */
  readonly otherSecrets: SecretStore
  readonly nowMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  /** SHA-256 of a key, base64url. */
  readonly hashKey: (key: string) => string
  /** The machine's time zone. */
  readonly timeZone: string
  /** Writes changes, with ledger rows that belong to them, in one durable transaction. */
  readonly write: (changes: readonly CatalogChange[], batch?: LedgerBatch) => Promise<void>
  /** Tells the rest of the program that a key may no longer be used, so that its running answers end. */
  readonly keyBlocked: (keyId: string) => void
  /** Tells the rest of the program that a member has other limits, so that those who wait for the old ones are looked at again. */
  readonly memberLimitsChanged: (memberId: string) => void
  /** Tells the rest of the program that these targets are reached in another way now: what it learned about them counts no more. */
  readonly targetsChanged: (targets: readonly Target[]) => void
}

/** Writes changes to disk and, once they are there, to memory. */
export async function commitChanges(
  context: CatalogContext,
  changes: readonly CatalogChange[],
  batch?: LedgerBatch,
): Promise<void> {
  if (changes.length === 0) return
  await context.write(changes, batch)
  for (const change of changes) context.catalog.accept(change)
}
