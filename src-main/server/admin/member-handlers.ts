// Sessions, members, the audit log and the settings.

import { iso, isoOrNull } from '#catalog/dates.ts'
import type { CatalogContext } from '#catalog/context.ts'
import {
  addMember,
  editMember,
  memberLimitsView,
  noMember,
  removeMember,
  setPassword,
  usableKeys,
} from '#catalog/members.ts'
import type { InTurn } from '#catalog/turns.ts'
import type { SettingsView } from '#contract/audit.ts'
import type { MemberEdit, MemberView, OwnPassword } from '#contract/members.ts'
import type { Member } from '#core/member.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AdminHandlers, AdminInput } from '#server/admin/admin.ts'
import type { Door } from '#server/sign-in/door.ts'
import { enter, noSession, sessionView } from '#server/sign-in/enter.ts'
import type { KeySignInDeps } from '#server/sign-in/key-sign-in.ts'
import type { MemberUse } from '#server/reports/report-deps.ts'
import { checkPassword, signIn } from '#server/sign-in/sign-in.ts'

type MemberActions =
  | 'signIn'
  | 'showSession'
  | 'signOut'
  | 'changePassword'
  | 'makeTicket'
  | 'listMembers'
  | 'addMember'
  | 'editMember'
  | 'setMemberPassword'
  | 'removeMember'
  | 'listAudit'
  | 'showSettings'

export type MemberDeps = {
  readonly context: CatalogContext
  readonly door: Door
  readonly inTurn: InTurn
  readonly settings: () => Promise<SettingsView>
  readonly ticketMade: () => void
  /** What the calls of a member do at the moment. */
  readonly memberUse: (memberId: string) => MemberUse
  readonly keyGuesses: KeySignInDeps['guesses']
}

export function memberHandlers(deps: MemberDeps): Pick<AdminHandlers, MemberActions> {
  const { context, door, inTurn } = deps
  const shown = (member: Member | Refusal) => (isRefusal(member) ? member : memberView(member, deps))
  return {
    signIn: (input) => openSession(input, deps),
    showSession: ({ viewer, visit: { session } }) =>
      session === undefined ? noSession() : sessionView(viewer, session),
    signOut: (input) => signOut(input, door),
    changePassword: (input) => changePassword(input, deps),
    makeTicket: () => {
      const { ticket, lifeMs } = door.tickets.make()
      deps.ticketMade()
      return { ticket, expires_at: iso(context.nowMs() + lifeMs) }
    },

    listMembers: () => context.catalog.members.map((member) => memberView(member, deps)),
    addMember: async ({ body: { password, ...input } }) => {
      const passwordHash = password === undefined ? undefined : await door.passwords.hash(password)
      if (isRefusal(passwordHash)) return passwordHash
      return shown(await inTurn(() => addMember(context, input, passwordHash)))
    },
    editMember: async ({ id, body }) => shown(await changeMember(id, body, deps)),
    setMemberPassword: async ({ id, body: { password } }) => {
      if (context.catalog.member(id) === undefined) return noMember(id)
      const passwordHash = await door.passwords.hash(password)
      if (isRefusal(passwordHash)) return passwordHash
      const member = await inTurn(() => setPassword(context, id, { passwordHash }))
      if (!isRefusal(member)) door.sessions.endAllOf(member.id)
      return shown(member)
    },
    removeMember: async ({ id }) => {
      const member = await inTurn(() => removeMember(context, id))
      if (isRefusal(member)) return member
      door.sessions.endAllOf(member.id)
      return {}
    },

    listAudit: ({ query }) => door.audit.list(query),
    showSettings: () => deps.settings(),
  }
}

async function openSession({ body, visit, nameActor }: AdminInput<'signIn'>, deps: MemberDeps) {
  const { context, door, inTurn } = deps
  const { catalog } = context
  if ('name' in body) {
    const claimed = catalog.member(body.name)
    if (claimed !== undefined) nameActor(claimed.name)
  }
  const keepHash = async ({ id, passwordHash: old }: Member, passwordHash: string) => {
    const isMeant = (member: Member) => member.passwordHash === old
    await inTurn(() => setPassword(context, id, { passwordHash, isMeant }))
  }
  if (visit.lan !== undefined && 'ticket' in body) {
    return refuse('unauthenticated', 'Tickets are for the machine itself. Sign in with your name and your password.')
  }
  const keys = { ...context, guesses: deps.keyGuesses, signIns: door.keySignIns }
  const answer = await signIn(body, visit.address, { catalog, door, keepHash, keys })
  if (isRefusal(answer)) return answer
  const opened =
    answer.type === 'holder'
      ? door.sessions.openForKey(answer.key.id, answer.keyHash)
      : door.sessions.open(answer.member?.id)
  return enter(opened, { visit, nameActor }, door)
}

function signOut({ query, visit }: AdminInput<'signOut'>, { sessions }: Door): Record<string, never> | Refusal {
  const { session } = visit
  if (session === undefined) return noSession()
  if (query.everywhere === 'true') sessions.endAllLike(session)
  else sessions.end(session.id)
  visit.clearCookie()
  return {}
}

/** Every other session of the member ends: one of them may be why the password is changed. */
async function changePassword(
  { body, viewer, visit }: AdminInput<'changePassword'>,
  { context, door, inTurn }: MemberDeps,
): Promise<Record<string, never> | Refusal> {
  if (viewer.type === 'owner') {
    return refuse('invalid_request', 'The owner of this machine signs in with tickets and has no password.')
  }
  if (viewer.type === 'holder') return refuse('forbidden', 'A key has no password.')
  const { member } = viewer
  const refusal = await checkOld(body, member, { door, visit })
  if (refusal !== undefined) return refusal
  const passwordHash = await door.passwords.hash(body.password)
  if (isRefusal(passwordHash)) return passwordHash
  const isMeant = (present: Member) => present.passwordHash === member.passwordHash
  const changed = await inTurn(() => setPassword(context, member.id, { passwordHash, isMeant }))
  if (isRefusal(changed)) return refuse('conflict', 'The password was changed by somebody else meanwhile.')
  door.sessions.endAllOf(member.id, visit.session?.id)
  return {}
}

async function checkOld(
  { old_password: password }: OwnPassword,
  { name, passwordHash: kept }: Member,
  { door, visit: { session, address } }: { readonly door: Door; readonly visit: AdminInput<'changePassword'>['visit'] },
): Promise<Refusal | undefined> {
  // Whoever has a session is not kept from this by what others try with the same name, or from the same address.
  const asked = session === undefined ? { name, address } : { name, proof: session.id }
  const checked = await checkPassword(password, { asked, kept, door })
  if (isRefusal(checked)) return checked
  if (!checked.isRight) {
    return refuse('forbidden', 'The old password is wrong.', { param: 'old_password' })
  }
  door.throttle.succeeded(asked)
  return undefined
}

/** Whoever may do less than before signs in again, so that nothing runs on with what they could do. */
async function changeMember(
  id: string,
  body: MemberEdit,
  { context, door, inTurn }: MemberDeps,
): Promise<Member | Refusal> {
  const before = context.catalog.member(id)
  const member = await inTurn(() => editMember(context, id, body))
  if (isRefusal(member)) return member
  if (member.status === 'suspended' || member.role !== before?.role) door.sessions.endAllOf(member.id)
  return member
}

function memberView(member: Member, { context: { catalog }, door: { sessions }, memberUse }: MemberDeps): MemberView {
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
