// Builds the HTTP server. Every route declares who may reach it; a route that does not cannot be registered. The guard comes
// first, then authentication, and only then a body is read.

import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { authenticate, type Caller } from '#pipeline/authenticate.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Hops } from '#pipeline/hops.ts'
import type { AdminHandlers } from '#server/admin/handlers.ts'
import type { SessionAccess, Visitor } from '#server/sign-in/access.ts'
import { announcedBytes, readBodies } from '#server/bodies/body-reader.ts'
import { answerBroken, refuseTunnel } from '#server/http/broken-requests.ts'
import { ChangeLimiter } from '#server/http/change-limiter.ts'
import { ClientConnections, OVER_LAN, type Listeners } from '#server/http/client-connections.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { registerDashboard, type DashboardDeps } from '#server/dashboard/dashboard-routes.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import { MAX_BODY_BYTES, registerGateway, type GatewayDeps } from '#server/gateway/gateway.ts'
import { guard } from '#server/http/guard.ts'
import { observeRequests, type ObserveRequest } from '#server/watch/observed-requests.ts'
import { noSuchPath, servedUrl } from '#server/http/paths.ts'
import type { Spools } from '#server/bodies/spool.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'
import { checkScraper } from '#server/watch/probes.ts'
import { registerReference } from '#server/reference/reference.ts'
import { serveCallsStraight } from '#server/gateway/straight-calls.ts'
import { registerStreams, type StreamDeps, type StreamVisitor } from '#server/gateway/streams.ts'
import {
  internalRefusal,
  refusalOfError,
  sendRefusal,
  sendRefusalAndClose,
  type RaisedError,
} from '#server/http/refusals.ts'
import { registerActions, type FoundRoute } from '#server/http/route-table.ts'
import { serveSockets, type DoorDeps } from '#server/socket/door.ts'

/**
 * Who may reach a route: anyone, who presents a key, what reads the figures, whoever is signed in (a holder of a key, a member, an
 * administrator), or whom the admin API's table says.
 */
export type Access = 'public' | 'key' | 'scraper' | SessionAccess

/** How other machines reach this server; absent for the one that only this machine reaches. */
export type OverLan = {
  /** Whether administrators may administer from there. */
  readonly isAdministered: boolean
  readonly makeServer: (handler: RequestListener, limits: HttpLimits) => Server
}
type HttpLimits = typeof LIMITS.http & Pick<typeof LIMITS, 'requestTimeout' | 'keepAliveTimeout'>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Who may reach it over the LAN; said of every route. */
    lan?: Access | 'never'
    /** The format of an endpoint for clients, in which its errors are told. */
    format?: EndpointName
    /** A page that a link from elsewhere may open: it shows nothing before its visitor has signed in. */
    isPage?: true
  }
  interface FastifyRequest {
    /** Set on routes for keys. */
    caller: Caller | null
    /** What a call was answered with that was refused before its journey. */
    refusal: Refusal | null
    /** Who asks, on routes of the admin API that are not for anyone. */
    visitor: Visitor | null
    /** What is asked for, where the table says who may. */
    adminRoute: FoundRoute | null
  }
}

