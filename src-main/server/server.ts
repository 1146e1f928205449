// Builds the HTTP server. Every route declares who may reach it; a route that does not cannot be registered. The guard comes
// first, then authentication, and only then a body is read.

import { timingSafeEqual } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { errorBody } from '#dialect/errors.ts'
import { authenticate, type Caller } from '#pipeline/authenticate.ts'
import type { AdminHandlers } from '#server/admin.ts'
import { credentialsOf } from '#server/credentials.ts'
import { registerGateway, type GatewayDeps } from '#server/gateway.ts'
import { guard } from '#server/guard.ts'
import { refusalOfError, sendRefusal, sendRefusalAndClose, type RaisedError } from '#server/refusals.ts'

/** Who may reach a route: anyone, the holder of a key, or the administrator of this machine. */
export type Access = 'public' | 'key' | 'administrator'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Endpoints whose clients read errors in the shape of the messages format. */
    format?: 'messages'
  }
  interface FastifyRequest {
    /** Set on routes for keys. */
    caller: Caller | null
  }
}

export type ServerDeps = GatewayDeps & {
  readonly newId: () => string
  readonly hosts: ReadonlySet<string>
  /** Asked for by the first request of the admin API. */
  readonly adminHandlers: () => Promise<AdminHandlers>
  /** What the command line presents; made anew at each start. */
  readonly adminToken: string
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
  requireAccess(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const refusal = guard(request.raw, deps) ?? admitToRoute(request, deps)
    if (refusal === undefined) done()
    else void sendRefusalAndClose(reply, refusal)
  })
  app.setNotFoundHandler((request, reply) => {
    const { method } = request
    return sendRefusal(reply, refuse('not_found', `There is no ${method} endpoint at this path.`))
  })
  app.setErrorHandler((error: RaisedError, request, reply) => answerError(error, request, reply, deps))
  registerGateway(app, deps)
  app.all('/api/*', { config: { access: 'administrator' } }, async (request, reply) => {
    const { serveAdmin } = await import('#server/admin.ts')
    return serveAdmin(request, reply, await deps.adminHandlers())
  })
  return app
}

/** Makes registering a route fail that says nothing about who may reach it. */
function requireAccess(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`route ${route.url} does not declare its access`)
  })
}

/** Decides by the route that was matched, never by the URL's text. */
function admitToRoute(request: FastifyRequest, deps: ServerDeps): Refusal | undefined {
  switch (request.routeOptions.config.access) {
    // undefined is the not-found handler, which shows nothing.
    case undefined:
    case 'public':
      return undefined
    case 'administrator':
      return isAdministrator(request, deps.adminToken)
        ? undefined
        : refuse('unauthenticated', 'This needs the administrator of this machine.')
    case 'key': {
      const caller = authenticate(credentialsOf(request), { ...deps, nowMs: deps.clock.nowMs })
      if (isRefusal(caller)) return caller
      request.caller = caller
      return undefined
    }
  }
}

function isAdministrator(request: FastifyRequest, token: string): boolean {
  const presented = Buffer.from(request.headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

function answerError(error: RaisedError, request: FastifyRequest, reply: FastifyReply, deps: ServerDeps): FastifyReply {
  const refusal = refusalOfError(error)
  if (refusal !== undefined) return sendRefusalAndClose(reply, refusal)
  deps.reportFault(error, request.id)
  return sendRefusal(reply, refuse('internal', 'Farebox made a mistake. It is reported in its log.'))
}
