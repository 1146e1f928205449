// What handlers of the admin API are: a function for each action of the table, by its name. What it is given and what it has to answer
// follow from its row, so that a handler that is missing, or one too many, does not compile.

import type { RequestBody, RequestQuery, ResponseBody } from '#contract/admin-api.ts'
import type { ActionOf, AdminAction, AdminEntity, AdminRoutes } from '#contract/admin-routes.ts'
import type { Viewer } from '#core/member.ts'
import type { Refusal } from '#core/refusal.ts'
import type { JsonText } from '#server/http/json-text.ts'
import type { LanRules } from '#server/http/over-lan.ts'
import type { Session } from '#server/sign-in/sessions.ts'

/** The browser's side of a visit. */
export type Visit = {
  /** Where the request came from. */
  readonly address: string
  /** undefined for the command line, and for whoever has none yet. */
  readonly session: Session | undefined
  setCookie(value: string): void
  clearCookie(): void
  /** Where the request came over the LAN: the address that it came to, such as `https://192.168.1.5:3273`. */
  readonly lan: (LanRules & { readonly origin: string }) | undefined
}

export type AdminInput<Action extends AdminAction> = {
  /** From the path; empty where it has none. */
  readonly id: string
  readonly body: RequestBody<Action>
  readonly query: RequestQuery<Action>
  /** On whose behalf. Whoever may not ask for the action at all never gets here. */
  readonly viewer: AdminRoutes[Action]['access'] extends 'public' ? undefined : Viewer
  readonly visit: Visit
  /** Names who it was in the audit log, where nobody was signed in, and what it was about if nothing else says it. */
  readonly nameActor: (name: string, about?: string) => void
  /** Names in the audit log what it is about, of what no rule of the action can look up. */
  readonly nameSubject: (name: string) => void
}

/** What was made into JSON elsewhere is sent as it is. */
type HandlerAnswer<Action extends AdminAction> = ResponseBody<Action> | JsonText | Refusal

export type AdminHandlers = {
  readonly [Action in AdminAction]: (
    input: AdminInput<Action>,
  ) => HandlerAnswer<Action> | Promise<HandlerAnswer<Action>>
}

/** The handlers of an entity, or of several. */
export type HandlersOf<Entity extends AdminEntity> = Pick<AdminHandlers, ActionOf<Entity>>
