// What is found on the way through a request: the first thing that is wrong with it, and what of it is dropped. Readers go
// on with a placeholder after a problem, and whoever started them answers with the refusal; so no reader of a part has to
// pass one on.

import { refuse, type Refusal } from '#core/refusal.ts'

/** Names come from the client and go into a header: bounded in number and length. */
const MAX_DROPPED = 64
const PLAIN_NAME = /^[\w.[\] -]{1,64}$/

export class Notes {
  problem: Refusal | undefined
  readonly #dropped = new Set<string>()

  /** `says` completes the sentence that begins with the member's path. */
  wrong(param: string, says: string): undefined {
    this.problem ??= refuse('invalid_request', `'${param}' ${says}.`, { param })
  }

  drop(name: string): void {
    if (this.#dropped.size < MAX_DROPPED) this.#dropped.add(PLAIN_NAME.test(name) ? name : 'members with unusual names')
  }

  get dropped(): readonly string[] {
    return [...this.#dropped]
  }
}

/** null in a body counts as not given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
