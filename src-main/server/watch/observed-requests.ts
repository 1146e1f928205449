// Tells of every request when its answer has ended: how long it took and how it ended, and nothing of what was in it. Of the
// address only the pattern of its route is told, because paths and queries are texts of strangers.

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
    const sinceMs = monotonicMs()
    const { raw } = reply
    raw.once('close', () => {
      observe({
        id: request.id,
        method: request.method,
        route: request.is404 ? undefined : request.routeOptions.url,
        status: raw.statusCode,
        isComplete: raw.writableFinished,
        keyId: request.caller?.key.id,
        durationMs: monotonicMs() - sinceMs,
      })
    })
    done()
  })
}
