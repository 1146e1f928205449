// The entities of the admin API, each with its handlers and with what the audit log says of its actions.

import { takeTurns } from '#catalog/turns.ts'
import { ADMIN_ENTITIES, type AdminAction, type AdminEntity } from '#contract/admin-routes.ts'
import type { AdminDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import { ALERT_AUDIT, alertHandlers } from '#server/admin/entities/alerts.ts'
import { BILL_AUDIT, billHandlers } from '#server/admin/entities/bills.ts'
import { FLEET_AUDIT, fleetHandlers } from '#server/admin/entities/fleet.ts'
import { GATEWAY_AUDIT, gatewayHandlers } from '#server/admin/entities/gateway.ts'
import { INVITE_AUDIT, inviteHandlers } from '#server/admin/entities/invites.ts'
import { KEY_AUDIT, keyHandlers } from '#server/admin/entities/keys.ts'
import { LAN_AUDIT, lanHandlers } from '#server/admin/entities/lan.ts'
import { MEMBER_AUDIT, memberHandlers } from '#server/admin/entities/members.ts'
import { MODEL_AUDIT, modelHandlers } from '#server/admin/entities/models.ts'
import { PACKAGE_AUDIT, packageHandlers } from '#server/admin/entities/packages.ts'
import { PROJECT_AUDIT, projectHandlers } from '#server/admin/entities/projects.ts'
import { PRICE_AUDIT, priceHandlers } from '#server/admin/entities/prices.ts'
import { PROVIDER_AUDIT, providerHandlers } from '#server/admin/entities/providers.ts'
import { SECRET_AUDIT, secretHandlers } from '#server/admin/entities/secrets.ts'
import { SESSION_AUDIT, sessionHandlers } from '#server/admin/entities/session.ts'
import { TOOL_AUDIT, toolHandlers } from '#server/admin/entities/tools.ts'
import type { AdminHandlers } from '#server/admin/handlers.ts'
import { reportHandlers } from '#server/reports/report-handlers.ts'

export function adminHandlers(adminDeps: AdminDeps): AdminHandlers {
  const deps = { ...adminDeps, inTurn: adminDeps.context.shared?.inTurn ?? takeTurns() }
  return {
    ...sessionHandlers(deps),
    ...reportHandlers(deps),
    ...keyHandlers(deps),
    ...packageHandlers(deps),
    ...modelHandlers(deps),
    ...priceHandlers(deps),
    ...providerHandlers(deps),
    ...memberHandlers(deps),
    ...inviteHandlers(deps),
    ...alertHandlers(deps),
    ...projectHandlers(deps),
    ...gatewayHandlers(deps),
    ...fleetHandlers(deps),
    ...lanHandlers(deps),
    ...secretHandlers(deps),
    ...toolHandlers(deps),
    ...billHandlers(deps),
  }
}

/** Of those that are only read nothing is noted. */
const ONLY_READ: AuditRules = { kept: [] }

const AUDIT: Readonly<Record<AdminEntity, AuditRules>> = {
  session: SESSION_AUDIT,
  reports: ONLY_READ,
  keys: KEY_AUDIT,
  packages: PACKAGE_AUDIT,
  models: MODEL_AUDIT,
  prices: PRICE_AUDIT,
  providers: PROVIDER_AUDIT,
  members: MEMBER_AUDIT,
  invites: INVITE_AUDIT,
  alerts: ALERT_AUDIT,
  projects: PROJECT_AUDIT,
  ledger: ONLY_READ,
  bills: BILL_AUDIT,
  gateway: GATEWAY_AUDIT,
  fleet: FLEET_AUDIT,
  lan: LAN_AUDIT,
  secrets: SECRET_AUDIT,
  tools: TOOL_AUDIT,
}

/** What the audit log says of an action: the rules of its entity. */
export function auditRulesOf(action: AdminAction): AuditRules {
  // Object.entries forgets that the names are those of the table.
  const found = Object.entries(ADMIN_ENTITIES).find(([, actions]) => Object.hasOwn(actions, action))
  return found === undefined ? ONLY_READ : AUDIT[found[0] as AdminEntity]
}
