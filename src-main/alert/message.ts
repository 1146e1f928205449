// What is said of an alert: as JSON to a webhook, and in a sentence. No content of calls, and no key's value.

import type { Alert } from '#core/alerts.ts'
import { microToCredits } from '#core/money.ts'

export function alertBody(alert: Alert): string {
  const { scope, name, threshold, usedMicro, totalMicro, cycleStartedAtMs, nextResetAtMs, id, atMs } = alert
  return JSON.stringify({
    type: 'alert.threshold_reached',
    timestamp: new Date(atMs).toISOString(),
    data: {
      alert_id: id,
      scope,
      name,
      threshold,
      used_credits: microToCredits(usedMicro),
      total_credits: microToCredits(totalMicro),
      cycle_started_at: new Date(cycleStartedAtMs).toISOString(),
      next_reset_at: nextResetAtMs === undefined ? null : new Date(nextResetAtMs).toISOString(),
    },
  })
}

/** What the test of a webhook sends. */
export function testBody(nowMs: number): string {
  return JSON.stringify({ type: 'test', timestamp: new Date(nowMs).toISOString(), data: {} })
}
