// The admin API, built from the contract's table: what comes in is checked against its schema and handed to its handler, and every
// change is noted with its outcome. This file and the schemas are loaded by the first request that needs them: a gateway that only
// relays never pays for them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '#catalog/catalog.ts'
import { ADMIN_API, type AdminAction, type Endpoint } from '#contract/admin-api.ts'
import { check, firstProblem } from '#contract/validate.ts'
import { roleOf, type Viewer } from '#core/member.ts'
import { diskRefusal } from '#core/disk-failure.ts'
import { fleetRefusal } from '#core/fleet.ts'
import { isRefusal, refuse, REFUSALS, type Refusal } from '#core/refusal.ts'
import { sourceOf } from '#core/source.ts'
import { actorOf, NOBODY } from '#server/admin/audit.ts'
import { detailsOf, isNoted, nameMade } from '#server/admin/audit-details.ts'
import { auditRulesOf } from '#server/admin/entities.ts'
import type { AdminHandlers, AdminInput } from '#server/admin/handlers.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import { JsonText } from '#server/http/json-text.ts'
import type { LanRules } from '#server/http/over-lan.ts'
import { sendRefusal } from '#server/http/refusals.ts'
import type { FoundRoute } from '#server/http/route-table.ts'
import { clearSessionCookie, setSessionCookie } from '#server/sign-in/session-cookie.ts'
import type { Doer } from '#store/audit-rows.ts'

type Untyped = { readonly body: unknown; readonly query: unknown }
type AnyHandler = (
  input: Untyped & Omit<AdminInput<AdminAction>, 'body' | 'query' | 'viewer'> & { readonly viewer: Viewer | undefined },
) => unknown

type ServeDeps = {
  readonly handlers: AdminHandlers
  readonly catalog: Catalog
  readonly visits: () => Promise<Visits>
  readonly lan?: LanRules
}

/** Serves one request below `/api`, whose sender may ask for it. */
export async function serveAdmin(request: FastifyRequest, reply: FastifyReply, deps: ServeDeps): Promise<FastifyReply> {
  const { adminRoute: found } = request
  if (found === null) throw new Error('a request of the admin API was never checked for access')
  const input = readInput(request, ADMIN_API[found.action])
  const note = await noteOf(request, found, { deps, input })
  try {
    const answer = isRefusal(input) ? input : await act(request, reply, { found, deps, input, note })
    note.end(isRefusal(answer) ? answer : undefined)
    if (isRefusal(answer)) return sendRefusal(reply, answer)
    return sendAnswer(reply.header('cache-control', 'no-store'), answer)
  } catch (error) {
    const refusal = diskRefusal(error) ?? fleetRefusal(error)
    note.end(refusal ?? refuse('internal', ''))
    if (refusal === undefined) throw error
    return sendRefusal(reply, refusal)
  }
}

function readInput(request: FastifyRequest, endpoint: Endpoint): Untyped | Refusal {
  const body = endpoint.body === undefined ? undefined : check(endpoint.body, parse(request.body))
  if (body?.type === 'invalid') return invalid(firstProblem(body.problems))
  const query = endpoint.query === undefined ? undefined : check(endpoint.query, request.query)
  if (query?.type === 'invalid') return invalid(firstProblem(query.problems))
  return { body: body?.value, query: query?.value }
}

type Acting = { readonly found: FoundRoute; readonly deps: ServeDeps; readonly input: Untyped; readonly note: Note }

async function act(
  request: FastifyRequest,
  reply: FastifyReply,
  { found: { action, id }, deps: { handlers, lan }, input, note }: Acting,
): Promise<unknown> {
  // The schemas make the input what the handler's type says, and the table whether there is a viewer.
  const handler = handlers[action] as AnyHandler
  const visit = {
    address: request.ip,
    session: request.visitor?.session,
    setCookie: (value: string) => setSessionCookie(request, reply, value),
    clearCookie: () => clearSessionCookie(request, reply),
    // The guard lets no Host through that is not ours.
    lan: lan && { ...lan, origin: `https://${request.headers.host ?? ''}` },
  }
  const { nameActor, nameSubject } = note
  return handler({ id, ...input, viewer: request.visitor?.viewer, visit, nameActor, nameSubject })
}

/** Sends what a handler answered. */
function sendAnswer(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!(answer instanceof JsonText)) return reply.send(answer)
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.bytes)
}

type Note = {
  readonly nameActor: AdminInput<AdminAction>['nameActor']
  readonly nameSubject: AdminInput<AdminAction>['nameSubject']
  readonly end: (refusal: Refusal | undefined) => void
}
const NO_NOTE: Note = { nameActor: () => undefined, nameSubject: () => undefined, end: () => undefined }

/** What the audit log will say. Whom it is about is looked up now: afterwards it may be gone. */
async function noteOf(
  request: FastifyRequest,
  { action, route, id }: FoundRoute,
  { deps, input }: { readonly deps: ServeDeps; readonly input: Untyped | Refusal },
): Promise<Note> {
  const asked = isRefusal(input) ? { body: undefined, query: undefined } : input
  if (!isNoted(route, asked.body)) return NO_NOTE
  const { audit } = await deps.visits()
  const viewer = request.visitor?.viewer
  let actor = viewer === undefined ? NOBODY : actorOf(viewer)
  // Of whoever signed in with a key alone, the key is all that is known.
  const rules = auditRulesOf(action)
  let subject = rules.subject?.(deps.catalog, id) ?? (viewer?.type === 'holder' ? viewer.keyName : undefined)
  const details = detailsOf(rules, asked.body, asked.query)
  return {
    nameActor: (name, about) => {
      actor = name
      subject ??= about
    },
    nameSubject: (name) => (subject = name),
    end(refusal) {
      // Tries that were not looked at are not noted: there can be any number of them.
      if (route.access === 'public' && (refusal?.code === 'rate_limited' || refusal?.code === 'overloaded')) return
      const outcome = refusal?.code ?? 'done'
      const doer = doerOf(viewer, refusal)
      const source = doer === 'stranger' ? sourceOf(request.ip) : undefined
      const status = refusal ? REFUSALS[refusal.code].status : 200
      // What is only made by this has its name from here on.
      if (refusal === undefined) subject ??= rules.subject?.(deps.catalog, id) ?? nameMade(route, asked.body)
      audit.add({ actor, action, subject, outcome, status, details, doer, source })
    },
  }
}

/** Whoever signed in a moment ago was nobody known before. */
function doerOf(viewer: Viewer | undefined, refusal: Refusal | undefined): Doer {
  if (viewer === undefined) return refusal === undefined ? 'member' : 'stranger'
  return roleOf(viewer) === 'administrator' ? 'administrator' : 'member'
}

function invalid(problem: { message: string; param: string }): Refusal {
  return refuse('invalid_request', problem.message, problem.param === '' ? {} : { param: problem.param })
}

/** undefined for what is not JSON, which no schema allows. */
function parse(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // The schema refuses undefined in its own words.
    return undefined
  }
}
