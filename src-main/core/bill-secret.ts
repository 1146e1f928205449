// The secret of a provider's administrator, with which reports for its bills are read. It stands beside the secrets that calls go with
// under a name of its own, so that nothing that is made for a call can find it.

import type { Provider } from '#core/entities.ts'

/** Whose reports are read over the network, by the ids of their presets. */
const BILL_KINDS = ['openai', 'anthropic', 'openrouter'] as const
export type BillKind = (typeof BILL_KINDS)[number]

const HOSTS: Readonly<Record<string, BillKind>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'openrouter.ai': 'openrouter',
}
/** Ids of providers have no colon. */
const MARK = 'bills:'

/** Which reports a provider has; undefined where none are known. */
export function billKindOf({ preset, baseUrl }: Pick<Provider, 'preset' | 'baseUrl'>): BillKind | undefined {
  if (baseUrl === '') return undefined
  return BILL_KINDS.find((kind) => kind === preset) ?? HOSTS[new URL(baseUrl).hostname]
}

/** Names the secret. It belongs to the origin at which it was given: at another one it does not exist. */
export function billSecretReference({ id, baseUrl }: Pick<Provider, 'id' | 'baseUrl'>) {
  return { providerId: MARK + id, origin: new URL(baseUrl).origin }
}

/** The id of the provider that a secret is of, whichever of its secrets it is. */
export function ownerOfSecret(providerId: string): string {
  return providerId.startsWith(MARK) ? providerId.slice(MARK.length) : providerId
}
