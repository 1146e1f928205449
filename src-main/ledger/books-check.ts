// The check of every entry beside the calls, after a start that took summaries for the older ones. Where it cannot be made it
// is tried again for as long as Farebox runs, and until then the result is shown as unknown.

import type { LedgerReport } from '#core/ledger-report-view.ts'

/** `unchecked`: it was tried, could not be made, and will be tried again. */
export type CheckState = 'checking' | 'checked' | 'unchecked'

export type BooksCheckOptions = {
  readonly verify: () => Promise<LedgerReport>
  readonly nowMs: () => number
  readonly onProblems: (problems: readonly string[]) => void
  /** Told each time that the check could not be made, with the time until the next try. */
  readonly onFailure: (error: unknown, retryMs: number) => void
}

const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 3_600_000

export class BooksCheck {
  readonly #options: BooksCheckOptions
  #state: CheckState = 'checking'
  #checkedAtMs: number | undefined
  #retryMs = FIRST_RETRY_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: BooksCheckOptions) {
    this.#options = options
  }

  get state(): CheckState {
    return this.#state
  }

  /** When all entries were last checked; undefined if they were not since the start. */
  get checkedAtMs(): number | undefined {
    return this.#checkedAtMs
  }

  /** For books that were read in full already. */
  skip(): void {
    this.#succeed()
  }

  /** Checks now, and again later where that fails. Never rejects. */
  async run(): Promise<void> {
    const { verify, onProblems, onFailure } = this.#options
    try {
      const { problems } = await verify()
      if (this.#isClosed) return
      this.#succeed()
      if (problems.length > 0) onProblems(problems)
    } catch (error) {
      if (this.#isClosed) return
      this.#state = 'unchecked'
      const retryMs = this.#retryMs
      this.#retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
      this.#timer = setTimeout(() => void this.run(), retryMs)
      onFailure(error, retryMs)
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #succeed(): void {
    this.#state = 'checked'
    this.#checkedAtMs = this.#options.nowMs()
  }
}
