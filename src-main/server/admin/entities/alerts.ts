// Alerts and webhooks. A webhook's address is judged like that of a provider; its secret is where the secrets of providers are.

import type { WebhookStanding } from '#alert/webhooks.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import {
  THRESHOLD_SCOPES,
  type ThresholdsView,
  type WebhookCreate,
  type WebhookCreated,
  type WebhookView,
} from '#contract/alerts.ts'
import { baseUrlProblem, readUrl } from '#core/address.ts'
import { DEFAULT_THRESHOLDS } from '#core/alerts.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { Delivery, Webhook } from '#core/webhook.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'
import { alertView, maySeeAlert } from '#server/watch/alerts.ts'

/** More than these are no list that somebody looks after. */
const MAX_WEBHOOKS = 20

export const ALERT_AUDIT: AuditRules = { kept: ['scope', 'name', 'thresholds', 'network'] }

export function alertHandlers(deps: EntityDeps): HandlersOf<'alerts'> {
  const { context, alerting, inTurn } = deps
  const { alerts, webhooks } = alerting
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
    listWebhooks: () => webhooks.standings().map(webhookView),
    addWebhook: ({ body }) => inTurn(() => addWebhook(deps, body)),
    removeWebhook: ({ id }) =>
      inTurn(async () => {
        const webhook = webhooks.find(id)
        if (webhook === undefined) return noWebhook(id)
        await context.secrets.intendToForget([webhook.id])
        await alerting.write({ type: 'no-webhook', id: webhook.id })
        webhooks.remove(webhook.id)
        await context.secrets.forget()
        return {}
      }),
    testWebhook: async ({ id }) => {
      const webhook = webhooks.find(id)
      if (webhook === undefined) return noWebhook(id)
      const { status, problem } = await webhooks.test(webhook, alerting.testBody())
      return { delivered: problem === undefined, status: status ?? null, problem: problem ?? null }
    },
  }
}

async function addWebhook(
  { context, alerting }: EntityDeps,
  { name, url: text, network = 'public' }: WebhookCreate,
): Promise<WebhookCreated | Refusal> {
  const { webhooks, write, newSecret } = alerting
  const wrong = (says: string) => refuse('invalid_request', `'url' ${says}.`, { param: 'url' })
  const url = readUrl(text)
  if (typeof url === 'string') return wrong(url)
  const problem = baseUrlProblem(url, network)
  if (problem !== undefined) return wrong(problem)
  const known = webhooks.standings()
  if (known.some(({ webhook }) => webhook.name === name))
    return refuse('conflict', `There is a webhook '${name}' already.`)
  if (known.length >= MAX_WEBHOOKS)
    return refuse('conflict', `There are ${MAX_WEBHOOKS} webhooks, and more are not kept.`)
  const webhook: Webhook = { id: context.newId(), name, url: url.href, network, createdAtMs: context.nowMs() }
  const reference = { providerId: webhook.id, origin: url.origin }
  const secret = newSecret()
  await context.secrets.set(reference, secret)
  try {
    await write({ type: 'webhook', webhook })
  } catch (error) {
    await context.secrets.delete(reference).catch(() => undefined)
    throw error
  }
  webhooks.add(webhook)
  return { ...webhookView({ webhook, waiting: 0, nextAtMs: undefined, last: undefined }), secret }
}

function noWebhook(name: string): Refusal {
  return refuse('not_found', `There is no webhook '${name}'.`)
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

function webhookView({ webhook, waiting, nextAtMs, last }: WebhookStanding): WebhookView {
  const { id, name, url, network, createdAtMs } = webhook
  return {
    id,
    name,
    url,
    network,
    created_at: iso(createdAtMs),
    waiting,
    next_attempt_at: isoOrNull(nextAtMs),
    last: last === undefined ? null : lastView(last),
  }
}

function lastView({ createdAtMs, state, attempts, status, problem }: Delivery): NonNullable<WebhookView['last']> {
  return { created_at: iso(createdAtMs), state, attempts, status: status ?? null, problem: problem ?? null }
}
