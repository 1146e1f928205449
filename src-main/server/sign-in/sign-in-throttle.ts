// How often passwords may be tried: a few times at once, then more and more slowly, per source and per name at a source, and never more
// in all than this machine can hash beside its work. Nobody is kept out by what is tried with their name elsewhere. Tries are counted
// before they are made, so that many at once gain nothing; what is refused here was not looked at, and counts for nothing.

import { hash } from 'node:crypto'
import { isLoopback } from '#core/loopback.ts'
import { siteOf, sourceOf } from '#core/source.ts'
import type { StoredFailure, VisitChange } from '#store/session-rows.ts'

const FREE_TRIES = 5
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 15 * 60_000
/** So long after its last failure nobody is told any more what somebody did before. */
const FORGET_MS = 60 * 60_000
/** Of one name by one source: so many at once and one more every 18 minutes, which are 100 in any day, also with pauses in between. */
const DAY_BURST = 20
const DAY_STEP_MS = (24 * 60 * 60_000) / 80
/** More than what all tries of an hour and the longest memory of a day's can leave. */
const MAX_SUBJECTS = 20_000
const MINUTE_MS = 60_000
/** Tries in any minute, of all together. The last of them are for who has not failed lately, and for who shows more than a password. */
const MAX_TRIES = { failed: 30, fresh: 50, proved: 60 } as const

/** Who tries: from an address, or with something that proves who it is beside the password, such as a session. */
export type Try = { readonly name: string } & ({ readonly address: string } | { readonly proof: string })

/** For a day's count `lastAtMs` is when all of it will be forgiven. */
type Failure = { readonly count: number; readonly lastAtMs: number }

type ThrottleDeps = {
  readonly nowMs: () => number
  readonly save: (change: VisitChange) => void
}

export class SignInThrottle {
  readonly #deps: ThrottleDeps
  /** By the hash of what failed, those that failed last at the end. */
  readonly #failures = new Map<string, Failure>()
  /** When the tries of the last minute were made. */
  #recent: number[] = []

  constructor(failures: readonly StoredFailure[], deps: ThrottleDeps) {
    this.#deps = deps
    const sorted = failures.toSorted((a, b) => a.lastAtMs - b.lastAtMs)
    for (const { subject, count, lastAtMs } of sorted) this.#failures.set(subject, { count, lastAtMs })
  }

  get size(): number {
    return this.#failures.size
  }

  /** Counts a try. Answers undefined where it may be made, else in how many milliseconds to come again. */
  begin(asked: Try): number | undefined {
    const nowMs = this.#deps.nowMs()
    const { pair, source, site, day } = subjectsOf(asked)
    const own = [this.#wait(pair, nowMs), this.#wait(source, nowMs), this.#waitOfDay(day, nowMs)]
    const isFresh = this.#count(source, nowMs) === 0 && this.#count(site, nowMs) < FREE_TRIES
    const most = 'proof' in asked ? MAX_TRIES.proved : isFresh ? MAX_TRIES.fresh : MAX_TRIES.failed
    const waitMs = Math.max(this.#waitForAll(most, nowMs), ...own)
    if (waitMs > 0) return waitMs
    this.#recent.push(nowMs)
    for (const subject of [pair, source, site]) this.#add(subject, 1, nowMs)
    this.#addToDay(day, 1, nowMs)
    return undefined
  }

  /** Takes a try back: it was right. What was tried before at the same source stays counted, by whomever. */
  succeeded(asked: Try): void {
    this.#forget(subjectsOf(asked).pair)
    this.#giveBack(asked)
  }

  /** Takes a try back that was neither right nor wrong, because it was not looked at. */
  takeBack(asked: Try): void {
    this.#add(subjectsOf(asked).pair, -1, this.#deps.nowMs())
    this.#giveBack(asked)
    this.#recent.pop()
  }

  #giveBack(asked: Try): void {
    const nowMs = this.#deps.nowMs()
    const { source, site, day } = subjectsOf(asked)
    for (const subject of [source, site]) this.#add(subject, -1, nowMs)
    this.#addToDay(day, -1, nowMs)
  }

  #wait(subject: string, nowMs: number): number {
    const failure = this.#failures.get(subject)
    const count = this.#count(subject, nowMs)
    if (failure === undefined || count < FREE_TRIES) return 0
    // A clock that was set back must lock nobody out for longer than it would have been.
    if (failure.lastAtMs > nowMs) this.#failures.set(subject, { ...failure, lastAtMs: nowMs })
    return Math.max(0, waitAfter(count) - Math.max(0, nowMs - failure.lastAtMs))
  }

