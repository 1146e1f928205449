// Runs the process that talks to the keychain: started by the first call, ended when there was none for a while, killed when
// a call takes too long. Secrets reach it through a pipe that only the two processes have.

import { SecretFailure, type SecretTrouble } from '#core/secret-failure.ts'
import { forkKeychain, type KeychainChild, type StartKeychain } from '#secret/keychain-child.ts'
import type { KeychainAnswer, KeychainRequest, KeychainResult } from '#secret/keychain-operations.ts'

export type KeychainCallerOptions = {
  /** The file of the process. */
  readonly script: URL
  /** How it is started; as a child of Node unless given. */
  readonly start?: StartKeychain
  /** For how long the process is kept without work. */
  readonly idleMs?: number
}

/** How long a call may take, and what it means when it takes longer. */
export type Limit = { readonly ms: number; readonly trouble: SecretTrouble }

type Waiting = {
  readonly resolve: (result: Exclude<KeychainResult, { type: 'failed' }>) => void
  readonly reject: (failure: SecretFailure) => void
  readonly timer: NodeJS.Timeout
}

const IDLE_MS = 10_000
/** Each is one provider's secret; more at a time means that the keychain does not answer. */
const MAX_WAITING = 64

export class KeychainCaller {
  readonly #options: KeychainCallerOptions
  readonly #waiting = new Map<number, Waiting>()
  #child: KeychainChild | undefined
  #idle: NodeJS.Timeout | undefined
  #calls = 0

  constructor(options: KeychainCallerOptions) {
    this.#options = options
  }

  /** Rejects with a SecretFailure when the keychain says no, is not there, or takes too long. */
  call(request: KeychainRequest, limit: Limit): Promise<Exclude<KeychainResult, { type: 'failed' }>> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(new SecretFailure('unreachable'))
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(id, limit.trouble), limit.ms)
      this.#waiting.set(id, { resolve, reject, timer })
      child.send({ id, request })
    })
  }

  /** Ends the process, and what waits for it. */
  close(): void {
    clearTimeout(this.#idle)
    const child = this.#child
    if (child !== undefined) this.#lose(child)
  }

  #start(): KeychainChild {
    const { script, start = forkKeychain() } = this.#options
    const child: KeychainChild = start(script, {
      answered: (answer) => this.#settle(answer),
      ended: () => this.#lose(child),
    })
    return child
  }

  #settle({ id, result }: KeychainAnswer): void {
    const waiting = this.#take(id)
    if (result.type === 'failed') waiting?.reject(new SecretFailure(result.trouble))
    else waiting?.resolve(result)
    if (this.#waiting.size > 0) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), this.#options.idleMs ?? IDLE_MS).unref()
  }

  /** A call that hangs occupies the process for good, so the next one gets a new process. */
  #giveUp(id: number, trouble: SecretTrouble): void {
    this.#take(id)?.reject(new SecretFailure(trouble))
    this.close()
  }

  #lose(child: KeychainChild): void {
    child.kill()
    if (child !== this.#child) return
    this.#child = undefined
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(new SecretFailure('unreachable'))
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(waiting?.timer)
    return waiting
  }
}
