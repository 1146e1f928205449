// Signing in and out, tickets, and the password of whoever is signed in.

import { iso } from '#catalog/dates.ts'
import { setPassword } from '#catalog/members.ts'
import type { OwnPassword } from '#contract/members.ts'
import type { Member } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { AdminInput, HandlersOf } from '#server/admin/handlers.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import { finishSignIn, noSession, sessionView } from '#server/sign-in/finish-sign-in.ts'
import { checkPassword, signIn } from '#server/sign-in/sign-in.ts'

/** What somebody types as their name may be their password, one field too early: it is not kept. */
export const SESSION_AUDIT: AuditRules = { kept: ['everywhere'] }

export function sessionHandlers(deps: EntityDeps): HandlersOf<'session'> {
  const { context, visits } = deps
  return {
    signIn: (input) => openSession(input, deps),
    showSession: ({ viewer, visit: { session } }) =>
      session === undefined ? noSession() : sessionView(viewer, session),
    signOut: (input) => signOut(input, visits),
    changePassword: (input) => changePassword(input, deps),
    makeTicket: () => {
      const { ticket, lifeMs } = visits.tickets.make()
      deps.ticketMade()
      return { ticket, expires_at: iso(context.nowMs() + lifeMs) }
    },
  }
}

async function openSession({ body, visit, nameActor }: AdminInput<'signIn'>, deps: EntityDeps) {
  const { context, visits, inTurn } = deps
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
  const keys = { ...context, guesses: deps.keyGuesses, signIns: visits.keySignIns }
  const answer = await signIn(body, visit.address, { catalog, visits, keepHash, keys })
  if (isRefusal(answer)) return answer
  const opened =
    answer.type === 'holder'
      ? visits.sessions.openForKey(answer.key.id, answer.keyHash)
      : visits.sessions.open(answer.member?.id)
  return finishSignIn(opened, { visit, nameActor }, visits)
}

function signOut({ query, visit }: AdminInput<'signOut'>, { sessions }: Visits): Record<string, never> | Refusal {
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
  { context, visits, inTurn }: EntityDeps,
): Promise<Record<string, never> | Refusal> {
  if (viewer.type === 'owner') {
    return refuse('invalid_request', 'The owner of this machine signs in with tickets and has no password.')
  }
  if (viewer.type === 'holder') return refuse('forbidden', 'A key has no password.')
  const { member } = viewer
  const refusal = await checkOld(body, member, { visits, visit })
  if (refusal !== undefined) return refusal
  const passwordHash = await visits.passwords.hash(body.password)
  if (isRefusal(passwordHash)) return passwordHash
  const isMeant = (present: Member) => present.passwordHash === member.passwordHash
  const changed = await inTurn(() => setPassword(context, member.id, { passwordHash, isMeant }))
  if (isRefusal(changed)) return refuse('conflict', 'The password was changed by somebody else meanwhile.')
  visits.sessions.endAllOf(member.id, visit.session?.id)
  return {}
}

async function checkOld(
  { old_password: password }: OwnPassword,
  { name, passwordHash: kept }: Member,
  {
    visits,
    visit: { session, address },
  }: { readonly visits: Visits; readonly visit: AdminInput<'changePassword'>['visit'] },
): Promise<Refusal | undefined> {
  // Whoever has a session is not kept from this by what others try with the same name, or from the same address.
  const asked = session === undefined ? { name, address } : { name, proof: session.id }
  const checked = await checkPassword(password, { asked, kept, visits })
  if (isRefusal(checked)) return checked
  if (!checked.isRight) {
    return refuse('forbidden', 'The old password is wrong.', { param: 'old_password' })
  }
  visits.throttle.succeeded(asked)
  return undefined
}
