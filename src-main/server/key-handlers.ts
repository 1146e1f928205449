// Keys, packages and models, as far as members may ask for them too. Each action gets the one key that the viewer means among those
// that they may see; nothing here looks any further.

import { adjustKey, topUpKey } from '#catalog/adjustments.ts'
import type { CatalogContext } from '#catalog/context.ts'
import {
  createKey,
  extendKey,
  listKeys,
  moveKey,
  noKey,
  resumeKey,
  revokeKey,
  showKey,
  suspendKey,
} from '#catalog/keys.ts'
import { createOwnKey, ownModels, ownPackages, rotateOwnKey } from '#catalog/own.ts'
import { rotateKey } from '#catalog/rotation.ts'
import { findKey, isInScope, keyScope } from '#catalog/scope.ts'
import type { InTurn } from '#catalog/turns.ts'
import { modelView, packageView } from '#catalog/views.ts'
import type { Suspender } from '#core/entities.ts'
import { roleOf, type Member, type Viewer } from '#core/member.ts'
import type { Refusal } from '#core/refusal.ts'
import type { AdminHandlers } from '#server/admin.ts'

type KeyActions =
  | 'listKeys'
  | 'createKey'
  | 'showKey'
  | 'suspendKey'
  | 'resumeKey'
  | 'extendKey'
  | 'topUpKey'
  | 'adjustKey'
  | 'moveKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'listPackages'
  | 'listModels'

export function keyHandlers(context: CatalogContext, inTurn: InTurn): Pick<AdminHandlers, KeyActions> {
  const { catalog } = context
  type Asked = { readonly id: string; readonly viewer: Viewer }
  const change = <Answer>({ id, viewer }: Asked, act: (keyId: string) => Promise<Answer | Refusal>) =>
    inTurn(async () => {
      const key = findKey(viewer, catalog, id)
      return key === undefined ? noKey(id) : act(key.id)
    })
  return {
    listKeys: ({ viewer }) => {
      const scope = keyScope(viewer, catalog)
      return listKeys(context, (key) => isInScope(scope, key.id))
    },
    createKey: ({ body, viewer }) => {
      const member = mereMember(viewer)
      return inTurn(() => (member === undefined ? createKey(context, body) : createOwnKey(context, member, body)))
    },
    showKey: ({ id, viewer }) => {
      const key = findKey(viewer, catalog, id)
      return key === undefined ? noKey(id) : showKey(context, key.id)
    },
    suspendKey: (input) => change(input, (id) => suspendKey(context, id, suspender(input.viewer))),
    resumeKey: (input) => change(input, (id) => resumeKey(context, id, suspender(input.viewer))),
    extendKey: (input) => change(input, (id) => extendKey(context, id, input.body.expires)),
    topUpKey: (input) => change(input, (id) => topUpKey(context, id, input.body)),
    adjustKey: (input) => change(input, (id) => adjustKey(context, id, input.body)),
    moveKey: (input) => change(input, (id) => moveKey(context, id, input.body.package)),
    rotateKey: (input) =>
      change(input, (id) => {
        const member = mereMember(input.viewer)
        return member === undefined ? rotateKey(context, id, input.body) : rotateOwnKey(context, member, id, input.body)
      }),
    revokeKey: (input) => change(input, (id) => revokeKey(context, id)),

    listPackages: ({ viewer }) => {
      const member = mereMember(viewer)
      if (member !== undefined) return ownPackages(catalog, member)
      return catalog.packages.map((entity) => packageView(entity, catalog))
    },
    listModels: ({ viewer }) => {
      const member = mereMember(viewer)
      return member === undefined
        ? catalog.models.map((model) => modelView(model, catalog))
        : ownModels(catalog, member)
    },
  }
}

/** A member who is no administrator. */
function mereMember(viewer: Viewer): Member | undefined {
  return viewer.type === 'member' && roleOf(viewer) === 'member' ? viewer.member : undefined
}

function suspender(viewer: Viewer): Suspender {
  return roleOf(viewer)
}
