// Several secrets of one provider: add, edit, remove. The first is kept as the secret of the provider itself, the others by their labels.

import type { CatalogContext } from '#catalog/context.ts'
import { secretProblem } from '#catalog/given-secret.ts'
import { readLimits } from '#catalog/provider-limits.ts'
import { giveCredentials, noProvider } from '#catalog/providers.ts'
import { commitWithSecrets, orRefusal, removedView, type SecretChange } from '#catalog/secrets.ts'
import type { ProviderRemoved, ProviderSecretAdd, ProviderSecretEdit } from '#contract/providers.ts'
import { credentialsText, readCredentials } from '#core/credentials.ts'
import type { PooledSecret, Provider } from '#core/entities.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { FIRST_LABEL, MAX_SECRETS, secretReference, secretsOf, withSecretOf } from '#core/secret-pool.ts'

export async function addProviderSecret(
  context: CatalogContext,
  idOrName: string,
  { label, secret, weight = 1, limits }: ProviderSecretAdd,
): Promise<Provider | Refusal> {
  const provider = findProvider(context, idOrName)
  if (isRefusal(provider)) return provider
  const present = secretsOf(provider)
  if (present.some((other) => other.label === label)) {
    return refuse('conflict', `'${provider.name}' has a secret '${label}' already.`, { param: 'label' })
  }
  if (present.length >= MAX_SECRETS) return refuse('conflict', `A provider has at most ${MAX_SECRETS} secrets.`)
  const read = readLimits(limits)
  if (isRefusal(read)) return read
  const added = { label, weight, limits: read, createdAtMs: context.nowMs() }
  return change(context, { ...provider, pool: [...present, added] }, { label, secret })
}

/** What is left out stays. */
export async function editProviderSecret(
  context: CatalogContext,
  idOrName: string,
  { label, secret, weight, limits }: ProviderSecretEdit,
): Promise<Provider | Refusal> {
  const provider = findProvider(context, idOrName)
  if (isRefusal(provider)) return provider
  const present = secretsOf(provider)
  if (!present.some((other) => other.label === label)) return noSecret(provider, label)
  const read = limits === undefined ? undefined : readLimits(limits)
  if (isRefusal(read)) return read
  const edited = (other: PooledSecret) =>
    other.label === label ? { ...other, weight: weight ?? other.weight, limits: read ?? other.limits } : other
  const next = { ...provider, pool: poolOf(present.map(edited)) }
  return change(context, next, secret === undefined ? undefined : { label, secret })
}

/** The one that comes after the first becomes the first: it is kept as the secret of the provider itself from then on. */
export async function removeProviderSecret(
  context: CatalogContext,
  idOrName: string,
  label: string,
): Promise<ProviderRemoved | Refusal> {
  const provider = findProvider(context, idOrName)
  if (isRefusal(provider)) return provider
  const present = secretsOf(provider)
  const others = present.filter((other) => other.label !== label)
  const [first] = others
  if (others.length === present.length) return noSecret(provider, label)
  if (first === undefined) {
    const advice = 'Replace it, or remove the provider.'
    return refuse('conflict', `It is the only secret of '${provider.name}'. ${advice}`, { param: 'label' })
  }
  const next = { ...provider, pool: poolOf(others) }
  const isFirst = present[0]?.label === label
  const text = isFirst ? await readSecret(context, withSecretOf(provider, first.label) ?? provider) : undefined
  if (isRefusal(text)) return text
  const given = text === undefined ? undefined : await ownSecret(context, next, text)
  if (isRefusal(given)) return given
  const { stored, secrets } = given ?? { stored: next, secrets: [] }
  const removed = await commit(context, stored, secrets)
  return isRefusal(removed) ? removed : removedView(removed.isForgotten)
}

/** A provider with one secret of which nothing is said has no pool, as before there were any. */
export function poolOf(secrets: readonly PooledSecret[]): readonly PooledSecret[] {
  const [only, ...others] = secrets
  const isPlain =
    only?.label === FIRST_LABEL && only.weight === 1 && Object.keys(only.limits).length === 0 && others.length === 0
  return isPlain ? [] : secrets
}

type GivenSecret = { readonly label: string; readonly secret: string }

async function change(
  context: CatalogContext,
  next: Provider,
  given: GivenSecret | undefined,
): Promise<Provider | Refusal> {
  const kept = given === undefined ? { stored: next, secrets: [] } : await keptWith(context, next, given)
  if (isRefusal(kept)) return kept
  const committed = await commit(context, kept.stored, kept.secrets)
  return isRefusal(committed) ? committed : kept.stored
}

/** The first secret stands beside the headers whose values are secrets; the others stand alone. */
export async function keptWith(context: CatalogContext, next: Provider, { label, secret }: GivenSecret) {
  const provider = withSecretOf(next, label) ?? next
  if (secretReference(provider).label === undefined) return ownSecret(context, next, secret)
  const wrong = secretProblem(next, secret)
  if (wrong !== undefined) return wrong
  return { stored: next, secrets: [{ provider, secret: credentialsText({ secret, headers: {} }) }] }
}

function ownSecret(context: CatalogContext, next: Provider, secret: string) {
  return giveCredentials(context, next, { secret, headers: undefined, isWhole: false })
}

/** What is kept and not needed any more is forgotten, also where a process ends in between. */
function commit(context: CatalogContext, stored: Provider, secrets: SecretChange['secrets']) {
  return commitWithSecrets(context, {
    secrets,
    leaving: [stored.id],
    rows: [{ type: 'put-provider', provider: stored }],
  })
}

async function readSecret(context: CatalogContext, provider: Provider): Promise<string | Refusal> {
  let text: string | undefined
  const refusal = await orRefusal(async () => {
    text = await context.secrets.get(secretReference(provider))
  })
  if (refusal !== undefined) return refusal
  if (text !== undefined) return readCredentials(text).secret ?? ''
  return refuse(
    'no_secret_store',
    `The secret '${provider.chosen?.label}' of '${provider.name}' is missing. Set it first.`,
  )
}

function findProvider(context: CatalogContext, idOrName: string): Provider | Refusal {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  return isDemo(provider)
    ? refuse('invalid_request', 'The demo provider has no secret.', { param: 'secret' })
    : provider
}

function noSecret({ name }: Provider, label: string): Refusal {
  return refuse('not_found', `'${name}' has no secret '${label}'.`, { param: 'label' })
}
