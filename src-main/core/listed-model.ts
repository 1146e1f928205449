// What a provider tells about one of its models, in whatever dialect it lists them.

import { MODEL_KINDS } from '#contract/dialects.ts'
import type { ModelKind } from '#core/entities.ts'
import type { ProviderDialect } from '#core/provider-dialect.ts'

/** USD per million tokens. A class that is not told has no member. */
export type ListedPrice = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/**
 * Who says what a model is for: an administrator, the price card, its provider, or its name alone, which is a guess.
 */
export const KIND_SOURCES = ['administrator', 'card', 'provider', 'name'] as const
export type KindSource = (typeof KIND_SOURCES)[number]

/** The first that fits: some makers have the names of two kinds in one. */
const NAMED_KINDS: readonly (readonly [ModelKind, RegExp])[] = [
  ['rerank', /rerank/i],
  ['moderation', /moderation/i],
  ['embedding', /embed/i],
  ['image', /^(?:gpt-image|dall-e|chatgpt-image)|\b(?:imagen|flux)\b|stable-diffusion/i],
  ['speech', /\btts\b/i],
  ['transcription', /whisper|transcribe/i],
]

/** The kind that a model's name suggests, for models whose kind is not known otherwise. */
export function kindByName(name: string): ModelKind {
  return NAMED_KINDS.find(([, words]) => words.test(name))?.[0] ?? 'chat'
}

/** The kind of that name; undefined where there is none. */
export function kindCalled(name: string | undefined): ModelKind | undefined {
  return MODEL_KINDS.find((kind) => kind === name)
}

const MAX_COUNT = 1_000_000_000

/** A number of tokens that a list tells; undefined for what cannot be one. */
export function listedCount(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_COUNT
  return isCount ? value : undefined
}

/** undefined: the provider does not say. */
export type ListedModel = {
  readonly id: string
  readonly displayName: string | undefined
  /** `other` is for what nothing here is for, such as films. */
  readonly kind: ModelKind | 'other' | undefined
  readonly contextWindow: number | undefined
  readonly maxOutputTokens: number | undefined
  readonly price: ListedPrice | undefined
}

/** Where a provider lists its models, and in whose words. */
export type ModelListPlace = {
  readonly baseUrl: string
  readonly dialect: ProviderDialect
  /** Whether a `pricing` in the list is known to be in USD per token; prices of unknown units are worse than none. */
  readonly tellsPrices: boolean
}
