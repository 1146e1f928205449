// Pages that the command line writes so that a browser signs in with a ticket. They go once their tickets are of no use.

import { removeOpenPages } from '#app/notes.ts'
import { OPEN_PAGE_LIFE_MS } from '#core/open-page.ts'

/** So that a page is surely too old when it is looked for. */
const LATER_MS = 5000

export class OpenPages {
  readonly #dataDir: string
  #timer: NodeJS.Timeout | undefined

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** To be called for each ticket: the command line may have put it into a page. */
  ticketMade(): void {
    const remove = () => removeOpenPages(this.#dataDir, Date.now() - OPEN_PAGE_LIFE_MS)
    remove()
    this.stop()
    this.#timer = setTimeout(remove, OPEN_PAGE_LIFE_MS + LATER_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
