// What a path says that ends in a model and what is asked of it.

import type { FastifyRequest } from 'fastify'
import type { AskedInPath } from '#dialect/dialect.ts'

/** Names that stand before a model's id, and in front of it where a client encodes its slashes. */
const COLLECTION = /^models\//

/** undefined for all other paths. Names of models can hold colons, so that the last one counts. */
export function askedIn({ params, query }: Pick<FastifyRequest, 'params' | 'query'>): AskedInPath | undefined {
  const { '*': path } = membersOf(params)
  if (typeof path !== 'string') return undefined
  const rest = path.replace(COLLECTION, '')
  const colon = rest.lastIndexOf(':')
  if (colon < 1) return undefined
  return { model: rest.slice(0, colon), method: rest.slice(colon + 1), isEvents: membersOf(query)['alt'] === 'sse' }
}

/** There are none before a route is found. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
