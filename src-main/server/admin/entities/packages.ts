// Packages. Members and holders of a key see those that they have keys of, or may.

import { ownPackages, packageOfKey } from '#catalog/own.ts'
import { addPackage, editPackage, removePackage } from '#catalog/packages.ts'
import { packageView } from '#catalog/views.ts'
import { byRole } from '#core/member.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const PACKAGE_AUDIT: AuditRules = {
  kept: fields(
    'name type credits timezone models valid_until reset_used',
    'limits requests_per_minute tokens_per_minute concurrent_requests',
  ),
  subject: (catalog, id) => catalog.package(id)?.name,
}

export function packageHandlers({ context, inTurn }: EntityDeps): HandlersOf<'packages'> {
  const { catalog } = context
  return {
    listPackages: ({ viewer }) =>
      byRole(viewer, {
        administrator: () => catalog.packages.map((entity) => packageView(entity, catalog)),
        member: (member) => ownPackages(catalog, member),
        holder: (keyId) => packageOfKey(catalog, keyId),
      }),
    addPackage: ({ body }) => inTurn(() => addPackage(context, body)),
    editPackage: ({ id, body }) => inTurn(() => editPackage(context, id, body)),
    removePackage: ({ id }) => inTurn(() => removePackage(context, id)),
  }
}
