// Token counts of one answer in disjoint classes. `undefined` means that nobody said; it is never read as 0.

export type TokenUsage = {
  /** Input tokens that were neither read from nor written to a provider's cache. */
  readonly inputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  /** All output tokens that are paid for, reasoning included. */
  readonly outputTokens: number | undefined
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens: number | undefined
}

/** Where the counts of a usage record come from: the provider said so, we estimated, or nothing was used. */
export type UsageSource = 'reported' | 'estimated' | 'none'

export const UNKNOWN_USAGE: TokenUsage = {
  inputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

/** All tokens of an input, whatever of it was cached. */
export function inputTotal({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage): number {
  return (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
}

/**
 * A provider's count as a count. undefined for anything but a finite number of at least 0: a count below 0 says nothing, and
 * reading it as 0 would make the answer free.
 */
export function tokenCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  return Math.min(Math.ceil(value), MAX_TOKENS)
}

/** No real answer comes near this; a larger count is a provider's mistake and is cut here so that sums stay exact. */
export const MAX_TOKENS = 1_000_000_000
