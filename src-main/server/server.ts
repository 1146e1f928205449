// Builds the HTTP server. Every route declares who may reach it; a route that does not cannot be registered. The guard comes
// first, then authentication, and only then a body is read.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { errorBody } from '#dialect/errors.ts'
import { authenticate, type Caller } from '#pipeline/authenticate.ts'
import type { AdminHandlers } from '#server/admin.ts'
import type { Visitor } from '#server/admission.ts'
import { ChangeLimiter } from '#server/change-limiter.ts'
import { credentialsOf } from '#server/credentials.ts'
import { registerDashboard, type DashboardDeps } from '#server/dashboard-routes.ts'
import type { Door } from '#server/door.ts'
import { MAX_BODY_BYTES, registerGateway, type GatewayDeps } from '#server/gateway.ts'
import { guard } from '#server/guard.ts'
import { registerReference } from '#server/reference.ts'
import { registerStreams, type StreamDeps, type StreamVisitor } from '#server/streams.ts'
import { refusalOfError, sendRefusal, sendRefusalAndClose, type RaisedError } from '#server/refusals.ts'
import type { FoundRoute } from '#server/route-table.ts'

/**
 * Who may reach a route: anyone, the holder of a key, whoever is signed in, an administrator, or whom the admin API's table says.
 */
export type Access = 'public' | 'key' | 'member' | 'administrator' | 'table'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Endpoints whose clients read errors in the shape of the messages format. */
    format?: 'messages'
    /** A page that a link from elsewhere may open: it shows nothing before its visitor has signed in. */
    isPage?: true
  }
  interface FastifyRequest {
    /** Set on routes for keys. */
    caller: Caller | null
    /** Who asks, on routes of the admin API that are not for anyone. */
    visitor: Visitor | null
    /** What is asked for, where the table says who may. */
    adminRoute: FoundRoute | null
  }
}

export type ServerDeps = GatewayDeps &
  DashboardDeps &
  StreamDeps & {
    readonly newId: () => string
    readonly hosts: ReadonlySet<string>
    /** Asked for by the first request of the admin API. */
    readonly adminHandlers: () => Promise<AdminHandlers>
    /** Asked for by the first request that has to do with sessions. */
    readonly door: () => Promise<Door>
    /** What the command line presents, and what requests in this process do; made anew at each start. */
    readonly adminToken: string
    readonly inProcessToken: string
  }

const LIMITS = {
  /** The admin API's bodies; the gateway's routes allow more. */
  bodyLimit: 1024 * 1024,
  requestTimeout: 120_000,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16_384,
    // A missing Host is for the guard to refuse, which says why; Node would answer without a body.
    requireHostHeader: false,
  },
}

export function buildServer(deps: ServerDeps): FastifyInstance {
  const app = Fastify({
    ...LIMITS,
    logger: false,
    trustProxy: false,
    genReqId: deps.newId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'ignore',
    // The OpenAI SDK's users often give a base URL with /v1 to tools that add it once more.
    rewriteUrl: (request) => (request.url ?? '/').replace(/^\/v1\/v1\//, '/v1/'),
    frameworkErrors: (_error, _request, reply) => {
      void sendRefusal(reply, refuse('invalid_request', 'The request is not valid HTTP.'))
    },
    clientErrorHandler: (_error, socket) => {
      // Where something was answered already, an answer may be under way, and this one would end up in the middle of it.
      if (!socket.writable || socket.bytesWritten > 0) return socket.destroy()
      const requestId = deps.newId()
      const body = errorBody(refuse('invalid_request', 'The request is not valid HTTP.'), requestId)
      const head = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\n`
      socket.end(`${head}x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('caller', null)
  app.decorateRequest('visitor', null)
  app.decorateRequest('adminRoute', null)
  requireAccess(app)
  const admission = { ...deps, memberChanges: new ChangeLimiter(deps.clock.monotonicMs) }
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const { access, isPage = false } = request.routeOptions.config
    const answer = (refusal: Refusal | undefined) => {
      if (refusal === undefined) done()
      else void sendRefusalAndClose(reply, refusal)
    }
    const refusal = guard(request.raw, { hosts: deps.hosts, isPage })
    if (refusal !== undefined) return answer(refusal)
    if (access === 'table' || access === 'member' || access === 'administrator') {
      void import('#server/admission.ts').then(({ admit }) => admit(request, access, admission)).then(answer, done)
    } else answer(admitCaller(request, deps))
  })
  app.setNotFoundHandler((request, reply) => {
    const { method } = request
    return sendRefusal(reply, refuse('not_found', `There is no ${method} endpoint at this path.`))
  })
  app.setErrorHandler((error: RaisedError, request, reply) => answerError(error, request, reply, deps))
  registerGateway(app, deps)
  registerStreams(app, deps, { access: 'member', visitorOf, bodyLimit: MAX_BODY_BYTES })
  app.all('/api/*', { config: { access: 'table' } }, async (request, reply) => {
    const { serveAdmin } = await import('#server/admin.ts')
    return serveAdmin(request, reply, { ...deps, handlers: await deps.adminHandlers() })
  })
  registerReference(app, deps)
  registerDashboard(app, deps)
  return app
}

/** On whose behalf a stream is opened, and what ends it: the end of the session. The command line has none. */
function visitorOf({ visitor }: FastifyRequest): StreamVisitor {
  if (visitor === null) throw new Error('a stream was not admitted')
  const { viewer, session } = visitor
  if (session === undefined) return { viewer }
  const onEnd = (end: () => void) => {
    session.ended.addEventListener('abort', end, { once: true })
    return () => session.ended.removeEventListener('abort', end)
  }
  return { viewer, onEnd }
}

/** Makes registering a route fail that says nothing about who may reach it. */
function requireAccess(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`route ${route.url} does not declare its access`)
  })
}

/** Decides by the route that was matched, never by the URL's text. The not-found handler has no access and shows nothing. */
function admitCaller(request: FastifyRequest, deps: ServerDeps): Refusal | undefined {
  if (request.routeOptions.config.access !== 'key') return undefined
  const caller = authenticate(credentialsOf(request), { ...deps, nowMs: deps.clock.nowMs })
  if (isRefusal(caller)) return caller
  request.caller = caller
  return undefined
}

function answerError(error: RaisedError, request: FastifyRequest, reply: FastifyReply, deps: ServerDeps): FastifyReply {
  const refusal = refusalOfError(error)
  if (refusal !== undefined) return sendRefusalAndClose(reply, refusal)
  deps.reportFault(error, request.id)
  return sendRefusal(reply, refuse('internal', 'Farebox made a mistake. It is reported in its log.'))
}
