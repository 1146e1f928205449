// Calls that wait for what other calls have: room in a rate limit, credits, a place at a provider. They wait in lines and go on first
// come first served. A call that is held up by what its own key alone has lets the other keys of its line pass; a call that is held
// up by what the whole line shares lets nobody pass, so that small calls do not keep a large one waiting for ever. Lines are bounded,
// and no call waits for longer than the patience.

import type { CallNote, WaitingCall, WaitReason } from '#core/waiting.ts'

/** Lets a caller that is gone leave a queue. */
export type Cancellation = { readonly isCancelled: boolean; onCancel(callback: () => void): void }

/** Calls back after a while, unless the function that is returned is called before. */
export type After = (ms: number, callback: () => void) => () => void

/** What a call has to wait for. */
export type Wait<Hindrance> = {
  readonly type: 'wait'
  /** Whom it keeps waiting behind it: the calls of its key, or everybody in its line. */
  readonly blocks: 'key' | 'line'
  readonly hindrance: Hindrance
  /** When that is over by itself, in UTC epoch milliseconds; undefined where it depends on other calls. */
  readonly overAtMs: number | undefined
}

/** What is decided about a call. */
export type Look<Answer, Hindrance> = { readonly type: 'answer'; readonly answer: Answer } | Wait<Hindrance>

export type WaitQueueOptions<Call, Answer, Hindrance> = {
  /** UTC epoch milliseconds. */
  readonly nowMs: () => number
  readonly after: After
  /** How long a call that comes now waits at most. */
  readonly patienceMs: number
  /** More calls than this never wait in one line for one key. */
  readonly maxOfKey?: number
  /** Decides about a call. One that is let in has what it came for by then. */
  readonly look: (call: Call) => Look<Answer, Hindrance>
  /** What a call is told that waits no longer, by what was in its way. */
  readonly refuse: (call: Call, hindrance: Hindrance) => Answer
  /** The same as lists of those who wait show it. */
  readonly reasonOf: (hindrance: Hindrance, call: Call) => WaitReason
  /** What something may come back to for a call, beside its key and its line. */
  readonly sourcesOf?: (call: Call) => readonly string[]
}

type Waiter<Call, Answer, Hindrance> = {
  readonly call: Call
  /** What something may come back to for it, its key first. */
  readonly sources: readonly string[]
  readonly sinceMs: number
  /** The patience with which it came. */
  readonly patienceMs: number
  /** As it was when the call was looked at last; undefined for one that came in this moment. */
  wait: Wait<Hindrance> | undefined
  loseInterest: (() => void) | undefined
  readonly resolve: (answer: Answer) => void
}

type Line<Call, Answer, Hindrance> = {
  readonly id: string
  /** In the order in which they came. */
  readonly waiters: Set<Waiter<Call, Answer, Hindrance>>
  /** Takes back the look at the moment at which something is over by itself. */
  cancelLook: (() => void) | undefined
}

/** More calls than this never wait in one line: each look goes through all of them. */
const MAX_IN_LINE = 256

export class WaitQueue<Call extends CallNote, Answer, Hindrance> {
  readonly #options: WaitQueueOptions<Call, Answer, Hindrance>
  /** Only those in which somebody waits. */
  readonly #lines = new Map<string, Line<Call, Answer, Hindrance>>()
  /** The lines in which calls of a key, or of another source, wait. A key that gets another member has calls in two. */
  readonly #linesOfSources = new Map<string, Set<Line<Call, Answer, Hindrance>>>()

  constructor(options: WaitQueueOptions<Call, Answer, Hindrance>) {
    this.#options = options
  }

  /** How many calls wait. */
  get length(): number {
    let count = 0
    for (const { waiters } of this.#lines.values()) count += waiters.size
    return count
  }

  hasLine(lineId: string): boolean {
    return this.#lines.has(lineId)
  }

  /** Every call that waits. When a call goes on is known of the first behind a hindrance that is over by itself. */
  waitingCalls(): WaitingCall[] {
    return [...this.#lines.values()].flatMap(({ waiters }) => {
      const places = new Map<Wait<Hindrance>, number>()
      return Array.from(waiters).flatMap(({ call, sinceMs, patienceMs, wait }) => {
        if (wait === undefined) return []
        const place = (places.get(wait) ?? 0) + 1
        places.set(wait, place)
        const { exchangeId, keyId, modelId } = call
        const reason = this.#options.reasonOf(wait.hindrance, call)
        const expectedAtMs = place === 1 ? wait.overAtMs : undefined
        const untilMs = sinceMs + patienceMs
        return [{ exchangeId, keyId, modelId, reason, place, sinceMs, expectedAtMs, untilMs }]
      })
    })
  }

