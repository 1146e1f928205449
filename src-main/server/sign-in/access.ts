// Who may ask the admin API for what, decided before a body is read. Deny by default: a request is answered when it
// proves who asks, and when its action in the table, or its route, says that they may ask.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { RouteAccess } from '#contract/admin-routes.ts'
import { roleOf, viewerId, type Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { actorOf } from '#server/admin/audit.ts'
import type { ChangeLimiter } from '#server/http/change-limiter.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import { lanRefusal, viewerOverLan, type LanRules } from '#server/http/over-lan.ts'
import { actionOf } from '#server/http/route-table.ts'
import { sessionCookies } from '#server/sign-in/session-cookie.ts'
import type { Session } from '#server/sign-in/sessions.ts'

/** Who asks. The command line, and requests in this process, have no session. */
export type Visitor = { readonly viewer: Viewer; readonly session: Session | undefined }

export type AccessDeps = {
  readonly visits: () => Promise<Visits>
  /** What the command line presents, and what requests in this process do; made anew at each start. */
  readonly adminToken: string
  readonly inProcessToken: string
  readonly memberChanges: ChangeLimiter
  /** How the command line is typed in this installation. */
  readonly ownCommand: string
  /** Where requests come over the LAN. */
  readonly lan?: LanRules
}

/** What a route says whose visitors have a session, or stand for the machine itself; `table`: what its action says. */
export type SessionAccess = 'table' | Exclude<RouteAccess, 'public'>

/** A body that anybody may send is short. */
const MAX_PUBLIC_BYTES = 4096
const SIGN_IN_OVER_LAN = 'Sign in first, with your name and your password, or with a key.'

/**
 * Lets a request in or refuses it. `access` is what its route says. Sets the request's visitor and what it is about.
 */
export async function checkAccess(
  request: FastifyRequest,
  access: SessionAccess,
  deps: AccessDeps,
): Promise<Refusal | undefined> {
  const found = access === 'table' ? actionOf(request) : undefined
  // The documentation says which paths exist, so that a mistyped path can be answered as one before anybody signs in.
  if (isRefusal(found)) return found
  const needed = found?.route.access ?? access
  if (needed === 'table') throw new Error('a request of the admin API has no route')
  // A public action takes no session into account: the browser of whoever signs in may still send an old one.
  const visitor = needed === 'public' ? undefined : await visitorOf(request, deps)
  if (isRefusal(visitor)) return visitor
  request.visitor = visitor ?? null
  request.adminRoute = found ?? null
  const refusal = refusalOf(request, { needed, visitor, deps })
  if (refusal !== undefined) {
    await noteRefusal(request, { refusal, deps })
    return refusal
  }
  return visitor === undefined ? undefined : deps.memberChanges.check(request, visitor.viewer)
}

/** undefined for somebody who shows nothing that proves anything; a refusal for what should have proved something. */
async function visitorOf(request: FastifyRequest, deps: AccessDeps): Promise<Visitor | Refusal | undefined> {
  const { authorization, 'x-farebox-session': token } = request.headers
  if (authorization !== undefined) return bearerOf(authorization, deps)
  if (typeof token !== 'string') return undefined
  const visits = await deps.visits()
  const session = await visits.sessions.findAnywhere(token, sessionCookies(request))
  const present = session === undefined ? undefined : visits.viewerOf(session)
  const viewer = present === undefined || deps.lan === undefined ? present : viewerOverLan(present, deps.lan)
  if (isRefusal(viewer)) return viewer
  if (session !== undefined && viewer !== undefined) return { viewer, session }
  return refuse('unauthenticated', 'Your session has ended. Sign in again.')
}

/** The command line and this process are on this machine; over the LAN their tokens open nothing. */
function bearerOf(authorization: string, deps: AccessDeps): Visitor | Refusal {
  if (deps.lan !== undefined) return refuse('unauthenticated', SIGN_IN_OVER_LAN)
  if (isBearer(authorization, deps.adminToken)) {
    return { viewer: { type: 'owner', name: 'command line' }, session: undefined }
  }
  if (isBearer(authorization, deps.inProcessToken)) {
    return { viewer: { type: 'owner', name: 'farebox' }, session: undefined }
  }
  return refuse('unauthenticated', 'This needs the administrator of this machine.')
}

function isBearer(authorization: string, token: string): boolean {
  const presented = Buffer.from(authorization)
  const expected = Buffer.from(`Bearer ${token}`)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

type AccessQuestion = {
  readonly needed: RouteAccess
  readonly visitor: Visitor | undefined
  readonly deps: Pick<AccessDeps, 'lan' | 'ownCommand'>
}

function refusalOf(request: FastifyRequest, { needed, visitor, deps }: AccessQuestion): Refusal | undefined {
  const { adminRoute } = request
  const { lan } = deps
  const closed = lan === undefined || adminRoute === null ? undefined : lanRefusal(adminRoute.route, lan)
  if (needed === 'public') return closed ?? refusalOfStranger(request)
  if (visitor === undefined) return refuse('unauthenticated', lan === undefined ? signInHere(deps) : SIGN_IN_OVER_LAN)
  if (visitor.session !== undefined && !isFromOwnPage(request)) return notOurPage()
  if (closed !== undefined) return closed
  return refusalOfRole(needed, visitor.viewer)
}

function signInHere({ ownCommand }: Pick<AccessDeps, 'ownCommand'>): string {
  return `Sign in first. On this machine '${ownCommand} open' does it.`
}

/** What no case lets through is refused. */
function refusalOfRole(needed: Exclude<AccessQuestion['needed'], 'public'>, viewer: Viewer): Refusal | undefined {
  const role = roleOf(viewer)
  if (needed === 'holder' || role === 'administrator') return undefined
  if (needed === 'member' && role === 'member') return undefined
  const message =
    role === 'holder'
      ? 'With a key alone you see that key and may revoke it. The rest needs a name and a password.'
      : 'This is for administrators.'
  return refuse('forbidden', message)
}

function refusalOfStranger(request: FastifyRequest): Refusal | undefined {
  if (!isFromOwnPage(request)) return notOurPage()
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  return length <= MAX_PUBLIC_BYTES
    ? undefined
    : refuse('request_too_large', `The body must be at most ${MAX_PUBLIC_BYTES} bytes, and say how long it is.`)
}

/**
 * What changes something in the name of a browser's session must say that it comes from our own page. The guard has refused what says
 * that it comes from elsewhere; here what says nothing is refused too.
 */
function isFromOwnPage({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  return headers['sec-fetch-site'] === 'same-origin' || headers.origin !== undefined
}

function notOurPage(): Refusal {
  return refuse('forbidden', 'Only the dashboard itself may ask for this.')
}

/** A member, or the holder of a key, who tries what is not theirs to do is noted. */
async function noteRefusal(
  { visitor, adminRoute }: FastifyRequest,
  { refusal, deps }: { readonly refusal: Refusal; readonly deps: AccessDeps },
): Promise<void> {
  if (visitor === null || adminRoute === null || adminRoute.route.method === 'GET') return
  const { viewer } = visitor
  const id = viewerId(viewer)
  if (id === undefined || refusal.code !== 'forbidden' || deps.memberChanges.isOver(id)) return
  const { audit } = await deps.visits()
  const { action } = adminRoute
  const actor = actorOf(viewer)
  const subject = viewer.type === 'holder' ? viewer.keyName : undefined
  const known = { actor, action, subject, doer: 'member', source: undefined } as const
  audit.add({ ...known, outcome: 'forbidden', status: 403, details: '{}' })
}
