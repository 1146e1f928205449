// Asks for one token, as a form over HTTP: with an assertion of a service account (RFC 7523), or with the credentials of a client (RFC 6749,
// 4.4). The connection is judged as those to the provider itself are, and no redirect is followed. What went wrong is told by names that
// are known: what an endpoint says beside them may quote what it was sent.

import type { Provider } from '#core/entities.ts'
import { UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { retryAfterMs } from '#core/retry-after.ts'
import type { TokenSecret } from '#core/token-secrets.ts'
import { membersOf } from '#core/members.ts'
import { ask, jsonOf, type Answer, type NoAnswer, type WayOut } from '#provider/ask.ts'

export type TokenDoor = {
  readonly connections: WayOut
  readonly userAgent: string
  /** UTC epoch milliseconds. */
  readonly nowMs: () => number
  /** For each question; some seconds unless said otherwise. */
  readonly timeLimitMs?: number
}

/** `lifeMs` counts from when it was asked for. */
export type Granted = { readonly text: string; readonly lifeMs: number }

const TIME_LIMIT_MS = 10_000
const MAX_BYTES = 65_536
/** Longer than any token in use; it has to fit into a header. */
const MAX_TOKEN_LENGTH = 12_000
/** Of a token that does not say how long it lives. */
const UNSAID_LIFE_MS = 300_000
const MAX_LIFE_MS = 86_400_000
/** A clock that differs by more makes an assertion look old or from the future. */
const MAX_SKEW_MS = 30_000

const REFUSING: ReadonlySet<number> = new Set([400, 401, 403])

/** Rejects with an UpstreamFailure: kind `secret` with a status where the secret is refused. */
export async function askForToken(provider: Provider, secret: TokenSecret, door: TokenDoor): Promise<Granted> {
  const nowMs = door.nowMs()
  const first = await post(provider, secret, { ...door, nowMs: () => nowMs })
  const skewMs = secret.type === 'service_account' ? skewIn(first, door.nowMs()) : 0
  if (skewMs === 0) return grantedIn(first, provider, door.nowMs())
  // What is signed says when. An endpoint that refuses it tells what time it has, and is believed once.
  const second = await post(provider, secret, { ...door, nowMs: () => door.nowMs() + skewMs })
  return grantedIn(second, provider, door.nowMs())
}

async function post(provider: Provider, secret: TokenSecret, door: TokenDoor): Promise<Answer | NoAnswer> {
  const { network, timeLimits } = provider
  return ask({
    method: 'POST',
    url: secret.tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': door.userAgent },
    body: await formOf(provider, secret, door.nowMs()),
    dispatcherOf: (url) => door.connections.pool({ baseUrl: url, network, timeLimits }),
    timeLimitMs: door.timeLimitMs ?? TIME_LIMIT_MS,
    maxBytes: MAX_BYTES,
  })
}

async function formOf(provider: Provider, secret: TokenSecret, nowMs: number): Promise<string> {
  if (secret.type === 'service_account') {
    const { assertionOf } = await import('#provider/google-assertion.ts')
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }
    return new URLSearchParams({ ...grant, assertion: signed(provider, () => assertionOf(secret, nowMs)) }).toString()
  }
  const { clientId, clientSecret, scope } = secret
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope }
  return new URLSearchParams(form).toString()
}

/** What the library says of a key that it cannot use may quote the key. */
function signed({ name }: Provider, sign: () => string): string {
  try {
    return sign()
  } catch {
    throw new UpstreamFailure('secret', `The private key of '${name}' cannot sign anything. Set its secret again.`)
  }
}

/** By how much the endpoint's clock is ahead of ours, where it refused what was signed; 0 where that is not why. */
function skewIn(answer: Answer | NoAnswer, nowMs: number): number {
  if (answer.type === 'problem' || !REFUSING.has(answer.status)) return 0
  const skewMs = Date.parse(answer.headers['date'] ?? '') - nowMs
  return Math.abs(skewMs) > MAX_SKEW_MS ? skewMs : 0
}

function grantedIn(answer: Answer | NoAnswer, { name }: Provider, nowMs: number): Granted {
  const endpoint = `The token endpoint of the provider '${name}'`
  if (answer.type === 'problem') throw unreached(endpoint, answer)
  const { status } = answer
  const members = membersOf(jsonOf(answer))
  if (REFUSING.has(status)) {
    const says = `${endpoint} refuses Farebox's secret (${errorIn(members) ?? status}). The administrator must look after it.`
    throw new UpstreamFailure('secret', says, { status: 401 })
  }
  if (status === 429 || status >= 500) {
    const waitMs = retryAfterMs(answer.headers['retry-after'], nowMs) ?? 0
    const retryAfterSeconds = waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
    throw tokenFailure('status', `${endpoint} answered ${status}.`, { status, retryAfterSeconds })
  }
  if (status !== 200) throw tokenFailure('malformed', `${endpoint} answered ${status}, which is no token.`)
  const { access_token: text, token_type: type = 'Bearer', expires_in: seconds } = members
  const lifeMs = seconds === undefined ? UNSAID_LIFE_MS : Number(seconds) * 1000
  const isToken = typeof text === 'string' && text.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text)
  if (!isToken || !/^bearer$/i.test(String(type)) || !(lifeMs > 0)) {
    throw tokenFailure('malformed', `${endpoint} answered with something that is no token.`)
  }
  return { text, lifeMs: Math.min(lifeMs, MAX_LIFE_MS) }
}

function unreached(endpoint: string, { problem, detail }: NoAnswer): UpstreamFailure {
  if (problem === 'address_not_allowed') {
    return tokenFailure('address', `${endpoint} is where no such provider may be. ${detail}`)
  }
  const isSlow = problem === 'connect_timeout' || problem === 'answer_timeout'
  if (isSlow) return tokenFailure('timeout', `${endpoint} did not answer in time.`)
  return tokenFailure('connect', `${endpoint} could not be reached (${detail}).`)
}

type Answered = { readonly status?: number; readonly retryAfterSeconds?: number | undefined }

/** A failure of the endpoint alone: the provider itself was not asked yet. */
function tokenFailure(kind: FailureKind, message: string, answered: Answered = {}): UpstreamFailure {
  return new UpstreamFailure(kind, message, { ...answered, isOfToken: true })
}

/** The name of an error, which is one word, and Entra's own number for it. Nothing else of what the endpoint says is repeated. */
function errorIn(members: Readonly<Record<string, unknown>>): string | undefined {
  const { error, error_codes: codes } = members
  if (typeof error !== 'string' || !/^[a-z_]{1,60}$/.test(error)) return undefined
  const code: unknown = Array.isArray(codes) ? codes[0] : undefined
  return typeof code === 'number' ? `${error}, AADSTS${code}` : error
}
