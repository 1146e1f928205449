// What the test of a provider asks: always the list of models, which is free everywhere. The others are asked only where the
// list leaves something open.

import type { Provider, SecretHeader } from '#core/entities.ts'
import { dialectOf, quirksOf } from '#dialect/dialects.ts'
import { ask, type Answer, type DispatcherOf, type NoAnswer } from '#provider/ask.ts'
import { proveOnce } from '#provider/authentication.ts'

export type Asking = {
  readonly provider: Provider
  readonly secret: string | undefined
  /** What an administrator gave the provider, sent with and without the secret. */
  readonly given: Readonly<Record<string, string>>
  /** This one, and those of the provider that it replaced. */
  readonly secrets: readonly string[]
  readonly dispatcherOf: DispatcherOf
  readonly timeLimitMs: number
  readonly userAgent: string
}

const MAX_BYTES = 4 * 1_048_576
const TINY_OUTPUT_TOKENS = 16
const TINY_PROMPT = 'Say hi.'

/** The list of models, at the provider's base URL or another one of its origin, with the secret in a header of choice. */
export function askForModels(
  asking: Asking,
  other: { readonly baseUrl?: string; readonly secretHeader?: SecretHeader } = {},
): Promise<Answer | NoAnswer> {
  const { provider } = asking
  const { baseUrl = provider.baseUrl, secretHeader = provider.secretHeader } = other
  return askAt(asking, { method: 'GET', url: `${baseUrl}/models`, secretHeader })
}

/** A request without a model or a prompt, which nobody can carry out or bill. */
export function askForNothing(asking: Asking, secretHeader?: SecretHeader): Promise<Answer | NoAnswer> {
  const { provider } = asking
  const url = provider.baseUrl + dialectOf(provider).probe.path('none', quirksOf(provider).platform)
  return askAt(asking, { method: 'POST', url, body: '{}', secretHeader: secretHeader ?? provider.secretHeader })
}

/** A few tokens of a model, which may cost something. */
export function askForAnswer(asking: Asking, model: string): Promise<Answer | NoAnswer> {
  const { provider } = asking
  const { probe } = dialectOf(provider)
  const { outputCapField } = provider
  const { platform } = quirksOf(provider)
  const wish = { model, prompt: TINY_PROMPT, outputTokens: TINY_OUTPUT_TOKENS, outputCapField, platform }
  const place = {
    method: 'POST',
    url: provider.baseUrl + probe.path(model, platform),
    body: JSON.stringify(probe.body(wish)),
  } as const
  return askAt(asking, { ...place, secretHeader: provider.secretHeader })
}

/** The same origin without TLS or with it, and without the secret: only whether anybody speaks it there. */
export async function speaks(scheme: 'http:' | 'https:', asking: Asking): Promise<boolean> {
  const url = asking.provider.baseUrl.replace(/^https?:/, scheme)
  const { dispatcherOf, timeLimitMs, userAgent } = asking
  const question = { method: 'GET', url, dispatcherOf, timeLimitMs, maxBytes: 4096 } as const
  const answer = await ask({ ...question, headers: { 'user-agent': userAgent } })
  // A certificate that is not accepted is one all the same.
  const certificate = ['tls_expired', 'tls_not_yet_valid', 'tls_self_signed', 'tls_unknown_issuer', 'tls_wrong_host']
  return answer.type === 'answer' || certificate.includes(answer.problem)
}

type ProbeRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body?: string
  readonly secretHeader: SecretHeader | undefined
}

async function askAt(asking: Asking, { secretHeader, ...place }: ProbeRequest): Promise<Answer | NoAnswer> {
  const { provider, secret, given, secrets, dispatcherOf, timeLimitMs, userAgent } = asking
  const { method, url, body = '' } = place
  const request = { method, url: new URL(url), body }
  const proof = secret === undefined ? {} : await proveOnce({ ...provider, secretHeader }, secret, request)
  const headers = {
    'user-agent': userAgent,
    ...dialectOf(provider).headers,
    ...(place.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...proof,
    ...given,
  }
  return ask({ ...place, headers, secrets, dispatcherOf, timeLimitMs, maxBytes: MAX_BYTES })
}
