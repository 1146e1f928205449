// Alerts of a running app: which budgets there are, and how webhooks are reached.

import { randomBytes } from 'node:crypto'
import { after } from '#app/after.ts'
import type { Stores } from '#app/stores.ts'
import { Alerts, type BudgetSource } from '#alert/alerts.ts'
import { alertBody } from '#alert/message.ts'
import { webhookSecret } from '#alert/signature.ts'
import { Webhooks, type AttemptOutcome, type SendMessage } from '#alert/webhooks.ts'
import { Calendar } from '#core/calendar.ts'
import type { Log } from '#core/log.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'
import type { MemberBudgets } from '#pipeline/member-budgets.ts'
import type { Clock } from '#pipeline/ports.ts'
import type { ProviderGate } from '#pipeline/provider-gate.ts'
import { ask, type Answer, type NoAnswer } from '#provider/ask.ts'
import type { Connections } from '#provider/connections.ts'
import type { SecretStore } from '#secret/port.ts'
import type { AlertWrite } from '#store/alert-rows.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-thread.ts'

export type Alerting = {
  readonly alerts: Alerts
  readonly webhooks: Webhooks
  readonly write: (write: AlertWrite) => Promise<void>
  readonly newSecret: () => string
}

export type AlertingFrom = {
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
  readonly log: Log
  readonly stores: Stores
  readonly calling: Counting & WayOut
  readonly secrets: SecretStore
  readonly userAgent: string
}

/** What counts the days of members and providers. */
type Counting = { readonly budgets: MemberBudgets; readonly routing: { readonly gate: ProviderGate } }
type WayOut = { readonly connections: Connections }

const SEND_LIMIT_MS = 15_000
/** A receiver has nothing to say but its status. */
const MAX_ANSWER_BYTES = 4096

export function openAlerting({ clock, writer, log, stores, calling, secrets, userAgent }: AlertingFrom): Alerting {
  const { ledger, recorded, newId, atStart, changedBalances } = stores
  const { nowMs } = clock
  const write = (what: AlertWrite) => writer.call('writeAlerts', what)
  const webhooks = new Webhooks({
    nowMs,
    after,
    newId,
    secrets,
    send: senderOf(calling, userAgent),
    write: (delivery) => write({ type: 'delivery', delivery }),
    log,
    loaded: atStart.alerts,
  })
  const alerts = new Alerts({
    sources: [
      keyBudgets(stores, nowMs),
      memberBudgets(stores, calling, nowMs),
      providerBudgets(stores, calling, nowMs),
    ],
    nowMs,
    newId,
    after,
    flush: () => ledger.flush(),
    raise: async (raised) => {
      const added = new Set(await writer.call('raiseAlerts', raised))
      webhooks.enqueue(raised.flatMap(({ alert, deliveries }) => (added.has(alert.id) ? deliveries : [])))
      return [...added]
    },
    deliveriesOf: (alert) => webhooks.deliveriesOf(alertBody(alert)),
    loaded: atStart.alerts,
  })
  recorded.listen((records) => alerts.recorded(records))
  changedBalances.listener = (balances) => alerts.accountsChanged(balances)
  return { alerts, webhooks, write, newSecret: () => webhookSecret(randomBytes) }
}

function keyBudgets({ catalog, ledger }: Stores, nowMs: () => number): BudgetSource {
  return {
    scope: 'key',
    subjectOf: ({ keyId }) => keyId,
    subjects: () => catalog.keys.filter((key) => catalog.statusOf(key, nowMs()) === 'active').map(({ id }) => id),
    standing: (id) => {
      const key = catalog.key(id)
      const budget = key && ledger.budget(id)
      return typeof budget === 'object' ? { ...budget, name: key?.name ?? id } : budget
    },
    groupOf: (id) => {
      const key = catalog.key(id)
      return key && { scope: 'package', subjectId: key.packageId }
    },
  }
}

function memberBudgets(
  { catalog, timeZone }: Stores,
  { budgets }: Pick<Counting, 'budgets'>,
  nowMs: () => number,
): BudgetSource {
  const day = dayOf(timeZone, nowMs)
  return {
    scope: 'member',
    subjectOf: ({ keyId }) => catalog.key(keyId)?.memberId,
    subjects: () => catalog.members.map(({ id }) => id),
    standing: (id) => {
      const totalMicro = catalog.limitsOfMember(id).dailyMicro
      if (totalMicro === undefined) return undefined
      return { ...day(totalMicro, budgets.chargedTodayMicro(id)), name: catalog.member(id)?.name ?? id }
    },
  }
}

function providerBudgets(
  { catalog, timeZone }: Stores,
  { routing }: Pick<Counting, 'routing'>,
  nowMs: () => number,
): BudgetSource {
  const day = dayOf(timeZone, nowMs)
  return {
    scope: 'provider',
    subjectOf: ({ providerId }) => providerId,
    subjects: () => catalog.providers.map(({ id }) => id),
    standing: (id) => {
      const provider = catalog.provider(id)
      const totalMicro = provider?.limits.dailyMicro
      if (provider === undefined || totalMicro === undefined) return undefined
      return { ...day(totalMicro, routing.gate.use(id).chargedTodayMicro), name: provider.name }
    },
  }
}

/** A day of this machine as a cycle. */
function dayOf(timeZone: string, nowMs: () => number) {
  const calendar = new Calendar(timeZone)
  return (totalMicro: MicroCredits, usedMicro: number) => {
    const cycleStartedAtMs = calendar.dayStart(nowMs())
    const nextResetAtMs = calendar.end('day', cycleStartedAtMs)
    return { totalMicro, usedMicro: microCredits(usedMicro), cycleStartedAtMs, nextResetAtMs }
  }
}

/** Messages leave by the one way out, so that the same addresses are refused as for providers. */
export function senderOf({ connections }: WayOut, userAgent: string): SendMessage {
  return async ({ url, network }, { headers, body }) =>
    outcomeOf(
      await ask({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': userAgent },
        body,
        dispatcherOf: () => connections.pool({ baseUrl: url, network, timeLimits: {} }),
        timeLimitMs: SEND_LIMIT_MS,
        maxBytes: MAX_ANSWER_BYTES,
      }),
    )
}

function outcomeOf(answer: Answer | NoAnswer): AttemptOutcome {
  if (answer.type === 'problem') {
    const { problem, detail } = answer
    const isSentence = problem === 'address_not_allowed'
    return {
      status: undefined,
      problem: isSentence ? detail.replace('The base URL', 'Its address') : `There was no answer (${detail}).`,
    }
  }
  const { status } = answer
  if (status >= 200 && status < 300) return { status, problem: undefined }
  const isRedirect = status >= 300 && status < 400
  return {
    status,
    problem: isRedirect ? `It answered ${status}: redirects are not followed.` : `It answered ${status}.`,
  }
}
