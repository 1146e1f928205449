// An answer of a provider: as it comes whole, as it comes in a stream, and what is in it, in no dialect's words.

import type { JsonObject } from '#dialect/turn.ts'

/** A `seal` is a block of reasoning without a text. */
export type BlockKind = 'text' | 'reasoning' | 'seal' | 'tool' | 'refusal'

export type Finish = 'stop' | 'tools' | 'length' | 'filter'

export type Holds = {
  /** In their order, as the provider gave them. */
  readonly blocks: readonly BlockKind[]
  readonly text?: string
  readonly reasoning?: string
  readonly refusal?: string
  readonly tools?: readonly { readonly name: string; readonly arguments: JsonObject }[]
  readonly finish: Finish
  /** All input, cached or not, and all output; undefined where the provider does not say. */
  readonly usage?: { readonly input: number; readonly cached: number; readonly output: number }
}

export type AnswerFixture = {
  readonly name: string
  readonly whole?: JsonObject
  /** The text of the stream. */
  readonly stream?: string
  /** What every client must find in it; undefined where the answer is a failure. */
  readonly holds?: Holds
}

export const dataEvents = (...values: readonly unknown[]) =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')

export const typedEvents = (...values: readonly JsonObject[]) =>
  values.map((value) => `event: ${String(value['type'])}\ndata: ${JSON.stringify(value)}\n\n`).join('')

/** Text that breaks careless readers: several bytes a character, surrogate pairs, line separators, quotes. */
export const UNICODE = 'Grüße, 世界! 👩‍🚀 "quoted" \\ back\u2028slash\nnew line\ttab'
export const TEXT = 'The sun is shining in Bern.'
export const REASONING = 'The user asks for the weather, so I look at the sky.'
