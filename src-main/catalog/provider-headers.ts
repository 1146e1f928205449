// Headers of a provider as requests give them, and what is kept for a provider once a request gave a secret or the secret value of
// a header.

import type { CatalogContext } from '#catalog/context.ts'
import { orRefusal } from '#catalog/secrets.ts'
import { NO_CREDENTIALS, readCredentials, type Credentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { headerNameProblem, MAX_HEADERS } from '#core/provider-headers.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { secretReference } from '#core/secret-pool.ts'

type Member = 'headers' | 'header_secrets'
type Values<Value> = Readonly<Record<string, Value>>

/** By names in lower case. */
export function readHeaders<Value>(given: Values<Value> | undefined, member: Member): Values<Value> | Refusal {
  const read = new Map<string, Value>()
  for (const [name, value] of Object.entries(given ?? {})) {
    const lower = name.toLowerCase()
    const problem = headerNameProblem(lower) ?? (read.has(lower) ? `'${lower}' is given twice` : undefined)
    if (problem !== undefined) return refuse('invalid_request', `'${member}': ${problem}.`, { param: member })
    read.set(lower, value)
  }
  return Object.fromEntries(read)
}

/** What is wrong with the headers of a provider together; undefined where nothing is. */
export function headersProblem({ headers, headerSecrets }: Provider): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'headers' ${says}.`, { param: 'headers' })
  const both = headerSecrets.find((name) => Object.hasOwn(headers, name))
  if (both !== undefined) return wrong(`and 'header_secrets' both have '${both}'`)
  const count = Object.keys(headers).length + headerSecrets.length
  return count > MAX_HEADERS ? wrong(`and 'header_secrets' may have ${MAX_HEADERS} members together`) : undefined
}

/** The provider that is shown these credentials. */
export function withCredentials(provider: Provider, { secret, headers }: Credentials): Provider {
  return { ...provider, hasSecret: secret !== undefined, headerSecrets: Object.keys(headers).toSorted() }
}

export type GivenCredentials = {
  readonly secret: string | undefined
  /** undefined: those that are there stay. */
  readonly headers: Values<string | null> | undefined
  /** Whether the headers that are not given go, or stay as those do of which null is not said. */
  readonly isWhole: boolean
}

/**
 * What is kept for a provider once this is given: what it has stays where nothing else is said. It is read only where something of
 * it stays beside something new, so that a secret can be replaced that cannot be read.
 */
export async function nextCredentials(
  context: CatalogContext,
  provider: Provider,
  { secret, headers, isWhole }: GivenCredentials,
): Promise<Credentials | Refusal> {
  const given = readHeaders(headers, 'header_secrets')
  if (isRefusal(given)) return given
  const stays = (name: string) => headers === undefined || (!isWhole && !Object.hasOwn(given, name))
  const staying = provider.headerSecrets.filter(stays)
  const keepsSecret = secret === undefined && provider.hasSecret
  const kept = keepsSecret || staying.length > 0 ? await readKept(context, provider) : NO_CREDENTIALS
  if (isRefusal(kept)) return kept
  const entries = [...Object.entries(kept.headers).filter(([name]) => staying.includes(name)), ...Object.entries(given)]
  const all = entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  return { secret: secret ?? (keepsSecret ? kept.secret : undefined), headers: Object.fromEntries(all) }
}

async function readKept(context: CatalogContext, provider: Provider): Promise<Credentials | Refusal> {
  let text: string | undefined
  const refusal = await orRefusal(async () => {
    text = await context.secrets.get(secretReference(provider))
  })
  if (refusal !== undefined) return refusal
  if (text !== undefined) return readCredentials(text)
  const says = `The other secrets of '${provider.name}' are missing. Give its secret and all secret headers together.`
  return refuse('no_secret_store', says)
}
