// What a provider is shown with every request: its secret or a token that is got with it, and the headers that an administrator gave it.

import {
  credentialsFor,
  credentialsText,
  hasCredentials,
  NO_CREDENTIALS,
  readCredentials,
  type Credentials,
} from '#core/credentials.ts'
import type { Provider, SecretHeader } from '#core/entities.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { eachSecret, secretReference } from '#core/secret-pool.ts'
import { readTokenSecret, type TokenSecret } from '#core/token-secrets.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { Sign, SignedRequest } from '#provider/aws-signing.ts'
import type { TokenDeps, Tokens } from '#provider/tokens.ts'
import type { SecretKeeper } from '#secret/port.ts'

/** Headers that a provider is shown. */
type Shown = Readonly<Record<string, string>>

/** Opens what gets tokens with a secret of a provider. */
export type NewTokens = (provider: Provider, secret: TokenSecret) => Promise<Tokens>

/** What gets tokens is loaded with the first provider that needs it. */
export function tokensBy(deps: TokenDeps): NewTokens {
  return async (provider, secret) => {
    const { Tokens } = await import('#provider/tokens.ts')
    return new Tokens(provider, secret, deps)
  }
}

/** What Amazon calls an API key: it is shown as it is, where all other secrets sign. */
const AWS_API_KEY = /^(ABSK|bedrock-api-key-)[\w+/=-]+$/

/** What a provider is shown, or undefined where something is not there any more that should be. Rejects with a SecretFailure. */
export async function readCredentialsOf(
  provider: Provider,
  secrets: Pick<SecretKeeper, 'get'>,
): Promise<Credentials | undefined> {
  if (!hasCredentials(provider)) return NO_CREDENTIALS
  const { pool, headerSecrets, chosen = pool[0] } = provider
  if (chosen === undefined) return credentialsFor(provider, await secrets.get(secretReference(provider)))
  const { chosen: _, ...plain } = provider
  const texts = await Promise.all(
    eachSecret(plain).map((each, index) => {
      const text = secrets.get(secretReference(each))
      const isNeeded = each.chosen?.label === chosen.label || (index === 0 && headerSecrets.length > 0)
      // The others are read as well, so that each can be taken out of what the provider says, whichever it was sent.
      return isNeeded ? text : text.catch(() => undefined)
    }),
  )
  const text = texts[pool.findIndex(({ label }) => label === chosen.label)]
  const [own] = texts
  if (text === undefined) return undefined
  const headers = own === undefined ? {} : readCredentials(own).headers
  return credentialsFor(provider, credentialsText({ secret: readCredentials(text).secret, headers }))
}

/** The headers that an administrator gave the provider, with the values that are secrets. */
export function givenHeaders(provider: Provider, { headers }: Credentials): Shown {
  return { ...provider.headers, ...headers }
}

/** The header in which a provider is shown its secret. */
export function secretHeaderOf(provider: Pick<Provider, 'dialect' | 'secretHeader'>): SecretHeader {
  return provider.secretHeader ?? dialectOf(provider).secretHeader
}

/** How a provider is shown a secret: in a header that is always the same, by what it signs, or by tokens that are got with it. */
export type Proof =
  | { readonly type: 'header'; readonly headers: Shown }
  | { readonly type: 'signature'; readonly sign: Sign }
  | { readonly type: 'token'; readonly tokens: Tokens }

/** Rejects with an UpstreamFailure for a secret that is not of the form that the provider needs. */
export async function proofOf(provider: Provider, secret: string, newTokens: NewTokens): Promise<Proof> {
  const tokenSecret = readTokenSecret(secret)
  if (tokenSecret?.type === 'flaw') {
    throw new UpstreamFailure('secret', `The secret of '${provider.name}' ${tokenSecret.says}.`)
  }
  if (tokenSecret !== undefined) return { type: 'token', tokens: await newTokens(provider, tokenSecret) }
  if (!signs(provider, secret)) return { type: 'header', headers: presentSecret(provider, secret) }
  const { signerOf, SECRET_FORM } = await import('#provider/aws-signing.ts')
  const sign = signerOf(secret)
  if (sign !== undefined) return { type: 'signature', sign }
  throw new UpstreamFailure('secret', `The secret of '${provider.name}' is not of the form ${SECRET_FORM}.`)
}

/** The header with a token in it. */
export function presentToken(token: string): Shown {
  return { authorization: `Bearer ${token}` }
}

/** The header with the secret in it. */
export function presentSecret(provider: Provider, secret: string): Shown {
  const header = secretHeaderOf(provider)
  return header === 'authorization' ? presentToken(secret) : { [header]: secret }
}

/** What proves a single request, where the secret is no longer one that gets tokens. */
export async function proveOnce(provider: Provider, secret: string, request: SignedRequest): Promise<Shown> {
  if (!signs(provider, secret)) return presentSecret(provider, secret)
  const { signerOf } = await import('#provider/aws-signing.ts')
  // Without a signature, where the secret cannot sign: the provider says the same of it.
  return (await signerOf(secret)?.(request)) ?? {}
}

type AsShown = { readonly provider: Provider; readonly secret: string | undefined }

/** A token in place of a secret that gets tokens, and the provider as it is shown one. Rejects with an UpstreamFailure. */
export async function withToken(
  provider: Provider,
  secret: string | undefined,
  newTokens: NewTokens,
): Promise<AsShown> {
  if (secret === undefined || readTokenSecret(secret) === undefined) return { provider, secret }
  const proof = await proofOf(provider, secret, newTokens)
  if (proof.type !== 'token') return { provider, secret }
  return { provider: { ...provider, secretHeader: 'authorization' }, secret: await proof.tokens.current() }
}

function signs(provider: Provider, secret: string): boolean {
  return dialectOf(provider).signing !== undefined && !AWS_API_KEY.test(secret)
}
