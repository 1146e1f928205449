// Remembers how much of a conversation's input its provider had in its cache when it last said so. A call that is interrupted before
// its provider reports has most likely the same share: without it, one that was left early would cost more than one that was not.

import type { Target } from '#core/entities.ts'
import { inputTotal, type TokenUsage } from '#core/usage.ts'

/** What a call of a conversation was told about its input, in tokens. */
export type CachedShare = { readonly cachedTokens: number; readonly inputTokens: number }

export type ConversationCall = {
  readonly keyId: string
  readonly target: Target
  /** What its conversation is known by; asked for only where there is something to remember or to find. */
  readonly conversation: () => string | undefined
}

/** Far more conversations than run at once; the oldest are forgotten beyond it. */
const MAX_CONVERSATIONS = 10_000
/** Providers keep what they cached for at least so long after its last use. */
const KEPT_MS = 5 * 60_000

type KeptShare = CachedShare & { readonly untilMs: number }

export class CachedShares {
  readonly #entries = new Map<string, KeptShare>()

  /** Notes what a provider reported. An input of which nothing was cached takes back what was known before. */
  note(call: ConversationCall, usage: TokenUsage, nowMs: number): void {
    const cachedTokens = usage.cacheReadTokens ?? 0
    if (cachedTokens === 0 && this.#entries.size === 0) return
    const name = nameOf(call)
    if (name === undefined) return
    this.#entries.delete(name)
    if (cachedTokens === 0) return
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MAX_CONVERSATIONS && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(name, { cachedTokens, inputTokens: inputTotal(usage), untilMs: nowMs + KEPT_MS })
  }

  /** What the last call of the conversation was told at that target; undefined where it was told nothing, or too long ago. */
  of(call: ConversationCall, nowMs: number): CachedShare | undefined {
    if (this.#entries.size === 0) return undefined
    const entry = this.#entries.get(nameOf(call) ?? '')
    return entry === undefined || nowMs >= entry.untilMs ? undefined : entry
  }

  /** Forgets what was known of a target, because from now on it is another one behind the same name. */
  forget(target: Target): void {
    for (const name of this.#entries.keys()) if (name.includes(targetPart(target))) this.#entries.delete(name)
  }
}

/** The same share of another input, and never more tokens than were cached then. */
export function cachedTokensOf(share: CachedShare | undefined, inputTokens: number): number {
  if (share === undefined || share.inputTokens === 0) return 0
  return Math.min(share.cachedTokens, Math.floor((inputTokens * share.cachedTokens) / share.inputTokens))
}

function nameOf({ keyId, target, conversation }: ConversationCall): string | undefined {
  const name = conversation()
  return name === undefined ? undefined : `${keyId}${targetPart(target)}${name}`
}

function targetPart({ providerId, upstreamModel }: Target): string {
  return `\0${providerId}\0${upstreamModel}\0`
}
