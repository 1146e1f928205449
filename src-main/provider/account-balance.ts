// Asks a provider what is left on an account. The secret goes to the origin that it is kept for and nowhere else: the path is ours, no
// redirect is followed, and nothing of an answer is sent back.

import { isToldToAdministrators, type BalanceKind } from '#core/account-balance.ts'
import { billSecretReference } from '#core/bill-secret.ts'
import { readCredentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { retryAfterMs } from '#core/retry-after.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import { secretReference } from '#core/secret-pool.ts'
import { ask, jsonOf, type Answer, type WayOut } from '#provider/ask.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type BalanceAnswer =
  | { readonly type: 'answer'; readonly body: unknown; readonly origin: string }
  /** `waitMs`: how long it wants to be left alone; 0 where it does not say. */
  | { readonly type: 'problem'; readonly says: string; readonly waitMs: number }

export type BalanceAskDeps = {
  readonly secrets: Pick<SecretKeeper, 'get' | 'known'>
  readonly connections: WayOut
  readonly userAgent: string
  readonly nowMs: () => number
}

const TIME_LIMIT_MS = 15_000
const MAX_BYTES = 65_536
const LONGEST_WAIT_MS = 86_400_000

/** `provider` is one with the secret that is meant, where it has several. Never rejects. */
export async function askBalance(
  provider: Provider,
  { kind, path }: { readonly kind: BalanceKind; readonly path: string },
  { secrets, connections, userAgent, nowMs }: BalanceAskDeps,
): Promise<BalanceAnswer> {
  const isAdministrators = isToldToAdministrators(kind)
  const reference = isAdministrators ? billSecretReference(provider) : secretReference(provider)
  const secret = await secretAt(reference, isAdministrators, secrets)
  if (typeof secret !== 'string') return secret
  const answer = await ask({
    method: 'GET',
    url: `${reference.origin}${path}`,
    headers: { authorization: `Bearer ${secret}`, 'user-agent': userAgent },
    secrets: [...secrets.known(reference.providerId), secret],
    dispatcherOf: () => connections.pool(provider),
    timeLimitMs: TIME_LIMIT_MS,
    maxBytes: MAX_BYTES,
  })
  if (answer.type === 'problem') return problem(`It could not be reached (${answer.detail}).`)
  if (answer.status !== 200) return problem(judge(answer.status, isAdministrators), wishedMs(answer, nowMs()))
  const body = jsonOf(answer)
  return body === undefined ? problem('Its answer is no JSON.') : { type: 'answer', body, origin: reference.origin }
}

type Reference = Parameters<SecretKeeper['get']>[0]

async function secretAt(
  reference: Reference,
  isAdministrators: boolean,
  secrets: BalanceAskDeps['secrets'],
): Promise<string | BalanceAnswer> {
  try {
    const text = await secrets.get(reference)
    const secret = text === undefined || isAdministrators ? text : readCredentials(text).secret
    if (secret !== undefined) return secret
    return problem(
      isAdministrators
        ? "It tells this to an administrator's key alone: give it one with 'farebox bills secret add'."
        : 'It has no secret to be asked with.',
    )
  } catch (error) {
    if (error instanceof SecretFailure) return problem(error.message)
    throw error
  }
}

function judge(status: number, isAdministrators: boolean): string {
  const secret = isAdministrators ? "the administrator's secret" : 'the secret'
  if (status === 401 || status === 403) return `It refuses ${secret}, or that has no right to know (${status}).`
  if (status === 404) return 'It says nothing of balances there (404).'
  if (status >= 300 && status < 400) return `It redirects (${status}), which is not followed.`
  return `It answers ${status}.`
}

function wishedMs({ headers }: Answer, nowMs: number): number {
  return Math.min(LONGEST_WAIT_MS, retryAfterMs(headers['retry-after'], nowMs) ?? 0)
}

function problem(says: string, waitMs = 0): BalanceAnswer {
  return { type: 'problem', says, waitMs }
}
