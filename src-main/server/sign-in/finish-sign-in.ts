// The end of every sign-in. Whoever has proved who they are gets a new session, its cookie, and its token in the answer.

import { iso } from '#catalog/dates.ts'
import type { SessionView, SignedIn } from '#contract/members.ts'
import { roleOf, type Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AdminInput } from '#server/admin/handlers.ts'
import { actorOf } from '#server/admin/audit.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import { viewerOverLan } from '#server/http/over-lan.ts'
import { IDLE_MS, LONGEST_MS, type Session, type Sessions } from '#server/sign-in/sessions.ts'

type SigningIn = Pick<AdminInput<'signIn'>, 'visit' | 'nameActor'>

export async function finishSignIn(
  { cookie, token, session, told }: ReturnType<Sessions['open']>,
  { visit, nameActor }: SigningIn,
  visits: Visits,
): Promise<SignedIn | Refusal> {
  const present = visits.viewerOf(session)
  const viewer = present === undefined || visit.lan === undefined ? present : viewerOverLan(present, visit.lan)
  if (viewer === undefined || isRefusal(viewer)) {
    visits.sessions.end(session.id)
    return viewer ?? noSession()
  }
  // Whoever sends the next request may send it to another gateway.
  await told
  nameActor(actorOf(viewer), viewer.type === 'holder' ? viewer.keyName : undefined)
  visit.setCookie(cookie)
  return { token, session: sessionView(viewer, session) }
}

export function sessionView(viewer: Viewer, { createdAtMs, lastSeenAtMs }: Session): SessionView {
  return {
    role: roleOf(viewer),
    name: nameOf(viewer),
    signed_in_at: iso(createdAtMs),
    expires_at: iso(createdAtMs + LONGEST_MS),
    idle_at: iso(Math.min(lastSeenAtMs + IDLE_MS, createdAtMs + LONGEST_MS)),
  }
}

function nameOf(viewer: Viewer): string | null {
  if (viewer.type === 'holder') return viewer.keyName
  return viewer.type === 'owner' ? null : viewer.member.name
}

export function noSession(): Refusal {
  return refuse('not_found', 'There is no session: sessions are for browsers.')
}
