// Invites: make, accept, withdraw. An invite also ends by itself when its member can no longer have one, which the catalogue and the
// database see to wherever members are changed.

import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { newMember, noMember, readOpenPackages } from '#catalog/members.ts'
import type { InviteCreate } from '#contract/invites.ts'
import { INVITE_LIFE_MS, isInvitable, type Invite } from '#core/invite.ts'
import type { Member } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** More than a team is invited at once. */
const MAX_OPEN = 100
const CODE_BYTES = 32

/** The code is in this answer and nowhere else. */
export type NewInvite = { readonly invite: Invite; readonly member: Member; readonly code: string }

/** Invites a member who has no password yet, or somebody who becomes a member by it. */
export async function inviteMember(context: CatalogContext, input: InviteCreate): Promise<NewInvite | Refusal> {
  const { catalog, nowMs, randomBytes, hashKey } = context
  const member = invitedMember(context, input)
  if (isRefusal(member)) return member
  const createdAtMs = nowMs()
  const others = openInvites(catalog, createdAtMs).filter(({ memberId }) => memberId !== member.id)
  if (others.length >= MAX_OPEN) {
    return refuse('conflict', `There are ${MAX_OPEN} open invites already. Withdraw some of them first.`)
  }
  const code = Buffer.from(randomBytes(CODE_BYTES)).toString('base64url')
  const expiresAtMs = createdAtMs + INVITE_LIFE_MS
  const invite = { memberId: member.id, codeHash: hashKey(code), createdAtMs, expiresAtMs }
  await commitChanges(context, [
    { type: 'put-member', member },
    { type: 'put-invite', invite },
  ])
  return { invite, member, code }
}

/** Gives the member of an invite their password, which ends the invite. Refused in one sentence, whatever is wrong with the code. */
export async function acceptInvite(
  context: CatalogContext,
  codeHash: string,
  passwordHash: string,
): Promise<Member | Refusal> {
  const { catalog, nowMs } = context
  const invite = catalog.inviteByHash(codeHash)
  const invited = invite === undefined || isOver(invite, nowMs()) ? undefined : catalog.member(invite.memberId)
  if (invited === undefined || !isInvitable(invited)) {
    return refuse('unauthenticated', 'This invite is not good any more. Ask for a new one.')
  }
  const member = { ...invited, passwordHash }
  await commitChanges(context, [{ type: 'put-member', member }])
  return member
}

export async function withdrawInvite(context: CatalogContext, idOrName: string): Promise<Invite | Refusal> {
  const { catalog, nowMs } = context
  const member = catalog.member(idOrName)
  if (member === undefined) return noMember(idOrName)
  const invite = openInvites(catalog, nowMs()).find(({ memberId }) => memberId === member.id)
  if (invite === undefined) return refuse('not_found', `There is no open invite for '${member.name}'.`)
  await commitChanges(context, [{ type: 'delete-invite', codeHash: invite.codeHash }])
  return invite
}

export function openInvites(catalog: Catalog, nowMs: number): Invite[] {
  return catalog.invites.filter((invite) => !isOver(invite, nowMs))
}

export function isOver({ expiresAtMs }: Invite, nowMs: number): boolean {
  return nowMs >= expiresAtMs
}

function invitedMember(context: CatalogContext, { name, packages }: InviteCreate): Member | Refusal {
  const { catalog } = context
  const existing = catalog.member(name)
  if (existing === undefined) return newMember(context, { name, ...(packages && { packages }) }, undefined)
  if (!isInvitable(existing)) return refuse('conflict', whyNot(existing), { param: 'name' })
  const open = packages === undefined ? existing.packages : readOpenPackages(catalog, packages)
  return isRefusal(open) ? open : { ...existing, packages: open }
}

function whyNot({ name, role, status }: Member): string {
  if (role !== 'member') return `'${name}' is an administrator, who is not invited: set their password instead.`
  if (status !== 'active') return `'${name}' is suspended.`
  return `'${name}' has a password already.`
}
