// Who is signed in on any of the gateways that share their books: hashes alone, as each gateway keeps them of its own sessions.

import { isDoneWithin } from '#core/done-within.ts'
import type { Fleet } from '#fleet/fleet.ts'
import type { Note } from '#fleet/shared-notes.ts'
import { LONGEST_MS, type SharedSession, type SharedSessions, type Whose } from '#server/sign-in/sessions.ts'

type Known = { readonly session: SharedSession | undefined; readonly heardAtMs: number }

const KIND = 'session'
const HASH = /^[A-Za-z0-9_-]{43}$/
/** Who comes with a session that nobody knows has the others asked, so often at most. */
const LOOK_EVERY_MS = 100
/** Whoever signs in waits no longer for the others. */
const TELL_MS = 1000
const SWEEP_EVERY_MS = 60_000

export class FleetSessions implements SharedSessions {
  readonly #fleet: Fleet
  readonly #nowMs: () => number
  /** Also of those that ended, for as long as anything could bring them back. */
  readonly #known = new Map<string, Known>()
  readonly #idOfToken = new Map<string, string>()
  #changed: (id: string, session: SharedSession | undefined) => void = () => {}
  #looking: Promise<void> | undefined
  #sweptAtMs = 0

  constructor(fleet: Fleet, nowMs: () => number) {
    this.#fleet = fleet
    this.#nowMs = nowMs
    fleet.notes.listen(KIND, (notes) => this.#take(notes))
  }

  get isCurrent(): boolean {
    return this.#fleet.isServing
  }

  onChanged(listener: (id: string, session: SharedSession | undefined) => void): void {
    this.#changed = listener
  }

  find(tokenHash: string): SharedSession | undefined {
    return this.#known.get(this.#idOfToken.get(tokenHash) ?? '')?.session
  }

  isEnded(id: string): boolean {
    const known = this.#known.get(id)
    return known !== undefined && known.session === undefined
  }

  idsOf(isMeant: (whose: Whose) => boolean): string[] {
    return [...this.#known].flatMap(([id, { session }]) =>
      session !== undefined && isMeant(session.whose) ? [id] : [],
    )
  }

  async put({ id, ...body }: SharedSession): Promise<void> {
    await isDoneWithin(this.#fleet.notes.tell({ kind: KIND, id, body, isOnce: true }), TELL_MS)
  }

  end(id: string): void {
    this.#hear(id, undefined)
    void this.#fleet.notes.tell({ kind: KIND, id, body: null, isOnce: true })
  }

  async fresh(): Promise<void> {
    this.#looking ??= this.#look()
    await this.#looking
  }

  sweep(): void {
    const nowMs = this.#nowMs()
    if (nowMs - this.#sweptAtMs < SWEEP_EVERY_MS) return
    this.#sweptAtMs = nowMs
    for (const [id, { session, heardAtMs }] of this.#known) {
      if (nowMs < heardAtMs + 2 * LONGEST_MS) continue
      this.#known.delete(id)
      if (session !== undefined) this.#idOfToken.delete(session.tokenHash)
    }
  }

  async #look(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    // Whoever comes from now on may ask for what this look is too early for.
    this.#looking = undefined
    // Where PostgreSQL cannot be asked, nobody knows the session. Who was made a member a moment ago is in the catalogue.
    await Promise.allSettled([this.#fleet.notes.look(), this.#fleet.follow()])
  }

  #take(notes: readonly Note[]): void {
    for (const { id, body } of notes) {
      const session = body === null ? undefined : sessionIn(id, body)
      // What was ended here is not heard of again, whatever a database says that lost it.
      if (session !== undefined && this.isEnded(id)) continue
      this.#hear(id, session)
      this.#changed(id, session)
    }
  }

  #hear(id: string, session: SharedSession | undefined): void {
    const before = this.#known.get(id)?.session
    if (before !== undefined) this.#idOfToken.delete(before.tokenHash)
    if (session !== undefined) this.#idOfToken.set(session.tokenHash, id)
    this.#known.set(id, { session, heardAtMs: this.#nowMs() })
  }
}

/** undefined for what no gateway noted. The owner of a machine is that of one machine alone. */
function sessionIn(id: string, body: unknown): SharedSession | undefined {
  const { whose, cookieHash, tokenHash, createdAtMs, lastSeenAtMs } = membersOf(body)
  const known = whoseIn(membersOf(whose))
  const isWhole = isHash(cookieHash) && isHash(tokenHash) && isTime(createdAtMs) && isTime(lastSeenAtMs)
  return known === undefined || !isWhole
    ? undefined
    : { id, whose: known, cookieHash, tokenHash, createdAtMs, lastSeenAtMs }
}

function whoseIn({
  type,
  memberId,
  keyId,
  keyHash,
}: Readonly<Record<string, unknown>>): SharedSession['whose'] | undefined {
  if (type === 'member' && typeof memberId === 'string') return { type, memberId }
  if (type === 'holder' && typeof keyId === 'string' && typeof keyHash === 'string') return { type, keyId, keyHash }
  return undefined
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
