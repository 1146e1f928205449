// Bodies of very many parts take some tens of milliseconds each to parse and to go through. Conversations among them go to a thread of
// their own; all others take turns, and as much time as each takes is left to everybody else before the next one, so that a crowd of them
// does not become one long wait.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** What has fewer waits for nobody: a few milliseconds. */
export const DENSE_PARTS = 10_000
/** About so many are gone through in a millisecond. */
const PARTS_PER_MS = 2000

export class DenseBodies {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves when it is the turn of a body of so many parts. */
  async turn(parts: number): Promise<void> {
    if (parts < DENSE_PARTS) return
    const own = this.#last.then(() => nextTurn())
    this.#last = own.then(() => sleep(parts / PARTS_PER_MS))
    await own
  }
}
