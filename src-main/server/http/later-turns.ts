// Requests that wait for a turn of the event loop in which few of their kind are begun.

/** So many are begun in one turn. */
const PER_TURN = 2

/**
 * Begins tasks in the order in which they came, a few in each turn of the event loop. Who floods has all their connections ready in one turn, and
 * everybody else would wait, several times for each call, until all of those are served. There is at most one for each request under way.
 */
export class LaterTurns {
  #waiting: (() => void)[] = []
  #isScheduled = false

  add(task: () => void): void {
    this.#waiting.push(task)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const begun = this.#waiting.splice(0, PER_TURN)
      this.#schedule()
      for (const task of begun) task()
    })
  }
}
