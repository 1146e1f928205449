// Calls that wait for credits that running calls hold, first come first served. All keys of a member wait in one line. Whoever waits
// for the balance of its own key lets calls of the other keys pass; whoever waits for the member's day lets nobody pass, so that
// small calls do not keep a large one waiting for ever.

import type { CallNote, WaitingCall } from '#core/waiting.ts'
import type { SpendScope } from '#core/spending.ts'

/** Lets a caller that is gone leave a queue. */
export type Cancellation = { readonly isCancelled: boolean; onCancel(callback: () => void): void }

/** What is decided about a call: an answer, or that it has to wait, and for whose credits. */
export type Look<Answer> =
  { readonly type: 'answer'; readonly answer: Answer } | { readonly type: 'wait'; readonly scope: SpendScope }

export type HoldQueueOptions<Request, Answer> = {
  readonly nowMs: () => number
  /** How long a call waits at most. */
  readonly waitMs: number
  /** Decides about a call. One that is let in has its hold by then. */
  readonly look: (request: Request) => Look<Answer>
  /** What a call is told that waits no longer. */
  readonly refuse: (request: Request, scope: SpendScope) => Answer
}

type Waiter<Request, Answer> = {
  readonly request: Request
  readonly sinceMs: number
  /** Whose credits it waits for, as it was when it was looked at last. */
  scope: SpendScope
  patience: NodeJS.Timeout | undefined
  readonly resolve: (answer: Answer) => void
}
type Line<Request, Answer> = { readonly id: string; readonly waiters: Waiter<Request, Answer>[] }

/** More calls than this never wait for the credits of one key. */
const MAX_WAITERS_OF_KEY = 64
/** Nor more than this for those of one member: each look goes through all of them. */
const MAX_WAITERS_OF_LINE = 256

export class HoldQueue<Request extends CallNote, Answer> {
  readonly #options: HoldQueueOptions<Request, Answer>
  readonly #lines = new Map<string, Line<Request, Answer>>()
  /** The lines in which calls of a key wait. A key that gets another member has calls in two. */
  readonly #linesOfKeys = new Map<string, Set<Line<Request, Answer>>>()

  constructor(options: HoldQueueOptions<Request, Answer>) {
    this.#options = options
  }

  /** How many calls wait. */
  get length(): number {
    let count = 0
    for (const { waiters } of this.#lines.values()) count += waiters.length
    return count
  }

  hasLine(lineId: string): boolean {
    return this.#lines.has(lineId)
  }

  /** Every call that waits. Nobody knows when those end that hold the credits. */
  waitingCalls(): WaitingCall[] {
    return [...this.#lines.values()].flatMap(({ waiters }) =>
      waiters.map(({ request: { exchangeId, keyId, modelId }, sinceMs }, index) => ({
        exchangeId,
        keyId,
        modelId,
        sinceMs,
        reason: { type: 'credits' },
        place: index + 1,
        expectedAtMs: undefined,
        untilMs: sinceMs + this.#options.waitMs,
      })),
    )
  }

  /** Decides about a call when its turn comes, which is at once where nobody is before it. */
  join(request: Request, lineId: string, cancellation: Cancellation): Promise<Answer> {
    const line = this.#lines.get(lineId) ?? { id: lineId, waiters: [] }
    return new Promise((resolve) => {
      const waiter: Waiter<Request, Answer> = {
        request,
        sinceMs: this.#options.nowMs(),
        scope: 'key',
        patience: undefined,
        resolve,
      }
      this.#enter(line, waiter)
      this.#serve(line)
      if (!line.waiters.includes(waiter)) return
      if (cancellation.isCancelled || isFull(line, request.keyId)) return this.#giveUp(line, waiter)
      waiter.patience = setTimeout(() => {
        // A cycle or a day may have begun during the wait without anybody looking, and then there is something for everybody.
        this.#serve(line)
        this.#giveUp(line, waiter)
      }, this.#options.waitMs)
      cancellation.onCancel(() => this.#giveUp(line, waiter))
    })
  }

  /** Looks again at those who may go on because something came back to a key. */
  serveKey(keyId: string): void {
    const lines = this.#linesOfKeys.get(keyId)
    // Lines that are empty by then leave the set while this goes through it, which sets allow.
    if (lines !== undefined) for (const line of lines) this.#serve(line)
  }

  /** Looks again at those who may go on because something came back to a member. */
  serveLine(lineId: string): void {
    const line = this.#lines.get(lineId)
    if (line !== undefined) this.#serve(line)
  }

  /** Looks at those who wait, in their order, as far as one may be let in before the other. */
  #serve(line: Line<Request, Answer>): void {
    const fullKeys = new Set<string>()
    for (const waiter of line.waiters.slice()) {
      // A look at one account can begin its cycle, which serves this line meanwhile.
      if (fullKeys.has(waiter.request.keyId) || !line.waiters.includes(waiter)) continue
      const look = this.#options.look(waiter.request)
      if (look.type === 'answer') {
        this.#leave(line, waiter)
        waiter.resolve(look.answer)
        continue
      }
      waiter.scope = look.scope
      if (look.scope === 'member') return
      fullKeys.add(waiter.request.keyId)
    }
  }

  #giveUp(line: Line<Request, Answer>, waiter: Waiter<Request, Answer>): void {
    if (!line.waiters.includes(waiter)) return
    this.#leave(line, waiter)
    waiter.resolve(this.#options.refuse(waiter.request, waiter.scope))
    // Those behind it may need less.
    this.#serve(line)
  }

  #enter(line: Line<Request, Answer>, waiter: Waiter<Request, Answer>): void {
    this.#lines.set(line.id, line)
    line.waiters.push(waiter)
    const { keyId } = waiter.request
    const lines = this.#linesOfKeys.get(keyId)
    if (lines === undefined) this.#linesOfKeys.set(keyId, new Set([line]))
    else lines.add(line)
  }

  #leave(line: Line<Request, Answer>, waiter: Waiter<Request, Answer>): void {
    clearTimeout(waiter.patience)
    line.waiters.splice(line.waiters.indexOf(waiter), 1)
    if (line.waiters.length === 0) this.#lines.delete(line.id)
    const { keyId } = waiter.request
    if (line.waiters.some((other) => other.request.keyId === keyId)) return
    const lines = this.#linesOfKeys.get(keyId)
    lines?.delete(line)
    if (lines?.size === 0) this.#linesOfKeys.delete(keyId)
  }
}

/** Whether the call that came last is one too many. */
function isFull<Answer>({ waiters }: Line<CallNote, Answer>, keyId: string): boolean {
  if (waiters.length > MAX_WAITERS_OF_LINE) return true
  let count = 0
  for (const { request } of waiters) if (request.keyId === keyId) count += 1
  return count > MAX_WAITERS_OF_KEY
}
