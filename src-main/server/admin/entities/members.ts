// Members. Their sessions end with what they may no longer do.

import { iso, isoOrNull } from '#catalog/dates.ts'
import {
  addMember,
  editMember,
  memberLimitsView,
  noMember,
  removeMember,
  setPassword,
  usableKeys,
} from '#catalog/members.ts'
import type { MemberEdit, MemberView } from '#contract/members.ts'
import type { Member } from '#core/member.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const MEMBER_AUDIT: AuditRules = {
  kept: fields(
    'name role status packages',
    'limits requests_per_minute tokens_per_minute concurrent_requests credits_per_day',
  ),
  subject: (catalog, id) => catalog.member(id)?.name,
}

export function memberHandlers(deps: EntityDeps): HandlersOf<'members'> {
  const { context, visits, inTurn } = deps
  const shown = (member: Member | Refusal) => (isRefusal(member) ? member : memberView(member, deps))
  return {
    listMembers: () => context.catalog.members.map((member) => memberView(member, deps)),
    addMember: async ({ body: { password, ...input } }) => {
      const passwordHash = password === undefined ? undefined : await visits.passwords.hash(password)
      if (isRefusal(passwordHash)) return passwordHash
      return shown(await inTurn(() => addMember(context, input, passwordHash)))
    },
    editMember: async ({ id, body }) => shown(await changeMember(id, body, deps)),
    setMemberPassword: async ({ id, body: { password } }) => {
      if (context.catalog.member(id) === undefined) return noMember(id)
      const passwordHash = await visits.passwords.hash(password)
      if (isRefusal(passwordHash)) return passwordHash
      const member = await inTurn(() => setPassword(context, id, { passwordHash }))
      if (!isRefusal(member)) visits.sessions.endAllOf(member.id)
      return shown(member)
    },
    removeMember: async ({ id }) => {
      const member = await inTurn(() => removeMember(context, id))
      if (isRefusal(member)) return member
      visits.sessions.endAllOf(member.id)
      return {}
    },
  }
}

/** Whoever may do less than before signs in again, so that nothing runs on with what they could do. */
async function changeMember(
  id: string,
  body: MemberEdit,
  { context, visits, inTurn }: EntityDeps,
): Promise<Member | Refusal> {
  const before = context.catalog.member(id)
  const member = await inTurn(() => editMember(context, id, body))
  if (isRefusal(member)) return member
  if (member.status === 'suspended' || member.role !== before?.role) visits.sessions.endAllOf(member.id)
  return member
}

function memberView(member: Member, { context: { catalog }, visits: { sessions }, memberUse }: EntityDeps): MemberView {
  const { packages } = member
  const { running, chargedTodayMicro } = memberUse(member.id)
  return {
    id: member.id,
    name: member.name,
    role: member.role,
    status: member.status,
    packages: packages === 'all' ? 'all' : packages.flatMap((id) => catalog.package(id)?.name ?? []),
    limits: memberLimitsView(member.limits),
    running_calls: running,
    credits_today: microToCredits(chargedTodayMicro),
    has_password: member.passwordHash !== undefined,
    keys: usableKeys(catalog, member),
    sessions: sessions.count(member.id),
    last_seen_at: isoOrNull(sessions.lastSeenAtMs(member.id)),
    created_at: iso(member.createdAtMs),
  }
}
