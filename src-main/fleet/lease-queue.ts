// Calls that wait until the lease of their key carries them, each key by itself, first come first served. Whoever is first asks for what
// it lacks; where that is not free, it looks again when something was, and for a bounded time.

import { totalMicro } from '#core/money.ts'
import type { After, Cancellation } from '#core/wait-queue.ts'
import { availableIn, type Lease, type LeaseBook } from '#fleet/lease-book.ts'
import type { Held, HoldRequest } from '#ledger/hold-request.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { LeaseAnswer } from '#pipeline/leases.ts'

export type TakeRequest = {
  readonly lease: Lease
  /** The least that is of use beside what the lease has, and what is wished for by its pace. */
  readonly needMicro: number
  readonly wantMicro: number
  /** For a call that would run alone, the least that it can run on. */
  readonly leastMicro: number | undefined
}

/** What became of it. `elsewhere`: what other gateways have of the balance. */
export type TakeAnswer =
  | { readonly type: 'asked'; readonly gotMicro: number; readonly freeMicro: number; readonly elsewhereMicro: number }
  /** This gateway knows an older catalogue; it has caught up by now. */
  | { readonly type: 'again' }
  | { readonly type: 'unavailable' }

export type LeaseQueueOptions = {
  readonly book: LeaseBook
  readonly ledger: Pick<Ledger, 'hold' | 'holdAtOnce' | 'balance' | 'state' | 'purseChanged'>
  readonly take: (request: TakeRequest) => Promise<TakeAnswer>
  readonly monotonicMs: () => number
  readonly after: After
  /** How long a call that comes now waits at most, in milliseconds. */
  readonly patienceMs: () => number
  /** Whether what cannot be asked now can be asked in a moment, as a rule. */
  readonly isUnsteady: () => boolean
}

type Waiter = {
  readonly request: HoldRequest
  readonly cancellation: Cancellation
  readonly untilMs: number
  readonly resolve: (answer: LeaseAnswer | Promise<LeaseAnswer>) => void
}

type Line = {
  readonly waiters: Waiter[]
  isServed: boolean
  /** From a question for more until the first in line has held what came of it. */
  isAsking: boolean
  wake: (() => void) | undefined
}

/** More calls than this never wait for one key. */
const MAX_WAITERS = 1000
/** Where nobody says that something is free again, it is looked for this often, in milliseconds. */
const LOOK_EVERY_MS = 200

export class LeaseQueue {
  readonly #options: LeaseQueueOptions
  readonly #lines = new Map<string, Line>()

  constructor(options: LeaseQueueOptions) {
    this.#options = options
  }

  isWaitedFor(keyId: string): boolean {
    return this.#lines.has(keyId)
  }

  /**
   * Whether the first in line is about to hold what is in a lease. What does not suffice for it is for whoever it does suffice for: gateways
   * that each kept a part would wait for each other.
   */
  isCountedOn(lease: Lease): boolean {
    const line = this.#lines.get(lease.keyId)
    const first = line?.waiters[0]
    if (line === undefined || first === undefined) return false
    return line.isAsking || first.request.worstMicro <= availableIn(lease)
  }

  hold(request: HoldRequest, cancellation: Cancellation): Promise<LeaseAnswer> {
    const { keyId } = request
    const line = this.#lines.get(keyId) ?? { waiters: [], isServed: false, isAsking: false, wake: undefined }
    this.#lines.set(keyId, line)
    const balance = this.#options.ledger.balance(keyId)
    if (line.waiters.length >= MAX_WAITERS) return Promise.resolve({ type: 'held-by-others', scope: 'key', balance })
    return new Promise((resolve) => {
      const untilMs = this.#options.monotonicMs() + this.#options.patienceMs()
      line.waiters.push({ request, cancellation, untilMs, resolve })
      cancellation.onCancel(() => line.wake?.())
      if (!line.isServed) void this.#serve(keyId, line)
    })
  }

  /** Looks again, because something came back to the balance of a key. */
  changed(keyId: string): void {
    this.#lines.get(keyId)?.wake?.()
  }

  async #serve(keyId: string, line: Line): Promise<void> {
    line.isServed = true
    for (let first = line.waiters[0]; first !== undefined; first = line.waiters[0]) {
      line.isAsking = true
      const answer = await this.#lookAt(first, line).catch(() => ({ type: 'unavailable' }) as const)
      line.isAsking = false
      if (answer !== undefined) {
        line.waiters.shift()
        first.resolve(answer)
      } else await this.#sleep(line)
    }
    this.#lines.delete(keyId)
  }

  /** What the first in line is told; undefined where it waits on. */
  async #lookAt(waiter: Waiter, line: Line): Promise<LeaseAnswer | Promise<LeaseAnswer> | undefined> {
    const { book, ledger, take, monotonicMs, isUnsteady } = this.#options
    const { request, cancellation, untilMs } = waiter
    const { keyId, worstMicro, leastMicro } = request
    const balance = ledger.balance(keyId)
    if (cancellation.isCancelled) return { type: 'held-by-others', scope: 'key', balance }
    const lease = book.present(keyId)
    const missing = worstMicro - availableIn(lease)
    const atOnce = this.#atOnce(waiter, missing)
    if (atOnce !== undefined) return atOnce
    const isAlone = lease.heldMicro === 0
    const needMicro = Math.max(1, missing)
    // Those behind it come next: one question for all of them.
    const allMicro = line.waiters.reduce((sum, waiting) => sum + waiting.request.worstMicro, 0)
    const wantMicro = book.wanted(lease) + needMicro + allMicro - worstMicro
    const asked = await take({ lease, needMicro, wantMicro, leastMicro: isAlone ? Math.max(1, leastMicro) : undefined })
    if (asked.type === 'unavailable') return isUnsteady() && monotonicMs() < untilMs ? undefined : asked
    if (asked.type === 'again') return this.#lookAt(waiter, line)
    const { gotMicro, freeMicro, elsewhereMicro } = asked
    if (gotMicro > 0) {
      const held = this.#atOnce(waiter, worstMicro - availableIn(lease))
      if (held !== undefined) return held
      // Nothing else runs anywhere: it goes on with what is left, or the ledger says why not.
      if (isAlone && lease.heldMicro === 0) return ledger.hold(request, cancellation)
      return undefined
    }
    const most = availableIn(lease) + lease.heldMicro + freeMicro + elsewhereMicro
    const left = totalMicro(Math.max(0, freeMicro + availableIn(lease)))
    if (most < Math.max(1, leastMicro))
      return { type: 'exhausted', scope: 'key', balance: { ...balance, remainingMicro: left } }
    if (monotonicMs() < untilMs) return undefined
    const heldMicro = totalMicro(lease.heldMicro + elsewhereMicro)
    return { type: 'held-by-others', scope: 'key', balance: { ...balance, heldMicro } }
  }

  #atOnce({ request, cancellation }: Waiter, missing: number): Held | Promise<LeaseAnswer> | undefined {
    const { ledger } = this.#options
    const held = ledger.holdAtOnce(request)
    if (held !== undefined) return held
    // It is something else than the lease that it waits for, or that is used up.
    return missing <= 0 ? ledger.hold(request, cancellation) : undefined
  }

  #sleep(line: Line): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        line.wake = undefined
        cancel()
        resolve()
      }
      const cancel = this.#options.after(LOOK_EVERY_MS, wake)
      line.wake = wake
    })
  }
}
