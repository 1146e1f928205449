// The straight way of calls. A request that is a call in every respect is served from here, past the router: what Fastify makes for a
// request (its request and reply, hooks, the parser of its content type, promises) costs as much as the journey's own decisions. Whatever
// is not so plain, and whatever is refused by its head, goes the other way, where it is looked at again and refused.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { isLater } from '#core/soon.ts'
import { CLIENT_DIALECTS, ENDPOINTS } from '#dialect/dialects.ts'
import { authenticate, type AuthenticateDeps, type Caller } from '#pipeline/authenticate.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { runCall } from '#pipeline/run.ts'
import { announcedBytes, Reading } from '#server/bodies/body-reader.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { MAX_BODY_BYTES, type GatewayDeps } from '#server/gateway/gateway.ts'
import { callOf, type ReadyCall } from '#server/gateway/received-call.ts'
import type { ClientConnections } from '#server/http/client-connections.ts'
import { guard, type GuardOptions } from '#server/http/guard.ts'
import { HttpClient } from '#server/http/http-client.ts'
import { mayServe } from '#server/http/last-requests.ts'
import { LaterTurns } from '#server/http/later-turns.ts'
import { internalRefusal, refusalAnswer } from '#server/http/refusals.ts'
import { observeAnswer, type ObserveRequest } from '#server/watch/observed-requests.ts'

export type StraightDeps = GatewayDeps & {
  readonly newId: () => string
  readonly memory: Pick<MemoryGuard, 'bodies'>
  readonly observe: ObserveRequest | undefined
}

export type StraightOptions = GuardOptions & {
  /** Told who has shown a key; undefined where nobody has to. */
  readonly clients: Pick<ClientConnections, 'known'> | undefined
  /** Who was refused before on the same connection. */
  readonly earlier: Pick<ClientConnections, 'wasRefused'>
}

type Asked = {
  readonly id: string
  readonly endpoint: EndpointName
  readonly request: IncomingMessage
  readonly response: ServerResponse
}
type Received = Asked & { readonly path: string; readonly caller: Caller }

/** What a body of JSON is called as a rule. */
const PLAIN_TYPES = /^application\/json(?:; ?charset=utf-8)?$/i

/** Takes calls before the router of a server; to be called when everything else stands. */
export function serveCallsStraight(app: FastifyInstance, deps: StraightDeps, options: StraightOptions): void {
  const { server } = app
  // Who only watches what is asked listens after it.
  const [router] = server.listeners('request') as RequestListener[]
  if (router === undefined) throw new Error('a server has no router')
  const straight = new StraightCalls(deps, options, router)
  server.off('request', router)
  const laterTurns = new LaterTurns()
  server.prependListener('request', (request, response) => {
    if (!mayServe(request, response)) return
    if (options.earlier.wasRefused(request.socket)) laterTurns.add(() => straight.take(request, response))
    else straight.take(request, response)
  })
  // Node would answer it below everything that is here. It is a request like all others, and refused as they are.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  app.addHook('preClose', (done) => {
    straight.end()
    done()
  })
}

class StraightCalls {
  readonly #deps: StraightDeps
  readonly #options: StraightOptions
  readonly #others: RequestListener
  readonly #authentication: AuthenticateDeps
  readonly #endpoints = new Map<string, EndpointName>()
  #isEnding = false

