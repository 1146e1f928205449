// Those who wait for rate limits, first come first served: of one key, or of all keys of a member. Whoever is held up by the limits of
// its own key lets requests of the member's other keys pass; whoever is held up by the member's limits lets nobody pass, so that a
// large request is not kept waiting by small ones for ever.

import { largest } from '#core/append.ts'
import type { FullLimit } from '#core/limit-scopes.ts'
import type { CallNote, WaitingCall } from '#core/waiting.ts'
import type { Cancellation } from '#ledger/hold-queue.ts'

export type TurnQueueOptions<Request, Answer> = {
  readonly nowMs: () => number
  readonly maxWaitMs: number
  /** Whether a request fits now. */
  readonly check: (request: Request) => FullLimit | { readonly type: 'free' }
  /** Lets a request in that fits. */
  readonly take: (request: Request) => Answer
  /** What a request gets that gives up. */
  readonly refuse: (full: FullLimit | undefined) => Answer
  readonly onEmpty: () => void
}

type Waiter<Request, Answer> = {
  readonly request: Request
  readonly sinceMs: number
  answer(answer: Answer): void
}

const MAX_WAITERS = 256

export class TurnQueue<Request extends CallNote, Answer> {
  readonly #options: TurnQueueOptions<Request, Answer>
  readonly #waiters: Waiter<Request, Answer>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: TurnQueueOptions<Request, Answer>) {
    this.#options = options
  }

  get length(): number {
    return this.#waiters.length
  }

  get isFull(): boolean {
    return this.#waiters.length >= MAX_WAITERS
  }

  /** Waits for a turn, until the request is given up. */
  join(request: Request, cancellation: Cancellation): Promise<Answer> {
    const { nowMs, maxWaitMs, refuse } = this.#options
    return new Promise((resolve) => {
      const giveUp = () => {
        if (!this.#waiters.includes(waiter)) return
        waiter.answer(refuse(this.#hindrances().get(waiter)))
        this.serve()
      }
      const patience = setTimeout(() => {
        this.serve()
        giveUp()
      }, maxWaitMs)
      const waiter: Waiter<Request, Answer> = {
        request,
        sinceMs: nowMs(),
        answer: (answer) => {
          clearTimeout(patience)
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
          resolve(answer)
        },
      }
      this.#waiters.push(waiter)
      cancellation.onCancel(giveUp)
      this.serve()
    })
  }

  /** Lets those who wait in as far as they fit, in their order, and looks again when the next one may fit. */
  serve(): void {
    const { take, onEmpty } = this.#options
    clearTimeout(this.#timer)
    const hindrances = this.#hindrances((waiter) => waiter.answer(take(waiter.request)))
    if (this.#waiters.length === 0) return onEmpty()
    const soonestMs = -largest(Array.from(hindrances.values(), ({ waitMs }) => -waitMs))
    this.#timer = setTimeout(() => this.serve(), soonestMs)
  }

  /** What holds up the one that came last, where something does. */
  hindranceOfLast(): FullLimit | undefined {
    const last = this.#waiters.at(-1)
    return last === undefined ? undefined : this.#hindrances().get(last)
  }

  /** Everybody who waits. When it goes on is known of the first at a limit whose minute slides on by itself. */
  standings(): WaitingCall[] {
    const nowMs = this.#options.nowMs()
    const places = new Map<FullLimit, number>()
    return Array.from(this.#hindrances(), ([{ request, sinceMs }, full]) => {
      const place = (places.get(full) ?? 0) + 1
      places.set(full, place)
      const { exchangeId, keyId, modelId } = request
      return {
        exchangeId,
        keyId,
        modelId,
        reason: { type: 'limit', scope: full.scope, limit: full.limit },
        place,
        sinceMs,
        expectedAtMs: place === 1 && full.limit !== 'concurrentRequests' ? nowMs + full.waitMs : undefined,
        untilMs: sinceMs + this.#options.maxWaitMs,
      }
    })
  }

  /** What is in the way of each who waits, in their order; `onFree` gets those for whom nothing is. */
  #hindrances(onFree: (waiter: Waiter<Request, Answer>) => void = () => undefined) {
    const hindrances = new Map<Waiter<Request, Answer>, FullLimit>()
    const fullKeys = new Map<string, FullLimit>()
    let fullForAll: FullLimit | undefined
    // Those who are let in leave the list meanwhile.
    for (const waiter of this.#waiters.slice()) {
      const { keyId } = waiter.request
      const known = fullForAll ?? fullKeys.get(keyId)
      const verdict = known ?? this.#options.check(waiter.request)
      if (verdict.type === 'free') {
        onFree(waiter)
        continue
      }
      hindrances.set(waiter, verdict)
      if (verdict.scope === 'member') fullForAll = verdict
      else fullKeys.set(keyId, verdict)
    }
    return hindrances
  }
}
