// Brings a catalogue to the gateways that share it, and makes here what another gateway has changed.

import type { CatalogContext } from '#catalog/context.ts'
import { NO_CHANGE, type SharedChange } from '#catalog/shared.ts'
import { microCredits } from '#core/money.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

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
  return { ...NO_CHANGE, rows, openings: catalog.keys.map(({ id }) => ledger.rowOf(id)) }
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
    await ledger.adjust(keyId, { amountMicro: microCredits(amountMicro), reason, id })
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
