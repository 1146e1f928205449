// Entities as the admin API shows them.

import type { ProviderView } from '#contract/providers.ts'
import type { BalanceView, KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import { priceView } from '#catalog/prices.ts'
import { limitsView, timeLimitsView } from '#catalog/provider-limits.ts'
import { quirksView } from '#catalog/quirks.ts'
import { rateLimitsView } from '#catalog/rate-limits.ts'
import type { Key, Model, Package, Provider } from '#core/entities.ts'
import { outlookOf, type Outlook } from '#core/forecast.ts'
import { microToCredits, type MicroCredits } from '#core/money.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { SecretState } from '#core/secret-failure.ts'
import type { Balance } from '#ledger/account.ts'

export function providerView(provider: Provider, secretState: SecretState): ProviderView {
  return {
    id: provider.id,
    name: provider.name,
    preset: provider.preset ?? null,
    dialect: provider.dialect,
    base_url: provider.baseUrl,
    network: provider.network,
    secret_header: provider.secretHeader ?? dialectOf(provider).secretHeader,
    headers: { ...provider.headers },
    header_secrets: [...provider.headerSecrets],
    output_cap_field: provider.outputCapField,
    on_disconnect: provider.onDisconnect,
    quirks: quirksView(provider.quirks),
    limits: limitsView(provider.limits),
    time_limits: timeLimitsView(provider.timeLimits),
    has_secret: provider.hasSecret,
    secret_state: secretState,
    created_at: iso(provider.createdAtMs),
  }
}

export function modelView(model: Model, catalog: Catalog): ModelView {
  return {
    id: model.id,
    display_name: model.displayName,
    kind: model.kind,
    context_window: model.contextWindow,
    ...(model.isContextGuessed === true ? { context_window_guessed: true } : {}),
    max_output_tokens: model.maxOutputTokens,
    enabled: model.isEnabled,
    price: priceView(model.price),
    targets: model.targets.map((target) => ({
      provider: catalog.provider(target.providerId)?.name ?? target.providerId,
      model: target.upstreamModel,
      priority: target.priority,
      weight: target.weight,
    })),
    created_at: iso(model.createdAtMs),
  }
}

/** `keys` is how many of its keys the viewer may see; all of them unless given. */
export function packageView(
  entity: Package,
  catalog: Catalog,
  keys = catalog.keysOfPackage(entity.id).length,
): PackageView {
  return {
    id: entity.id,
    name: entity.name,
    type: entity.type,
    credits: entity.type === 'unlimited' ? null : microToCredits(entity.creditsMicro),
    timezone: entity.timeZone,
    limits: rateLimitsView(entity.limits),
    models: entity.models === 'all' ? 'all' : [...entity.models],
    valid_until: isoOrNull(entity.validUntilMs),
    keys,
    created_at: iso(entity.createdAtMs),
  }
}

export function keyView(key: Key, balance: Balance, catalog: Catalog, nowMs: number): KeyView {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    package: catalog.package(key.packageId)?.name ?? key.packageId,
    owner: ownerOf(key, catalog),
    status: catalog.statusOf(key, nowMs),
    expires_at: isoOrNull(key.expiresAtMs),
    created_at: iso(key.createdAtMs),
    value_since: iso(key.valueSinceMs),
    previous_valid_until: previousUntil(key, nowMs),
    tool: key.tool ?? null,
    project: key.project ?? null,
    tags: [...(key.tags ?? [])],
    balance: balanceView(balance),
    outlook: outlookView(key, balance, nowMs),
  }
}

function outlookView(key: Key, balance: Balance, nowMs: number): KeyView['outlook'] {
  const outlook = keyOutlook(key, balance, nowMs)
  if (outlook === undefined) return null
  return {
    left_over_credits: creditsOrNull(outlook.leftOverMicro),
    runs_out_at: isoOrNull(outlook.runsOutAtMs),
  }
}

/** What becomes of a key's credits at its pace; undefined for one without limit too. */
export function keyOutlook(key: Key, balance: Balance, nowMs: number): Outlook | undefined {
  const { remainingMicro, usedMicro, cycleStartedAtMs, nextResetAtMs } = balance
  if (remainingMicro === null || usedMicro === null) return undefined
  const sinceMs = Math.max(cycleStartedAtMs, key.createdAtMs)
  return outlookOf({ remainingMicro, usedMicro, sinceMs, nextResetAtMs }, nowMs)
}

/** A value whose time is over is of no interest any more. */
function previousUntil({ previous }: Key, nowMs: number): string | null {
  return previous === undefined || previous.validUntilMs <= nowMs ? null : iso(previous.validUntilMs)
}

/** The name of the member whose key it is, else what was written when it was made; null where nobody said. Reports tell calls apart by it. */
export function ownerOf(key: Key, catalog: Catalog): string | null {
  const member = key.memberId === undefined ? undefined : catalog.member(key.memberId)
  return member?.name ?? key.owner ?? null
}

export function balanceView(balance: Balance): BalanceView {
  return {
    total_credits: creditsOrNull(balance.totalMicro),
    remaining_credits: creditsOrNull(balance.remainingMicro),
    used_credits: creditsOrNull(balance.usedMicro),
    held_credits: microToCredits(balance.heldMicro),
    cycle_started_at: iso(balance.cycleStartedAtMs),
    next_reset_at: isoOrNull(balance.nextResetAtMs),
    total_requests: balance.requestCount,
    last_used_at: isoOrNull(balance.lastUsedAtMs),
  }
}

export function creditsOrNull(amount: MicroCredits | null | undefined): number | null {
  return amount === null || amount === undefined ? null : microToCredits(amount)
}
