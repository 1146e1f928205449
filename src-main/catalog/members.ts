// Members: add, edit, give a password, remove. Hashing passwords is not done here: it is slow on purpose, and nobody's change
// should wait for it.

import type { Catalog } from '#catalog/catalog.ts'
import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import { noPackage } from '#catalog/packages.ts'
import type { MemberCreate, MemberEdit } from '#contract/members.ts'
import type { Member } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** What the audit log calls those who are no members; a member of that name could pass for one of them. */
const TAKEN_NAMES = new Set(['owner', 'command line', 'farebox', 'nobody', 'administrator'])

export async function addMember(
  context: CatalogContext,
  input: Omit<MemberCreate, 'password'>,
  passwordHash: string | undefined,
): Promise<Member | Refusal> {
  const { catalog } = context
  const isTaken = TAKEN_NAMES.has(input.name.trim().toLowerCase())
  if (isTaken) return refuse('invalid_request', `'name': '${input.name}' has a meaning of its own.`, { param: 'name' })
  if (catalog.member(input.name) !== undefined) {
    return refuse('conflict', `There is a member named '${input.name}' already.`, { param: 'name' })
  }
  const packages = readOpenPackages(catalog, input.packages ?? [])
  if (isRefusal(packages)) return packages
  const member: Member = {
    id: context.newId(),
    name: input.name,
    role: input.role ?? 'member',
    status: 'active',
    packages,
    passwordHash,
    createdAtMs: context.nowMs(),
  }
  await commitChanges(context, [{ type: 'put-member', member }])
  return member
}

/** The keys of a member who is suspended are refused from the next request on, and their running answers end. */
export async function editMember(
  context: CatalogContext,
  idOrName: string,
  edit: MemberEdit,
): Promise<Member | Refusal> {
  const { catalog } = context
  const existing = catalog.member(idOrName)
  if (existing === undefined) return noMember(idOrName)
  const packages = edit.packages === undefined ? existing.packages : readOpenPackages(catalog, edit.packages)
  if (isRefusal(packages)) return packages
  const { role = existing.role, status = existing.status } = edit
  const member = { ...existing, packages, role, status }
  await commitChanges(context, [{ type: 'put-member', member }])
  if (status === 'suspended') for (const key of catalog.keysOfMember(member.id)) context.keyBlocked(key.id)
  return member
}

/** `isMeant` is asked once it is the change's turn: what was true before the hash was made may not be any more. */
export async function setPassword(
  context: CatalogContext,
  idOrName: string,
  { passwordHash, isMeant = () => true }: { passwordHash: string; isMeant?: (member: Member) => boolean },
): Promise<Member | Refusal> {
  const existing = context.catalog.member(idOrName)
  if (existing === undefined || !isMeant(existing)) return noMember(idOrName)
  const member = { ...existing, passwordHash }
  await commitChanges(context, [{ type: 'put-member', member }])
  return member
}

/** Refused while keys would be left that work and belong to nobody. */
export async function removeMember(context: CatalogContext, idOrName: string): Promise<Member | Refusal> {
  const member = context.catalog.member(idOrName)
  if (member === undefined) return noMember(idOrName)
  const keys = usableKeys(context.catalog, member)
  if (keys > 0) {
    const says = keys === 1 ? 'a key that is not revoked' : `${keys} keys that are not revoked`
    return refuse('conflict', `Member '${member.name}' has ${says}. Revoke first what shall end with them.`)
  }
  await commitChanges(context, [{ type: 'delete-member', id: member.id }])
  return member
}

/** How many keys of a member are not revoked. */
export function usableKeys(catalog: Catalog, member: Member): number {
  return catalog.keysOfMember(member.id).filter((key) => key.storedStatus !== 'revoked').length
}

export function noMember(idOrName: string): Refusal {
  return refuse('not_found', `There is no member '${idOrName}'.`)
}

/** As ids, each once. A package that is removed later leaves its id behind, which opens nothing. */
function readOpenPackages(catalog: Catalog, packages: 'all' | readonly string[]): Member['packages'] | Refusal {
  if (packages === 'all') return 'all'
  const ids = new Set<string>()
  for (const idOrName of packages) {
    const entity = catalog.package(idOrName)
    if (entity === undefined) return refuse('invalid_request', noPackage(idOrName).message, { param: 'packages' })
    ids.add(entity.id)
  }
  return [...ids]
}
