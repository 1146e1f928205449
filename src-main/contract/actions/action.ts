// How an action of the admin API is written down: once, with where it is, who may ask for it, what goes in and out, and what the
// reference says about it. Plain data: shapes are said by their names, so that the dashboard and a gateway that only relays can
// carry the table without the schema library.

import type { ShapeName } from '#contract/shapes.ts'

/**
 * Who may ask: anyone (to sign in, and to accept an invite), whoever is signed in and also the holder of a key (who sees and revokes
 * that key, no more), members (who see and do only what is theirs), or administrators. Each of them may ask what those before may.
 */
export type RouteAccess = 'public' | 'holder' | 'member' | 'administrator'

/**
 * Whether the LAN sees it: as it is said by `access`, only while administration over the LAN is switched on, or not at all, because it is
 * about the machine itself, or would let somebody from afar open it further.
 */
export type LanAnswer = 'members' | 'administration' | 'never'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Shapes = {
  readonly query?: ShapeName
  readonly body?: ShapeName
  /** `[]` behind a name makes it a list. Where nothing is said, the answer is an empty object. */
  readonly response?: ShapeName | `${ShapeName}[]`
  /** A body that would be taken. */
  readonly example?: object
  /** The HTTP statuses of its refusals, beside those that every action of its kind has. */
  readonly refusals?: readonly number[]
}

export type Route = Shapes & {
  readonly method: Method
  /** `{id}` takes an id or a name. */
  readonly path: string
  readonly access: RouteAccess
  readonly lan: LanAnswer
  /** What the reference says: the group that it stands in, and a sentence. */
  readonly group: string
  readonly summary: string
}

/** The method and the path, as they stand in the first line of a request. */
type Place = `${Method} /api/${string}`
type Action<At extends Place, Access extends RouteAccess, Lan extends LanAnswer, More extends Shapes> = More & {
  readonly method: At extends `${infer Name extends Method} ${string}` ? Name : never
  readonly path: At extends `${Method} ${infer Path}` ? Path : never
  readonly access: Access
  readonly lan: Lan
  readonly summary: string
}

/** Refusals of what reads much: too many of one person at once, and of all. */
export const REPORT_REFUSALS = [429, 503] as const

export const forAnyone = actionFor('public', 'members')
export const forHolders = actionFor('holder', 'members')
export const forMembers = actionFor('member', 'members')
export const forAdministrators = actionFor('administrator', 'administration')
/** For administrators on the machine itself. */
export const forThisMachine = actionFor('administrator', 'never')

function actionFor<Access extends RouteAccess, Lan extends LanAnswer>(access: Access, lan: Lan) {
  return <const At extends Place, const More extends Shapes = Record<never, never>>(
    place: At,
    summary: string,
    more?: More,
  ) => {
    const [method, path] = place.split(' ')
    return { method, path, access, lan, summary, ...more } as unknown as Action<At, Access, Lan, More>
  }
}

/** The actions of an entity, under the heading that they have in the reference. */
export function actionsOf<const Group extends string, Actions extends Readonly<Record<string, Omit<Route, 'group'>>>>(
  group: Group,
  actions: Actions,
) {
  type Grouped = { readonly [Name in keyof Actions]: Actions[Name] & { readonly group: Group } }
  return Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, { ...action, group }])) as Grouped
}
