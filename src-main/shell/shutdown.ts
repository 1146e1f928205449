// The one way in which the program ends, whoever asked for it: the menu, the keyboard, a signal, the end of the session or an
// update. Running answers end as they do when the gateway stops, and every charge is on disk before the process is gone.

export type ShutdownOptions = {
  /** Everything that has to be done before the process may end. Called once. */
  readonly finish: () => Promise<void>
  /** Ends the process. */
  readonly exit: (code: number) => void
  /** Longer than finishing may take; then the process ends as it stands. */
  readonly limitMs: number
  /** Says why the end was not as it should be. */
  readonly note: (line: string) => void
}

/** How long an installer may take until it ends this process; macOS unpacks the whole program first. */
const LAST_LIMIT_MS = 5 * 60_000

export class Shutdown {
  readonly #options: ShutdownOptions
  #ending: Promise<void> | undefined
  #mayQuit = false

  constructor(options: ShutdownOptions) {
    this.#options = options
  }

  /** Whether the end has begun: windows then close instead of hiding. */
  get hasBegun(): boolean {
    return this.#ending !== undefined
  }

  /** Whether all is done, so that Electron may end the process itself: an installer waits for that. */
  get mayQuit(): boolean {
    return this.#mayQuit
  }

  /**
   * Begins the end, or waits for the one that has begun. `last` hands the process over to something that ends it, when everything was
   * done: it is not called after an end that was late or failed, because a new program must not find half-written charges.
   */
  begin(last?: () => Promise<never>): Promise<void> {
    this.#ending ??= this.#end(last)
    return this.#ending
  }

  async #end(last: (() => Promise<never>) | undefined): Promise<void> {
    const { finish, exit, limitMs, note } = this.#options
    const outcome = await within(limitMs, finish)
    this.#mayQuit = outcome === 'done'
    if (outcome !== 'done')
      note(
        outcome === 'late' ? 'Running answers took too long to end.' : 'Something went wrong while Farebox was ending.',
      )
    if (outcome !== 'done' || last === undefined) return exit(outcome === 'done' ? 0 : 1)
    await within(LAST_LIMIT_MS, last)
    note('The update could not be installed.')
    exit(1)
  }
}

async function within(limitMs: number, work: () => Promise<void>): Promise<'done' | 'failed' | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), limitMs)))
  const done = async () => {
    try {
      await work()
      return 'done' as const
    } catch {
      // The caller decides what an end that failed means; what it said may quote content.
      return 'failed' as const
    }
  }
  const outcome = await Promise.race([done(), late])
  clearTimeout(timer)
  return outcome
}
