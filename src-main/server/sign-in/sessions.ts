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
type Opened = {
  readonly cookie: string
  readonly token: string
  readonly session: Session
  /** Resolves when other gateways know of it that could be told. */
  readonly told: Promise<void>
}

/** One that all gateways know that share their books: that of the owner of a machine is known there alone. */
export type SharedSession = Omit<StoredSession, 'memberId'> & {
  readonly whose: Exclude<Whose, { readonly type: 'owner' }>
}

/** The sessions of all gateways that share their books. */
export interface SharedSessions {
  /** Whether the others were heard of lately enough to believe what is known of their sessions. */
  readonly isCurrent: boolean
  /** Told of every session of another gateway that opens, goes on, or ends; undefined for one that ended. */
  onChanged(listener: (id: string, session: SharedSession | undefined) => void): void
  find(tokenHash: string): SharedSession | undefined
  isEnded(id: string): boolean
  idsOf(isMeant: (whose: Whose) => boolean): string[]
  /** Resolves when the others know, or cannot be told now. */
  put(session: SharedSession): Promise<void>
  end(id: string): void
  /** Resolves when what the others had told by now is known, sessions and people. */
  fresh(): Promise<void>
  sweep(): void
}

type OpenSession = Omit<StoredSession, 'memberId'> & {
  readonly whose: Whose
  /** Whether another gateway opened it. */
  readonly isElsewhere: boolean
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
  readonly shared?: SharedSessions | undefined
}

export class Sessions {
  readonly #deps: SessionsDeps
  readonly #byTokenHash = new Map<string, OpenSession>()
  readonly #lastSeenAtMs: Map<string, number>

