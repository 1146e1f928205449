// From the names that a report is filtered by to ids, limited to what its viewer may see.

import type { Catalog } from '#catalog/catalog.ts'
import { noKey } from '#catalog/keys.ts'
import { findKey, isInScope, keyScope } from '#catalog/scope.ts'
import { ownerOf } from '#catalog/views.ts'
import type { Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { UsageParts } from '#store/usage-filter.ts'

export type NamedParts = {
  readonly key?: string
  readonly model?: string
  readonly provider?: string
  readonly package?: string
  readonly owner?: string
}

/** Only this viewer's calls are ever counted: every report takes its filter from here. */
export function partsOfQuery(query: NamedParts, viewer: Viewer, catalog: Catalog): UsageParts | Refusal {
  const keyIds = keysOf(query, viewer, catalog)
  if (isRefusal(keyIds)) return keyIds
  const providerId = idOf('provider', query.provider, catalog)
  if (isRefusal(providerId)) return providerId
  const packageId = idOf('package', query.package, catalog)
  if (isRefusal(packageId)) return packageId
  return { keyIds, modelId: query.model, providerId, packageId }
}

/** Ids of keys; undefined: all there are. */
export function keysOf(
  { key: name, owner }: Pick<NamedParts, 'key' | 'owner'>,
  viewer: Viewer,
  catalog: Catalog,
): readonly string[] | undefined | Refusal {
  const scope = keyScope(viewer, catalog)
  const key = name === undefined ? undefined : findKey(viewer, catalog, name)
  if (name !== undefined && key === undefined) return noKey(name)
  if (key !== undefined) return owner === undefined || ownerOf(key, catalog) === owner ? [key.id] : []
  if (owner === undefined) return scope === 'all' ? undefined : [...scope]
  return catalog.keys.filter((one) => isInScope(scope, one.id) && ownerOf(one, catalog) === owner).map(({ id }) => id)
}

/** Names of owners by the id of their key. */
export function ownersOf(catalog: Catalog): Record<string, string> {
  const pairs = catalog.keys.flatMap((key): [string, string][] => {
    const owner = ownerOf(key, catalog)
    return owner === null ? [] : [[key.id, owner]]
  })
  return Object.fromEntries(pairs)
}

/** Calls keep the ids of what was removed since, so that an id is taken as it is. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function idOf(kind: 'provider' | 'package', name: string | undefined, catalog: Catalog): string | undefined | Refusal {
  if (name === undefined) return undefined
  const found = catalog[kind](name)?.id ?? (ID.test(name) ? name : undefined)
  return found ?? refuse('not_found', `There is no ${kind} '${name}'.`)
}
