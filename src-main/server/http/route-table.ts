// Registers a route for each action of the admin API. Who may ask and what is done are both decided by the action that the route
// carries, so that they can never be two different things.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ADMIN_ROUTES, type AdminAction, type Route } from '#contract/admin-routes.ts'
import type { Refusal } from '#core/refusal.ts'
import { noSuchPath } from '#server/http/paths.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On routes of the admin API. */
    action?: ServedAction
  }
}

export type ServedAction = { readonly action: AdminAction; readonly route: Route }
export type FoundRoute = ServedAction & {
  /** From the path; empty where it has none. */
  readonly id: string
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function registerActions(app: FastifyInstance, serve: Serve): void {
  for (const [name, route] of Object.entries<Route>(ADMIN_ROUTES)) {
    // Object.entries forgets that the names are those of the table.
    const action = { action: name as AdminAction, route }
    const url = route.path.replace('{id}', ':id')
    app.route({ method: route.method, url, config: { access: 'table', lan: 'table', action }, handler: serve })
  }
}

/** What a request on one of these routes is about. */
export function actionOf(request: FastifyRequest): FoundRoute | Refusal {
  const { action } = request.routeOptions.config
  if (action === undefined) return noSuchPath(request)
  if (!action.route.path.includes('{id}')) return { ...action, id: '' }
  const { id } = request.params as { readonly id: string }
  // The router takes the nothing between two slashes for an id.
  return id === '' ? noSuchPath(request) : { ...action, id }
}
