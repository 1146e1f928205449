// A target that does not answer gets a few calls a second, which find out whether it does again. One that refuses our account gets
// none for a moment. Too many calls keep a provider down, and clients that try again send too many, because each of their tries may
// become several here. A target that answers some calls is not restrained.

import { isAboutAccount, type UpstreamFailure } from '#core/failure.ts'

/** Why a target is not asked: it was asked enough, or it refuses our account and was asked a moment ago. */
export type Restrained = { readonly why: 'asked-enough' | 'refuses-account'; readonly waitMs: number }

const WINDOW_MS = 1000
/** A target that answered something less than this ago answers some calls. */
const ANSWERS_MS = 1000
/** How long the word that an account is refused is taken to be still true. */
const REMEMBERED_MS = 5000
/**
 * With 403 providers also refuse what their moderation does not like, and one client must not keep the others from a target: it is
 * about the account only when it comes so often in a row to one key, and then the target is asked less for that key, and not left alone.
 */
const FORBIDDEN_TWICE = 2
const FORBIDDEN = 403
const MAX_FORBIDDEN_KEYS = 1000

type RecentAsks = {
  /** The latest times at which it was asked, as many as count. */
  readonly askedAtMs: number[]
  answeredAtMs: number
  refusedUntilMs: number
  /** How often in a row it said 403, by the key that asked. */
  readonly forbidden: Map<string, number>
}

/** What is known of one target. Times go forward only; a target is told apart by its key. */
export class Restraint {
  readonly #callsPerSecond: number
  readonly #maxTargets: number
  readonly #entries = new Map<string, RecentAsks>()

  /** `callsPerSecond`: what a target gets while it fails; 0 for no bound, also where our account is refused. */
  constructor(callsPerSecond: number, maxTargets: number) {
    this.#callsPerSecond = callsPerSecond
    this.#maxTargets = maxTargets
  }

  /** `isWell`: the target is not failing by what its health says. undefined: the key `by` may ask it now. */
  of(
    key: string,
    nowMs: number,
    { isWell, by }: { readonly isWell: boolean; readonly by: string },
  ): Restrained | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || this.#callsPerSecond === 0) return undefined
    if (nowMs < entry.refusedUntilMs) return { why: 'refuses-account', waitMs: entry.refusedUntilMs - nowMs }
    const isForbidden = (entry.forbidden.get(by) ?? 0) >= FORBIDDEN_TWICE
    if (isWell && !isForbidden) return undefined
    if (nowMs - entry.answeredAtMs < ANSWERS_MS || entry.askedAtMs.length < this.#callsPerSecond) return undefined
    const waitMs = (entry.askedAtMs[0] ?? 0) + WINDOW_MS - nowMs
    return waitMs > 0 ? { why: isForbidden ? 'refuses-account' : 'asked-enough', waitMs } : undefined
  }

  /** Whether a target that fails is held back: it answered nothing of late. */
  isSilent(key: string, nowMs: number): boolean {
    const entry = this.#entries.get(key)
    return this.#callsPerSecond > 0 && entry !== undefined && nowMs - entry.answeredAtMs >= ANSWERS_MS
  }

  /** Whether a target began or ended an answer later than that. */
  hasAnsweredSince(key: string, atMs: number): boolean {
    return (this.#entries.get(key)?.answeredAtMs ?? -Infinity) > atMs
  }

  asked(key: string, nowMs: number): void {
    const { askedAtMs } = this.#entryOf(key)
    askedAtMs.push(nowMs)
    if (askedAtMs.length > this.#callsPerSecond) askedAtMs.shift()
  }

  answered(key: string, nowMs: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.answeredAtMs = nowMs
    entry.refusedUntilMs = 0
    entry.forbidden.clear()
  }

  failed(key: string, failure: UpstreamFailure, nowMs: number, by: string): void {
    // Without a status it is not the provider that refuses: the secret could not be read here.
    if (failure.status === undefined || (failure.kind !== 'secret' && !isAboutAccount(failure))) return
    const entry = this.#entryOf(key)
    if (failure.status !== FORBIDDEN) {
      entry.refusedUntilMs = nowMs + REMEMBERED_MS
      return
    }
    const { forbidden } = entry
    const [oldest] = forbidden.keys()
    if (forbidden.size >= MAX_FORBIDDEN_KEYS && oldest !== undefined) forbidden.delete(oldest)
    forbidden.set(by, (forbidden.get(by) ?? 0) + 1)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #entryOf(key: string): RecentAsks {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const entry: RecentAsks = { askedAtMs: [], answeredAtMs: -Infinity, refusedUntilMs: 0, forbidden: new Map() }
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#maxTargets && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, entry)
    return entry
  }
}
