// What is said of an alert: as JSON to a webhook, and in sentences to a mailbox. No content of calls, and no key's value.

import type { Alert } from '#core/alerts.ts'
import type { Letter } from '#core/delivery.ts'
import { microToCredits } from '#core/money.ts'

export function alertBody(alert: Alert): string {
  if (alert.scope === 'bill') return billBody(alert)
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

/** `used` of it is what is unexplained, and its cycle is the day of UTC. */
function billBody({ id, name, usedMicro, totalMicro, cycleStartedAtMs, atMs }: Alert): string {
  return JSON.stringify({
    type: BILL_TYPE,
    timestamp: new Date(atMs).toISOString(),
    data: {
      alert_id: id,
      scope: 'bill',
      name,
      day: new Date(cycleStartedAtMs).toISOString().slice(0, 10),
      unexplained_usd: microToCredits(usedMicro),
      of_usd: microToCredits(totalMicro),
    },
  })
}

const BILL_TYPE = 'alert.bill_unexplained'

/** What a test sends. */
export function testBody(nowMs: number): string {
  return JSON.stringify({ type: 'test', timestamp: new Date(nowMs).toISOString(), data: {} })
}

type SaidOfBill = {
  readonly name: string
  readonly day: string
  readonly unexplained_usd: number
  readonly of_usd: number
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
  } & SaidOfBill
}

const NAMES: Readonly<Record<string, string>> = { project_month: 'month of project' }

/** The same message for people. */
export function letterOf(body: string): Letter {
  // Written by this program.
  const { type, timestamp, data } = JSON.parse(body) as Said
  if (type === 'test') return { subject: 'Farebox: a test', text: `This is a test message, made at ${timestamp}.\n` }
  if (type === BILL_TYPE) return letterOfBill(data)
  const { scope, threshold, used_credits: used, total_credits: total, next_reset_at: reset } = data
  const who = `${NAMES[scope] ?? scope} '${inOneLine(data.name)}'`
  const lines = [
    `The ${who} has used ${used} of ${total} credits, which is ${threshold} % or more, at ${timestamp}.`,
    reset === null ? 'Its credits do not come back by themselves.' : `Its credits come back at ${reset}.`,
  ]
  return { subject: `Farebox: ${who} has used ${threshold} % of its credits`, text: `${lines.join('\n')}\n` }
}

function letterOfBill({ name, day, unexplained_usd: amount, of_usd: total }: SaidOfBill): Letter {
  const whose = `bill of provider '${inOneLine(name)}'`
  const what = amount === 0 ? 'Tokens in it' : `${amount} of ${total} US dollars`
  const lines = [
    `The ${whose} for ${day} has differences that nothing explains. ${what} are unexplained.`,
    "Look at the page Bills, or at 'farebox bills list'.",
  ]
  return { subject: `Farebox: the ${whose} for ${day} has unexplained differences`, text: `${lines.join('\n')}\n` }
}

function inOneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}
