// What a provider is shown to prove whose request it is: its secret, and the values of headers that are secrets. All of it is kept
// as one text where secrets are kept, so that whatever holds for the secret of a provider holds for these: one origin, one place,
// forgotten together.

import type { Provider } from '#core/entities.ts'
import { readTokenSecret, shownParts } from '#core/token-secrets.ts'

export type Credentials = {
  readonly secret: string | undefined
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

export const NO_CREDENTIALS: Credentials = { secret: undefined, headers: {} }

/** Stands in front of the JSON of more than a secret. A secret that begins like this is written so too. */
const MARK = 'farebox-credentials:'

/** Whether something is kept for a provider where secrets are kept. */
export function hasCredentials({ hasSecret, headerSecrets }: Pick<Provider, 'hasSecret' | 'headerSecrets'>): boolean {
  return hasSecret || headerSecrets.length > 0
}

/** The same credentials are always the same text. */
export function credentialsText({ secret, headers }: Credentials): string {
  const entries = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (secret !== undefined && entries.length === 0 && !secret.startsWith(MARK)) return secret
  return MARK + JSON.stringify({ ...(secret === undefined ? {} : { secret }), headers: entries })
}

export function readCredentials(text: string): Credentials {
  return (text.startsWith(MARK) ? parse(text.slice(MARK.length)) : undefined) ?? { secret: text, headers: {} }
}

/** Written by `credentialsText`, or somebody's secret from before that begins like it. */
function parse(json: string): Credentials | undefined {
  try {
    const { secret, headers } = JSON.parse(json) as {
      readonly secret?: string
      readonly headers: readonly (readonly [string, string])[]
    }
    return { secret, headers: Object.fromEntries(headers) }
  } catch {
    // Not ours, which undefined says.
    return undefined
  }
}

/** A shorter part of a secret, such as the name of a region, is none itself. */
const MIN_PART_LENGTH = 16

const isTelling = (part: string) => part.length >= MIN_PART_LENGTH

/** Every text in it that nobody else may see. */
export function secretsIn(text: string): readonly string[] {
  const { secret, headers } = readCredentials(text)
  return [...(secret === undefined ? [] : partsOf(secret)), ...Object.values(headers)]
}

/** Of a secret that is made of parts with colons between them also each part; of one that gets tokens what is shown of it. */
function partsOf(secret: string): readonly string[] {
  const tokenSecret = readTokenSecret(secret)
  if (tokenSecret !== undefined && tokenSecret.type !== 'flaw') return shownParts(tokenSecret)
  const parts = secret.includes(':') && !secret.startsWith(MARK) ? secret.split(':') : []
  return [secret, ...parts.filter(isTelling)]
}

/** The credentials that a provider is sent; undefined where something is missing that should be there. */
export function credentialsFor(provider: Provider, text: string | undefined): Credentials | undefined {
  if (!hasCredentials(provider)) return NO_CREDENTIALS
  const { secret, headers } = text === undefined ? NO_CREDENTIALS : readCredentials(text)
  const isWhole = provider.headerSecrets.every((name) => Object.hasOwn(headers, name))
  if (!isWhole || (provider.hasSecret && secret === undefined)) return undefined
  const sent = provider.headerSecrets.map((name) => [name, headers[name] ?? ''] as const)
  return { secret: provider.hasSecret ? secret : undefined, headers: Object.fromEntries(sent) }
}
