// Alerts of a running app: which budgets there are, and who is told.

import { randomBytes } from 'node:crypto'
import { after } from '#app/after.ts'
import type { Stores } from '#app/stores.ts'
import { letterSender, messageSender, type WayOut } from '#app/senders.ts'
import { ToolDays } from '#app/tool-days.ts'
import { Alerts, type BudgetSource } from '#alert/alerts.ts'
import { Deliveries } from '#alert/deliveries.ts'
import { alertBody } from '#alert/message.ts'
import { webhookSecret } from '#alert/signature.ts'
import type { Config } from '#config/config.ts'
import { readToolCredits } from '#config/tool-credits.ts'
import { cycleStart, nextCycleStart, type CycleKind } from '#core/cycle.ts'
import type { PartOf } from '#core/limit-parts.ts'
import type { Log } from '#core/log.ts'
import { creditsToMicro, ZERO } from '#core/money.ts'
import type { AllBudgets } from '#pipeline/budgets.ts'
import type { CycleCountOptions } from '#pipeline/cycle-count.ts'
import type { Clock } from '#pipeline/ports.ts'
import type { ProviderGate } from '#pipeline/provider-gate.ts'
import { UNLIMITED } from '#core/spending.ts'
import type { SecretStore } from '#secret/port.ts'
import type { AlertWrite } from '#store/alert-rows.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

export type Alerting = {
  readonly alerts: Alerts
  readonly deliveries: Deliveries
  readonly write: (write: AlertWrite) => Promise<void>
  readonly newSecret: () => string
}

export type AlertingFrom = {
  readonly config: Config
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
  readonly log: Log
  readonly stores: Stores
  readonly calling: Counting & WayOut
  readonly secrets: SecretStore
  readonly userAgent: string
}

/** What counts the cycles of members, projects and providers, and what of their limits this gateway holds to. */
type Counting = {
  readonly budgets: AllBudgets
  readonly routing: { readonly gate: ProviderGate }
  readonly partOf: PartOf
  readonly partOfBudgets: PartOf
}

export function openAlerting(from: AlertingFrom): Alerting {
  const { config, clock, writer, log, stores, calling, secrets, userAgent } = from
  const { ledger, recorded, newId, atStart, changedBalances } = stores
  const { nowMs } = clock
  const toolDays = new ToolDays({ nowMs, timeZone: stores.timeZone }, atStart.chargedOfTools)
  const write = (what: AlertWrite) => writer.call('writeAlerts', what)
  const deliveries = new Deliveries({
    nowMs,
    after,
    newId,
    secrets,
    send: messageSender(calling, userAgent),
    sendLetter: letterSender(calling),
    write: (delivery) => write({ type: 'delivery', delivery }),
    log,
    loaded: atStart.alerts,
  })
  const alerts = new Alerts({
    sources: [
      keyBudgets(stores, nowMs),
      memberBudgets(stores, calling, nowMs),
      projectBudgets('daily', stores, calling, nowMs),
      projectBudgets('monthly', stores, calling, nowMs),
      providerBudgets(stores, calling, nowMs),
      toolBudgets(config, toolDays, { nowMs, timeZone: stores.timeZone }),
    ],
    nowMs,
    newId,
    after,
    flush: () => ledger.flush(),
    raise: async (raised) => {
      const added = new Set(await writer.call('raiseAlerts', raised))
      deliveries.enqueue(raised.flatMap((each) => (added.has(each.alert.id) ? each.deliveries : [])))
      return [...added]
    },
    deliveriesOf: (alert, before) => deliveries.deliveriesOf(alertBody(alert), before),
    loaded: atStart.alerts,
  })
  recorded.listen((records) => {
    toolDays.recorded(records)
    alerts.recorded(records)
  })
  changedBalances.listener = (balances) => alerts.accountsChanged(balances)
  return { alerts, deliveries, write, newSecret: () => webhookSecret(randomBytes) }
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
    groupsOf: (id) => [{ scope: 'package', subjectId: catalog.key(id)?.packageId ?? '' }],
  }
}

