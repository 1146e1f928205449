// From the names that a report is filtered by to ids, limited to what its viewer may see.

import type { Catalog } from '#catalog/catalog.ts'
import { noKey } from '#catalog/keys.ts'
import { noMember } from '#catalog/members.ts'
import { findKey, isInScope, keyScope } from '#catalog/scope.ts'
import { ownerOf } from '#catalog/views.ts'
import { byRole, roleOf, type Member, type Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { UsageParts } from '#store/usage-filter.ts'

export type NamedParts = {
  readonly key?: string
  readonly model?: string
  readonly provider?: string
  readonly package?: string
  readonly owner?: string
  readonly member?: string
  readonly tool?: string
  readonly project?: string
  readonly tag?: string
}

/** Only this viewer's calls are ever counted: every report takes its filter from here. */
export function partsOfQuery(query: NamedParts, viewer: Viewer, catalog: Catalog): UsageParts | Refusal {
  const keyIds = keysOf(query, viewer, catalog)
  if (isRefusal(keyIds)) return keyIds
  const providerId = idOf('provider', query.provider, { viewer, catalog })
  if (isRefusal(providerId)) return providerId
  const packageId = idOf('package', query.package, { viewer, catalog })
  if (isRefusal(packageId)) return packageId
  const [tool, project, tag] = [query.tool, query.project, query.tag].map((name) => name?.toLowerCase())
  return { keyIds, modelId: query.model, providerId, packageId, tool, project, tag }
}

/** Ids of keys; undefined: all there are. */
export function keysOf(
  { key: name, owner, member: memberName }: Pick<NamedParts, 'key' | 'owner' | 'member'>,
  viewer: Viewer,
  catalog: Catalog,
): readonly string[] | undefined | Refusal {
  const scope = keyScope(viewer, catalog)
  const key = name === undefined ? undefined : findKey(viewer, catalog, name)
  if (name !== undefined && key === undefined) return noKey(name)
  const member = memberName === undefined ? undefined : findMember(viewer, catalog, memberName)
  if (memberName !== undefined && member === undefined) return noMember(memberName)
  if (key === undefined && owner === undefined && member === undefined) return scope === 'all' ? undefined : [...scope]
  return (key === undefined ? catalog.keys : [key])
    .filter((one) => isInScope(scope, one.id))
    .filter((one) => owner === undefined || ownerOf(one, catalog) === owner)
    .filter((one) => member === undefined || one.memberId === member.id)
    .map(({ id }) => id)
}

/** Members know of themselves alone, and the holder of a key of nobody. */
function findMember(viewer: Viewer, catalog: Catalog, idOrName: string): Member | undefined {
  const found = catalog.member(idOrName)
  return byRole(viewer, {
    administrator: () => found,
    member: ({ id }) => (found?.id === id ? found : undefined),
    holder: () => undefined,
  })
}

/** Names of owners by the id of their key. */
export function ownersOf(catalog: Catalog): Record<string, string> {
  const pairs = catalog.keys.flatMap((key): [string, string][] => {
    const owner = ownerOf(key, catalog)
    return owner === null ? [] : [[key.id, owner]]
  })
  return Object.fromEntries(pairs)
}

/** What stands for whom the calls of each key are counted to, by the id of the key, and who that is. */
export type MemberGroups = {
  readonly values: Readonly<Record<string, string>>
  readonly heads: Readonly<Record<string, { readonly id: string | null; readonly name: string }>>
}

/**
 * Keys of a member go by the member, whatever is said of them. Of other keys, such as those of members who were removed, only the
 * name is left that they carry, which another member may have by now: they are never that member's.
 */
export function memberGroups(catalog: Catalog): MemberGroups {
  const values: Record<string, string> = {}
  const heads: Record<string, { id: string | null; name: string }> = {}
  for (const key of catalog.keys) {
    const member = key.memberId === undefined ? undefined : catalog.member(key.memberId)
    const owner = ownerOf(key, catalog)
    if (member === undefined && owner === null) continue
    const value = member === undefined ? `no member: ${owner}` : member.id
    values[key.id] = value
    heads[value] = member === undefined ? { id: null, name: owner ?? '' } : { id: member.id, name: member.name }
  }
  return { values, heads }
}

/** Calls keep the ids of what was removed since, so that an id is taken as it is. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Who may not see all of them does not learn which names there are either: a name that nothing has is no id of anything, so that there is
 * nothing of it, as there is of one that only others use.
 */
function idOf(
  kind: 'provider' | 'package',
  name: string | undefined,
  { viewer, catalog }: { readonly viewer: Viewer; readonly catalog: Catalog },
): string | undefined | Refusal {
  if (name === undefined) return undefined
  const isKnowable = ID.test(name) || roleOf(viewer) !== 'administrator'
  const found = catalog[kind](name)?.id ?? (isKnowable ? name : undefined)
  return found ?? refuse('not_found', `There is no ${kind} '${name}'.`)
}