  constructor(state: VisitState, deps: SessionsDeps) {
    this.#deps = deps
    this.#lastSeenAtMs = new Map(state.lastSeenAtMs)
    for (const { memberId, ...stored } of state.sessions) {
      this.#add({ ...stored, whose: personOf(memberId), isElsewhere: false })
      if (deps.shared?.isEnded(stored.id) === true) this.#changedElsewhere(stored.id, undefined)
    }
    deps.shared?.onChanged((id, session) => this.#changedElsewhere(id, session))
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
      isElsewhere: false,
      cookieHash: hashOf(cookie),
      tokenHash: hashOf(token),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
    }
    const own = this.#of(whose).toSorted((a, b) => a.lastSeenAtMs - b.lastSeenAtMs)
    for (const oldest of own.slice(0, Math.max(0, own.length + 1 - MAX_PER_PERSON))) this.#end(oldest)
    const session = this.#add(opened)
    return { cookie, token, session: viewOf(session), told: this.#noteSeen(session) }
  }

  /** The session that a request proves to belong to, which counts as a sign of life. */
  find(token: string, cookies: readonly string[]): Session | undefined {
    const session = VALUE.test(token) ? this.#byTokenHash.get(hashOf(token)) : undefined
    if (session === undefined || !cookies.slice(0, MAX_COOKIES).some((cookie) => isCookieOf(session, cookie))) {
      return undefined
    }
    if (session.isElsewhere && this.#deps.shared?.isCurrent !== true) return undefined
    const nowMs = this.#deps.nowMs()
    if (isOver(session, nowMs)) {
      this.#close(session)
      return undefined
    }
    session.lastSeenAtMs = nowMs
    if (session.whose.type === 'member') this.#lastSeenAtMs.set(session.whose.memberId, nowMs)
    if (Math.abs(nowMs - session.notedAtMs) >= NOTE_SEEN_MS) void this.#noteSeen(session)
    return viewOf(session)
  }

  /** The same, also of a session that another gateway has just opened. */
  async findAnywhere(token: string, cookies: readonly string[]): Promise<Session | undefined> {
    const found = this.find(token, cookies)
    const { shared } = this.#deps
    if (found !== undefined || shared === undefined || !VALUE.test(token)) return found
    const tokenHash = hashOf(token)
    if (this.#byTokenHash.has(tokenHash)) return undefined
    if (!this.#adopt(shared.find(tokenHash))) {
      await shared.fresh()
      this.#adopt(shared.find(tokenHash))
    }
    return this.find(token, cookies)
  }

  /** Ends one session: its next request is refused, and what it has running ends. */
  end(id: string): void {
    for (const session of this.#byTokenHash.values()) if (session.id === id) this.#end(session)
  }

  /** Ends every session of a person, but for the one to keep. */
  endAllOf(memberId: string | undefined, keptId?: string): void {
    this.#endAll(personOf(memberId), keptId)
  }

  /** Ends every session of whoever has this one. */
  endAllLike({ whose }: Pick<Session, 'whose'>): void {
    this.#endAll(whose)
  }

  /** Ends the sessions whose time is over, and of those who are barred, so that what they have running ends too. */
  sweep(): void {
    const nowMs = this.#deps.nowMs()
    for (const session of this.#byTokenHash.values()) {
      if (isOver(session, nowMs)) this.#close(session)
      else if (this.#deps.isBarred(session.whose)) {
        // The gateway that opened it ends it for all: what lets somebody in may not have been heard of here.
        if (session.isElsewhere) this.#close(session)
        else this.#end(session)
      }
    }
    this.#deps.shared?.sweep()
  }

  count(memberId: string | undefined): number {
    const whose = personOf(memberId)
    const own = this.#of(whose).map(({ id }) => id)
    const all = this.#deps.shared?.idsOf((other) => isSame(other, whose)) ?? []
    return new Set([...own, ...all]).size
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

  /** Also on other gateways. */
  #end(session: OpenSession): void {
    this.#close(session)
    if (session.whose.type !== 'owner') this.#deps.shared?.end(session.id)
  }

  /** Here alone: others see by themselves that its time is over, or go on with it if they saw it later. */
  #close(session: OpenSession): void {
    this.#byTokenHash.delete(session.tokenHash)
    const isStored = session.whose.type !== 'holder' && !session.isElsewhere
    if (isStored) this.#deps.save({ type: 'delete-session', id: session.id })
    session.controller.abort()
  }

  #endAll(whose: Whose, keptId?: string): void {
    for (const session of this.#of(whose)) if (session.id !== keptId) this.#end(session)
    const { shared } = this.#deps
    if (shared === undefined || whose.type === 'owner') return
    for (const id of shared.idsOf((other) => isSame(other, whose))) if (id !== keptId) shared.end(id)
  }

  #changedElsewhere(id: string, shared: SharedSession | undefined): void {
    const session = [...this.#byTokenHash.values()].find((open) => open.id === id)
    if (session === undefined) return
    if (shared === undefined) this.#close(session)
    else session.lastSeenAtMs = Math.max(session.lastSeenAtMs, shared.lastSeenAtMs)
  }

  /** Whether it can be gone on with here: of whose it is may not be known yet. */
  #adopt(shared: SharedSession | undefined): boolean {
    const isDone = shared === undefined || isOver(shared, this.#deps.nowMs()) || this.#deps.isBarred(shared.whose)
    if (!isDone) this.#add({ ...shared, isElsewhere: true })
    return !isDone
  }

  async #noteSeen(session: OpenSession): Promise<void> {
    session.notedAtMs = session.lastSeenAtMs
    const { id, whose, cookieHash, tokenHash, createdAtMs, lastSeenAtMs, isElsewhere } = session
    const proof = { id, cookieHash, tokenHash, createdAtMs, lastSeenAtMs }
    const memberId = whose.type === 'member' ? whose.memberId : undefined
    if (memberId !== undefined) this.#lastSeenAtMs.set(memberId, lastSeenAtMs)
    const isStored = whose.type !== 'holder' && !isElsewhere
    if (isStored) this.#deps.save({ type: 'put-session', session: { ...proof, memberId } })
    if (whose.type !== 'owner') await this.#deps.shared?.put({ ...proof, whose })
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

function isOver(session: Pick<StoredSession, 'createdAtMs' | 'lastSeenAtMs'>, nowMs: number): boolean {
  return nowMs >= session.lastSeenAtMs + IDLE_MS || nowMs >= session.createdAtMs + LONGEST_MS
}

function isCookieOf(session: OpenSession, cookie: string): boolean {
  return VALUE.test(cookie) && timingSafeEqual(Buffer.from(hashOf(cookie)), Buffer.from(session.cookieHash))
}

function hashOf(value: string): string {
  return hash('sha256', value, 'base64url')
}
