// Members: add, edit, give a password, remove. Hashing passwords is not done here: it is slow on purpose, and nobody's change
// should wait for it.

import type { Catalog } from '#catalog/catalog.ts'
import { commitChanges, insistOnChanges, type CatalogContext } from '#catalog/context.ts'
import { noPackage } from '#catalog/packages.ts'
import { rateLimitsView, readRateLimits } from '#catalog/rate-limits.ts'
import type { MemberCreate, MemberEdit, MemberView } from '#contract/members.ts'
import { NO_LIMITS, type Member, type MemberLimits } from '#core/member.ts'
import { creditsToMicro, microToCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** What the audit log calls those who are no members; a member of that name could pass for one of them. */
const TAKEN_NAMES = new Set(['owner', 'command line', 'farebox', 'nobody', 'administrator', 'key holder'])

export async function addMember(
  context: CatalogContext,
  input: Omit<MemberCreate, 'password'>,
  passwordHash: string | undefined,
): Promise<Member | Refusal> {
  const member = newMember(context, input, passwordHash)
  if (isRefusal(member)) return member
  await commitChanges(context, [{ type: 'put-member', member }])
  return member
}

/** A member who is to be added. */
export function newMember(
  context: CatalogContext,
  input: Omit<MemberCreate, 'password'>,
  passwordHash: string | undefined,
): Member | Refusal {
  const { catalog } = context
  const isTaken = TAKEN_NAMES.has(input.name.trim().toLowerCase())
  if (isTaken) return refuse('invalid_request', `'name': '${input.name}' has a meaning of its own.`, { param: 'name' })
  if (catalog.member(input.name) !== undefined) {
    return refuse('conflict', `There is a member named '${input.name}' already.`, { param: 'name' })
  }
  const packages = readOpenPackages(catalog, input.packages ?? [])
  if (isRefusal(packages)) return packages
  const limits = input.limits === undefined ? NO_LIMITS : readMemberLimits(input.limits)
  if (isRefusal(limits)) return limits
  return {
    id: context.newId(),
    name: input.name,
    role: input.role ?? 'member',
    status: 'active',
    packages,
    passwordHash,
    limits,
    createdAtMs: context.nowMs(),
  }
}

/**
 * The keys of a member who is suspended are refused from the next request on, and their running answers end. Limits hold from the next
 * request on, also for those that wait for their turn.
 */
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
  const limits = edit.limits === undefined ? existing.limits : readMemberLimits(edit.limits)
  if (isRefusal(limits)) return limits
  const { role = existing.role, status = existing.status } = edit
  const member = { ...existing, packages, role, status, limits }
  const changes = [{ type: 'put-member', member } as const]
  // A member who is to be blocked is blocked even while nothing can be written; nothing else of the member is changed then.
  if (isBlockingOnly(edit)) await insistOnChanges(context, changes)
  else await commitChanges(context, changes)
  if (edit.limits !== undefined) context.memberLimitsChanged(member.id)
  if (status === 'suspended') for (const key of catalog.keysOfMember(member.id)) context.keyBlocked(key.id)
  return member
}

function isBlockingOnly({ status, ...rest }: MemberEdit): boolean {
  return status === 'suspended' && Object.keys(rest).length === 0
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
    return refuse('conflict', `Member '${member.name}' has ${says}. Revoke these first.`)
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

export function memberLimitsView(limits: MemberLimits): MemberView['limits'] {
  return {
    ...rateLimitsView(limits),
    credits_per_day: limits.dailyMicro === undefined ? null : microToCredits(limits.dailyMicro),
  }
}

function readMemberLimits(input: NonNullable<MemberEdit['limits']>): MemberLimits | Refusal {
  const { credits_per_day: daily } = input
  const dailyMicro = daily === undefined ? undefined : creditsToMicro(daily)
  if (daily !== undefined && dailyMicro === undefined) {
    const message = "'credits_per_day' has more than six decimals."
    return refuse('invalid_request', message, { param: 'limits.credits_per_day' })
  }
  return { ...readRateLimits(input), dailyMicro }
}

/** As ids, each once. A package that is removed later leaves its id behind, which opens nothing. */
export function readOpenPackages(catalog: Catalog, packages: 'all' | readonly string[]): Member['packages'] | Refusal {
  if (packages === 'all') return 'all'
  const ids = new Set<string>()
  for (const idOrName of packages) {
    const entity = catalog.package(idOrName)
    if (entity === undefined) return refuse('invalid_request', noPackage(idOrName).message, { param: 'packages' })
    ids.add(entity.id)
  }
  return [...ids]
}
