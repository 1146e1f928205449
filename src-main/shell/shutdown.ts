// The one way in which the program ends, whoever asked for it: the menu, the keyboard, a signal, the end of the session or an
// update. Running answers end as they do when the gateway stops, and what is owed is on disk before the process is gone.

export type ShutdownOptions = {
  /** Everything that has to be done before the process may end. Called once. */
  readonly finish: () => Promise<void>
  /** Ends the process. */
  readonly exit: (code: number) => void
  /** Longer than finishing may take; then the process ends as it stands. */
  readonly limitMs: number
}

export class Shutdown {
  readonly #options: ShutdownOptions
  #ending: Promise<void> | undefined

  constructor(options: ShutdownOptions) {
    this.#options = options
  }

  /** Whether the end has begun: windows then close instead of hiding. */
  get hasBegun(): boolean {
    return this.#ending !== undefined
  }

  /** Begins the end, or waits for the one that has begun. Whatever `last` does comes right before the process is gone. */
  begin(last: () => void = () => undefined): Promise<void> {
    this.#ending ??= this.#end(last)
    return this.#ending
  }

  async #end(last: () => void): Promise<void> {
    const { finish, exit, limitMs } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), limitMs)))
    const outcome = await Promise.race([
      finish().then(
        () => 'done' as const,
        () => 'failed' as const,
      ),
      late,
    ])
    clearTimeout(timer)
    last()
    exit(outcome === 'done' ? 0 : 1)
  }
}
