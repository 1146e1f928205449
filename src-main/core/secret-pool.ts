// Several secrets of one provider. Whatever is sent goes with one of them: a provider with a pool is, for the journey of a call, as many
// providers as it has secrets, which differ in `chosen` alone.

import type { PooledSecret, Provider } from '#core/entities.ts'

/** What the secret is called that a provider had before it had several. */
export const FIRST_LABEL = 'first'
/** Each call looks at all of them. */
export const MAX_SECRETS = 32

/** Providers are made anew when anything about them changes, so that what is made of one lasts as long as it is right. */
const made = new WeakMap<Provider, readonly Provider[]>()

/** The provider once with each of its secrets; itself where it has no pool. The same objects for as long as nothing changes. */
export function eachSecret(provider: Provider): readonly Provider[] {
  if (provider.pool.length === 0 || provider.chosen !== undefined) return [provider]
  let each = made.get(provider)
  if (each === undefined) {
    each = provider.pool.map((chosen) => ({ ...provider, chosen }))
    made.set(provider, each)
  }
  return each
}

/** The provider with the secret of this label; undefined where it has none. */
export function withSecretOf(provider: Provider, label: string): Provider | undefined {
  return eachSecret(provider).find(({ chosen }) => chosen?.label === label)
}

/** All secrets of a provider, the only one of a provider without a pool included. */
export function secretsOf(provider: Provider): readonly PooledSecret[] {
  if (provider.pool.length > 0 || !provider.hasSecret) return provider.pool
  return [{ label: FIRST_LABEL, weight: 1, limits: {}, createdAtMs: provider.createdAtMs }]
}

/** Names the secret of a provider. It belongs to the scheme, host and port of the base URL: at another origin it does not exist. */
export function secretReference(
  provider: Pick<Provider, 'id' | 'baseUrl'> & Partial<Pick<Provider, 'pool' | 'chosen'>>,
) {
  const { id, baseUrl, pool = [], chosen } = provider
  const { origin } = new URL(baseUrl)
  const isOwn = chosen === undefined || chosen.label === pool[0]?.label
  return { providerId: id, origin, ...(isOwn ? {} : { label: chosen.label }) }
}

type Reference = { readonly providerId: string; readonly origin: string; readonly label?: string }

/** Whether two references name one secret. */
export function isSameSecret(one: Reference, other: Reference): boolean {
  return one.providerId === other.providerId && one.origin === other.origin && one.label === other.label
}

/** Tells an account at a provider from all others: answers that a provider keeps are known to the account that asked. */
export function accountId({ id, chosen }: Pick<Provider, 'id' | 'chosen'>): string {
  return chosen === undefined ? id : secretId(id, chosen.label)
}

/** Ids have no spaces. */
export function secretId(providerId: string, label: string): string {
  return `${providerId} ${label}`
}
