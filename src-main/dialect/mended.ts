// What is mended in a request that is passed on in its own dialect: only what its provider would refuse, because another
// provider gave it to the client.

import type { CallIds } from '#dialect/call-ids.ts'
import type { JsonEdit } from '#dialect/json-edit.ts'

export type Mended = {
  /** The new texts of members. */
  readonly members: ReadonlyMap<string, string>
  /** What was taken out, by names that a client understands. */
  readonly dropped: readonly string[]
}

export const UNMENDED: Mended = { members: new Map(), dropped: [] }

/** The ids of calls and results in a request that is passed on, and the edits of those that the provider would refuse. */
export class IdEdits {
  readonly edits: JsonEdit[] = []
  readonly #ids: CallIds
  #isAnswered = false

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  /** Something that no assistant said: calls behind it are of another turn. */
  other(): void {
    this.#isAnswered = true
  }

  call(id: unknown, path: JsonEdit['path']): void {
    if (this.#isAnswered) this.#ids.nextTurn()
    this.#isAnswered = false
    if (typeof id === 'string') this.#edit(id, this.#ids.call(id), path)
  }

  /** A result whose call is not in the request keeps its id: the provider may know the call from before. */
  result(id: unknown, path: JsonEdit['path']): void {
    this.other()
    if (typeof id === 'string') this.#edit(id, this.#ids.result(id) ?? id, path)
  }

  #edit(id: string, own: string, path: JsonEdit['path']): void {
    if (own !== id) this.edits.push({ path, value: JSON.stringify(own) })
  }
}
