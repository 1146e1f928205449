// Who is signed in. A session is proved by two values together: one in a cookie, which other servers of this machine get to see
// because cookies do not know ports, and one in a header, which only the dashboard's own pages have. Of both only hashes are kept.
// Sessions of people are kept over a restart. Those of keys are in memory alone, so that no row says which key somebody has.

import { hash, timingSafeEqual } from 'node:crypto'
import type { StoredSession, VisitChange, VisitState } from '#store/session-rows.ts'

export const IDLE_MS = 30 * 60_000
export const LONGEST_MS = 12 * 60 * 60_000
const MAX_PER_PERSON = 50
/** How exactly it is known after a restart when somebody was last seen. */
const NOTE_SEEN_MS = 60_000
const VALUE_BYTES = 32
const VALUE = /^[A-Za-z0-9_-]{43}$/
/** Other servers of this machine can add cookies of our name; so many are looked at. */
const MAX_COOKIES = 8

/** Whose session it is. That of a key holds as long as the value does that it was opened with. */
export type Whose =
  | { readonly type: 'owner' }
  | { readonly type: 'member'; readonly memberId: string }
  | { readonly type: 'holder'; readonly keyId: string; readonly keyHash: string }

/** A session that is open. */
export type Session = {
  readonly id: string
  readonly whose: Whose
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  /** Aborted when the session ends, in whichever way. */
  readonly ended: AbortSignal
}

/** What whoever signs in gets. The values are in there and nowhere else. */
type Opened = { readonly cookie: string; readonly token: string; readonly session: Session }

type OpenSession = Omit<StoredSession, 'memberId'> & {
  readonly whose: Whose
  lastSeenAtMs: number
  notedAtMs: number
  readonly controller: AbortController
}

type SessionsDeps = {
  readonly nowMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  readonly save: (change: VisitChange) => void
  /** Whether somebody may not be here any more, such as with a key that was revoked; asked at every sweep. */
  readonly isBarred: (whose: Whose) => boolean
}

export class Sessions {
  readonly #deps: SessionsDeps
  readonly #byTokenHash = new Map<string, OpenSession>()
  readonly #lastSeenAtMs: Map<string, number>

  constructor(state: VisitState, deps: SessionsDeps) {
    this.#deps = deps
    this.#lastSeenAtMs = new Map(state.lastSeenAtMs)
    for (const { memberId, ...stored } of state.sessions) this.#add({ ...stored, whose: personOf(memberId) })
    this.sweep()
  }

  /** Opens a session of a member, or of the owner of the machine where nobody is named. */
  open(memberId: string | undefined): Opened {
    return this.#open(personOf(memberId))
  }

  /** Opens a session of whoever has a key, by the hash of the value that was shown. */
  openForKey(keyId: string, keyHash: string): Opened {
    return this.#open({ type: 'holder', keyId, keyHash })
  }

  #open(whose: Whose): Opened {
    const [cookie, token] = [this.#newValue(), this.#newValue()]
    const nowMs = this.#deps.nowMs()
    const opened = {
      id: this.#deps.newId(),
      whose,
      cookieHash: hashOf(cookie),
      tokenHash: hashOf(token),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
    }
    const own = this.#of(whose).toSorted((a, b) => a.lastSeenAtMs - b.lastSeenAtMs)
    for (const oldest of own.slice(0, Math.max(0, own.length + 1 - MAX_PER_PERSON))) this.#end(oldest)
    const session = this.#add(opened)
    this.#noteSeen(session)
    return { cookie, token, session: viewOf(session) }
  }

  /** The session that a request proves to belong to, which counts as a sign of life. */
  find(token: string, cookies: readonly string[]): Session | undefined {
    const session = VALUE.test(token) ? this.#byTokenHash.get(hashOf(token)) : undefined
    if (session === undefined || !cookies.slice(0, MAX_COOKIES).some((cookie) => isCookieOf(session, cookie))) {
      return undefined
    }
    const nowMs = this.#deps.nowMs()
    if (isOver(session, nowMs)) {
      this.#end(session)
      return undefined
    }
    session.lastSeenAtMs = nowMs
    if (session.whose.type === 'member') this.#lastSeenAtMs.set(session.whose.memberId, nowMs)
    if (Math.abs(nowMs - session.notedAtMs) >= NOTE_SEEN_MS) this.#noteSeen(session)
    return viewOf(session)
  }

  /** Ends one session: its next request is refused, and what it has running ends. */
  end(id: string): void {
    for (const session of this.#byTokenHash.values()) if (session.id === id) this.#end(session)
  }

  /** Ends every session of a person, but for the one to keep. */
  endAllOf(memberId: string | undefined, keptId?: string): void {
    for (const session of this.#of(personOf(memberId))) if (session.id !== keptId) this.#end(session)
  }

  /** Ends every session of whoever has this one. */
  endAllLike({ whose }: Pick<Session, 'whose'>): void {
    for (const session of this.#of(whose)) this.#end(session)
  }

  /** Ends the sessions whose time is over, and of those who are barred, so that what they have running ends too. */
  sweep(): void {
    const nowMs = this.#deps.nowMs()
    for (const session of this.#byTokenHash.values()) {
      if (isOver(session, nowMs) || this.#deps.isBarred(session.whose)) this.#end(session)
    }
  }

  count(memberId: string | undefined): number {
    return this.#of(personOf(memberId)).length
  }

  lastSeenAtMs(memberId: string): number | undefined {
    return this.#lastSeenAtMs.get(memberId)
  }

  #of(whose: Whose): OpenSession[] {
    return [...this.#byTokenHash.values()].filter((session) => isSame(session.whose, whose))
  }

  #add(opened: Omit<OpenSession, 'notedAtMs' | 'controller'>): OpenSession {
    const session = { ...opened, notedAtMs: opened.lastSeenAtMs, controller: new AbortController() }
    this.#byTokenHash.set(session.tokenHash, session)
    return session
  }

  #end(session: OpenSession): void {
    this.#byTokenHash.delete(session.tokenHash)
    if (session.whose.type !== 'holder') this.#deps.save({ type: 'delete-session', id: session.id })
    session.controller.abort()
  }

  #noteSeen(session: OpenSession): void {
    session.notedAtMs = session.lastSeenAtMs
    const { id, whose, cookieHash, tokenHash, createdAtMs, lastSeenAtMs } = session
    if (whose.type === 'holder') return
    const memberId = whose.type === 'member' ? whose.memberId : undefined
    const stored = { id, memberId, cookieHash, tokenHash, createdAtMs, lastSeenAtMs }
    if (memberId !== undefined) this.#lastSeenAtMs.set(memberId, lastSeenAtMs)
    this.#deps.save({ type: 'put-session', session: stored })
  }

  #newValue(): string {
    return Buffer.from(this.#deps.randomBytes(VALUE_BYTES)).toString('base64url')
  }
}

function viewOf({ id, whose, createdAtMs, lastSeenAtMs, controller }: OpenSession): Session {
  return { id, whose, createdAtMs, lastSeenAtMs, ended: controller.signal }
}

/** Only the sessions of people are on disk, where nobody means the owner of the machine. */
function personOf(memberId: string | undefined): Whose {
  return memberId === undefined ? { type: 'owner' } : { type: 'member', memberId }
}

function isSame(one: Whose, other: Whose): boolean {
  if (one.type === 'member') return other.type === 'member' && one.memberId === other.memberId
  if (one.type === 'holder') return other.type === 'holder' && one.keyId === other.keyId
  return other.type === 'owner'
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
