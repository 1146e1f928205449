// Token counts of one answer in disjoint classes. `undefined` means that nobody said; it is never read as 0.

import type { PartClass } from '#contract/price-classes.ts'

export type TokenUsage = {
  /** Input tokens that were neither read from nor written to a provider's cache. */
  readonly inputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  /** All output tokens that are paid for, reasoning included. */
  readonly outputTokens: number | undefined
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens: number | undefined
  /** What most answers do not have: parts with a price of their own, what is not counted in tokens, another service tier. */
  readonly details?: UsageDetails | undefined
}

/** Counts as an event has them. */
export type ReportedCounts = TokenUsage & {
  /** Where it is all that the event says. */
  readonly totalTokens?: number | undefined
}

export type UsageDetails = {
  /** Each is within the class that it is a part of; a part of 0 tokens is left out. */
  readonly parts?: Readonly<Partial<Record<CountedPart, number>>> | undefined
  readonly units?: Units | undefined
  /** The service tier that the call was served at; none for the standard one. */
  readonly tier?: string | undefined
  /** What the answer itself says that its provider bills for it, in billionths of a US dollar. Nothing is charged by it. */
  readonly billedNano?: number | undefined
}

/** The details, or undefined where nothing is in them. */
export function someDetails(details: UsageDetails): UsageDetails | undefined {
  const { parts, units, tier, billedNano } = details
  return (parts ?? units ?? tier ?? billedNano) === undefined ? undefined : details
}

/** Reasoning has a count of its own in every usage. */
export type CountedPart = Exclude<PartClass, 'reasoning'>

/** Whole numbers of what is not counted in tokens, by its name: `web_search`, `second`, `image/1024x1024/high`. */
export type Units = Readonly<Record<string, number>>

/** Where the counts of a usage record come from: the provider said so, we estimated, or nothing was used. */
export type UsageSource = 'reported' | 'estimated' | 'none'

export const UNKNOWN_USAGE: TokenUsage = {
  inputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

/** The counts of a usage record, as its row has them. */
export type UsageCounts = {
  readonly input_tokens: number | null
  readonly cache_read_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly output_tokens: number | null
  readonly reasoning_tokens: number | null
  /** What is told apart beside these, as JSON text. */
  readonly details: string | null
}

export function usageOfRow(row: UsageCounts): TokenUsage {
  return {
    inputTokens: row.input_tokens ?? undefined,
    cacheReadTokens: row.cache_read_tokens ?? undefined,
    cacheWriteTokens: row.cache_write_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    reasoningTokens: row.reasoning_tokens ?? undefined,
    // Written by this program, from a usage.
    ...(row.details === null ? undefined : { details: JSON.parse(row.details) as UsageDetails }),
  }
}

/** All tokens of an input, whatever of it was cached. */
export function inputTotal({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage): number {
  return (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
}

/**
 * A provider's count as a count. undefined for anything but a number from 0 to `MAX_TOKENS`: a count below 0, or one beyond all
 * reason, says nothing. Reading it as 0 would make the answer free.
 */
export function tokenCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= MAX_TOKENS)) return undefined
  return Math.ceil(value)
}

/** No real answer comes near this. Sums of smaller counts stay exact. */
export const MAX_TOKENS = 1_000_000_000
