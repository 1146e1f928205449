// What somebody should look after, the gravest first: in sentences that say what happened and what to do next.

import type { ReachedBudget } from '#alert/alerts.ts'
import { iso } from '#catalog/dates.ts'
import type { OverviewView } from '#contract/reports.ts'
import type { StatusView } from '#contract/status.ts'
import { hasCredentials } from '#core/credentials.ts'
import type { Key, Model, Provider } from '#core/entities.ts'
import { roleOf, type Viewer } from '#core/member.ts'
import { microToCredits, totalMicro } from '#core/money.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isLow, MAX_SHOWN, type ExpiringKey, type KeyLook, type LowKey } from '#server/reports/key-look.ts'
import { maySeeAlert } from '#server/watch/alerts.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'

type Attention = OverviewView['attention'][number]

/** Percent from which on a budget needs somebody: what is half used does not. */
const MUCH = 80
const DAY_MS = 86_400_000
/** A month before a certificate that Farebox made is renewed. */
const CERTIFICATE_NOTICE_MS = 60 * DAY_MS
const LOW_DISK_BYTES = 512 * 1024 * 1024

type Input = { readonly viewer: Viewer; readonly status: StatusView; readonly keys: KeyLook }

export async function attentionOf(deps: ReportDeps, { viewer, status, keys }: Input): Promise<Attention[]> {
  // The page of a key says all of this itself, and who holds one can only tell an administrator of the rest.
  if (roleOf(viewer) === 'holder') return []
  const nowMs = deps.context.nowMs()
  const ofKeys = [
    ...ofBudgets(deps, viewer),
    ...keys.low.map(lowLine),
    ...keys.expiring.map((key) => expiringLine(key, nowMs)),
    ...keys.old.map((key) => oldLine(key, nowMs)),
  ]
  if (roleOf(viewer) === 'member') return [...ofLedger(status), ...ofKeys].slice(0, MAX_SHOWN)
  const { models, providers } = deps.context.catalog
  const enabled = models.filter((model) => model.isEnabled)
  return [
    ...ofLedger(status),
    ...ofDisk(await deps.freeBytes()),
    ...ofBackups(status),
    ...status.attention.map((text) => about('secret', null, 'providers', text)),
    ...ofLan(status, nowMs),
    ...withoutSecret(enabled, providers),
    ...leftOut(status),
    ...refusedSecrets(status),
    ...enabled.filter((model) => model.price === undefined).map(unpriced),
    ...missingPrices(status),
    ...ofKeys,
  ].slice(0, MAX_SHOWN)
}

function about(
  kind: string,
  subject: string | null,
  page: string | null,
  text: string,
  at: string | null = null,
): Attention {
  return { kind, subject, at, page, text }
}

function ofLedger({ ledger, ledger_check: check }: StatusView): Attention[] {
  if (ledger === 'mismatch') {
    return [about('ledger', null, 'ledger', 'The books do not add up, so no calls are admitted. Check them in Ledger.')]
  }
  if (ledger === 'halted') {
    return [
      about('ledger', null, 'settings', 'The disk refuses what is written, so no calls are admitted. Make room on it.'),
    ]
  }
  if (check !== 'unchecked') return []
  return [
    about('ledger', null, 'ledger', 'The older entries of the books could not be checked yet. It is tried again.'),
  ]
}

function ofDisk(freeBytes: number | undefined): Attention[] {
  if (freeBytes === undefined || freeBytes >= LOW_DISK_BYTES) return []
  const left = Math.floor(freeBytes / (1024 * 1024))
  return [
    about('disk', null, 'settings', `The disk has ${left} MiB left. Make room before charges cannot be recorded.`),
  ]
}

function ofBackups({ backups }: StatusView): Attention[] {
  const problem = backups?.problem ?? null
  return problem === null ? [] : [about('backup', null, 'settings', `Backups do not work. ${problem}`)]
}

function ofLan({ lan }: StatusView, nowMs: number): Attention[] {
  if (lan.problem !== null) return [about('lan', null, 'settings', `The LAN: ${lan.problem}`)]
  const at = lan.certificate_expires_at
  if (at === null || Date.parse(at) - nowMs > CERTIFICATE_NOTICE_MS) return []
  const text = 'The certificate for the LAN is soon replaced. Whoever trusts it has to trust the new one then.'
  return [about('lan', null, 'settings', text, at)]
}

function withoutSecret(enabled: readonly Model[], providers: readonly Provider[]): Attention[] {
  return providers
    .filter((provider) => !hasCredentials(provider) && !isDemo(provider) && provider.network === 'public')
    .flatMap((provider) => {
      const model = enabled.find(({ targets }) => targets.some((target) => target.providerId === provider.id))
      if (model === undefined) return []
      const text = `${provider.name} has no secret, but '${model.id}' is to be asked there. Set it in Providers.`
      return [about('no_secret', provider.name, 'providers', text)]
    })
}

