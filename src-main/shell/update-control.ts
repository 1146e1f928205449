// Looks for updates and carries one through, a step at a time and each when asked.

import {
  judge,
  mayLook,
  UpdateProblem,
  updatePolicy,
  type Build,
  type UpdatePolicy,
  type Updater,
  type UpdateState,
} from '#shell/updates.ts'

export type UpdateOptions = {
  readonly build: Build
  /** undefined where nothing can look for updates. */
  readonly updater: Updater | undefined
  readonly nowMs: () => number
  readonly isDaily: () => boolean
  readonly lastLookMs: () => number | undefined
  /** Called after each look that got an answer. */
  readonly onLook: (atMs: number) => void
  readonly onChange: () => void
  /** Called right before an installation begins. */
  readonly onInstall: (version: string) => void
}

/** How often the daily look is thought of, and for the first time after a start. */
const HOUR_MS = 3_600_000
const FIRST_MS = 60_000

export class UpdateControl {
  readonly #options: UpdateOptions
  readonly #policy: UpdatePolicy
  readonly #timers: readonly NodeJS.Timeout[]
  #state: UpdateState

  constructor(options: UpdateOptions) {
    this.#options = options
    const policy = updatePolicy(options.build)
    const isPossible = options.updater !== undefined
    this.#policy = policy.type === 'none' || isPossible ? policy : { type: 'none', why: 'feed' }
    this.#state = this.#policy.type === 'none' ? { type: 'none', why: this.#policy.why } : { type: 'idle' }
    const look = () => void this.look('timer')
    this.#timers = [setTimeout(look, FIRST_MS), setInterval(look, HOUR_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  get state(): UpdateState {
    return this.#state
  }

  /** Never rejects. */
  async look(occasion: 'asked' | 'timer'): Promise<void> {
    const { updater, build, nowMs, isDaily, lastLookMs, onLook } = this.#options
    const before = this.#state
    const isBusy = ['looking', 'downloading', 'ready'].includes(before.type)
    const times = { isDaily: isDaily(), lastLookMs: lastLookMs(), nowMs: nowMs() }
    if (updater === undefined || isBusy || !mayLook(this.#policy, occasion, times)) return
    this.#show({ type: 'looking' })
    try {
      const looked = await updater.look()
      onLook(nowMs())
      this.#show(judge(looked, build))
    } catch {
      const message = 'The look for updates failed. Is there a connection?'
      // Nobody asked the clock to look, so that what it could not find changes nothing, and it tries again.
      this.#show(occasion === 'asked' ? { type: 'failed', message } : before)
    }
  }

  /** Fetches the update that was offered. Never rejects. */
  async download(): Promise<void> {
    const { updater } = this.#options
    const offered = this.#state
    if (updater === undefined || offered.type !== 'offered' || !offered.canInstall) return
    this.#show({ type: 'downloading', version: offered.version })
    try {
      await updater.download()
      this.#show({ type: 'ready', version: offered.version })
    } catch (error) {
      const message = `Farebox ${offered.version} could not be downloaded, or was not signed by the project of Farebox.`
      this.#show({ type: 'failed', message: error instanceof UpdateProblem ? error.message : message })
    }
  }

  /** What replaces the program, to be called last; undefined unless an update was downloaded. It only ever rejects. */
  installer(): (() => Promise<never>) | undefined {
    const { updater, onInstall } = this.#options
    const ready = this.#state
    if (updater === undefined || ready.type !== 'ready') return undefined
    return () => {
      onInstall(ready.version)
      return updater.install()
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #show(state: UpdateState): void {
    this.#state = state
    this.#options.onChange()
  }
}
