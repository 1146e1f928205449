// How providers list their models, whatever their dialect.

import type { ListedModel } from '#core/listed-model.ts'
import type { JsonObject } from '#dialect/turn.ts'

type Query = Readonly<Record<string, string>>

/** The entries of one page of a list of models. */
export type ModelEntries = {
  readonly entries: readonly JsonObject[]
  /** What to add to the query for the next page; undefined at the end. */
  readonly next: Query | undefined
}

/** How a dialect's providers list their models. Lists are loose: what is missing or odd is left out. */
export interface ModelList {
  /** What asks for pages as long as there are. */
  readonly query: Query
  /** undefined for something that is no list of models. */
  readPage(body: unknown): ModelEntries | undefined
  /** What an entry tells, for dialects whose entries are unlike those that most providers copied. */
  readonly readModel?: (entry: JsonObject) => ListedModel
}
