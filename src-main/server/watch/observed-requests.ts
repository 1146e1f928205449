// Tells of every request when its answer has ended: how long it took and how it ended, and nothing of what was in it. Of the
// address only the pattern of its route is told, because paths and queries are texts of strangers.

import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

export type ObservedRequest = {
  readonly id: string
  readonly method: string
  /** Such as `/v1/models/*`; undefined where no route fits. */
  readonly route: string | undefined
  /** What was sent, or would have been. */
  readonly status: number
  /** False where the connection ended before the answer did. */
  readonly isComplete: boolean
  /** Whose key was presented. */
  readonly keyId: string | undefined
  readonly durationMs: number
}

export type ObserveRequest = (request: ObservedRequest) => void

/** To be registered before any other hook, so that what those refuse is told as well. */
export function observeRequests(app: FastifyInstance, observe: ObserveRequest, monotonicMs: () => number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, method } = request
    const route = request.is404 ? undefined : request.routeOptions.url
    const asked = { id, method, route, keyId: () => request.caller?.key.id }
    observeAnswer(reply.raw, asked, { observe, monotonicMs, sinceMs: monotonicMs() })
    done()
  })
}

type AskedRequest = Pick<ObservedRequest, 'id' | 'method' | 'route'> & { readonly keyId: () => string | undefined }
type Observing = { readonly observe: ObserveRequest; readonly monotonicMs: () => number; readonly sinceMs: number }

/** Tells of one request once its answer has ended. */
export function observeAnswer(
  response: ServerResponse,
  { keyId, ...asked }: AskedRequest,
  { observe, monotonicMs, sinceMs }: Observing,
): void {
  response.once('close', () => {
    const { statusCode: status, writableFinished: isComplete } = response
    observe({ ...asked, status, isComplete, keyId: keyId(), durationMs: monotonicMs() - sinceMs })
  })
}
