// Gateways that share their books.

import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const FLEET_AUDIT: AuditRules = {
  kept: ['as'],
  // Nothing else than the id of a gateway is repeated.
  subject: (_, id) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined),
}

export function fleetHandlers({ fleet }: EntityDeps): HandlersOf<'fleet'> {
  return {
    showFleet: () => fleet.view(),
    settleGateway: ({ id, body }) => fleet.settle(id, body.as),
  }
}
