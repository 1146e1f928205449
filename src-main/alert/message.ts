// What is said of an alert: as JSON to a webhook, and in sentences to a mailbox. No content of calls, and no key's value.

import type { Alert } from '#core/alerts.ts'
import type { Letter } from '#core/delivery.ts'
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

/** What a test sends. */
export function testBody(nowMs: number): string {
  return JSON.stringify({ type: 'test', timestamp: new Date(nowMs).toISOString(), data: {} })
}

/** What `alertBody` and `testBody` make, as far as a letter says it. */
type Said = {
  readonly type: string
  readonly timestamp: string
  readonly data: {
    readonly scope: string
    readonly name: string
    readonly threshold: number
    readonly used_credits: number
    readonly total_credits: number
    readonly next_reset_at: string | null
  }
}

const NAMES: Readonly<Record<string, string>> = { project_month: 'month of project' }

/** The same message for people. */
export function letterOf(body: string): Letter {
  // Written by this program.
  const { type, timestamp, data } = JSON.parse(body) as Said
  if (type === 'test') return { subject: 'Farebox: a test', text: `This is a test message, made at ${timestamp}.\n` }
  const { scope, threshold, used_credits: used, total_credits: total, next_reset_at: reset } = data
  const who = `${NAMES[scope] ?? scope} '${data.name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')}'`
  const lines = [
    `The ${who} has used ${used} of ${total} credits, which is ${threshold} % or more, at ${timestamp}.`,
    reset === null ? 'Its credits do not come back by themselves.' : `Its credits come back at ${reset}.`,
  ]
  return { subject: `Farebox: ${who} has used ${threshold} % of its credits`, text: `${lines.join('\n')}\n` }
}
