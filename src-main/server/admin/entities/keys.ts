// Keys. Each action gets the one key that the viewer means among those that they may see; nothing here looks any further.

import { adjustKey, topUpKey } from '#catalog/adjustments.ts'
import {
  createKey,
  editKey,
  extendKey,
  listKeys,
  moveKey,
  noKey,
  resumeKey,
  revokeKey,
  showKey,
  suspendKey,
} from '#catalog/keys.ts'
import { createOwnKey, rotateOwnKey } from '#catalog/own.ts'
import { rotateKey } from '#catalog/rotation.ts'
import { findKey, isInScope, keyScope } from '#catalog/scope.ts'
import type { KeyCreated, KeyRotated } from '#contract/schemas.ts'
import type { Suspender } from '#core/entities.ts'
import { byRole, type Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const KEY_AUDIT: AuditRules = {
  kept: fields('name package owner expires', 'credits reason idempotency_id', 'overlap', 'tool project tags'),
  subject: (catalog, id) => catalog.key(id)?.name,
}

export function keyHandlers({ context, inTurn, keyRotated }: EntityDeps): HandlersOf<'keys'> {
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
    createKey: ({ body, viewer }) =>
      inTurn(async () =>
        byRole<Promise<KeyCreated | Refusal> | Refusal>(viewer, {
          administrator: () => createKey(context, body),
          member: (member) => createOwnKey(context, member, body),
          holder: notByKey,
        }),
      ),
    showKey: ({ id, viewer }) => {
      const key = findKey(viewer, catalog, id)
      return key === undefined ? noKey(id) : showKey(context, key.id)
    },
    editKey: (input) => change(input, (id) => editKey(context, id, input.body)),
    suspendKey: (input) => change(input, (id) => suspendKey(context, id, suspender(input.viewer))),
    resumeKey: (input) => change(input, (id) => resumeKey(context, id, suspender(input.viewer))),
    extendKey: (input) => change(input, (id) => extendKey(context, id, input.body.expires)),
    topUpKey: (input) => change(input, (id) => topUpKey(context, id, input.body)),
    adjustKey: (input) => change(input, (id) => adjustKey(context, id, input.body)),
    moveKey: (input) => change(input, (id) => moveKey(context, id, input.body.package)),
    rotateKey: (input) =>
      change(input, async (id) => {
        const rotated = await byRole<Promise<KeyRotated | Refusal> | Refusal>(input.viewer, {
          administrator: () => rotateKey(context, id, input.body),
          member: (member) => rotateOwnKey(context, member, id, input.body),
          holder: notByKey,
        })
        if (!isRefusal(rotated)) keyRotated(id, rotated.key)
        return rotated
      }),
    revokeKey: (input) => change(input, (id) => revokeKey(context, id)),
  }
}

/** The table of routes keeps holders of a key from asking for this. */
function notByKey(): Refusal {
  return refuse('forbidden', 'With a key alone this cannot be done.')
}

/** Holders of a key never get here; what they did would count as a member's. */
function suspender(viewer: Viewer): Suspender {
  return byRole<Suspender>(viewer, {
    administrator: () => 'administrator',
    member: () => 'member',
    holder: () => 'member',
  })
}
