// The gateway's endpoints for clients. Thin: authentication and the journey of a call are in pipeline/.

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '#catalog/catalog.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { balanceView } from '#catalog/views.ts'
import type { Model } from '#core/entities.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { authenticate, presentedKeyId, type Caller } from '#pipeline/authenticate.ts'
import type { ModelViews } from '#dialect/dialect.ts'
import { countOf, ENDPOINTS } from '#dialect/dialects.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { mayCall } from '#pipeline/resolve.ts'
import { CountLimiter, runCount } from '#pipeline/count.ts'
import type { Call } from '#pipeline/exchange.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { registerProbes, type ProbeDeps } from '#server/watch/probes.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'
import { registerModelPaths } from '#server/gateway/model-paths.ts'
import { receiptOf, type ReadReceipt } from '#server/gateway/receipts.ts'
import { refusedBy, type FindRefused } from '#server/reports/why.ts'
import { callOf, type ReceivedCall, type ReceivingDeps } from '#server/gateway/received-call.ts'
import { sendRefusal, sendRefusalAndClose } from '#server/http/refusals.ts'

export type GatewayDeps = RunDeps &
  ProbeDeps &
  ReceivingDeps & {
    readonly callGuard: CallGuard
    readonly hashKey: (key: string) => string
    readonly readReceipt: ReadReceipt
    readonly findRefused: FindRefused
  }

/** Room for images; a longer body is refused by its length, unread. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024

/** Tools and monitors look by HEAD whether something is there. */
const READ = ['GET', 'HEAD']
type ModelRoute = { readonly Params: { readonly '*': string } }

export function registerGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const key = { access: 'key', lan: 'key' } as const
  // On this machine everybody may see what models there are; over the LAN whoever may call them.
  const list = { access: 'public', lan: 'key' } as const
  app.addHook('onResponse', (request, _reply, done) => {
    noteRefused(request, deps)
    done()
  })
  const countDeps = { ...deps, limiter: new CountLimiter() }
  const callAt = (request: FastifyRequest, reply: FastifyReply, called: Called) =>
    serve(request, reply, { called: { ...called, isCount: false }, run: (call) => runCall(call, deps) }, deps)
  const countAt = (request: FastifyRequest, reply: FastifyReply, called: Called) =>
    serve(request, reply, { called: { ...called, isCount: true }, run: (call) => runCount(call, countDeps) }, deps)
  const optionsOf = (format: EndpointName) => ({ config: { ...key, format }, bodyLimit: MAX_BODY_BYTES })
  for (const [format, endpoint] of ENDPOINTS) {
    if (endpoint.models !== undefined) registerModelViews(app, { ...list, format }, endpoint.models, deps)
    if (endpoint.methods !== undefined) continue
    const options = optionsOf(format)
    for (const path of endpoint.paths) {
      app.post(path, options, (request, reply) => callAt(request, reply, { endpoint: format }))
      if (endpoint.triesWebSocket) app.get(path, { config: list }, (_request, reply) => refuseWebSocket(reply))
    }
    for (const path of countOf(endpoint)?.paths ?? []) {
      app.post(path, options, (request, reply) => countAt(request, reply, { endpoint: format }))
    }
  }
  registerModelPaths(app, optionsOf, (request, reply, { format: endpoint, isCount, asked }) =>
    (isCount ? countAt : callAt)(request, reply, { endpoint, asked }),
  )
  for (const prefix of ['/v1', '']) {
    app.route({
      method: READ,
      url: `${prefix}/models`,
      config: list,
      handler: (request, reply) => listModels(request, reply, deps),
    })
    app.route<ModelRoute>({
      method: READ,
      url: `${prefix}/models/*`,
      config: list,
      handler: (request, reply) => showModel(request, reply, deps),
    })
  }
  // Claude Code asks this first, to see whether anybody is there.
  app.head('/api/hello', { config: { access: 'public', lan: 'public' } }, (_request, reply) => reply.send())
  app.get('/v1/balance', { config: key }, (request, reply) => showBalance(request, reply, deps))
  app.get<{ Params: { id: string } }>('/v1/receipts/:id', { config: key }, async (request, reply) => {
    const { key: own } = callerOf(request)
    const mayShow = (keyId: string | undefined) => keyId === own.id
    const receipt = await receiptOf(request.params.id, deps.readReceipt, mayShow)
    if (!isRefusal(receipt)) return reply.send(receipt)
    const found = await refusedBy(request.params.id, { ...deps, mayShow })
    if (found === undefined) return sendRefusal(reply, receipt)
    const message = `This request was refused, so it has no receipt and cost nothing. ${found.row.message}`
    return sendRefusal(reply, refuse('not_found', message))
  })
  registerProbes(app, deps)
}

