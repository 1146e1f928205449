// Secrets of providers beside the rows that say there are some. A row changes only after the store did, a store that cannot
// be used is a refusal, and what is no longer needed is forgotten now or as soon as the store allows.

import { commitChanges, type Accounting, type CatalogContext } from '#catalog/context.ts'
import type { ProviderRemoved, SecretsImported, SecretsMoved, SecretsResealed } from '#contract/providers.ts'
import { hasCredentials, readCredentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { diskRefusal } from '#core/disk-failure.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { eachSecret, FIRST_LABEL, isSameSecret, secretReference, withSecretOf } from '#core/secret-pool.ts'
import { SecretFailure, type SecretState } from '#core/secret-failure.ts'
import type { SecretReference, SecretStore } from '#secret/port.ts'
import type { ExportedSecret } from '#secret/sealed-export.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

export type SecretChange = {
  readonly secrets: readonly { readonly provider: Provider; readonly secret: string }[]
  /** Providers that may leave a secret behind: they are removed, made anew, or move to another origin. */
  readonly leaving: readonly string[]
  readonly rows: readonly CatalogChange[]
  readonly accounting?: Accounting
}

type Kept = { readonly reference: SecretReference; readonly secret: string; readonly before: string | undefined }

/**
 * Keeps secrets, then writes rows, then forgets what no row needs any more. Says whether everything is forgotten. Where the rows
 * cannot be written, the secrets are those of before.
 */
export async function commitWithSecrets(
  context: CatalogContext,
  change: SecretChange,
): Promise<{ readonly isForgotten: boolean } | Refusal> {
  const goOn = await context.secrets.holdOffForgetting()
  let isDone = false
  try {
    const refusal = await keepAndCommit(context, change)
    if (refusal !== undefined) return refusal
    isDone = true
  } finally {
    goOn()
    if (!isDone) await context.secrets.forget()
  }
  return { isForgotten: change.leaving.length === 0 || (await context.secrets.forget()) }
}

async function keepAndCommit(
  context: CatalogContext,
  { secrets, leaving, rows, accounting }: SecretChange,
): Promise<Refusal | undefined> {
  const kept: Kept[] = []
  const isAlone = secrets.length === 1 && leaving.length === 0 && rows.length === 0
  const refusal = await orRefusal(async () => {
    for (const { provider, secret } of secrets) {
      const reference = secretReference(provider)
      const before = isAlone ? undefined : await secretInUse(context, reference)
      await context.secrets.set(reference, secret)
      kept.push({ reference, secret, before })
    }
    if (leaving.length > 0) await context.secrets.intendToForget(leaving)
  })
  if (refusal !== undefined) {
    await takeBack(context, kept)
    return refusal
  }
  try {
    await commitChanges(context, rows, accounting)
  } catch (error) {
    await takeBack(context, kept)
    throw error
  }
  if (secrets.length > 0) {
    const changed = new Set(secrets.map(({ provider }) => provider.id))
    context.targetsChanged(context.catalog.targetsAt(changed))
  }
  return undefined
}

/** What a present provider is sent now; nothing where none would be sent it. */
async function secretInUse(context: CatalogContext, reference: SecretReference): Promise<string | undefined> {
  return isInUse(context.catalog.provider(reference.providerId), reference) ? context.secrets.get(reference) : undefined
}

/** Whether a provider is sent the secret that this names. */
export function isInUse(provider: Provider | undefined, reference: SecretReference): boolean {
  if (provider === undefined || isDemo(provider) || !hasCredentials(provider)) return false
  return eachSecret(provider).some((each) => isSameSecret(secretReference(each), reference))
}

/** Some may be of providers that now do not come to be; what is in use is as it was. */
async function takeBack(context: CatalogContext, kept: readonly Kept[]): Promise<void> {
  for (const { reference, secret, before } of kept) {
    if (before === undefined) continue
    await orRefusal(async () => {
      // Another gateway may have set a later one meanwhile.
      if ((await context.secrets.get(reference)) === secret) await context.secrets.set(reference, before)
    })
    const provider = context.catalog.provider(reference.providerId)
    // A call may have read the other one meanwhile, and remembers it with the provider as it was.
    if (provider !== undefined) context.catalog.accept({ type: 'put-provider', provider: { ...provider } })
  }
  const idle = kept.flatMap(({ reference, before }) => (before === undefined ? [reference.providerId] : []))
  if (idle.length > 0) await orRefusal(() => context.secrets.intendToForget(idle))
}

/** The scheme, host and port of a provider; empty for the demo. */
export function originOf({ baseUrl }: Pick<Provider, 'baseUrl'>): string {
  return baseUrl === '' ? '' : new URL(baseUrl).origin
}

/** Of its only secret, or the worst of those that it has. */
export function secretState(context: CatalogContext, provider: Provider): SecretState {
  if (!hasCredentials(provider)) return 'none'
  const states = eachSecret(provider).map((each) => context.secrets.stateOf(secretReference(each)))
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'stored'
}

const WORST_FIRST = ['missing', 'locked'] as const

/** Looks how things stand, without asking anybody to unlock anything. */
export async function refreshSecrets(context: CatalogContext): Promise<void> {
  await context.secrets.refresh(withSecret(context).map(secretReference))
}

/** Whether what is kept for a provider is this text; false when it cannot be read. */
export async function isKept(context: CatalogContext, provider: Provider, text: string): Promise<boolean> {
  if (!hasCredentials(provider)) return false
  try {
    return (await context.secrets.get(secretReference(provider))) === text
  } catch (error) {
    // To replace it with the same one does no harm, and says what is wrong if that fails too.
    if (error instanceof SecretFailure) return false
    throw error
  }
}

/** Sentences about secrets that somebody should look after. */
export async function secretProblems(context: CatalogContext): Promise<string[]> {
  await refreshSecrets(context)
  const { trouble, toForget } = context.secrets
  const ofProviders = withSecret(context).flatMap((provider) => {
    const state = secretState(context, provider)
    if (state === 'stored' || state === 'none') return []
    const { name, chosen } = provider
    const secret = chosen === undefined ? 'The secret' : `The secret '${chosen.label}'`
    const verb = chosen === undefined ? `secret ${name}` : `secret set ${name} --label ${chosen.label}`
    if (state === 'missing') {
      const set = `set it with 'farebox provider ${verb}'`
      return [`${secret} of provider '${name}' is missing: ${set}, or bring it over with 'farebox secret move'.`]
    }
    return [`${secret} of provider '${name}' is locked. ${trouble ?? ''}`.trimEnd()]
  })
  if (toForget === 0) return ofProviders
  const left = `Secrets of ${toForget} removed or changed providers are still kept. They are removed when the store can be reached.`
  return [...ofProviders, left]
}

/** Brings secrets that are in the store that is not in use into the one that is: all that are there, or none. */
export async function moveSecrets(context: CatalogContext): Promise<SecretsMoved | Refusal> {
  const { secrets, otherSecrets } = context
  const moved: Provider[] = []
  const missing: string[] = []
  const refusal = await orRefusal(async () => {
    for (const provider of withSecret(context)) {
      const reference = secretReference(provider)
      if ((await secrets.get(reference)) !== undefined) continue
      const secret = await otherSecrets.get(reference)
      if (secret === undefined) missing.push(nameOf(provider))
      else {
        await secrets.set(reference, secret)
        moved.push(provider)
      }
    }
  })
  if (refusal !== undefined) {
    for (const provider of moved) await orRefusal(() => secrets.delete(secretReference(provider)))
    return refusal
  }
  const left = await orRefusal(async () => {
    for (const provider of moved) await otherSecrets.delete(secretReference(provider))
  })
  return left ?? { moved: moved.map(nameOf), missing }
}

/** Has the key of shared secrets exchanged. */
export async function resealSecrets({ sharedSecrets }: CatalogContext): Promise<SecretsResealed | Refusal> {
  if (sharedSecrets === undefined) return refuse('conflict', NOT_SHARED)
  let answer: SecretsResealed = { resealed: 0, unreadable: 0 }
  const refusal = await orRefusal(async () => {
    answer = await sharedSecrets.reseal()
  })
  return refusal ?? answer
}

const NOT_SHARED = 'No secrets are in a shared database here, so there is nothing to seal again.'

/** All secrets with whose they are, and the names of providers whose secret is nowhere to be found. */
export async function collectSecrets(
  context: CatalogContext,
): Promise<{ readonly secrets: readonly ExportedSecret[]; readonly missing: readonly string[] } | Refusal> {
  const secrets: ExportedSecret[] = []
  const missing: string[] = []
  const refusal = await orRefusal(async () => {
    for (const provider of withSecret(context)) {
      const reference = secretReference(provider)
      const secret = await context.secrets.get(reference)
      if (secret === undefined) missing.push(nameOf(provider))
      else secrets.push({ ...reference, ...labelOf(provider), providerName: provider.name, secret })
    }
  })
  return refusal ?? { secrets, missing }
}

/**
 * Gives providers the secrets that were theirs: by their id, which a restore keeps, else by their name. Never to one at another
 * origin, which would be sent the secret of somebody else.
 */
export async function takeSecrets(
  context: CatalogContext,
  exported: readonly ExportedSecret[],
): Promise<SecretsImported | Refusal> {
  const { providers } = context.catalog
  const found = exported.map(({ providerId, providerName, origin, label, secret }) => {
    const fitting = providers.filter((provider) => !isDemo(provider) && originOf(provider) === origin)
    const owner = fitting.find(({ id }) => id === providerId) ?? fitting.find(({ name }) => name === providerName)
    const provider = owner === undefined ? undefined : ownerWith(owner, label)
    return { name: label === undefined ? providerName : `${providerName} (${label})`, secret, provider }
  })
  const secrets = found.flatMap(({ provider, secret }) => (provider === undefined ? [] : [{ provider, secret }]))
  const rows = secrets.flatMap(({ provider, secret }) =>
    secretReference(provider).label === undefined ? [rowOf(provider, secret)] : [],
  )
  const committed = await commitWithSecrets(context, { secrets, leaving: [], rows })
  if (isRefusal(committed)) return committed
  const skipped = found.flatMap(({ name, provider }) => (provider === undefined ? [name] : []))
  return { imported: secrets.map(({ provider }) => nameOf(provider)), skipped }
}

/** Also the first of several is named: another one is the first where it was removed since. */
function labelOf({ chosen }: Provider) {
  return chosen === undefined ? {} : { label: chosen.label }
}

/** The provider with the secret that a file names; undefined where it has none of that label any more. */
function ownerWith(owner: Provider, label: string | undefined): Provider | undefined {
  const isOnly = owner.pool.length === 0 && label === FIRST_LABEL
  return label === undefined || isOnly ? owner : withSecretOf(owner, label)
}

/** What a provider is once this is kept for it. */
function rowOf({ chosen: _chosen, ...provider }: Provider, text: string): CatalogChange {
  const { secret, headers } = readCredentials(text)
  const headerSecrets = Object.keys(headers).toSorted()
  return { type: 'put-provider', provider: { ...provider, hasSecret: secret !== undefined, headerSecrets } }
}

/** How many secrets of present providers are in a store; 0 for one that cannot be read. */
export async function countSecrets(context: CatalogContext, store: SecretStore): Promise<number> {
  const wanted = new Set(withSecret(context).map((provider) => provider.id))
  if (wanted.size === 0) return 0
  try {
    return (await store.list()).filter(({ providerId }) => wanted.has(providerId)).length
  } catch (error) {
    if (error instanceof SecretFailure) return 0
    throw error
  }
}

export function removedView(isForgotten: boolean): ProviderRemoved {
  return { secret_forgotten: isForgotten }
}

/** Every provider of which something is kept, once with each of its secrets. */
function withSecret({ catalog }: CatalogContext): Provider[] {
  const providers = catalog.providers.filter((provider) => hasCredentials(provider) && provider.baseUrl !== '')
  return providers.flatMap((provider) => eachSecret(provider))
}

/** The provider's name, and of several secrets which one is meant. */
function nameOf({ name, chosen }: Provider): string {
  return chosen === undefined ? name : `${name} (${chosen.label})`
}

/** A store of secrets that cannot be used is a refusal. */
export async function orRefusal(operate: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await operate()
    return undefined
  } catch (error) {
    if (!(error instanceof SecretFailure)) throw error
    return diskRefusal(error) ?? refuse('no_secret_store', error.message)
  }
}
