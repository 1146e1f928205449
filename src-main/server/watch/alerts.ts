// Alerts as they are shown, and to whom.

import { iso, isoOrNull } from '#catalog/dates.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { isInScope, keyScope } from '#catalog/scope.ts'
import type { AlertView } from '#contract/alerts.ts'
import type { Alert } from '#core/alerts.ts'
import { byRole, type Viewer } from '#core/member.ts'
import { microToCredits } from '#core/money.ts'

/** A member is told of their own keys and their own day, the holder of a key of that key. */
export function maySeeAlert(
  viewer: Viewer,
  { scope, subjectId }: Pick<Alert, 'scope' | 'subjectId'>,
  catalog: Catalog,
) {
  if (scope === 'key') return isInScope(keyScope(viewer, catalog), subjectId)
  return byRole(viewer, {
    administrator: () => true,
    member: ({ id }) => scope === 'member' && subjectId === id,
    holder: () => false,
  })
}

export function alertView(alert: Alert): AlertView {
  return {
    id: alert.id,
    at: iso(alert.atMs),
    scope: alert.scope,
    name: alert.name,
    threshold: alert.threshold,
    used_credits: microToCredits(alert.usedMicro),
    total_credits: microToCredits(alert.totalMicro),
    cycle_started_at: iso(alert.cycleStartedAtMs),
    next_reset_at: isoOrNull(alert.nextResetAtMs),
  }
}
