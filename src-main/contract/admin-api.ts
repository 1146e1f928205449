// What goes into each action of the admin API and what comes out: the table of actions, with the schemas in the places of their
// names.

import { Type, type TSchema } from 'typebox'
import type { Route } from '#contract/actions/action.ts'
import { ADMIN_ROUTES, type AdminAction, type AdminRoutes } from '#contract/admin-routes.ts'
import { shapeOf, type Shape } from '#contract/shapes.ts'

export type { AdminAction }
export type Endpoint = Omit<Route, 'query' | 'body' | 'response'> & {
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
}

const Empty = Type.Object({}, { additionalProperties: false })

export const ADMIN_API = Object.fromEntries(
  Object.entries<Route>(ADMIN_ROUTES).map(([action, route]) => [action, endpointOf(route)]),
) as Readonly<Record<AdminAction, Endpoint>>

/** An action with the schemas that its row names. */
export function endpointOf({ query, body, response, ...route }: Route): Endpoint {
  return {
    ...route,
    ...(query === undefined ? {} : { query: shapeOf(query) }),
    ...(body === undefined ? {} : { body: shapeOf(body) }),
    response: response === undefined ? Empty : shapeOf(response),
  }
}

export type RequestBody<Action extends AdminAction> = AdminRoutes[Action] extends {
  readonly body: infer Name extends string
}
  ? Shape<Name>
  : undefined
export type RequestQuery<Action extends AdminAction> = AdminRoutes[Action] extends {
  readonly query: infer Name extends string
}
  ? Shape<Name>
  : undefined
export type ResponseBody<Action extends AdminAction> = AdminRoutes[Action] extends {
  readonly response: infer Name extends string
}
  ? Shape<Name>
  : Record<never, never>

/** What a call of an action needs: an id where its path has one, a body where it takes one, perhaps a query. */
export type CallInput<Action extends AdminAction> = (AdminRoutes[Action]['path'] extends `${string}{id}${string}`
  ? { readonly id: string }
  : { readonly id?: undefined }) &
  (AdminRoutes[Action] extends { readonly body: string }
    ? { readonly body: RequestBody<Action> }
    : { readonly body?: undefined }) &
  (AdminRoutes[Action] extends { readonly query: string }
    ? { readonly query?: RequestQuery<Action> }
    : { readonly query?: undefined })
