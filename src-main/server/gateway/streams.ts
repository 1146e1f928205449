// The routes of the admin API whose answers are not one JSON value: live events, and the answer to a test request as it comes.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noKey } from '#catalog/keys.ts'
import { findKey } from '#catalog/scope.ts'
import { ADMIN_STREAMS } from '#contract/admin-routes.ts'
import type { Viewer } from '#core/member.ts'
import { isRefusal } from '#core/refusal.ts'
import { callerOfKey } from '#pipeline/authenticate.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { HttpClient } from '#server/http/http-client.ts'
import { LiveEvents, type LiveDeps } from '#server/gateway/live.ts'
import { sendRefusal } from '#server/http/refusals.ts'
import type { GatewayDeps } from '#server/gateway/gateway.ts'
import { readTry } from '#server/gateway/try.ts'

/** Who opened a stream. */
export type StreamVisitor = {
  readonly viewer: Viewer
  /** Calls back when whoever it is may not read on, such as at sign-out. Returns what forgets the callback. */
  readonly onEnd?: (callback: () => void) => () => void
}

export type StreamDeps = RunDeps & Omit<LiveDeps, 'reportFault'> & Pick<GatewayDeps, 'largeBodies' | 'denseBodies'>

export type StreamRoutes = {
  readonly visitorOf: (request: FastifyRequest) => StreamVisitor
  /** For the body of a test request, the same as for a call. */
  readonly bodyLimit: number
}

export function registerStreams(app: FastifyInstance, deps: StreamDeps, routes: StreamRoutes): void {
  const { bodyLimit, visitorOf } = routes
  const live = new LiveEvents(deps)
  // A server that closes waits for its connections, and these would never end by themselves.
  app.addHook('preClose', (done) => {
    live.close()
    done()
  })
  const { events, tryIt } = ADMIN_STREAMS
  app.route({
    ...placeOf(events),
    handler: (request, reply) => serveEvents(request, reply, { live, visitorOf }),
  })
  app.route({
    ...placeOf(tryIt),
    bodyLimit,
    handler: (request, reply) => serveTry(request, reply, { deps, visitorOf }),
  })
}

function placeOf<Stream extends (typeof ADMIN_STREAMS)[keyof typeof ADMIN_STREAMS]>({ method, path, access }: Stream) {
  return { method, url: path, config: { access, lan: access } }
}

type Events = { readonly live: LiveEvents; readonly visitorOf: StreamRoutes['visitorOf'] }

function serveEvents(request: FastifyRequest, reply: FastifyReply, { live, visitorOf }: Events): FastifyReply {
  const { viewer, onEnd } = visitorOf(request)
  const refusal = live.refusalFor(viewer)
  if (refusal !== undefined) return sendRefusal(reply, refusal)
  const lastId = request.headers['last-event-id']
  reply.hijack()
  const opening = { viewer, requestId: request.id, lastId: typeof lastId === 'string' ? lastId : undefined }
  const end = live.open(reply.raw, opening)
  const forget = onEnd?.(end)
  if (forget !== undefined) reply.raw.once('close', forget)
  return reply
}

type Trying = { readonly deps: StreamDeps; readonly visitorOf: StreamRoutes['visitorOf'] }

/** The same journey as a client's call, with a key that is named instead of presented. */
async function serveTry(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, visitorOf }: Trying,
): Promise<FastifyReply> {
  await deps.denseBodies.turn(request.bodyParts)
  const read = await readTry(request.body, deps.largeBodies)
  if (isRefusal(read)) return sendRefusal(reply, read)
  const { asked, text, byteLength } = read
  const { viewer, onEnd } = visitorOf(request)
  const key = findKey(viewer, deps.catalog, asked.key)
  if (key === undefined) return sendRefusal(reply, noKey(asked.key))
  const caller = callerOfKey(key, { ...deps, nowMs: deps.clock.nowMs })
  if (isRefusal(caller)) return sendRefusal(reply, caller)
  reply.hijack()
  reply.raw.setHeader('cache-control', 'no-store')
  const client = new HttpClient(reply.raw)
  const forget = onEnd?.(() => client.cut())
  const call = { requestId: request.id, endpoint: asked.endpoint, caller, text, byteLength, headers: {}, client }
  try {
    await runCall(call, deps)
  } finally {
    forget?.()
  }
  return reply
}
