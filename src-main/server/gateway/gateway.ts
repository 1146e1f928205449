// The gateway's endpoints for clients. Thin: authentication and the journey of a call are in pipeline/.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '#catalog/catalog.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { balanceView } from '#catalog/views.ts'
import type { Model } from '#core/entities.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, refuse } from '#core/refusal.ts'
import { authenticate, type Caller } from '#pipeline/authenticate.ts'
import { countOf, ENDPOINTS } from '#dialect/dialects.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { mayCall } from '#pipeline/resolve.ts'
import { CountLimiter, runCount } from '#pipeline/count.ts'
import type { Call } from '#pipeline/exchange.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { registerProbes, type ProbeDeps } from '#server/watch/probes.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'
import { receiptOf, type ReadReceipt } from '#server/gateway/receipts.ts'
import { callOf, type ReceivingDeps } from '#server/gateway/received-call.ts'
import { sendRefusal, sendRefusalAndClose } from '#server/http/refusals.ts'

export type GatewayDeps = RunDeps &
  ProbeDeps &
  ReceivingDeps & {
    readonly callGuard: CallGuard
    readonly hashKey: (key: string) => string
    readonly readReceipt: ReadReceipt
  }

/** Room for images; a longer body is refused by its length, unread. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024

export function registerGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const key = { access: 'key', lan: 'key' } as const
  // On this machine everybody may see what models there are; over the LAN whoever may call them.
  const list = { access: 'public', lan: 'key' } as const
  const countDeps = { ...deps, limiter: new CountLimiter() }
  for (const [format, endpoint] of ENDPOINTS) {
    const options = { config: { ...key, format }, bodyLimit: MAX_BODY_BYTES }
    const calls: Serving = { endpoint: format, isCount: false, run: (call) => runCall(call, deps) }
    const counts: Serving = { endpoint: format, isCount: true, run: (call) => runCount(call, countDeps) }
    for (const path of endpoint.paths) {
      app.post(path, options, (request, reply) => serve(request, reply, calls, deps))
      if (endpoint.triesWebSocket) app.get(path, { config: list }, (_request, reply) => refuseWebSocket(reply))
    }
    for (const path of countOf(endpoint)?.paths ?? []) {
      app.post(path, options, (request, reply) => serve(request, reply, counts, deps))
    }
  }
  for (const prefix of ['/v1', '']) {
    app.get(`${prefix}/models`, { config: list }, (request, reply) => listModels(request, reply, deps))
    app.get<{ Params: { '*': string } }>(`${prefix}/models/*`, { config: list }, (request, reply) =>
      showModel(request, reply, deps),
    )
  }
  app.get('/v1/balance', { config: key }, (request, reply) => showBalance(request, reply, deps))
  app.get<{ Params: { id: string } }>('/v1/receipts/:id', { config: key }, async (request, reply) => {
    const { key: own } = callerOf(request)
    const receipt = await receiptOf(request.params.id, deps.readReceipt, (keyId) => keyId === own.id)
    return isRefusal(receipt) ? sendRefusal(reply, receipt) : reply.send(receipt)
  })
  registerProbes(app, deps)
}

type Serving = {
  readonly endpoint: EndpointName
  readonly isCount: boolean
  readonly run: (call: Call) => Promise<void>
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, isCount, run }: Serving,
  deps: ReceivingDeps,
): Promise<FastifyReply> {
  const { id, headers, bodyParts } = request
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const received = { id, endpoint, isCount, caller: callerOf(request), headers, body, bodyParts, response: reply.raw }
  const call = await callOf(received, deps)
  if (isRefusal(call)) return sendRefusal(reply, call)
  reply.hijack()
  try {
    await run(call)
  } finally {
    call.forget?.()
  }
  return reply
}

/** Codex tries a WebSocket first; only this status makes it go on with HTTP at once. */
function refuseWebSocket(reply: FastifyReply): FastifyReply {
  const refusal = refuse('upgrade_required', 'This endpoint has no WebSocket. Send a POST request.')
  return sendRefusalAndClose(reply.header('upgrade', 'HTTP/1.1'), refusal)
}

