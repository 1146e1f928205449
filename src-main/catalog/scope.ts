// What a viewer may see: everything, or what belongs to the keys that are theirs. Whatever answers a question about keys, calls
// or credits asks here, so that there is one place that can be wrong about it.

import type { Catalog } from '#catalog/catalog.ts'
import type { Key } from '#core/entities.ts'
import { byRole, type Viewer } from '#core/member.ts'

/** The ids of the keys that a viewer may see; revoked ones are among them, because their history stays. */
export type KeyScope = 'all' | ReadonlySet<string>

export function keyScope(viewer: Viewer, catalog: Catalog): KeyScope {
  return byRole<KeyScope>(viewer, {
    administrator: () => 'all',
    member: ({ id }) => new Set(catalog.keys.filter((key) => key.memberId === id).map((key) => key.id)),
    holder: (keyId) => new Set([keyId]),
  })
}

export function isInScope(scope: KeyScope, keyId: string): boolean {
  return scope === 'all' || scope.has(keyId)
}

/**
 * A key by id or by name, among those that the viewer may see. Another's key is not found like one that never was: also where
 * it has the name of one that is the viewer's.
 */
export function findKey(viewer: Viewer, catalog: Catalog, idOrName: string): Key | undefined {
  const scope = keyScope(viewer, catalog)
  return catalog.key(idOrName, (key) => isInScope(scope, key.id))
}
