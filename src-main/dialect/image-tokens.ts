// What images are counted at: by OpenAI's published squares, and the most that any vendor documents for an image of a size.

import type { ImageSize } from '#dialect/image-size.ts'

/** OpenAI's squares have sides of so many pixels. */
const SQUARE = 512
/** Gemini cuts larger images into tiles of at least and at most so many pixels, at so many tokens each. */
const TILE_MIN = 256
const TILE_MAX = 768
const TILE_TOKENS = 258
/** Gemini counts an image, however small, at this where the finest resolution is asked for. */
const MIN_TOKENS = 2_240
/** The finest patches of those that count by patches (Mistral's), with a token for each row, and the most patches (Qwen's). */
const PATCH = 16
const MAX_PATCHES = 16_384
/** gpt-4o-mini counts 33 times what gpt-4o does, so that an image costs the same. Nobody else comes near. */
const MINI = /4o-mini/i
const MINI_TOKENS = 2_833
const MINI_SQUARE_TOKENS = 5_667
/** For an image whose size nobody can see: more than any of these comes to below 100 million pixels. */
const UNKNOWN = 50_000

/**
 * The squares of 512 pixels that cover an image, after it was made to fit into 2048 pixels square and its shorter side then
 * into 768: the published formula.
 */
export function squaresOf({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
  const squares = (side: number) => Math.max(1, Math.ceil(Math.round(side * scale) / SQUARE))
  return squares(width) * squares(height)
}

/** What one image can come to, at most; `mini` is for gpt-4o-mini. */
export type ImageTokens = { readonly most: number; readonly mini: number }

/** The most tokens that vendors document for an image; undefined stands for a size that cannot be read. */
export function mostImageTokens(size: ImageSize | undefined): ImageTokens {
  if (size === undefined) return { most: UNKNOWN, mini: UNKNOWN }
  const most = Math.max(MIN_TOKENS, patchesOf(size), tileTokens(size))
  return { most, mini: Math.max(most, MINI_TOKENS + squaresOf(size) * MINI_SQUARE_TOKENS) }
}

/** Whether one of the models may count images as gpt-4o-mini does. Nobody knows of models that are not named. */
export function mayBeMini(upstreamModels: readonly string[] | undefined): boolean {
  return upstreamModels === undefined || upstreamModels.some((name) => MINI.test(name))
}

function patchesOf({ width, height }: ImageSize): number {
  return Math.min(MAX_PATCHES, (Math.ceil(width / PATCH) + 1) * Math.ceil(height / PATCH))
}

function tileTokens({ width, height }: ImageSize): number {
  const side = Math.min(TILE_MAX, Math.max(TILE_MIN, Math.floor(Math.min(width, height) / 1.5)))
  return Math.ceil(width / side) * Math.ceil(height / side) * TILE_TOKENS
}
