// Ids of tool calls as Anthropic takes them: letters, digits, `_` and `-`, and no two calls of a conversation with the same.
// Other makers' ids have dots and colons, and some count from 0 again in every turn. The same conversation always gives the
// same ids, also when it has grown, so that the provider's cache knows it again.

export class CallIds {
  readonly #used = new Set<string>()
  readonly #counts = new Map<string, number>()
  /** The ids given to the calls of a name that have no result yet, in their order. */
  readonly #open = new Map<string, string[]>()

  /** The id of a call. */
  call(id: string): string {
    const plain = id.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
    const stem = plain === '' ? 'call' : plain
    let given = stem
    let count = this.#counts.get(stem) ?? 1
    while (this.#used.has(given)) given = `${stem}_${++count}`
    this.#counts.set(stem, count)
    this.#used.add(given)
    const open = this.#open.get(id)
    if (open === undefined) this.#open.set(id, [given])
    else open.push(given)
    return given
  }

  /** The id of the call that a result answers; undefined for one without a call. */
  result(id: string): string | undefined {
    return this.#open.get(id)?.shift()
  }
}
