// Looks for updates and carries one through, a step at a time and each when asked.

import {
  judge,
  mayLook,
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
  readonly onLook: (atMs: number) => void
  readonly onChange: () => void
}

/** How often the daily look is thought of. */
const HOUR_MS = 3_600_000

export class UpdateControl {
  readonly #options: UpdateOptions
  readonly #policy: UpdatePolicy
  readonly #timer: NodeJS.Timeout
  #state: UpdateState

  constructor(options: UpdateOptions) {
    this.#options = options
    const policy = updatePolicy(options.build)
    const isPossible = options.updater !== undefined
    this.#policy = policy.type === 'none' || isPossible ? policy : { type: 'none', why: 'this build has no updater' }
    this.#state = this.#policy.type === 'none' ? { type: 'none', why: this.#policy.why } : { type: 'idle' }
    this.#timer = setInterval(() => void this.look('timer'), HOUR_MS)
    this.#timer.unref()
  }

  get state(): UpdateState {
    return this.#state
  }

  /** Never rejects. */
  async look(occasion: 'asked' | 'timer'): Promise<void> {
    const { updater, build, nowMs, isDaily, lastLookMs, onLook } = this.#options
    const isBusy = ['looking', 'downloading', 'ready'].includes(this.#state.type)
    const times = { isDaily: isDaily(), lastLookMs: lastLookMs(), nowMs: nowMs() }
    if (updater === undefined || isBusy || !mayLook(this.#policy, occasion, times)) return
    this.#show({ type: 'looking' })
    onLook(nowMs())
    try {
      this.#show(judge(await updater.look(), build))
    } catch {
      this.#show({ type: 'failed', message: 'The look for updates failed. Is there a connection?' })
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
    } catch {
      this.#show({ type: 'failed', message: `Farebox ${offered.version} could not be downloaded, or was not ours.` })
    }
  }

  /** What replaces the program, to be called last; undefined unless an update was downloaded. */
  installer(): (() => void) | undefined {
    const { updater } = this.#options
    return updater !== undefined && this.#state.type === 'ready' ? () => updater.installAndRestart() : undefined
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #show(state: UpdateState): void {
    this.#state = state
    this.#options.onChange()
  }
}
