// The gateway's endpoints for clients. Thin: authentication and the journey of a call are in pipeline/.

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { balanceView } from '#catalog/views.ts'
import { microToCredits } from '#core/money.ts'
import { isRefusal, refuse } from '#core/refusal.ts'
import { presentedKeyId, type Caller } from '#pipeline/authenticate.ts'
import type { Endpoint } from '#dialect/dialect.ts'
import { countOf, ENDPOINTS } from '#dialect/dialects.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { mayCall } from '#pipeline/resolve.ts'
import { CountLimiter, runCount } from '#pipeline/count.ts'
import type { Call } from '#pipeline/exchange.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { registerProbes, type ProbeDeps } from '#server/watch/probes.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { namesOf, registerModelLists } from '#server/gateway/model-lists.ts'
import { registerModelPaths } from '#server/gateway/model-paths.ts'
import { answerOptions } from '#server/gateway/options.ts'
import { receiptOf, type ReadReceipt } from '#server/gateway/receipts.ts'
import { sessionUsage, type SessionUsageDeps } from '#server/gateway/session-usage.ts'
import { refusedBy, type FindRefused } from '#server/reports/why.ts'
import { callOf, type ReceivedCall, type ReceivingDeps } from '#server/gateway/received-call.ts'
import type { ReceivedForm } from '#server/bodies/form-reader.ts'
import { HttpClient } from '#server/http/http-client.ts'
import { READ } from '#server/http/paths.ts'
import { sendRefusal, sendRefusalAndClose } from '#server/http/refusals.ts'
import type { Sockets } from '#server/socket/sockets.ts'

export type GatewayDeps = RunDeps &
  ProbeDeps &
  ReceivingDeps &
  SessionUsageDeps & {
    readonly callGuard: CallGuard
    readonly readReceipt: ReadReceipt
    readonly findRefused: FindRefused
    readonly sockets: Pick<Sockets, 'isOn'>
  }

/** Room for images; a longer body is refused by its length, unread. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024

export function registerGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const endOptions = answerOptions(app)
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
    registerMissing(app, { ...key, format }, endpoint.missing)
    if (endpoint.methods !== undefined) continue
    const options = optionsOf(format)
    for (const path of endpoint.paths) {
      app.post(path, options, (request, reply) => callAt(request, reply, { endpoint: format }))
      if (endpoint.webSocket !== undefined)
        app.route({ method: READ, url: path, config: key, handler: (_request, reply) => refuseUpgrade(reply, deps) })
    }
    for (const path of endpoint.special?.paths ?? []) {
      const called = { endpoint: format, asked: endpoint.special?.asked }
      app.post(path, options, (request, reply) => callAt(request, reply, called))
    }
    for (const path of countOf(endpoint)?.paths ?? []) {
      app.post(path, options, (request, reply) => countAt(request, reply, { endpoint: format }))
    }
  }
  registerModelPaths(app, optionsOf, (request, reply, { format: endpoint, isCount, asked }) =>
    (isCount ? countAt : callAt)(request, reply, { endpoint, asked }),
  )
  registerModelLists(app, list, deps)
  // Claude Code asks this first, to see whether anybody is there.
  app.head('/api/hello', { config: { access: 'public', lan: 'public' } }, (_request, reply) => reply.send())
  app.route({
    method: READ,
    url: '/v1/balance',
    config: key,
    handler: (request, reply) => showBalance(request, reply, deps),
  })
  app.route<{ Querystring: { session?: unknown } }>({
    method: READ,
    url: '/v1/usage',
    config: key,
    async handler(request, reply) {
      const usage = await sessionUsage(callerOf(request).key.id, request.query.session, deps)
      return isRefusal(usage) ? sendRefusal(reply, usage) : reply.send(usage)
    },
  })
  app.route<{ Params: { id: string } }>({
    method: READ,
    url: '/v1/receipts/:id',
    config: key,
    async handler(request, reply) {
      const { key: own } = callerOf(request)
      const mayShow = (keyId: string | undefined) => keyId === own.id
      const receipt = await receiptOf(request.params.id, deps.readReceipt, mayShow)
      if (!isRefusal(receipt)) return reply.send(receipt)
      const found = await refusedBy(request.params.id, { ...deps, mayShow })
      if (found === undefined) return sendRefusal(reply, receipt)
      const message = `This request was refused, so it has no receipt and cost nothing. ${found.row.message}`
      return sendRefusal(reply, refuse('not_found', message))
    },
  })
  registerProbes(app, deps)
  endOptions()
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
  const form = formOf(request)
  const client = new HttpClient(reply.raw)
  const received = { ...called, id, caller: callerOf(request), headers, body, form, bodyParts, client }
  try {
    const call = await callOf(received, deps)
    if (isRefusal(call)) return sendRefusal(reply, call)
    reply.hijack()
    try {
      await run(call)
    } finally {
      call.forget?.()
    }
    return reply
  } finally {
    await form?.close()
  }
}

function formOf({ body }: FastifyRequest): ReceivedForm | undefined {
  // What parsed it says what it is.
  return typeof body === 'object' && body !== null && 'form' in body ? (body as ReceivedForm) : undefined
}

/** Refused by the head alone. */
function registerMissing(app: FastifyInstance, config: FastifyContextConfig, missing: Endpoint['missing']): void {
  if (missing === undefined) return
  const answer = async (_request: FastifyRequest, reply: FastifyReply) =>
    sendRefusalAndClose(reply, refuse('not_found', missing.says))
  for (const path of missing.paths) app.post(path, { config, onRequest: answer }, answer)
}

/** Of a call that did not begin its journey. */
function noteRefused(request: FastifyRequest, deps: GatewayDeps): void {
  const { id: requestId, caller, refusal } = request
  const { format: endpoint } = request.routeOptions.config
  if (refusal === null || endpoint === undefined) return
  const keyId = caller?.key.id ?? presentedKeyId(credentialsOf(request.raw), { ...deps, nowMs: deps.clock.nowMs })
  deps.refused.note({ requestId, keyId, endpoint, model: undefined, refusal })
}

/** Of a WebSocket that was not let in. Codex tries one first; only this status makes it go on with HTTP at once. */
function refuseUpgrade(reply: FastifyReply, { sockets }: Pick<GatewayDeps, 'sockets'>): FastifyReply {
  const says = sockets.isOn ? 'No further WebSocket can be opened here now.' : 'This endpoint has no WebSocket.'
  const refusal = refuse('upgrade_required', `${says} Send a POST request.`)
  return sendRefusalAndClose(reply.header('upgrade', 'HTTP/1.1'), refusal)
}

function showBalance(request: FastifyRequest, reply: FastifyReply, deps: GatewayDeps): FastifyReply {
  const { key, package: entity } = callerOf(request)
  const query = request.query as Readonly<Record<string, unknown>>
  const asked = query['model']
  // A parameter that is given twice arrives as an array, which names no model.
  const modelId = asked === undefined || typeof asked === 'string' ? asked : ''
  const models = modelId === undefined ? [] : namesOf(modelId).map((name) => deps.catalog.model(name))
  const model = models.find((known) => known?.isEnabled === true && mayCall(entity, known.id))
  if (modelId !== undefined && model === undefined) {
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