export type ServerDeps = GatewayDeps &
  DashboardDeps &
  DoorDeps &
  StreamDeps & {
    /** The connections to the listener for this machine. */
    readonly clients: ClientConnections
    readonly newId: () => string
    /** Counts the bodies of all requests. */
    readonly memory: Pick<MemoryGuard, 'bodies'>
    /** Keeps what is uploaded while it is sent on. */
    readonly spools: Spools
    readonly hosts: ReadonlySet<string>
    readonly hops: Hops
    readonly lan?: OverLan
    /** Asked for by the first request of the admin API. */
    readonly adminHandlers: () => Promise<AdminHandlers>
    /** Asked for by the first request that has to do with sessions. */
    readonly visits: () => Promise<Visits>
    /** What the command line presents, and what requests in this process do; made anew at each start. */
    readonly adminToken: string
    readonly inProcessToken: string
    /** Told of every request; undefined where nobody wants to know. */
    readonly observe: ObserveRequest | undefined
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

/** No route has a schema of Fastify's: what is checked stands in `contract`. Unused, its compilers would take a part of every start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: compilesNothing, buildSerializer: compilesNothing } }

function compilesNothing(): never {
  throw new Error('a route has a schema of Fastify')
}

/** Methods with which nobody sends a body that is wanted. */
const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS'])

export function buildServer(deps: ServerDeps): FastifyInstance {
  const { lan, hosts, hops } = deps
  const scheme = lan === undefined ? 'http' : 'https'
  const app = Fastify({
    ...LIMITS,
    ...(lan === undefined ? {} : { serverFactory: (handler: RequestListener) => lan.makeServer(handler, lanLimits()) }),
    logger: false,
    schemaController: NO_SCHEMAS,
    trustProxy: false,
    // Names of models are long, and longer where they are encoded. The size of the head bounds them.
    routerOptions: { maxParamLength: LIMITS.http.maxHeaderSize },
    genReqId: deps.newId,
    // Ours says why, and in the contract's shape. The listener for the LAN can end while Farebox goes on, and lets nothing in then.
    return503OnClosing: lan !== undefined,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'ignore',
    rewriteUrl: (request) => servedUrl(request.url ?? '/'),
    frameworkErrors: (_error, _request, reply) => {
      void sendRefusalAndClose(reply, refuse('invalid_request', 'The request is not valid HTTP.'))
    },
    clientErrorHandler: (error, socket) => answerBroken(error, socket, { newId: deps.newId, scheme, clients }),
  })
  app.server.on('connect', (_request, socket: Socket) => refuseTunnel(socket, { newId: deps.newId, scheme, clients }))
  readBodies(app, deps)
  for (const name of ['caller', 'refusal', 'visitor', 'adminRoute'] as const) app.decorateRequest(name, null)
  requireAccess(app)
  if (deps.observe !== undefined) observeRequests(app, deps.observe, deps.clock.monotonicMs)
  const accessDeps = { ...deps, memberChanges: new ChangeLimiter(deps.clock.monotonicMs) }
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    request.outgoing = reply.raw
    const { isPage = false } = request.routeOptions.config
    const access = accessOf(request, lan)
    const answer = (refusal: Refusal | undefined) => {
      if (refusal === undefined) done()
      else void sendRefusalAndClose(reply, refusal)
    }
    const refusal = guard(request.raw, { hosts, isPage, scheme, hops })
    if (refusal !== undefined) return answer(refusal)
    if (request.is404) return answer(noSuchPath(request))
    if (takesNoBody(request)) reply.raw.setHeader('connection', 'close')
    if (access === 'never') return answer(refuse('forbidden', 'This is served to the machine itself alone.'))
    const late = access === 'public' ? undefined : deps.callGuard.draining()
    if (late !== undefined) return answer(late)
    if (isForSessions(access)) {
      void import('#server/sign-in/access.ts')
        .then(({ checkAccess }) => checkAccess(request, access, accessDeps))
        .then(answer, done)
    } else answer(checkCaller(request, access, deps) ?? (access === 'key' ? deps.callGuard.room(request) : undefined))
  })
  // Behind the hook that decides who asks.
  const ofLan = lan === undefined ? undefined : watchClients(app, deps.clients.listeners)
  const clients = ofLan ?? deps.clients
  serveCallsStraight(app, deps, { hosts, scheme, hops, clients: ofLan, earlier: clients })
  serveSockets(app, deps, { hosts, scheme, hops, clients })
  // Refused above, before its body is read; a route that declines what it matched would come here.
  app.setNotFoundHandler((request, reply) => sendRefusalAndClose(reply, noSuchPath(request)))
  app.setErrorHandler((error: RaisedError, request, reply) => answerError(error, request, reply, deps))
  registerGateway(app, deps)
  registerStreams(app, deps, { visitorOf, bodyLimit: MAX_BODY_BYTES })
  registerActions(app, async (request, reply) => {
    const { serveAdmin } = await import('#server/admin/admin.ts')
    return serveAdmin(request, reply, { ...deps, handlers: await deps.adminHandlers() })
  })
  registerReference(app, deps)
  registerDashboard(app, deps)
  return app
}

