// Which cache marks go to the provider. Anthropic takes four at most ("A maximum of 4 blocks with cache_control may be
// provided"), and wants those that live an hour before those that live five minutes.

import type { CacheMark, JsonObject } from '#dialect/turn.ts'

const MAX_MARKS = 4
const HOUR = '1h'

/** A block of a request while it is written. */
export type WireBlock = Record<string, unknown>

/** In the order in which the provider reads a request. */
type RequestSection = 'tools' | 'system' | 'messages'

export class CacheMarks {
  readonly #marked: { readonly part: RequestSection; readonly block: WireBlock; readonly mark: CacheMark }[] = []

  get isEmpty(): boolean {
    return this.#marked.length === 0
  }

  add(part: RequestSection, block: WireBlock, mark: CacheMark | undefined): void {
    if (mark !== undefined) this.#marked.push({ part, block, mark })
  }

  /**
   * Puts the marks that are kept on their blocks. The last ones of tools and of instructions are worth most, as all requests
   * of a client share them; then the last ones of the conversation, where the next request goes on. Returns whether any mark
   * was left out.
   */
  apply(): boolean {
    if (this.isEmpty) return false
    const last = (part: RequestSection) => this.#marked.findLast((entry) => entry.part === part)
    const kept = new Set([last('tools'), last('system')].filter((entry) => entry !== undefined))
    const byWorth = [
      ...this.#marked.filter((entry) => entry.part === 'messages').toReversed(),
      ...this.#marked.filter((entry) => entry.part !== 'messages').toReversed(),
    ]
    for (const entry of byWorth) if (kept.size < MAX_MARKS) kept.add(entry)
    let isHourAllowed = true
    for (const part of ['tools', 'system', 'messages'] satisfies RequestSection[]) {
      for (const entry of this.#marked) {
        if (entry.part !== part || !kept.has(entry)) continue
        isHourAllowed &&= entry.mark.ttl === HOUR
        entry.block['cache_control'] = cacheControl(isHourAllowed)
      }
    }
    return kept.size < this.#marked.length
  }
}

function cacheControl(isHour: boolean): JsonObject {
  return isHour ? { type: 'ephemeral', ttl: HOUR } : { type: 'ephemeral' }
}
