// Alerts, and the thresholds at which somebody is told.

import { THRESHOLD_SCOPES, type ThresholdsView } from '#contract/alerts.ts'
import { DEFAULT_THRESHOLDS } from '#core/alerts.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import { receiverHandlers } from '#server/admin/entities/receivers.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'
import { alertView, maySeeAlert } from '#server/watch/alerts.ts'

export const ALERT_AUDIT: AuditRules = { kept: ['scope', 'name', 'thresholds', 'network', 'from', 'to', 'plain'] }

export function alertHandlers(deps: EntityDeps): HandlersOf<'alerts'> {
  const { context, alerting, inTurn } = deps
  const { alerts } = alerting
  return {
    listAlerts: ({ viewer }) =>
      alerts.latest.filter((alert) => maySeeAlert(viewer, alert, context.catalog)).map(alertView),
    listThresholds: () => thresholdsView(deps),
    setThresholds: ({ body: { scope, name, thresholds } }) =>
      inTurn(async () => {
        const subjectId = name === undefined ? undefined : subjectIdOf(deps, scope, name)
        if (name !== undefined && subjectId === undefined) return refuse('not_found', `There is no ${scope} '${name}'.`)
        if (name === undefined && scope === 'package') return noWholePackages()
        const sorted = thresholds?.toSorted((one, other) => one - other)
        if (sorted === undefined) await alerting.write({ type: 'no-thresholds', scope, subjectId })
        else await alerting.write({ type: 'thresholds', rule: { scope, subjectId, thresholds: sorted } })
        alerts.setRule(scope, subjectId, sorted)
        return thresholdsView(deps)
      }),
    ...receiverHandlers(deps),
  }
}

function noWholePackages(): Refusal {
  const message = `Say the 'name' of a package; what holds for all keys is the scope 'key'.`
  return refuse('invalid_request', message, { param: 'name' })
}

function subjectIdOf({ context: { catalog } }: EntityDeps, scope: string, name: string): string | undefined {
  switch (scope) {
    case 'key':
      return catalog.key(name)?.id
    case 'package':
      return catalog.package(name)?.id
    case 'member':
      return catalog.member(name)?.id
    case 'project':
      return catalog.project(name.toLowerCase())?.id
    case 'tool':
      // Whatever calls itself so, now or later.
      return name.toLowerCase()
    default:
      return catalog.provider(name)?.id
  }
}

function nameOf({ context: { catalog } }: EntityDeps, id: string): string {
  const found = [catalog.key(id), catalog.package(id), catalog.member(id), catalog.provider(id)]
  return found.find((entity) => entity?.id === id)?.name ?? id
}

function thresholdsView(deps: EntityDeps): ThresholdsView[] {
  const { rules } = deps.alerting.alerts
  const whole = THRESHOLD_SCOPES.filter((scope) => scope !== 'package').map((scope): ThresholdsView => {
    const said = rules.find((rule) => rule.scope === scope && rule.subjectId === undefined)
    return {
      scope,
      name: null,
      thresholds: [...(said?.thresholds ?? DEFAULT_THRESHOLDS)],
      is_default: said === undefined,
    }
  })
  const single = rules.flatMap(({ scope, subjectId, thresholds }): ThresholdsView[] => {
    if (subjectId === undefined) return []
    return [{ scope, name: nameOf(deps, subjectId), thresholds: [...thresholds], is_default: false }]
  })
  return [...whole, ...single]
}
