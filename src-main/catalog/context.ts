// What the administrator's actions work with.

import type { Catalog } from '#catalog/catalog.ts'
import type { Target } from '#core/entities.ts'
import type { FirstAdjustment } from '#ledger/entries.ts'
import type { AdjustmentId, Ledger } from '#ledger/ledger.ts'
import type { TermsRequest } from '#ledger/terms.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { ResealingStore, SecretKeeper, SecretStore } from '#secret/port.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'
import { makeShared, sharedTerms, type SharedBooks } from '#catalog/shared.ts'

export type CatalogContext = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly secrets: SecretKeeper
  /** The other place where secrets may be from before. */
  readonly otherSecrets: SecretStore
  /** Where gateways share them in their database, whichever store is in use. */
  readonly sharedSecrets?: ResealingStore | undefined
  readonly nowMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  /** SHA-256 of a key, base64url. */
  readonly hashKey: (key: string) => string
  /** The machine's time zone. */
  readonly timeZone: string
  /** Reads the adjustment that was made with an id. */
  readonly readAdjustment: (id: AdjustmentId) => Promise<FirstAdjustment | undefined>
  /**
   * Writes changes, with ledger rows that belong to them, in one durable transaction; with them the version that a catalogue has then which several gateways
   * share.
   */
  readonly write: (changes: readonly CatalogChange[], batch?: LedgerBatch, version?: number) => Promise<void>
  /**
   * Writes changes that hold at once, whatever the disk says: where it does not take them, they are written as soon as it does.
   * Says whether they are on disk.
   */
  readonly insist: (changes: readonly CatalogChange[]) => Promise<boolean>
  /** Tells the rest of the program that a key may no longer be used, so that its running answers end. */
  readonly keyBlocked: (keyId: string) => void
  /** Tells the rest of the program that a member has other limits, so that those who wait for the old ones are looked at again. */
  readonly memberLimitsChanged: (memberId: string) => void
  /** The same of a project. */
  readonly projectLimitsChanged: (project: string) => void
  /** Tells the rest of the program that these targets are reached in another way now: what it learned about them counts no more. */
  readonly targetsChanged: (targets: readonly Target[]) => void
  /** Where several gateways share the books. */
  readonly shared?: SharedBooks | undefined
}

export type Accounting = {
  /** Ledger rows that belong to the changes. */
  readonly batch?: LedgerBatch
  /** Accounts that follow other terms because of them. */
  readonly terms?: readonly (TermsRequest & { readonly keyId: string })[]
}

/** Writes changes to disk, with what they mean for accounts, all or nothing of it; once they are there, memory has them too. */
export async function commitChanges(
  context: CatalogContext,
  changes: readonly CatalogChange[],
  { batch, terms = [] }: Accounting = {},
): Promise<void> {
  const locally = async () => {
    if (terms.length > 0) await context.ledger.changeTermsTogether(terms, changes)
    else if (changes.length > 0) await context.write(changes, batch)
    for (const change of changes) context.catalog.accept(change)
  }
  if (terms.length === 0 && changes.length === 0) return locally()
  const openings = batch?.balances ?? []
  await makeShared(context, { rows: changes, openings, terms: sharedTerms(context, terms) }, locally)
}

/**
 * Takes changes over that must hold at once, and writes them as soon as the disk takes them. Returns the note for the caller while one of
 * them is not where it has to be.
 */
export async function insistOnChanges(
  context: CatalogContext,
  changes: readonly CatalogChange[],
): Promise<string | undefined> {
  const isWritten = await context.insist(changes)
  for (const change of changes) context.catalog.accept(change)
  const isTold = (await context.shared?.tell({ rows: changes, openings: [], adjustments: [], terms: [] })) ?? true
  if (isWritten) return isTold ? undefined : UNTOLD
  return UNWRITTEN
}

const UNTOLD =
  'This holds on this gateway from now on. The others are told as soon as the shared database can be asked, unless this one ends before.'
const UNWRITTEN =
  'This holds from now on, but the disk is full: it will be saved as soon as there is room. Make room before Farebox stops.'