/** One line for each model that is sold something apart which its price does not name. */
function missingPrices({ missing_prices: missing = [] }: StatusView): Attention[] {
  const byModel = Map.groupBy(missing, ({ model }) => model)
  return Array.from(byModel, ([model, of]) => {
    const said = of.map(
      ({ name, charged_as: as }) => `${name} (${as === null ? 'charged nothing' : `charged as ${as}`})`,
    )
    const text = `The price of '${model}' does not name what its provider reports: ${said.join(', ')}. Set it in Models.`
    return about('missing_price', model, 'models', text)
  })
}

function unpriced(model: Model): Attention {
  const text = `'${model.id}' has no price, so it cannot be called. Give it one in Models.`
  return about('unpriced', model.id, 'models', text)
}

/** One line for each provider with targets that are left out, or that failed when they were last asked. */
function leftOut({ targets }: StatusView): Attention[] {
  const sick = targets.filter(({ state }) => state !== 'ok')
  const first = new Map(sick.toReversed().map((target) => [target.provider, target]))
  return Array.from(first.values(), (target) => {
    const { provider, model, last_failure: failure, left_out_until: until } = target
    const status = typeof failure?.status === 'number' ? ` (${failure.status})` : ''
    if (failure?.reason === 'secret') {
      return about(
        'secret_refused',
        provider,
        'providers',
        `${provider} refused our key${status}. Replace it in Providers.`,
        until,
      )
    }
    if (target.state === 'cooling') {
      return about(
        'busy',
        provider,
        'providers',
        `${provider} asks for patience with '${model}'${status}. It is asked again by itself.`,
        until,
      )
    }
    const text =
      target.state === 'failing'
        ? `${provider} failed when '${model}' was last asked${status}. Test it in Providers.`
        : `${provider} fails for '${model}'${status}, so it is left out for now. Test it in Providers.`
    return about('failing', provider, 'providers', text, until)
  }).toReversed()
}

/** A secret that is asked for patience is used again by itself, and others answer meanwhile. */
function refusedSecrets({ secrets_left_out: secrets }: StatusView): Attention[] {
  return secrets
    .filter(({ state }) => state === 'refused')
    .map(({ provider, label, status, left_out_until: until }) => {
      const said = status === null ? '' : ` (${status})`
      const text = `${provider} refused our secret '${label}'${said}. Others are used meanwhile. Replace it in Providers.`
      return about('secret_refused', `${provider} (${label})`, 'providers', text, until)
    })
}

/** Budgets whose highest threshold in this cycle is worth a look; of a key that has little left there is a line already. */
function ofBudgets({ context, alerting }: ReportDeps, viewer: Viewer): Attention[] {
  const { catalog, ledger } = context
  const isLowKey = (id: string) => {
    const key = catalog.key(id)
    return key !== undefined && isLow({ key, balance: ledger.balance(id) })
  }
  return alerting.alerts
    .standing()
    .filter((budget) => budget.threshold >= MUCH && maySeeAlert(viewer, budget, catalog))
    .filter(({ scope, subjectId }) => scope !== 'key' || !isLowKey(subjectId))
    .map(budgetLine)
}

const BUDGET_PAGES: Readonly<Record<string, string>> = {
  key: 'keys',
  member: 'members',
  provider: 'providers',
  tool: 'usage',
}

function budgetLine({ scope, name, threshold, nextResetAtMs }: ReachedBudget): Attention {
  const at = nextResetAtMs === undefined ? null : iso(nextResetAtMs)
  const time = scope === 'project_month' ? 'in this month' : 'on this day'
  const whose = scope === 'key' ? `Key '${name}' has` : `The ${scope.replace('_month', '')} '${name}' has ${time}`
  const part = threshold === 100 ? 'all' : `${threshold} %`
  return about(
    `budget_${scope}_${threshold === 100 ? 'all' : 'much'}`,
    name,
    BUDGET_PAGES[scope] ?? null,
    `${whose} used ${part} of its credits.`,
    at,
  )
}

function lowLine({ key, balance }: LowKey): Attention {
  const { totalMicro, remainingMicro } = balance
  const at = balance.nextResetAtMs === undefined ? null : iso(balance.nextResetAtMs)
  const total = microToCredits(totalMicro)
  const then = at === null ? 'Top it up in Keys.' : 'They are renewed by themselves.'
  const left =
    remainingMicro === 0
      ? `has used all of its ${total} credits`
      : `has ${credits(remainingMicro)} of ${total} credits left`
  return about('low_credits', key.name, 'keys', `Key '${key.name}' ${left}. ${then}`, at)
}

function expiringLine({ name, expiresAtMs }: ExpiringKey, nowMs: number): Attention {
  const days = Math.floor((expiresAtMs - nowMs) / DAY_MS)
  const when = days === 0 ? 'within a day' : days === 1 ? 'in a day' : `in ${days} days`
  return about('expiring', name, 'keys', `Key '${name}' expires ${when}. Extend it in Keys.`, iso(expiresAtMs))
}

function oldLine({ name, valueSinceMs }: Key, nowMs: number): Attention {
  const days = Math.floor((nowMs - valueSinceMs) / DAY_MS)
  const text = `Key '${name}' has had one value for ${days} days. Rotate it in Keys.`
  return about('old_value', name, 'keys', text, iso(valueSinceMs))
}

function credits(amountMicro: number): number {
  return microToCredits(totalMicro(amountMicro))
}
