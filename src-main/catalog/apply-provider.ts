// A provider of a farebox.yaml: what it comes to, which secrets are kept for it, and what of that is new.

import type { CatalogContext } from '#catalog/context.ts'
import { limitsView, readLimits } from '#catalog/provider-limits.ts'
import { keptWith, poolOf } from '#catalog/provider-secrets.ts'
import { giveCredentials, readProvider } from '#catalog/providers.ts'
import { isKept, originOf, type SecretChange } from '#catalog/secrets.ts'
import { providerView } from '#catalog/views.ts'
import type { ProviderApply } from '#contract/providers.ts'
import type { ApplyChange } from '#contract/schemas.ts'
import { hasCredentials } from '#core/credentials.ts'
import type { PooledSecret, Provider } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { secretReference, secretsOf } from '#core/secret-pool.ts'

export type Planned<Entity> = { readonly entity: Entity; readonly change: ApplyChange }
export type PlannedProvider = Planned<Provider> & {
  readonly secrets: SecretChange['secrets']
  /** Whether a secret may be left behind: at another origin, under a label that is gone, or by a provider that does not come to be. */
  readonly isLeaving: boolean
}

export async function planProvider(context: CatalogContext, input: ProviderApply): Promise<PlannedProvider | Refusal> {
  const existing = context.catalog.provider(input.name)
  const read = readProvider(context, input, existing)
  if (isRefusal(read)) return read
  const hasMoved = existing !== undefined && originOf(existing) !== originOf(read)
  // A secret is for one origin: at another one it is asked for again.
  const kept = hasMoved || existing === undefined ? undefined : existing
  const pool = input.secrets === undefined ? (kept?.pool ?? []) : readPool(context, input, kept)
  if (isRefusal(pool)) return pool
  const base = { ...read, hasSecret: kept?.hasSecret === true, pool, headerSecrets: kept?.headerSecrets ?? [] }
  const next = await giveAll(context, base, input)
  if (isRefusal(next)) return next
  const { stored: entity, secrets } = next
  const show = (provider: Provider) => ({ ...providerView(provider, 'none'), secrets: shownPool(provider) })
  const change = compare('provider', entity.name, existing && show(existing), show(entity))
  const isEmptied = existing !== undefined && hasCredentials(existing) && !hasCredentials(entity)
  const isLeaving =
    hasMoved ||
    isEmptied ||
    (existing === undefined && hasCredentials(entity)) ||
    (input.secrets !== undefined && change.fields.includes('secrets'))
  const planned = { entity, secrets, isLeaving }
  const isAskedAgain = hasMoved && hasCredentials(existing) && !hasCredentials(entity)
  if (isAskedAgain) return { ...planned, change: askAgain(change, existing) }
  if (secrets.length === 0 || change.action === 'create') return { ...planned, change }
  if (kept !== undefined && (await areKept(context, secrets))) return { ...planned, change }
  const told = (['secret', 'secrets', 'header_secrets'] as const).filter((member) => input[member] !== undefined)
  const fields = [...new Set([...change.fields.filter((field) => field !== 'has_secret'), ...told])]
  return { ...planned, change: { ...change, action: 'update', fields } }
}

/** The secrets of a file take the place of all that are there; those whose labels stay keep their day. */
function readPool(
  context: CatalogContext,
  { secret, secrets = [] }: ProviderApply,
  kept: Provider | undefined,
): readonly PooledSecret[] | Refusal {
  const wrong = (says: string) => refuse('invalid_request', `'secrets' ${says}.`, { param: 'secrets' })
  if (secret !== undefined) return wrong("and 'secret' are two ways of saying it")
  const labels = secrets.map(({ label }) => label)
  const repeated = labels.find((label, index) => labels.indexOf(label) < index)
  if (repeated !== undefined) return wrong(`has '${repeated}' twice`)
  const present = kept === undefined ? [] : secretsOf(kept)
  const pool: PooledSecret[] = []
  for (const [index, { label, weight = 1, limits }] of secrets.entries()) {
    const read = readLimits(limits)
    if (isRefusal(read)) return refuse(read.code, read.message, { param: `secrets.${index}.${read.param}` })
    const createdAtMs = present.find((other) => other.label === label)?.createdAtMs ?? context.nowMs()
    pool.push({ label, weight, limits: read, createdAtMs })
  }
  return poolOf(pool)
}

/** The provider with everything that a file gives it to keep: the first secret beside the secret headers, the others alone. */
async function giveAll(
  context: CatalogContext,
  base: Provider,
  { secret, secrets = [], header_secrets }: ProviderApply,
) {
  const [first, ...others] = secrets
  const given = { secret: secret ?? first?.secret, headers: header_secrets, isWhole: true }
  const own = await giveCredentials(context, base, given)
  if (isRefusal(own)) return own
  const kept: SecretChange['secrets'][] = [own.secrets]
  for (const other of others) {
    const alone = await keptWith(context, own.stored, other)
    if (isRefusal(alone)) return alone
    kept.push(alone.secrets)
  }
  return { stored: own.stored, secrets: kept.flat() }
}

/** What a file says of each secret, but for its text. */
function shownPool(provider: Provider) {
  return provider.pool.map(({ label, weight, limits }) => ({ label, weight, limits: limitsView(limits) }))
}

async function areKept(context: CatalogContext, secrets: SecretChange['secrets']): Promise<boolean> {
  for (const { provider, secret } of secrets) if (!(await isKept(context, provider, secret))) return false
  return true
}

function askAgain(change: ApplyChange, before: Provider): ApplyChange {
  const { origin } = secretReference(before)
  const note = `Its secret was for ${origin} only: set one with 'farebox provider secret ${before.name}'.`
  return { ...change, note }
}

/** What differs between two views of one thing. */
export function compare(
  kind: ApplyChange['kind'],
  name: string,
  before: object | undefined,
  after: object,
): ApplyChange {
  if (before === undefined) return { kind, name, action: 'create', fields: [] }
  const old = new Map<string, unknown>(Object.entries(before))
  const now = new Map<string, unknown>(Object.entries(after))
  const fields = [...new Set([...now.keys(), ...old.keys()])].filter(
    (field) => JSON.stringify(now.get(field)) !== JSON.stringify(old.get(field)),
  )
  return { kind, name, action: fields.length === 0 ? 'none' : 'update', fields }
}