function memberBudgets(
  { catalog, timeZone }: Stores,
  { budgets, partOfBudgets: partOf }: Counting,
  nowMs: () => number,
): BudgetSource {
  const day = cycleOf('daily', timeZone, nowMs)
  return {
    scope: 'member',
    subjectOf: ({ keyId }) => catalog.key(keyId)?.memberId,
    subjects: () => catalog.members.map(({ id }) => id),
    standing: (id) => {
      const totalMicro = partOf(catalog.limitsOfMember(id)).dailyMicro
      if (totalMicro === undefined) return undefined
      const usedMicro = budgets.member.chargedMicro(id, 'daily')
      return { ...day(), totalMicro, usedMicro, name: catalog.member(id)?.name ?? id }
    },
  }
}

/** A project may have a day and a month, which are told apart by their scopes, and have the thresholds of the project. */
function projectBudgets(
  kind: CycleKind,
  { catalog, timeZone }: Stores,
  { budgets, partOfBudgets: partOf }: Counting,
  nowMs: () => number,
): BudgetSource {
  const cycle = cycleOf(kind, timeZone, nowMs)
  return {
    scope: kind === 'daily' ? 'project' : 'project_month',
    subjectOf: ({ attribution }) => attribution?.project,
    subjects: () => catalog.projects.map(({ id }) => id),
    standing: (id) => {
      const limits = partOf(catalog.project(id)?.limits ?? UNLIMITED)
      const totalMicro = kind === 'daily' ? limits.dailyMicro : limits.monthlyMicro
      if (totalMicro === undefined) return undefined
      return { ...cycle(), totalMicro, usedMicro: budgets.project.chargedMicro(id, kind), name: id }
    },
    groupsOf: (subjectId) => [
      { scope: 'project', subjectId },
      { scope: 'project', subjectId: undefined },
    ],
  }
}

function providerBudgets(
  { catalog, timeZone }: Stores,
  { routing, partOf }: Counting,
  nowMs: () => number,
): BudgetSource {
  const day = cycleOf('daily', timeZone, nowMs)
  return {
    scope: 'provider',
    subjectOf: ({ providerId }) => providerId,
    subjects: () => catalog.providers.map(({ id }) => id),
    standing: (id) => {
      const provider = catalog.provider(id)
      const totalMicro = provider && partOf(provider.limits).dailyMicro
      if (provider === undefined || totalMicro === undefined) return undefined
      return { ...day(), totalMicro, usedMicro: routing.gate.use(id).chargedTodayMicro, name: provider.name }
    },
  }
}

/** Nothing holds a tool to its day: what a client calls itself is only its word. Somebody is told. */
function toolBudgets(config: Config, toolDays: ToolDays, { nowMs, timeZone }: CycleCountOptions): BudgetSource {
  const day = cycleOf('daily', timeZone, nowMs)
  // Asked at each use, since it may be changed while it runs.
  const credits = () => readToolCredits(config.toolCreditsPerDay ?? '')
  return {
    scope: 'tool',
    subjectOf: ({ attribution }) => attribution?.tool,
    subjects: () => credits()?.keys() ?? [],
    standing: (tool) => {
      const totalMicro = creditsToMicro(credits()?.get(tool) ?? 0) ?? ZERO
      if (totalMicro === ZERO) return undefined
      return { ...day(), totalMicro, usedMicro: toolDays.chargedMicro(tool), name: tool }
    },
  }
}

/** The present day or month of this machine. It is looked up once in each. */
function cycleOf(kind: CycleKind, timeZone: string, nowMs: () => number) {
  let cycle = { cycleStartedAtMs: 0, nextResetAtMs: 0 }
  return () => {
    const now = nowMs()
    if (now < cycle.cycleStartedAtMs || now >= cycle.nextResetAtMs) {
      cycle = { cycleStartedAtMs: cycleStart(kind, timeZone, now), nextResetAtMs: nextCycleStart(kind, timeZone, now) }
    }
    return cycle
  }
}
