// Who is signed in. A session is proved by two values together: one in a cookie, which other servers of this machine get to see
// because cookies do not know ports, and one in a header, which only the dashboard's own pages have. Of both only hashes are kept.

import { hash, timingSafeEqual } from 'node:crypto'
import type { StoredSession, VisitChange, VisitState } from '#store/session-rows.ts'

export const IDLE_MS = 30 * 60_000
export const LONGEST_MS = 12 * 60 * 60_000
const MOST_PER_PERSON = 50
/** How exactly it is known after a restart when somebody was last seen. */
const NOTE_SEEN_MS = 60_000
const VALUE_BYTES = 32
const VALUE = /^[A-Za-z0-9_-]{43}$/
/** Other servers of this machine can add cookies of our name; so many are looked at. */
const MOST_COOKIES = 8

/** A session that is open. */
export type Session = {
  readonly id: string
  /** undefined: the owner of the machine. */
  readonly memberId: string | undefined
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  /** Aborted when the session ends, in whichever way. */
  readonly ended: AbortSignal
}

type OpenSession = StoredSession & {
  lastSeenAtMs: number
  notedAtMs: number
  readonly controller: AbortController
}

type Deps = {
  readonly nowMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  readonly save: (change: VisitChange) => void
}

export class Sessions {
  readonly #deps: Deps
  readonly #byTokenHash = new Map<string, OpenSession>()
  readonly #lastSeenAtMs: Map<string, number>

  constructor(state: VisitState, deps: Deps) {
    this.#deps = deps
    this.#lastSeenAtMs = new Map(state.lastSeenAtMs)
    for (const stored of state.sessions) this.#add(stored)
    this.sweep()
  }

  /** Opens a session with new values. They are in the answer and nowhere else. */
  open(memberId: string | undefined): { readonly cookie: string; readonly token: string; readonly session: Session } {
    const [cookie, token] = [this.#newValue(), this.#newValue()]
    const nowMs = this.#deps.nowMs()
    const stored = {
      id: this.#deps.newId(),
      memberId,
      cookieHash: hashOf(cookie),
      tokenHash: hashOf(token),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
    }
    const own = this.#of(memberId).toSorted((a, b) => a.lastSeenAtMs - b.lastSeenAtMs)
    for (const oldest of own.slice(0, Math.max(0, own.length + 1 - MOST_PER_PERSON))) this.#end(oldest)
    const session = this.#add(stored)
    this.#noteSeen(session)
    return { cookie, token, session: viewOf(session) }
  }

  /** The session that a request proves to belong to, which counts as a sign of life. */
  find(token: string, cookies: readonly string[]): Session | undefined {
    const session = VALUE.test(token) ? this.#byTokenHash.get(hashOf(token)) : undefined
    if (session === undefined || !cookies.slice(0, MOST_COOKIES).some((cookie) => isCookieOf(session, cookie))) {
      return undefined
    }
    const nowMs = this.#deps.nowMs()
    if (isOver(session, nowMs)) {
      this.#end(session)
      return undefined
    }
    session.lastSeenAtMs = nowMs
    if (session.memberId !== undefined) this.#lastSeenAtMs.set(session.memberId, nowMs)
    if (Math.abs(nowMs - session.notedAtMs) >= NOTE_SEEN_MS) this.#noteSeen(session)
    return viewOf(session)
  }

  /** Ends one session: its next request is refused, and what it has running ends. */
  end(id: string): void {
    for (const session of this.#byTokenHash.values()) if (session.id === id) this.#end(session)
  }

  /** Ends every session of a person, but for the one to keep. */
  endAllOf(memberId: string | undefined, keptId?: string): void {
    for (const session of this.#of(memberId)) if (session.id !== keptId) this.#end(session)
  }

  /** Ends the sessions whose time is over, so that what they have running ends too. */
  sweep(): void {
    const nowMs = this.#deps.nowMs()
    for (const session of this.#byTokenHash.values()) if (isOver(session, nowMs)) this.#end(session)
  }

  count(memberId: string | undefined): number {
    return this.#of(memberId).length
  }

  lastSeenAtMs(memberId: string): number | undefined {
    return this.#lastSeenAtMs.get(memberId)
  }

  #of(memberId: string | undefined): OpenSession[] {
    return [...this.#byTokenHash.values()].filter((session) => session.memberId === memberId)
  }

  #add(stored: StoredSession): OpenSession {
    const session = { ...stored, notedAtMs: stored.lastSeenAtMs, controller: new AbortController() }
    this.#byTokenHash.set(session.tokenHash, session)
    return session
  }

  #end(session: OpenSession): void {
    this.#byTokenHash.delete(session.tokenHash)
    this.#deps.save({ type: 'delete-session', id: session.id })
    session.controller.abort()
  }

  #noteSeen(session: OpenSession): void {
    session.notedAtMs = session.lastSeenAtMs
    const { id, memberId, cookieHash, tokenHash, createdAtMs, lastSeenAtMs } = session
    const stored = { id, memberId, cookieHash, tokenHash, createdAtMs, lastSeenAtMs }
    if (memberId !== undefined) this.#lastSeenAtMs.set(memberId, lastSeenAtMs)
    this.#deps.save({ type: 'put-session', session: stored })
  }

  #newValue(): string {
    return Buffer.from(this.#deps.randomBytes(VALUE_BYTES)).toString('base64url')
  }
}

function viewOf({ id, memberId, createdAtMs, lastSeenAtMs, controller }: OpenSession): Session {
  return { id, memberId, createdAtMs, lastSeenAtMs, ended: controller.signal }
}

function isOver(session: OpenSession, nowMs: number): boolean {
  return nowMs >= session.lastSeenAtMs + IDLE_MS || nowMs >= session.createdAtMs + LONGEST_MS
}

function isCookieOf(session: OpenSession, cookie: string): boolean {
  return VALUE.test(cookie) && timingSafeEqual(Buffer.from(hashOf(cookie)), Buffer.from(session.cookieHash))
}

function hashOf(value: string): string {
  return hash('sha256', value, 'base64url')
}
