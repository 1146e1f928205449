// Lists of models in a format's own form.

import type { Model } from '#core/entities.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What a request for a list of models brings that tells whose client asks. */
export type AskedForModels = {
  readonly headers: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}

/** A list of models in a format's own form. */
export interface ModelViews {
  /** Where the list is, with a model below; left out where its clients ask at the common place alone. */
  readonly path?: string
  /** Whether it is read by who asks where all others find the common list. */
  isFor(asked: AskedForModels): boolean
  list(models: readonly Model[]): JsonObject
  show(model: Model): JsonObject
}
