// Invites. One is made by an administrator, who is answered once with all that the invited member needs; accepting it is for whoever
// has its code. Where the member will find the gateway is what is set, never what a request said.

import type { CatalogContext } from '#catalog/context.ts'
import { iso } from '#catalog/dates.ts'
import { acceptInvite, inviteMember, openInvites, withdrawInvite, type NewInvite } from '#catalog/invites.ts'
import type { InviteCard, InviteView } from '#contract/invites.ts'
import type { SignedIn } from '#contract/members.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { AdminInput, HandlersOf } from '#server/admin/handlers.ts'
import { finishSignIn } from '#server/sign-in/finish-sign-in.ts'
import { tooMany } from '#server/sign-in/sign-in.ts'

export const INVITE_AUDIT: AuditRules = {
  kept: ['name', 'packages'],
  subject: (catalog, id) => catalog.member(id)?.name,
}

export function inviteHandlers(deps: EntityDeps): HandlersOf<'invites'> {
  const { context, inTurn } = deps
  return {
    listInvites: () => listOpen(context),
    createInvite: async ({ body }) => {
      const place = await placeOf(deps)
      if (isRefusal(place)) return place
      const invited = await inTurn(() => inviteMember(context, body))
      return isRefusal(invited) ? invited : cardOf(invited, place)
    },
    withdrawInvite: async ({ id }) => {
      const withdrawn = await inTurn(() => withdrawInvite(context, id))
      return isRefusal(withdrawn) ? withdrawn : {}
    },
    acceptInvite: (input) => accept(input, deps),
  }
}

type Place = Pick<InviteCard, 'address' | 'fingerprint'>

/** Other machines are led to the LAN where it is on; without it there is this machine alone. */
async function placeOf({ lan, status }: EntityDeps): Promise<Place | Refusal> {
  const { urls, certificate } = (await lan()).view()
  const [address] = urls
  if (address !== undefined) return { address, fingerprint: certificate?.fingerprint ?? null }
  const { url } = await status()
  if (url === null)
    return refuse('conflict', 'An invite leads to a gateway that runs, and none does. Start Farebox first.')
  return { address: url, fingerprint: null }
}

function cardOf({ invite, member, code }: NewInvite, { address, fingerprint }: Place): InviteCard {
  return {
    member: member.name,
    link: `${address}/#invite=${code}`,
    address,
    fingerprint,
    expires_at: iso(invite.expiresAtMs),
  }
}

function listOpen({ catalog, nowMs }: CatalogContext): InviteView[] {
  return openInvites(catalog, nowMs()).flatMap(({ memberId, createdAtMs, expiresAtMs }) => {
    const member = catalog.member(memberId)
    if (member === undefined) return []
    return { member: member.name, id: member.id, created_at: iso(createdAtMs), expires_at: iso(expiresAtMs) }
  })
}

/** The password is hashed whatever the code is, so that a wrong one takes as long as a right one; how often is limited as for passwords. */
async function accept(
  { body: { code, password }, visit, nameActor }: AdminInput<'acceptInvite'>,
  { context, visits, inTurn }: EntityDeps,
): Promise<SignedIn | Refusal> {
  const codeHash = context.hashKey(code)
  const name = `invite ${codeHash}`
  // Nobody guesses a code: whoever has a good one is not kept out by who tried others from the same address.
  const isOpen = openInvites(context.catalog, context.nowMs()).some((invite) => invite.codeHash === codeHash)
  const asked = isOpen ? { name, proof: name } : { name, address: visit.address }
  const waitMs = visits.throttle.begin(asked)
  if (waitMs !== undefined) return tooMany('tries', waitMs)
  const passwordHash = await visits.passwords.hash(password)
  if (isRefusal(passwordHash)) {
    visits.throttle.takeBack(asked)
    return passwordHash
  }
  const member = await inTurn(() => acceptInvite(context, codeHash, passwordHash))
  if (isRefusal(member)) return member
  visits.throttle.succeeded(asked)
  return finishSignIn(visits.sessions.open(member.id), { visit, nameActor }, visits)
}