/** Everything but what is named here, so that a kind of access that is added is not open before somebody has thought of it. */
function isForSessions(access: Access | 'never' | undefined): access is SessionAccess {
  return access !== undefined && !['public', 'key', 'scraper', 'never'].includes(access)
}

/** On whose behalf a stream is opened, and what ends it: the end of the session. The command line has none. */
function visitorOf({ visitor }: FastifyRequest): StreamVisitor {
  if (visitor === null) throw new Error('a stream has no visitor')
  const { viewer, session } = visitor
  if (session === undefined) return { viewer }
  const onEnd = (end: () => void) => {
    session.ended.addEventListener('abort', end, { once: true })
    return () => session.ended.removeEventListener('abort', end)
  }
  return { viewer, onEnd }
}

/** Makes registering a route fail that says nothing about who may reach it, here and over the LAN. */
function requireAccess(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`route ${route.url} does not declare its access`)
    if (route.config.lan === undefined) throw new Error(`route ${route.url} does not declare whether the LAN sees it`)
  })
}

/**
 * Bounds what strangers can have open over the LAN; to be called once it is decided who asks. The listener for the LAN can end while
 * another one takes its place: whoever kept a connection to this one, as browsers do even before they need it, would be refused on it.
 */
function watchClients(app: FastifyInstance, listeners: Listeners): ClientConnections {
  const clients = new ClientConnections(listeners, OVER_LAN)
  clients.watch(app.server, 'tls')
  app.addHook('onRequest', ({ caller, visitor, raw }, _reply, done) => {
    if (caller !== null || visitor !== null) clients.known(raw.socket)
    done()
  })
  app.addHook('preClose', (done) => {
    clients.endWhenIdle()
    done()
  })
  return clients
}

/** A body that nobody reads: what is left of it must not be read just to be thrown away, so that nothing comes on the connection. */
function takesNoBody(request: FastifyRequest): boolean {
  return BODILESS.has(request.method) && announcedBytes(request) !== null
}

/** Decides by the route that was matched, never by the URL's text. The not-found handler has no access and shows nothing. */
function accessOf(request: FastifyRequest, lan: OverLan | undefined): Access | 'never' | undefined {
  const { access, lan: overLan = 'never' } = request.routeOptions.config
  return lan === undefined || access === undefined ? access : overLan
}

function lanLimits(): HttpLimits {
  return { ...LIMITS.http, requestTimeout: LIMITS.requestTimeout, keepAliveTimeout: LIMITS.keepAliveTimeout }
}

function checkCaller(request: FastifyRequest, access: Access | undefined, deps: ServerDeps): Refusal | undefined {
  if (access === 'scraper') return checkScraper(request, deps)
  if (access !== 'key') return undefined
  const { catalog, hashKey, clock } = deps
  const caller = authenticate(credentialsOf(request.raw), { catalog, hashKey, nowMs: clock.nowMs })
  if (isRefusal(caller)) return deps.callGuard.refused(request, caller)
  request.caller = caller
  return undefined
}

function answerError(error: RaisedError, request: FastifyRequest, reply: FastifyReply, deps: ServerDeps): FastifyReply {
  const refusal = refusalOfError(error)
  if (refusal !== undefined) return sendRefusalAndClose(reply, refusal)
  deps.reportFault(error, request.id)
  return sendRefusal(reply, internalRefusal())
}
