// Every action of the admin API. The server registers its routes from this table; what is checked, the reference, and the calls of
// the command line and the dashboard follow from it too.

import type { Route, RouteAccess } from '#contract/actions/action.ts'
import { ALERTS } from '#contract/actions/alerts.ts'
import { BILLS } from '#contract/actions/bills.ts'
import { FLEET } from '#contract/actions/fleet.ts'
import { GATEWAY } from '#contract/actions/gateway.ts'
import { INVITES } from '#contract/actions/invites.ts'
import { KEYS } from '#contract/actions/keys.ts'
import { LAN } from '#contract/actions/lan.ts'
import { LEDGER } from '#contract/actions/ledger.ts'
import { MEMBERS } from '#contract/actions/members.ts'
import { MODELS } from '#contract/actions/models.ts'
import { PACKAGES } from '#contract/actions/packages.ts'
import { PROJECTS } from '#contract/actions/projects.ts'
import { PRICES } from '#contract/actions/prices.ts'
import { PROVIDERS } from '#contract/actions/providers.ts'
import { REPORTS } from '#contract/actions/reports.ts'
import { SECRETS } from '#contract/actions/secrets.ts'
import { SESSION } from '#contract/actions/session.ts'
import { STREAMS } from '#contract/actions/streams.ts'
import { TOOLS } from '#contract/actions/tools.ts'

/** The entities with their actions, in the order of the reference. */
export const ADMIN_ENTITIES = {
  session: SESSION,
  reports: REPORTS,
  keys: KEYS,
  packages: PACKAGES,
  models: MODELS,
  prices: PRICES,
  providers: PROVIDERS,
  members: MEMBERS,
  invites: INVITES,
  projects: PROJECTS,
  alerts: ALERTS,
  ledger: LEDGER,
  bills: BILLS,
  gateway: GATEWAY,
  fleet: FLEET,
  lan: LAN,
  secrets: SECRETS,
  tools: TOOLS,
} as const

export type { Route, RouteAccess }
type Entities = typeof ADMIN_ENTITIES
export type AdminEntity = keyof Entities
type Together<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void
  ? All
  : never
export type AdminRoutes = Together<Entities[AdminEntity]>
export type AdminAction = keyof AdminRoutes
/** The actions of one entity, or of several. */
export type ActionOf<Entity extends AdminEntity> = { [Name in Entity]: keyof Entities[Name] }[Entity] & AdminAction

/** All of them by their names. */
export const ADMIN_ROUTES = Object.fromEntries(
  Object.values(ADMIN_ENTITIES).flatMap((actions) => Object.entries<Route>(actions)),
) as unknown as AdminRoutes

/** Their answers are not one JSON value: server-sent events, and the answer to a test request as it comes. */
export const ADMIN_STREAMS = STREAMS