  /** Decides about a call when its turn comes, which is at once where nobody is before it. */
  join(call: Call, lineId: string, cancellation: Cancellation): Promise<Answer> {
    return new Promise((resolve) => {
      const line = this.#lineOf(lineId)
      const sources = [call.keyId, ...(this.#options.sourcesOf?.(call) ?? [])]
      const sinceMs = this.#options.nowMs()
      const { patienceMs } = this.#options
      const waiter = { call, sources, sinceMs, patienceMs, wait: undefined, loseInterest: undefined, resolve }
      this.#enter(line, waiter)
      this.#serve(line)
      if (!line.waiters.has(waiter)) return
      if (cancellation.isCancelled || this.#isFull(line, call.keyId)) return this.#giveUp(line, waiter)
      this.#waitPatiently(line, waiter)
      cancellation.onCancel(() => this.#giveUp(line, waiter))
    })
  }

  /** Looks again at those who may go on because something came back to a source of theirs: a key, or what else `sourcesOf` names. */
  serveSource(id: string): void {
    const lines = this.#linesOfSources.get(id)
    // Lines that are empty by then leave the set while this goes through it, which sets allow.
    if (lines !== undefined) for (const line of lines) this.#serve(line)
  }

  /** Looks again at those who may go on because something came back to a line. */
  serveLine(lineId: string): void {
    const line = this.#lines.get(lineId)
    if (line !== undefined) this.#serve(line)
  }

  /** Looks at those who wait, in their order, as far as one may be let in before the other. */
  #serve(line: Line<Call, Answer, Hindrance>): void {
    const blockedKeys = new Map<string, Wait<Hindrance>>()
    let blocked: Wait<Hindrance> | undefined
    let soonestMs = Number.POSITIVE_INFINITY
    // Those who are let in leave the set while this goes through it, which sets allow.
    for (const waiter of line.waiters) {
      const { keyId } = waiter.call
      const known = blocked ?? blockedKeys.get(keyId)
      const look = known ?? this.#options.look(waiter.call)
      if (look.type === 'answer') {
        this.#leave(line, waiter)
        waiter.resolve(look.answer)
        continue
      }
      waiter.wait = look
      if (look.blocks === 'line') blocked = look
      else blockedKeys.set(keyId, look)
      soonestMs = Math.min(soonestMs, look.overAtMs ?? soonestMs)
    }
    this.#lookAgainAt(line, soonestMs)
  }

  #lookAgainAt(line: Line<Call, Answer, Hindrance>, atMs: number): void {
    line.cancelLook?.()
    const { nowMs, after } = this.#options
    line.cancelLook = atMs === Number.POSITIVE_INFINITY ? undefined : after(atMs - nowMs(), () => this.#serve(line))
  }

  #waitPatiently(line: Line<Call, Answer, Hindrance>, waiter: Waiter<Call, Answer, Hindrance>): void {
    waiter.loseInterest = this.#options.after(waiter.patienceMs, () => {
      // A cycle or a day may have begun during the wait without anybody looking, and then there is something for everybody.
      this.#serve(line)
      this.#giveUp(line, waiter)
    })
  }

  #giveUp(line: Line<Call, Answer, Hindrance>, waiter: Waiter<Call, Answer, Hindrance>): void {
    const { call, wait } = waiter
    if (wait === undefined || !line.waiters.has(waiter)) return
    this.#leave(line, waiter)
    waiter.resolve(this.#options.refuse(call, wait.hindrance))
    // Those behind it may need less.
    this.#serve(line)
  }

  #lineOf(id: string): Line<Call, Answer, Hindrance> {
    return this.#lines.get(id) ?? { id, waiters: new Set(), cancelLook: undefined }
  }

  #enter(line: Line<Call, Answer, Hindrance>, waiter: Waiter<Call, Answer, Hindrance>): void {
    this.#lines.set(line.id, line)
    line.waiters.add(waiter)
    for (const id of waiter.sources) {
      const lines = this.#linesOfSources.get(id)
      if (lines === undefined) this.#linesOfSources.set(id, new Set([line]))
      else lines.add(line)
    }
  }

  #leave(line: Line<Call, Answer, Hindrance>, waiter: Waiter<Call, Answer, Hindrance>): void {
    waiter.loseInterest?.()
    line.waiters.delete(waiter)
    if (line.waiters.size === 0) this.#lines.delete(line.id)
    const left = new Set(waiter.sources)
    for (const { sources } of line.waiters) for (const id of sources) left.delete(id)
    for (const id of left) {
      const lines = this.#linesOfSources.get(id)
      lines?.delete(line)
      if (lines?.size === 0) this.#linesOfSources.delete(id)
    }
  }

  /** Whether the call that came last is one too many. */
  #isFull(line: Line<Call, Answer, Hindrance>, keyId: string): boolean {
    return line.waiters.size > MAX_IN_LINE || countOf(line, keyId) > (this.#options.maxOfKey ?? MAX_IN_LINE)
  }
}

/** How many calls of a key wait in a line. */
function countOf({ waiters }: Line<CallNote, never, unknown>, keyId: string): number {
  let count = 0
  for (const { call } of waiters) if (call.keyId === keyId) count += 1
  return count
}
