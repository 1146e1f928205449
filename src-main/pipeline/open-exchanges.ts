// The exchanges that are running, so that they can be ended from outside: their key was blocked, their time is up, or the
// program is about to end.

import { CurrentList, type Place } from '#core/current-list.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { CallNote, WaitingCall } from '#core/waiting.ts'

type OpenExchange = {
  readonly keyId: string
  /** Which call it is, and when it was admitted, for lists of what runs. */
  readonly call?: RunningCall
  /** The wait before its provider is asked again; undefined while there is none. */
  readonly retry?: () => { readonly sinceMs: number; readonly untilMs: number } | undefined
  readonly startedAtMs: number
  stop(refusal: Refusal): void
  /** Called every second. */
  look(): void
  /** Where it stands among those that are running. */
  place?: Place<OpenExchange> | undefined
}

/** A call that was admitted; UTC epoch milliseconds. */
export type RunningCall = CallNote & { readonly createdAtMs: number }

const RETRY_SECONDS = 5

export class OpenExchanges {
  readonly #open = new CurrentList<OpenExchange>()
  readonly #listeners = new Set<() => void>()
  #whenNone: (() => void) | undefined
  /** Why nothing may run any more, once the program ends. */
  #ending: Refusal | undefined
  readonly #most: number

  /** `most`: for how many there are connections to providers. */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  get isFull(): boolean {
    return this.#open.size >= this.#most
  }

  /** Why no other call may begin now. */
  refusal(): Refusal | undefined {
    if (!this.isFull) return undefined
    const message = `Farebox runs ${this.#most} calls, as many as its limit of open files allows. Retry in ${RETRY_SECONDS} s.`
    return refuse('overloaded', message, { retryAfterSeconds: RETRY_SECONDS })
  }

  /** How many are running of some keys. */
  count(isMeant: (keyId: string) => boolean): number {
    let count = 0
    for (const { keyId } of this.#open) if (isMeant(keyId)) count += 1
    return count
  }

  /** Every call that runs. */
  calls(): RunningCall[] {
    return Array.from(this.#open).flatMap(({ call }) => call ?? [])
  }

  /** Those of them that wait until their provider is asked again. */
  retryingCalls(): WaitingCall[] {
    return Array.from(this.#open).flatMap(({ call, retry }) => {
      const wait = retry?.()
      if (call === undefined || wait === undefined) return []
      const { exchangeId, keyId, modelId } = call
      const { sinceMs, untilMs: expectedAtMs } = wait
      return [
        { exchangeId, keyId, modelId, reason: { type: 'retry' }, place: 1, sinceMs, expectedAtMs, untilMs: undefined },
      ]
    })
  }

  /** The keys that have exchanges running. */
  keyIds(): Set<string> {
    return new Set(Array.from(this.#open, (exchange) => exchange.keyId))
  }

  add(exchange: OpenExchange): void {
    exchange.place = this.#open.add(exchange)
    // A request that waited for credits or for its turn may get in when the others have been ended.
    if (this.#ending !== undefined) exchange.stop(this.#ending)
  }

  remove(exchange: OpenExchange): void {
    exchange.place?.leave()
    for (const listener of this.#listeners) listener()
    if (this.#open.size === 0) this.#whenNone?.()
  }

  /** Calls the listener whenever an exchange has ended, until the function that is returned is called. It must not throw. */
  onRemoved(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends every exchange of a key that may no longer be used. */
  stopKey(keyId: string): void {
    for (const exchange of this.#open) {
      if (exchange.keyId === keyId) exchange.stop(refuse('key_not_usable', 'The key of this request was blocked.'))
    }
  }

  /** Ends exchanges that have run for too long. */
  stopOlderThan(startedBeforeMs: number): void {
    for (const exchange of this.#open) {
      if (exchange.startedAtMs >= startedBeforeMs) continue
      exchange.stop(refuse('upstream_timeout', 'The answer took longer than Farebox allows in all.'))
    }
  }

  /** Lets every exchange see whether its client should be shown that its stream is alive. */
  look(): void {
    for (const exchange of this.#open) exchange.look()
  }

  /** Waits for running exchanges, then ends those that are left. Afterwards none can run any more. */
  async drain(graceMs: number): Promise<void> {
    if (this.#open.size > 0) {
      const none = new Promise<void>((resolve) => {
        this.#whenNone = resolve
      })
      const timer = setTimeout(() => this.#stopAll(), graceMs)
      await none
      clearTimeout(timer)
    }
    this.#stopAll()
  }

  #stopAll(): void {
    this.#ending = refuse('overloaded', 'Farebox is shutting down.')
    for (const exchange of this.#open) exchange.stop(this.#ending)
  }
}
