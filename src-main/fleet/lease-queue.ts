// Calls that wait until the lease of their key, or of a budget, carries them, each of these by itself, first come first served. Whoever is first asks for what
// it lacks; where that is not free, it looks again when something was, and for a bounded time.

import { totalMicro, type MicroCredits } from '#core/money.ts'
import type { After, Cancellation } from '#core/wait-queue.ts'
import { availableIn, type Lease, type LeaseBook } from '#fleet/lease-book.ts'
import type { HoldRequest } from '#ledger/hold-request.ts'
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

/** What a call asks for: of which lease, and the most and the least that it can cost. */
export type Wanting = { readonly keyId: string; readonly worstMicro: MicroCredits; readonly leastMicro: MicroCredits }

/** How much of it is left, or held by others. */
type Standing = { readonly remainingMicro: MicroCredits } | { readonly heldMicro: MicroCredits }

/** Where a call holds what its lease carries. */
export interface Holder<Request extends Wanting, Answer> {
  /** All of it, if it fits. */
  holdAtOnce(request: Request): Answer | undefined
  /** Or what is left, for a call that runs alone. */
  hold(request: Request, cancellation: Cancellation): Promise<Answer>
  refused(type: 'exhausted' | 'held-by-others', request: Request, standing?: Standing): Answer
  unavailable(): Answer
}

export type LeaseQueueOptions<Request extends Wanting, Answer> = {
  readonly book: LeaseBook
  readonly holder: Holder<Request, Answer>
  readonly take: (request: TakeRequest) => Promise<TakeAnswer>
  readonly monotonicMs: () => number
  readonly after: After
  /** How long a call that comes now waits at most, in milliseconds. */
  readonly patienceMs: () => number
  /** Whether what cannot be asked now can be asked in a moment, as a rule. */
  readonly isUnsteady: () => boolean
}

type Waiter<Request, Answer> = {
  readonly request: Request
  readonly cancellation: Cancellation
  readonly untilMs: number
  readonly resolve: (answer: Answer | Promise<Answer>) => void
}

type Line<Request, Answer> = {
  readonly waiters: Waiter<Request, Answer>[]
  isServed: boolean
  /** From a question for more until the first in line has held what came of it. */
  isAsking: boolean
  wake: (() => void) | undefined
}

/** More calls than this never wait for one key. */
const MAX_WAITERS = 1000
/** Where nobody says that something is free again, it is looked for this often, in milliseconds. */
const LOOK_EVERY_MS = 200

export class LeaseQueue<Request extends Wanting = HoldRequest, Answer = LeaseAnswer> {
  readonly #options: LeaseQueueOptions<Request, Answer>
  readonly #lines = new Map<string, Line<Request, Answer>>()

  constructor(options: LeaseQueueOptions<Request, Answer>) {
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

  hold(request: Request, cancellation: Cancellation): Promise<Answer> {
    const { keyId } = request
    const line = this.#lines.get(keyId) ?? { waiters: [], isServed: false, isAsking: false, wake: undefined }
    this.#lines.set(keyId, line)
    if (line.waiters.length >= MAX_WAITERS)
      return Promise.resolve(this.#options.holder.refused('held-by-others', request))
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

  async #serve(keyId: string, line: Line<Request, Answer>): Promise<void> {
    line.isServed = true
    for (let first = line.waiters[0]; first !== undefined; first = line.waiters[0]) {
      line.isAsking = true
      const answer = await this.#lookAt(first, line).catch(() => this.#options.holder.unavailable())
      line.isAsking = false
      if (answer !== undefined) {
        line.waiters.shift()
        first.resolve(answer)
      } else await this.#sleep(line)
    }
    this.#lines.delete(keyId)
  }

  /** What the first in line is told; undefined where it waits on. */
  async #lookAt(
    waiter: Waiter<Request, Answer>,
    line: Line<Request, Answer>,
  ): Promise<Answer | Promise<Answer> | undefined> {
    const { book, holder, take, monotonicMs, isUnsteady } = this.#options
    const { request, cancellation, untilMs } = waiter
    const { keyId, worstMicro, leastMicro } = request
    if (cancellation.isCancelled) return holder.refused('held-by-others', request)
    const lease = book.present(keyId)
    const atOnce = this.#atOnce(waiter, lease)
    if (atOnce !== undefined) return atOnce
    const isAlone = lease.heldMicro === 0
    const needMicro = Math.max(1, worstMicro - availableIn(lease))
    // Those behind it come next: one question for all of them.
    const allMicro = line.waiters.reduce((sum, waiting) => sum + waiting.request.worstMicro, 0)
    const wantMicro = book.wanted(lease) + needMicro + allMicro - worstMicro
    const asked = await take({ lease, needMicro, wantMicro, leastMicro: isAlone ? Math.max(1, leastMicro) : undefined })
    if (asked.type === 'unavailable') return isUnsteady() && monotonicMs() < untilMs ? undefined : holder.unavailable()
    if (asked.type === 'again') return this.#lookAt(waiter, line)
    const { gotMicro, freeMicro, elsewhereMicro } = asked
    if (gotMicro > 0) {
      const held = this.#atOnce(waiter, lease)
      if (held !== undefined) return held
      // Nothing else runs anywhere: it goes on with what is left, or the ledger says why not.
      if (isAlone && lease.heldMicro === 0) return holder.hold(request, cancellation)
      return undefined
    }
    const most = availableIn(lease) + lease.heldMicro + freeMicro + elsewhereMicro
    const left = totalMicro(Math.max(0, freeMicro + availableIn(lease)))
    if (most < Math.max(1, leastMicro)) return holder.refused('exhausted', request, { remainingMicro: left })
    if (monotonicMs() < untilMs) return undefined
    return holder.refused('held-by-others', request, { heldMicro: totalMicro(lease.heldMicro + elsewhereMicro) })
  }

  #atOnce({ request, cancellation }: Waiter<Request, Answer>, lease: Lease): Answer | Promise<Answer> | undefined {
    const { holder } = this.#options
    const held = holder.holdAtOnce(request)
    if (held !== undefined) return held
    // It is something else than the lease that it waits for, or that is used up.
    return request.worstMicro <= availableIn(lease) ? holder.hold(request, cancellation) : undefined
  }

  #sleep(line: Line<Request, Answer>): Promise<void> {
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

/** Holds on the balance of a key. */
export function holderOf(ledger: Pick<Ledger, 'hold' | 'holdAtOnce' | 'balance'>): Holder<HoldRequest, LeaseAnswer> {
  return {
    holdAtOnce: (request) => ledger.holdAtOnce(request),
    hold: (request, cancellation) => ledger.hold(request, cancellation),
    refused: (type, { keyId }, standing) => ({
      type,
      scope: 'key',
      balance: { ...ledger.balance(keyId), ...standing },
    }),
    unavailable: () => ({ type: 'unavailable' }),
  }
}