/** What a client called: the format's endpoint, and what the path says where it names the model. */
type Called = Pick<ReceivedCall, 'endpoint' | 'asked'>

type Served = {
  readonly called: Called & Pick<ReceivedCall, 'isCount'>
  readonly run: (call: Call) => Promise<void>
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  { called, run }: Served,
  deps: ReceivingDeps,
): Promise<FastifyReply> {
  const { id, headers, bodyParts } = request
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const received = { ...called, id, caller: callerOf(request), headers, body, bodyParts, response: reply.raw }
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

/** Of a call that did not begin its journey. */
function noteRefused(request: FastifyRequest, deps: GatewayDeps): void {
  const { id: requestId, caller, refusal } = request
  const { format: endpoint } = request.routeOptions.config
  if (refusal === null || endpoint === undefined) return
  const keyId = caller?.key.id ?? presentedKeyId(credentialsOf(request.raw), { ...deps, nowMs: deps.clock.nowMs })
  deps.refused.note({ requestId, keyId, endpoint, model: undefined, refusal })
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
  const views = viewsOf(request)
  if (views !== undefined) return reply.send(views.list(models))
  const data = models.map((model) => modelObject(model, deps.catalog))
  const first = data[0]?.id ?? null
  return reply.send({ object: 'list', data, has_more: false, first_id: first, last_id: data.at(-1)?.id ?? null })
}

function showModel(request: FastifyRequest<ModelRoute>, reply: FastifyReply, deps: GatewayDeps): FastifyReply {
  const model = visibleModel(request, deps)
  if (isRefusal(model)) return sendRefusal(reply, model)
  return reply.send(viewsOf(request)?.show(model) ?? modelObject(model, deps.catalog))
}

/** The form that a client reads by whose header it is known; undefined for the common one. */
function viewsOf({ headers }: FastifyRequest): ModelViews | undefined {
  const views = ENDPOINTS.map(([, endpoint]) => endpoint.models)
  return views.find((one) => one !== undefined && headers[one.header] !== undefined)
}

/** The same in the form that one format's clients read. */
function registerModelViews(
  app: FastifyInstance,
  config: FastifyContextConfig,
  views: ModelViews,
  deps: GatewayDeps,
): void {
  app.route({
    method: READ,
    url: views.path,
    config,
    handler(request, reply) {
      const models = visibleModels(request, deps)
      return isRefusal(models) ? sendRefusal(reply, models) : reply.send(views.list(models))
    },
  })
  app.route<ModelRoute>({
    method: READ,
    url: `${views.path}/*`,
    config,
    handler(request, reply) {
      const model = visibleModel(request, deps)
      return isRefusal(model) ? sendRefusal(reply, model) : reply.send(views.show(model))
    },
  })
}

function visibleModel(request: FastifyRequest<ModelRoute>, deps: GatewayDeps): Model | Refusal {
  const models = visibleModels(request, deps)
  if (isRefusal(models)) return models
  const id = request.params['*']
  const model = namesOf(id).flatMap((name) => models.find((candidate) => candidate.id === name) ?? [])[0]
  return model ?? refuse('model_not_found', `The model '${id}' does not exist or is not enabled.`)
}

/** The name itself, and what the clients of a format may call the same model. */
function namesOf(id: string): readonly string[] {
  return [id, ...ENDPOINTS.flatMap(([, { otherNames }]) => otherNames?.(id) ?? [])]
}

function visibleModels(request: FastifyRequest, deps: GatewayDeps) {
  const enabled = deps.catalog.models.filter((model) => model.isEnabled)
  const credentials = credentialsOf(request)
  const { authorization, keyHeaders, isKeyInQuery } = credentials
  if (authorization === undefined && keyHeaders.length === 0 && !isKeyInQuery) return enabled
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
