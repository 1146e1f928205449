// The things a gateway is set up with, as the rest of the program sees them. Times are UTC epoch milliseconds, amounts
// micro-credits. The shapes on the wire are in contract/, the rows in store/.

import type { MODEL_KINDS } from '#contract/dialects.ts'
import type { MicroCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import type { ProviderDialect } from '#core/provider-dialect.ts'
import type { Quirks } from '#core/quirks.ts'

/** Names of the member that caps the output of a chat completion; providers differ in which they take. */
export type OutputCapField = 'max_tokens' | 'max_completion_tokens'

/** What becomes of the request to a provider when its client leaves: it is stopped, or read on to the usage it reports. */
export const DISCONNECT_CHOICES = ['cancel', 'drain'] as const
export type DisconnectChoice = (typeof DISCONNECT_CHOICES)[number]

/** Which addresses a provider may be at: anywhere on the internet over https, or also on this machine and its network. */
export const NETWORKS = ['public', 'local'] as const
export type Network = (typeof NETWORKS)[number]

/** The headers in which providers take a secret; `authorization` carries it as a bearer token. */
export const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const
export type SecretHeader = (typeof SECRET_HEADERS)[number]

/** What Farebox may ask of a provider; undefined is no limit. */
export type ProviderLimits = {
  readonly concurrentRequests?: number
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** What calls may be charged for it on one day of the machine's time zone. */
  readonly dailyMicro?: MicroCredits
}

/** One of several secrets of a provider. */
export type PooledSecret = {
  /** What it is called: no other secret of the provider has this label. */
  readonly label: string
  /** Its part of the calls beside those of the others. */
  readonly weight: number
  /** What Farebox may ask with it, beside what it may ask of the provider. */
  readonly limits: ProviderLimits
  readonly createdAtMs: number
}

/** How long Farebox waits for a provider, in milliseconds; undefined: as long as the settings say. */
export type ProviderTimeLimits = {
  readonly connectMs?: number
  readonly firstByteMs?: number
  readonly silenceMs?: number
}

export type Provider = {
  readonly id: string
  readonly name: string
  /** The preset that it was made from. */
  readonly preset: string | undefined
  readonly dialect: ProviderDialect
  /** Without a trailing slash, such as `https://api.openai.com/v1`; empty for the demo provider. */
  readonly baseUrl: string
  readonly network: Network
  readonly hasSecret: boolean
  /**
   * Its secrets, where there are several or one has settings of its own; empty for most providers. The first is kept as the secret of
   * the provider itself, the others beside it by their labels.
   */
  readonly pool: readonly PooledSecret[]
  /** Which of them calls go with. It is never stored: only the providers that `eachSecret` makes have it. */
  readonly chosen?: PooledSecret
  /** undefined: the header of its dialect. */
  readonly secretHeader: SecretHeader | undefined
  /** Sent with every request, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names in lower case of headers whose values are kept with the secret. */
  readonly headerSecrets: readonly string[]
  readonly outputCapField: OutputCapField
  readonly onDisconnect: DisconnectChoice
  /** What the administrator said about how this provider differs from others of its dialect. */
  readonly quirks: Partial<Quirks>
  readonly limits: ProviderLimits
  readonly timeLimits: ProviderTimeLimits
  readonly createdAtMs: number
}

export type ModelKind = (typeof MODEL_KINDS)[number]

/** Whether a model of this kind writes texts, whose length a request may cap. */
export function hasOutputCap(kind: ModelKind): boolean {
  return kind === 'chat'
}

export type Target = {
  readonly providerId: string
  readonly upstreamModel: string
  readonly priority: number
  readonly weight: number
}

export type Model = {
  /** The public name. */
  readonly id: string
  readonly displayName: string
  readonly kind: ModelKind
  readonly contextWindow: number
  /** Nobody told the context window when the model was made: what is assumed gives way to what its provider tells later. */
  readonly isContextGuessed?: true
  readonly maxOutputTokens: number
  readonly isEnabled: boolean
  /** undefined: nobody priced this model, so it cannot be called. */
  readonly price: Price | undefined
  readonly targets: readonly Target[]
  readonly createdAtMs: number
}

export const PACKAGE_TYPES = ['monthly', 'daily', 'topup', 'unlimited'] as const
export type PackageType = (typeof PACKAGE_TYPES)[number]

export type PackageLimits = {
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
  readonly concurrentRequests: number | undefined
}

export type Package = {
  readonly id: string
  readonly name: string
  readonly type: PackageType
  /** Granted per cycle; 0 for `unlimited`. */
  readonly creditsMicro: MicroCredits
  readonly timeZone: string
  readonly limits: PackageLimits
  /** Which models its keys may call: all of them, or those named. */
  readonly models: 'all' | readonly string[]
  readonly validUntilMs: number | undefined
  readonly createdAtMs: number
}

/** What is stored about a key's state; `expired` follows from the clock. */
export type StoredKeyStatus = 'active' | 'suspended' | 'revoked'
export type KeyStatus = StoredKeyStatus | 'expired'

/** Who suspended a key: what an administrator suspended, its member must not resume. */
export const SUSPENDERS = ['administrator', 'member'] as const
export type Suspender = (typeof SUSPENDERS)[number]

export type Key = {
  readonly id: string
  readonly name: string
  readonly owner: string | undefined
  /** The member whose key it is, in whose name it is used and who may see and block it. */
  readonly memberId: string | undefined
  /** SHA-256 of the key, base64url. */
  readonly hash: string
  /** Last four characters of the key. */
  readonly hint: string
  readonly packageId: string
  readonly storedStatus: StoredKeyStatus
  /** undefined where it is not suspended, or was before anybody noted it, which counts as by an administrator. */
  readonly suspendedBy: Suspender | undefined
  readonly expiresAtMs: number | undefined
  readonly createdAtMs: number
  /** When it got the value that it has. */
  readonly valueSinceMs: number
  /** What its calls are counted to: the tool that it was made for, a project, and tags. */
  readonly tool?: string | undefined
  readonly project?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The value before, as long as it works beside the new one. */
  readonly previous: PreviousValue | undefined
}

export type PreviousValue = {
  /** SHA-256, base64url. */
  readonly hash: string
  /** From then on it is refused. */
  readonly validUntilMs: number
}

/** Whether a value of this hash is one that the key may be used with. */
export function isValueOf({ hash: own, previous }: Key, hash: string, nowMs: number): boolean {
  return hash === own || (hash === previous?.hash && nowMs < previous.validUntilMs)
}

/** The state of a key at an instant. Revoked is final; past its expiry a key is expired, suspended or not. */
export function keyStatus(key: Pick<Key, 'storedStatus' | 'expiresAtMs'>, nowMs: number): KeyStatus {
  if (key.storedStatus === 'revoked') return 'revoked'
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return 'expired'
  return key.storedStatus
}