/** Everyone may see what there is; with a key one sees what that key may call. */
function listModels(request: FastifyRequest, reply: FastifyReply, deps: GatewayDeps): FastifyReply {
  const models = visibleModels(request, deps)
  if (isRefusal(models)) return sendRefusal(reply, models)
  const data = models.map((model) => modelObject(model, deps.catalog))
  const first = data[0]?.id ?? null
  return reply.send({ object: 'list', data, has_more: false, first_id: first, last_id: data.at(-1)?.id ?? null })
}

function showModel(
  request: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
  deps: GatewayDeps,
): FastifyReply {
  const models = visibleModels(request, deps)
  if (isRefusal(models)) return sendRefusal(reply, models)
  const id = request.params['*']
  const model = models.find((candidate) => candidate.id === id)
  if (model !== undefined) return reply.send(modelObject(model, deps.catalog))
  return sendRefusal(reply, refuse('model_not_found', `The model '${id}' does not exist or is not enabled.`))
}

function visibleModels(request: FastifyRequest, deps: GatewayDeps) {
  const enabled = deps.catalog.models.filter((model) => model.isEnabled)
  const credentials = credentialsOf(request)
  const { authorization, xApiKey, isKeyInQuery } = credentials
  if (authorization === undefined && xApiKey === undefined && !isKeyInQuery) return enabled
  const caller = authenticate(credentials, { ...deps, nowMs: deps.clock.nowMs })
  if (!isRefusal(caller)) return enabled.filter((model) => mayCall(caller.package, model.id))
  const refusal = deps.callGuard.refused(request, caller)
  // Nobody needs a key here. Over the LAN it was refused before; a key in the address is refused everywhere, because it is
  // in logs from then on.
  return isKeyInQuery ? refusal : enabled
}

/** A model with the members that the OpenAI and the Anthropic SDKs read. */
function modelObject(model: Model, catalog: Catalog) {
  const [target] = model.targets
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    created_at: iso(model.createdAtMs),
    owned_by: (target && catalog.provider(target.providerId)?.name) ?? 'farebox',
    display_name: model.displayName,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    ...formatMembers(model),
  }
}

/** What the clients of one format read of a model. */
function formatMembers(model: Model): object {
  const members = {}
  for (const [, { modelMembers }] of ENDPOINTS) Object.assign(members, modelMembers?.(model))
  return members
}

function showBalance(request: FastifyRequest, reply: FastifyReply, deps: GatewayDeps): FastifyReply {
  const { key, package: entity } = callerOf(request)
  const query = request.query as Readonly<Record<string, unknown>>
  const asked = query['model']
  // A parameter that is given twice arrives as an array, which names no model.
  const modelId = asked === undefined || typeof asked === 'string' ? asked : ''
  const model = modelId === undefined ? undefined : deps.catalog.model(modelId)
  if (modelId !== undefined && (model === undefined || !model.isEnabled || !mayCall(entity, model.id))) {
    const refusal = refuse('model_not_found', `The model '${modelId}' does not exist or is not enabled.`, {
      param: 'model',
    })
    return sendRefusal(reply, refusal)
  }
  const balance = deps.ledger.balance(key.id)
  const isDaily = entity.type === 'daily'
  return reply.send({
    object: 'balance',
    key_name: key.name,
    status: deps.catalog.statusOf(key, deps.clock.nowMs()),
    package_type: entity.type,
    ...balanceView(balance),
    daily_credits: isDaily ? microToCredits(entity.creditsMicro) : null,
    expires_at: isoOrNull(key.expiresAtMs),
    last_daily_reset_at: isDaily ? iso(balance.cycleStartedAtMs) : null,
    ...(model === undefined
      ? {}
      : { model_limits: { max_context_tokens: model.contextWindow, max_output_tokens: model.maxOutputTokens } }),
  })
}

function callerOf(request: FastifyRequest): Caller {
  const { caller } = request
  if (caller === null) throw new Error('a route for keys was reached without one')
  return caller
}