  /** `others` serves what is no plain call. */
  constructor(deps: StraightDeps, options: StraightOptions, others: RequestListener) {
    this.#deps = deps
    this.#options = options
    this.#others = others
    this.#authentication = { catalog: deps.catalog, hashKey: deps.hashKey, nowMs: deps.clock.nowMs }
    for (const [name, { paths, methods }] of ENDPOINTS) {
      // Where the path names the model, its router reads it.
      if (methods === undefined) for (const path of paths) this.#endpoints.set(path, name)
    }
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const { method, url: path = '' } = request
    const endpoint = method === 'POST' ? this.#endpoints.get(path) : undefined
    if (endpoint === undefined) return this.#others(request, response)
    const asked = { id: this.#deps.newId(), endpoint, request, response }
    try {
      const caller = this.#callerOf(request)
      if (caller !== undefined) return this.#receive({ ...asked, path, caller })
    } catch (error) {
      return this.#fault(asked, error)
    }
    this.#others(request, response)
  }

  /** From now on nothing is plain: the server ends, and says so with its answers. */
  end(): void {
    this.#isEnding = true
  }

  /** Whose call it is; undefined where anything about its head is not plain, or will be refused. */
  #callerOf(request: IncomingMessage): Caller | undefined {
    const { callGuard } = this.#deps
    const bytes = announcedBytes(request)
    if (this.#isEnding || bytes === null || (bytes !== undefined && !(bytes <= MAX_BODY_BYTES))) return undefined
    if (!PLAIN_TYPES.test(request.headers['content-type'] ?? '')) return undefined
    if (guard(request, this.#options) !== undefined || callGuard.draining() !== undefined) return undefined
    const caller = authenticate(credentialsOf(request), this.#authentication)
    return isRefusal(caller) || callGuard.room(request) !== undefined ? undefined : caller
  }

  #receive(received: Received): void {
    const { request, response } = received
    const { observe, clock, memory } = this.#deps
    this.#options.clients?.known(request.socket)
    if (observe !== undefined) this.#observe(received, observe, clock.monotonicMs())
    const reading = new Reading({
      bodies: memory.bodies,
      mostBytes: MAX_BODY_BYTES,
      announced: announcedBytes(request) ?? undefined,
      isOfCall: true,
      done: (body, parts) => {
        if (isRefusal(body)) this.#turnAway(received, body, { connection: 'close' })
        else this.#serve(received, body, parts)
      },
    })
    response.on('close', () => reading.forget())
    reading.read(request, undefined)
  }

  #observe({ id, path, caller, response }: Received, observe: ObserveRequest, sinceMs: number): void {
    const { monotonicMs } = this.#deps.clock
    const asked = { id, method: 'POST', route: path, keyId: () => caller.key.id }
    observeAnswer(response, asked, { observe, monotonicMs, sinceMs })
  }

  #serve(received: Received, body: Buffer, bodyParts: number): void {
    const { id, endpoint, caller, request, response } = received
    const { headers } = request
    try {
      const client = new HttpClient(response)
      const call = callOf({ id, endpoint, isCount: false, caller, headers, body, bodyParts, client }, this.#deps)
      if (isLater(call))
        call.then((made) => this.#run(received, made)).catch((error: unknown) => this.#fault(received, error))
      else this.#run(received, call)
    } catch (error) {
      this.#fault(received, error)
    }
  }

  #run(received: Received, call: ReadyCall | Refusal): void {
    if (isRefusal(call)) this.#turnAway(received, call)
    else {
      const served = runCall(call, this.#deps)
      const ended = call.forget === undefined ? served : served.finally(call.forget)
      ended.catch((error: unknown) => this.#fault(received, error))
    }
  }

  #fault(asked: Asked, error: unknown): void {
    this.#deps.reportFault(error, asked.id)
    // Of an answer that has begun, all that can be told is that it broke off.
    if (asked.response.headersSent) asked.response.destroy()
    else this.#refuse(asked, internalRefusal())
  }

  #turnAway(received: Received, refusal: Refusal, more: Readonly<Record<string, string>> = {}): void {
    const { id: requestId, endpoint, caller } = received
    this.#deps.refused.note({ requestId, keyId: caller.key.id, endpoint, model: undefined, refusal })
    this.#refuse(received, refusal, more)
  }

  #refuse(
    { id, endpoint, request, response }: Asked,
    refusal: Refusal,
    more: Readonly<Record<string, string>> = {},
  ): void {
    const { headers } = request
    const answer = refusalAnswer(refusal, { id, headers, endpoint: CLIENT_DIALECTS[endpoint] })
    const length = { 'content-length': String(Buffer.byteLength(answer.body)) }
    response.writeHead(answer.status, { 'x-request-id': id, ...more, ...answer.headers, ...length }).end(answer.body)
  }
}
