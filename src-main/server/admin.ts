// The admin API, built from the contract's table: what comes in is checked against its schema and handed to its handler.
// This file and the schemas are loaded by the first request that needs them: a gateway that only relays never pays for them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ADMIN_API,
  type AdminAction,
  type Endpoint,
  type RequestBody,
  type RequestQuery,
  type ResponseBody,
} from '#contract/admin-api.ts'
import { check, firstProblem } from '#contract/validate.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { sendRefusal } from '#server/refusals.ts'

export type AdminInput<Action extends AdminAction> = {
  /** From the path; empty where it has none. */
  readonly id: string
  readonly body: RequestBody<Action>
  readonly query: RequestQuery<Action>
}

export type AdminHandlers = {
  readonly [Action in AdminAction]: (
    input: AdminInput<Action>,
  ) => ResponseBody<Action> | Refusal | Promise<ResponseBody<Action> | Refusal>
}

type AnyHandler = (input: { id: string; body: unknown; query: unknown }) => unknown

/** Serves one request below `/api`, whose sender is known to be an administrator. */
export async function serveAdmin(
  request: FastifyRequest,
  reply: FastifyReply,
  handlers: AdminHandlers,
): Promise<FastifyReply> {
  const found = findEndpoint(request.method, request.url.replace(/\?.*$/s, ''))
  if (isRefusal(found)) return sendRefusal(reply, found)
  const { action, endpoint, id } = found
  const body = endpoint.body === undefined ? undefined : check(endpoint.body, parse(request.body))
  if (body?.type === 'invalid') return sendRefusal(reply, invalid(firstProblem(body.problems)))
  const query = endpoint.query === undefined ? undefined : check(endpoint.query, request.query)
  if (query?.type === 'invalid') return sendRefusal(reply, invalid(firstProblem(query.problems)))
  // The schemas above make the input what the handler's type says.
  const handler = handlers[action] as AnyHandler
  const answer = await handler({ id, body: body?.value, query: query?.value })
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  return reply.header('cache-control', 'no-store').header('x-request-id', request.id).send(answer)
}

type Found = { readonly action: AdminAction; readonly endpoint: Endpoint; readonly id: string }

/** The table's entry for a path. A segment `{id}` matches any one segment, decoded. */
function findEndpoint(method: string, path: string): Found | Refusal {
  const segments = path.split('/')
  for (const [action, endpoint] of Object.entries<Endpoint>(ADMIN_API)) {
    if (endpoint.method !== method) continue
    const pattern = endpoint.path.split('/')
    const fits = (part: string, index: number) =>
      part === segments[index] || (part === '{id}' && segments[index] !== '')
    if (pattern.length !== segments.length || !pattern.every(fits)) continue
    const id = decode(segments[pattern.indexOf('{id}')] ?? '')
    if (id === undefined) return refuse('invalid_request', 'The path is not encoded correctly.')
    // Object.entries forgets that the names are those of the table.
    return { action: action as AdminAction, endpoint, id }
  }
  return refuse('not_found', `There is no ${method} endpoint at this path.`)
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A malformed percent sign; the caller refuses it.
    return undefined
  }
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
