// What programs that watch over Farebox ask: whether it is alive, whether it takes calls, and its figures. The first two are for
// everybody and say next to nothing. The figures are off unless they were asked for, open only with a token of their own, and
// never leave this machine.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CHALLENGE, CHALLENGE_HEADER, PROOF_HEADER, provedText } from '#core/instance-proof.ts'
import type { DescriptorShares } from '#core/descriptor-shares.ts'
import { isLoopback } from '#core/loopback.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { Ledger } from '#ledger/ledger.ts'
import { noSuchPath, READ } from '#server/http/paths.ts'
import type { Readiness } from '#server/watch/readiness.ts'
import { sendRefusal } from '#server/http/refusals.ts'

export type ProbeDeps = {
  readonly ledger: Pick<Ledger, 'state'>
  readonly version: string
  readonly readiness: Readiness
  readonly shares: DescriptorShares
  /** undefined where figures were not asked for. */
  readonly metrics: Metrics | undefined
  /** What the command line presents; made anew at each start. */
  readonly adminToken: string
}

export type Metrics = {
  /** What a scraper presents. */
  readonly token: string
  /** The figures in the text format of Prometheus. */
  readonly read: () => Promise<string>
}

const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function registerProbes(app: FastifyInstance, deps: ProbeDeps): void {
  app.route({
    method: READ,
    url: '/health',
    config: { access: 'public', lan: 'public' },
    handler: (request, reply) => {
      const state = deps.ledger.state
      const health = { status: state === 'ok' ? 'ok' : 'degraded', name: 'farebox' }
      // Strangers on the LAN need no more to know that it is there.
      if (request.protocol === 'https') return reply.send(health)
      const challenge = request.headers[CHALLENGE_HEADER]
      if (typeof challenge === 'string' && CHALLENGE.test(challenge)) {
        const proof = createHmac('sha256', deps.adminToken).update(provedText(challenge)).digest('hex')
        reply.header(PROOF_HEADER, proof)
      }
      return reply.send({ ...health, version: deps.version, ledger: state, ...lowLimit(deps) })
    },
  })
  app.route({
    method: READ,
    url: '/ready',
    config: { access: 'public', lan: 'never' },
    handler: (_request, reply) => {
      const reason = deps.readiness.problem
      reply.header('cache-control', 'no-store')
      if (reason === undefined) return reply.send({ status: 'ready', name: 'farebox', ...lowLimit(deps) })
      return sendRefusal(reply, refuse('overloaded', `Farebox takes no calls now: ${reason}.`, { details: { reason } }))
    },
  })
  app.get('/metrics', { config: { access: 'scraper', lan: 'never' } }, async (_request, reply) => {
    const text = (await deps.metrics?.read()) ?? ''
    return reply.header('content-type', METRICS_CONTENT_TYPE).header('cache-control', 'no-store').send(text)
  })
}

/** The limit of open files, where it is low. */
function lowLimit({ shares: { isLow, limit } }: ProbeDeps): { readonly open_files_limit?: number | undefined } {
  return isLow ? { open_files_limit: limit } : {}
}

/** Refuses whoever may not see the figures. Where they are off, or somebody asks from elsewhere, they are not there. */
export function checkScraper(request: FastifyRequest, { metrics }: Pick<ProbeDeps, 'metrics'>): Refusal | undefined {
  if (metrics === undefined || !isLoopback(request.socket.localAddress ?? '')) {
    return noSuchPath(request)
  }
  const { authorization } = request.headers
  if (authorization !== undefined && isToken(authorization, metrics.token)) return undefined
  return refuse('unauthenticated', 'This needs the token for metrics, as "Authorization: Bearer TOKEN".')
}

function isToken(authorization: string, token: string): boolean {
  const presented = Buffer.from(authorization)
  const expected = Buffer.from(`Bearer ${token}`)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}
