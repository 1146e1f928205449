// How often passwords may be tried: a few times at once, then more and more slowly, per name and per address, and never more in all
// than this machine can hash beside its work. Tries are counted before they are made, so that many at once gain nothing.

import { hash } from 'node:crypto'
import type { StoredFailure, VisitChange } from '#store/session-rows.ts'

const FREE_TRIES = 5
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 15 * 60_000
/** So long after its last failure nobody is told any more what somebody did before. */
const FORGET_MS = 60 * 60_000
const MOST_SUBJECTS = 10_000
const MOST_TRIES_PER_MINUTE = 60
const MINUTE_MS = 60_000

type Failure = { readonly count: number; readonly lastAtMs: number }

type Deps = {
  readonly nowMs: () => number
  readonly save: (change: VisitChange) => void
}

export class SignInThrottle {
  readonly #deps: Deps
  /** By the hash of a name or an address, those that failed last at the end. */
  readonly #failures = new Map<string, Failure>()
  #minute = { startedAtMs: 0, tries: 0 }

  constructor(failures: readonly StoredFailure[], deps: Deps) {
    this.#deps = deps
    const sorted = failures.toSorted((a, b) => a.lastAtMs - b.lastAtMs)
    for (const { subject, count, lastAtMs } of sorted) this.#failures.set(subject, { count, lastAtMs })
  }

  get size(): number {
    return this.#failures.size
  }

  /** Counts a try. Answers undefined where it may be made, else in how many milliseconds to come again. */
  begin(name: string, address: string): number | undefined {
    const nowMs = this.#deps.nowMs()
    const subjects = [nameSubject(name), addressSubject(address)]
    const waitMs = Math.max(this.#waitForAll(nowMs), ...subjects.map((subject) => this.#wait(subject, nowMs)))
    if (waitMs > 0) return waitMs
    this.#minute.tries += 1
    for (const subject of subjects) this.#count(subject, { by: 1, nowMs })
    return undefined
  }

  /** Takes a try back: it was right. What was tried before at the same address stays counted, by whomever. */
  succeeded(name: string, address: string): void {
    this.#forget(nameSubject(name))
    this.#count(addressSubject(address), { by: -1, nowMs: this.#deps.nowMs() })
  }

  /** Takes a try back that was neither right nor wrong, because it was not looked at. */
  takeBack(name: string, address: string): void {
    const nowMs = this.#deps.nowMs()
    for (const subject of [nameSubject(name), addressSubject(address)]) this.#count(subject, { by: -1, nowMs })
  }

  #wait(subject: string, nowMs: number): number {
    const failure = this.#failures.get(subject)
    if (failure === undefined || failure.count < FREE_TRIES) return 0
    // A clock that was set back must lock nobody out for longer than it would have been.
    const sinceMs = Math.max(0, nowMs - failure.lastAtMs)
    if (failure.lastAtMs > nowMs) this.#failures.set(subject, { ...failure, lastAtMs: nowMs })
    if (sinceMs >= FORGET_MS) return 0
    return Math.max(0, waitAfter(failure.count) - sinceMs)
  }

  #waitForAll(nowMs: number): number {
    const { startedAtMs } = this.#minute
    const isOver = nowMs < startedAtMs || nowMs >= startedAtMs + MINUTE_MS
    if (isOver) this.#minute = { startedAtMs: nowMs, tries: 0 }
    return this.#minute.tries < MOST_TRIES_PER_MINUTE ? 0 : this.#minute.startedAtMs + MINUTE_MS - nowMs
  }

  #count(subject: string, { by, nowMs }: { by: 1 | -1; nowMs: number }): void {
    const before = this.#failures.get(subject)
    const isOld = before !== undefined && nowMs - before.lastAtMs >= FORGET_MS
    const count = (before === undefined || isOld ? 0 : before.count) + by
    if (count <= 0) return this.#forget(subject)
    const failure = { count, lastAtMs: by === 1 ? nowMs : (before?.lastAtMs ?? nowMs) }
    this.#failures.delete(subject)
    this.#failures.set(subject, failure)
    this.#deps.save({ type: 'put-failure', failure: { subject, ...failure } })
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MOST_SUBJECTS) break
      this.#forget(oldest)
    }
  }

  #forget(subject: string): void {
    if (this.#failures.delete(subject)) this.#deps.save({ type: 'delete-failure', subject })
  }
}

/** How long to wait after so many failures: a second after the first that was not free, then twice as long each. */
export function waitAfter(count: number): number {
  return count < FREE_TRIES ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - FREE_TRIES, 20))
}

function nameSubject(name: string): string {
  return hash('sha256', `name:${name.toLowerCase()}`, 'base64url')
}

function addressSubject(address: string): string {
  return hash('sha256', `address:${address}`, 'base64url')
}
