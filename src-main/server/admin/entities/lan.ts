// How other machines reach the gateway.

import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const LAN_AUDIT: AuditRules = {
  kept: fields('address interface port names administration', 'certificate_file key_file new_certificate'),
}

export function lanHandlers({ lan }: EntityDeps): HandlersOf<'lan'> {
  return {
    showLan: async () => (await lan()).view(),
    setLan: async ({ body }) => (await lan()).change(body),
    turnLanOff: async () => (await lan()).turnOff(),
    showLanCertificate: async () => (await lan()).certificate(),
  }
}
