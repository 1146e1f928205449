// Embeddings in no format's words: what is asked, and what comes back.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { RequestBody } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** In which form the vectors are wanted: as numbers or packed by OpenAI's clients, one or several by Google's. */
export type EmbeddingForm = 'float' | 'base64' | 'single' | 'batch'

/** What routing and metering need of a request for embeddings. */
export type EmbeddingRequest = {
  readonly model: string
  readonly form: EmbeddingForm
  /** How many tokens the client sent as tokens; undefined where it sent text. */
  readonly tokenCount: number | undefined
  readonly inputCount: number
  /** Whether there is one text alone, which can be no longer than the context. */
  readonly isLone: boolean
  /** What makes the input larger than the request, in words; made when it is asked for. */
  readonly references: () => readonly string[]
  readonly body: RequestBody
}

/** A request for embeddings in no format's words. */
export type EmbeddingWish = {
  /** Texts, or lists of tokens. */
  readonly inputs: readonly (string | readonly number[])[]
  readonly dimensions: number | undefined
  /** Members that no other format has. */
  readonly dropped: readonly string[]
}

/** Numbers, or 32-bit floats packed in base64. */
export type Vector = string | readonly number[]

export type Embeddings = {
  readonly vectors: readonly Vector[]
  /** Counts in the provider's words, read; undefined where there are none. */
  readonly usage: TokenUsage | undefined
}

/** Embeddings as the providers of a dialect make them. */
export interface EmbeddingProvider {
  write(wish: EmbeddingWish, upstreamModel: string): { readonly path: string; readonly body: string } | Refusal
  /** Throws UpstreamFailure for what is no answer of the format. */
  read(answer: JsonObject): Embeddings
}