  #waitOfDay(subject: string, nowMs: number): number {
    return Math.max(0, this.#forgivenAtMs(subject, nowMs) + DAY_STEP_MS - DAY_BURST * DAY_STEP_MS - nowMs)
  }

  #forgivenAtMs(subject: string, nowMs: number): number {
    const failure = this.#failures.get(subject)
    if (failure === undefined) return nowMs
    const latestMs = nowMs + DAY_BURST * DAY_STEP_MS
    // The clock was set back here too.
    if (failure.lastAtMs > latestMs) this.#failures.set(subject, { ...failure, lastAtMs: latestMs })
    return Math.max(nowMs, Math.min(failure.lastAtMs, latestMs))
  }

  #waitForAll(most: number, nowMs: number): number {
    // What a clock that was set back says to come did not happen.
    this.#recent = this.#recent.filter((atMs) => atMs <= nowMs && atMs > nowMs - MINUTE_MS)
    const inTheWay = this.#recent[this.#recent.length - most]
    return inTheWay === undefined ? 0 : inTheWay + MINUTE_MS - nowMs
  }

  #count(subject: string, nowMs: number): number {
    const failure = this.#failures.get(subject)
    return failure === undefined || nowMs - failure.lastAtMs >= FORGET_MS ? 0 : failure.count
  }

  #add(subject: string, by: 1 | -1, nowMs: number): void {
    const before = this.#failures.get(subject)
    const count = this.#count(subject, nowMs) + by
    if (count <= 0) return this.#forget(subject)
    this.#put(subject, { count, lastAtMs: by === 1 ? nowMs : (before?.lastAtMs ?? nowMs) })
  }

  #addToDay(subject: string, by: 1 | -1, nowMs: number): void {
    const lastAtMs = Math.round(this.#forgivenAtMs(subject, nowMs) + by * DAY_STEP_MS)
    if (lastAtMs <= nowMs) return this.#forget(subject)
    this.#put(subject, { count: 1, lastAtMs })
  }

  #put(subject: string, failure: Failure): void {
    this.#failures.delete(subject)
    this.#failures.set(subject, failure)
    this.#deps.save({ type: 'put-failure', failure: { subject, ...failure } })
    if (this.#failures.size > MAX_SUBJECTS) this.#makeRoom()
  }

  /** What is over goes, and where that is nothing what failed longest ago. */
  #makeRoom(): void {
    const nowMs = this.#deps.nowMs()
    for (const [subject, { lastAtMs }] of this.#failures) {
      if (nowMs - lastAtMs >= FORGET_MS) this.#forget(subject)
    }
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MAX_SUBJECTS) break
      this.#forget(oldest)
    }
  }

  #forget(subject: string): void {
    if (this.#failures.delete(subject)) this.#deps.save({ type: 'delete-failure', subject })
  }
}

/** How long to wait after so many failures: a second after the first that was not free, then twice as long each. */
function waitAfter(count: number): number {
  return count < FREE_TRIES ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - FREE_TRIES, 20))
}

/** What a try counts for. `site` keeps nobody out: it says who is not fresh, of those who have many networks. */
function subjectsOf(asked: Try) {
  const source = 'proof' in asked ? `proof ${asked.proof}` : sourceOf(asked.address)
  const name = asked.name.toLowerCase()
  const site = siteOf(source)
  return {
    pair: subjectOf('pair', `${name} at ${source}`),
    source: subjectOf('source', source),
    site: subjectOf('site', site),
    // The loopback addresses are all of one machine, which must not get a day's tries from each of them.
    day: subjectOf('day', `${name} at ${isLoopback(source) ? site : source}`),
  }
}

function subjectOf(kind: string, text: string): string {
  return hash('sha256', `${kind}:${text}`, 'base64url')
}
