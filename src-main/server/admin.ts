// The admin API's routes, built from the contract's table: each checks what comes in against its schema and hands it to its
// handler.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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

export function registerAdmin(app: FastifyInstance, handlers: AdminHandlers): void {
  for (const [action, endpoint] of Object.entries<Endpoint>(ADMIN_API)) {
    // The table and the handlers have the same keys, and the schemas below make the input what the handler's type says.
    const handler = handlers[action as AdminAction] as AnyHandler
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace('{id}', ':id'),
      config: { access: 'administrator' },
      handler: (request, reply) => serve(request, reply, endpoint, handler),
    })
  }
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  handler: AnyHandler,
): Promise<FastifyReply> {
  const body = endpoint.body === undefined ? undefined : check(endpoint.body, parse(request.body))
  if (body?.type === 'invalid') return sendRefusal(reply, invalid(firstProblem(body.problems)))
  const query = endpoint.query === undefined ? undefined : check(endpoint.query, request.query)
  if (query?.type === 'invalid') return sendRefusal(reply, invalid(firstProblem(query.problems)))
  const params = request.params as Readonly<Record<string, string | undefined>>
  const answer = await handler({ id: params['id'] ?? '', body: body?.value, query: query?.value })
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  return reply.header('cache-control', 'no-store').header('x-request-id', request.id).send(answer)
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
