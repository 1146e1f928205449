// Tokens that a provider is shown in place of the secret with which they are got. They are in memory alone, and renewed before they
// run out by the calls that need them: one renewal at a time, for all of them. Loaded with the first provider that needs it.

import type { Provider } from '#core/entities.ts'
import type { TokenSecret } from '#core/token-secrets.ts'
import { askForToken, type Granted, type TokenDoor } from '#provider/token-endpoint.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type TokenDeps = TokenDoor & {
  readonly secrets: Pick<SecretKeeper, 'noteToken'>
  /** Milliseconds that only ever go forward. It may stand still while the machine sleeps. */
  readonly monotonicMs: () => number
}

/** A token is not used for the last part of its life: it has to reach the provider, whose clock is another one. */
const SPARE_SHARE = 0.05
const MAX_SPARE_MS = 30_000
/** So much of its life is left when the next one is got beside the calls, which go on with the one that there is. */
const EARLY_SHARE = 0.2
const MAX_EARLY_MS = 300_000
/** How long a failed renewal is not tried again; calls that have no token are told of it. */
const AGAIN_MS = 1_000

type Instant = { readonly nowMs: number; readonly monotonicMs: number }
type Token = { readonly text: string; readonly since: Instant; readonly goodMs: number; readonly freshMs: number }

/** The tokens that one secret of a provider gets. */
export class Tokens {
  readonly #provider: Provider
  readonly #secret: TokenSecret
  readonly #deps: TokenDeps
  #token: Token | undefined
  #renewal: Promise<string> | undefined
  #failed: { readonly failure: unknown; readonly since: Instant } | undefined

  constructor(provider: Provider, secret: TokenSecret, deps: TokenDeps) {
    this.#provider = provider
    this.#secret = secret
    this.#deps = deps
  }

  /** A token that is good now. Rejects with an UpstreamFailure. */
  async current(): Promise<string> {
    const token = this.#token
    if (token === undefined) return this.#renewed()
    const ageMs = this.#ageMs(token.since)
    if (ageMs >= token.goodMs) return this.#renewed()
    // A failure of this one is for those who come when the token has run out.
    if (ageMs >= token.freshMs) void this.#renewed().catch(() => undefined)
    return token.text
  }

  /** The provider refuses a token, which may have been revoked: the next call gets another. */
  refused(text: string): void {
    if (this.#token?.text === text) this.#token = undefined
  }

  async #renewed(): Promise<string> {
    if (this.#failed !== undefined && this.#ageMs(this.#failed.since) < AGAIN_MS) throw this.#failed.failure
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  async #renew(): Promise<string> {
    const since = this.#instant()
    this.#failed = undefined
    try {
      const granted = await askForToken(this.#provider, this.#secret, this.#deps)
      this.#deps.secrets.noteToken(this.#provider.id, granted.text, this.#provider.chosen?.label)
      this.#token = tokenOf(granted, since)
      return granted.text
    } catch (error) {
      this.#failed = { failure: error, since: this.#instant() }
      throw error
    }
  }

  #instant(): Instant {
    return { nowMs: this.#deps.nowMs(), monotonicMs: this.#deps.monotonicMs() }
  }

  /** By the clock that went further: one may stand still while the machine sleeps, the other may be set back. */
  #ageMs({ nowMs, monotonicMs }: Instant): number {
    return Math.max(this.#deps.nowMs() - nowMs, this.#deps.monotonicMs() - monotonicMs)
  }
}

function tokenOf({ text, lifeMs }: Granted, since: Instant): Token {
  const goodMs = lifeMs - Math.min(lifeMs * SPARE_SHARE, MAX_SPARE_MS)
  return { text, since, goodMs, freshMs: goodMs - Math.min(lifeMs * EARLY_SHARE, MAX_EARLY_MS) }
}
