// What is different for whoever comes over the LAN. They are members: an administrator is one there too, unless administration over the
// LAN is switched on; holders of a key are what they are here; the owner of the machine and its command line are not on the LAN at all.

import type { Route } from '#contract/admin-routes.ts'
import type { Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

/** How the LAN is set where a request came over it. */
export type LanRules = { readonly isAdministered: boolean }

/** As whom somebody acts over the LAN; a refusal for those who are not there. */
export function viewerOverLan(viewer: Viewer, { isAdministered }: LanRules): Viewer | Refusal {
  if (viewer.type === 'owner') {
    return refuse('unauthenticated', 'Over the LAN you sign in with a name and a password, or with a key.')
  }
  if (viewer.type === 'holder') return viewer
  return isAdministered ? viewer : { ...viewer, member: { ...viewer.member, role: 'member' } }
}

/** Why a route of the admin API is not served over the LAN. */
export function lanRefusal({ lan }: Pick<Route, 'lan'>, { isAdministered }: LanRules): Refusal | undefined {
  if (lan === 'never') return refuse('forbidden', 'This can be done on the machine that Farebox runs on alone.')
  if (lan === 'members' || isAdministered) return undefined
  const hint = 'It is switched on there by farebox lan on --administration.'
  return refuse('forbidden', `Administration over the LAN is off. ${hint}`)
}
