// Changes of the catalogue that several gateways make, in one order. Whoever makes one has it accepted by the shared books first; the others make
// the same change as soon as they hear of it.

import type { CatalogContext } from '#catalog/context.ts'
import type { InTurn } from '#catalog/turns.ts'
import type { AccountTerms } from '#ledger/account.ts'
import type { BalanceRow, LedgerBatch } from '#ledger/rows.ts'
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

const NOTHING: SharedChange = { rows: [], openings: [], adjustments: [], terms: [] }

/** Makes a change here, and on the other gateways where there are any. */
export async function makeShared(
  { shared }: Pick<CatalogContext, 'shared'>,
  change: Partial<SharedChange>,
  locally: () => Promise<void>,
): Promise<void> {
  if (shared === undefined) return locally()
  return shared.make({ ...NOTHING, ...change }, locally)
}

/** Terms as other gateways can follow them. Throws FleetRefused where a cycle would have to begin at one moment on all of them. */
export function sharedTerms(
  { catalog, shared }: Pick<CatalogContext, 'catalog' | 'shared'>,
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

/** Everything that this gateway is set up with, as one change. */
export function wholeCatalog({ catalog, ledger, nowMs }: CatalogContext): SharedChange {
  const changedAtMs = nowMs()
  const rows: CatalogChange[] = [
    ...catalog.members.map((member) => ({ type: 'put-member', member }) as const),
    ...catalog.providers.map((provider) => ({ type: 'put-provider', provider }) as const),
    ...catalog.models.map((model) => ({ type: 'put-model', model, changedAtMs }) as const),
    ...catalog.packages.map((entity) => ({ type: 'put-package', package: entity }) as const),
    ...catalog.keys.map((key) => ({ type: 'put-key', key }) as const),
    ...catalog.invites.map((invite) => ({ type: 'put-invite', invite }) as const),
    ...catalog.projects.map((project) => ({ type: 'put-project', project }) as const),
  ]
  return { ...NOTHING, rows, openings: catalog.keys.map(({ id }) => ledger.rowOf(id)) }
}

/** Makes a change of another gateway here. What has been made is made again without effect. */
export async function followShared(context: CatalogContext, change: SharedChange): Promise<void> {
  const { catalog, ledger } = context
  const batches = change.openings.flatMap((row) => ledger.adopt(row) ?? [])
  const batch: LedgerBatch = {
    entries: batches.flatMap(({ entries }) => entries),
    usage: [],
    balances: batches.flatMap(({ balances }) => balances),
  }
  const before = new Map(catalog.providers.map((provider) => [provider.id, provider]))
  try {
    if (change.terms.length > 0) await ledger.changeTermsTogether(change.terms, change.rows)
    else if (change.rows.length > 0) await context.write(change.rows, batch)
  } catch (error) {
    for (const [keyId] of batch.balances) ledger.forget(keyId)
    throw error
  }
  for (const row of change.rows) catalog.accept(row)
  for (const { keyId, amountMicro, reason, id } of change.adjustments) {
    await ledger.adjust(keyId, { amountMicro: amountMicro as never, reason, id })
  }
  tellRest(context, change.rows, (id) => before.has(id))
}

/** Tells the rest of the program what the makers of such changes tell it. */
function tellRest(context: CatalogContext, rows: readonly CatalogChange[], wasThere: (providerId: string) => boolean) {
  const { catalog, nowMs } = context
  for (const row of rows) {
    switch (row.type) {
      case 'put-key':
        if (catalog.statusOf(row.key, nowMs()) !== 'active') context.keyBlocked(row.key.id)
        break
      case 'put-member':
        for (const key of catalog.keysOfMember(row.member.id)) {
          if (catalog.statusOf(key, nowMs()) !== 'active') context.keyBlocked(key.id)
        }
        context.memberLimitsChanged(row.member.id)
        break
      case 'put-project':
        context.projectLimitsChanged(row.project.id)
        break
      case 'put-provider':
        if (wasThere(row.provider.id)) context.targetsChanged(catalog.targetsAt(new Set([row.provider.id])))
        break
      default:
    }
  }
}
