// The health of the secrets of a pool. One that its provider refuses is left out until one request tries it again, for longer each time;
// one that is asked for patience is left out for the model that was asked. It only says which secrets are better than others.

import type { Provider, Target } from '#core/entities.ts'
import { isOutOfQuota, UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { accountId } from '#core/secret-pool.ts'

/** `refused`: the provider does not take it, or its account has nothing left; `busy`: the provider asks for patience. */
export type SecretStanding = {
  readonly state: 'ok' | 'refused' | 'busy'
  /** Until when it is left out; undefined for one that is not. */
  readonly untilMs: number | undefined
  readonly lastFailure:
    { readonly kind: FailureKind; readonly status: number | undefined; readonly atMs: number } | undefined
}

/** Whoever mends a secret gives a new one, which counts at once. What passes by itself is found out by a request now and then. */
const SHORTEST_REFUSAL_MS = 30_000
const LONGEST_REFUSAL_MS = 900_000
const SHORTEST_PATIENCE_MS = 5000
const LONGEST_PATIENCE_MS = 60_000
/** More than any catalogue has; beyond it the oldest are forgotten. */
const MAX_ENTRIES = 10_000

/** A secret, and what is asked with it. */
type Use = { readonly provider: Provider; readonly target: Target }

type LeftOut = { readonly failure: UpstreamFailure; readonly atMs: number; readonly untilMs: number }
type RefusedSecret = LeftOut & {
  /** How often in a row it was refused; each time lasts twice as long. */
  readonly times: number
  /** Until then a request tries it. */
  trialUntilMs: number
}

const WELL: SecretStanding = { state: 'ok', untilMs: undefined, lastFailure: undefined }

export class SecretHealth {
  /** By account. */
  readonly #refused = new Map<string, RefusedSecret>()
  /** By account, and by the model there. */
  readonly #busy = new Map<string, Map<string, LeftOut>>()

  /** Whether a request may go with the secret as a matter of course. */
  isUsable(use: Use, nowMs: number): boolean {
    return this.untilMs(use) <= nowMs
  }

  /** Until when the secret is left out; 0 for one that is not. */
  untilMs({ provider, target }: Use): number {
    const account = accountId(provider)
    const refused = this.#refused.get(account)
    const busyUntilMs = this.#busy.get(account)?.get(target.upstreamModel)?.untilMs ?? 0
    return Math.max(refused?.untilMs ?? 0, refused?.trialUntilMs ?? 0, busyUntilMs)
  }

  of(account: string, nowMs: number): SecretStanding {
    const refused = this.#refused.get(account)
    if (refused !== undefined) return standing('refused', refused)
    const busy = [...(this.#busy.get(account)?.values() ?? [])].find(({ untilMs }) => nowMs < untilMs)
    return busy === undefined ? WELL : standing('busy', busy)
  }

  /** Why the secret is left out, as a failure that asks for as much patience as is left. */
  reason({ provider, target }: Use, nowMs: number): UpstreamFailure | undefined {
    const account = accountId(provider)
    const busy = this.#busy.get(account)?.get(target.upstreamModel)
    if (this.#refused.has(account) || busy === undefined) return this.#refused.get(account)?.failure
    const { kind, message, status = 429 } = busy.failure
    return new UpstreamFailure(kind, message, { status, retryAfterSeconds: Math.ceil((busy.untilMs - nowMs) / 1000) })
  }

  /** A request goes with the secret. One that was refused is tried by one request at a time. */
  entered({ provider }: Use, nowMs: number): void {
    const refused = this.#refused.get(accountId(provider))
    if (refused !== undefined && refused.untilMs <= nowMs) refused.trialUntilMs = nowMs + SHORTEST_REFUSAL_MS
  }

  /** The provider answered in full. It may have taken the request before it asked for patience. */
  answered({ provider, target }: Use, nowMs: number): void {
    const account = accountId(provider)
    this.#refused.delete(account)
    const busy = this.#busy.get(account)
    if ((busy?.get(target.upstreamModel)?.untilMs ?? nowMs) < nowMs) busy?.delete(target.upstreamModel)
  }

  /** The provider has something against the secret or its account, and not against the request. */
  failed({ provider, target }: Use, failure: UpstreamFailure, nowMs: number): void {
    const account = accountId(provider)
    if (failure.status === 429 && !isOutOfQuota(failure)) {
      const busy = this.#busy.get(account) ?? new Map<string, LeftOut>()
      put(busy, target.upstreamModel, { failure, atMs: nowMs, untilMs: nowMs + patienceMs(failure) })
      return put(this.#busy, account, busy)
    }
    const before = this.#refused.get(account)
    // Many requests that are refused together are one reason to leave it out, not many.
    const times = before === undefined ? 1 : before.times + (before.untilMs <= nowMs ? 1 : 0)
    const untilMs = nowMs + Math.min(LONGEST_REFUSAL_MS, SHORTEST_REFUSAL_MS * 2 ** (times - 1))
    put(this.#refused, account, { failure, atMs: nowMs, untilMs, times, trialUntilMs: 0 })
  }

  /** Forgets what was known of the secrets of a target's provider, because they or the provider are others now. */
  forget({ providerId }: Target): void {
    for (const known of [this.#refused, this.#busy]) {
      for (const account of known.keys()) if (account.startsWith(`${providerId} `)) known.delete(account)
    }
  }
}

function standing(state: 'refused' | 'busy', { failure, atMs, untilMs }: LeftOut): SecretStanding {
  return { state, untilMs, lastFailure: { kind: failure.kind, status: failure.status, atMs } }
}

function patienceMs({ retryAfterSeconds }: UpstreamFailure): number {
  const askedMs = retryAfterSeconds === undefined ? SHORTEST_PATIENCE_MS : retryAfterSeconds * 1000
  return Math.min(LONGEST_PATIENCE_MS, askedMs)
}

function put<Value>(known: Map<string, Value>, key: string, value: Value): void {
  const [oldest] = known.keys()
  if (known.size >= MAX_ENTRIES && oldest !== undefined) known.delete(oldest)
  known.delete(key)
  known.set(key, value)
}
