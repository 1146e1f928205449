// How providers list their models, whatever their dialect.

import type { ListedModel } from '#core/listed-model.ts'
import type { WireDialect } from '#core/provider-dialect.ts'
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

/** The form of a dialect's lists and errors, by which it is known where another one was expected. */
export interface Form {
  /** The dialect that is named where the form is seen: some dialects have one form. */
  readonly dialect: WireDialect
  /** Whether this is a list of models in this form. */
  isList(body: unknown): boolean
  /** Whether this is an error in this form. */
  isError(body: unknown): boolean
  /** Whether an error alone shows that the dialect is spoken at a base URL; where it is left out, a provider has to be asked more. */
  readonly isProof?: (baseUrl: string) => boolean
}
