import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Passwords } from '#server/sign-in/passwords.ts'
import { Sessions, type SharedSession, type SharedSessions, type Whose } from '#server/sign-in/sessions.ts'
import { Tickets } from '#server/sign-in/tickets.ts'
import { VisitJournal } from '#server/sign-in/visit-journal.ts'
import type { StoredSession, VisitChange } from '#store/session-rows.ts'
import { isRefusal } from '#core/refusal.ts'

const MINUTE_MS = 60_000

function house() {
  const rows = new Map<string, StoredSession>()
  const clock = { nowMs: 1_000_000_000_000 }
  let ids = 0
  const save = (change: VisitChange) => {
    if (change.type === 'put-session') rows.set(change.session.id, change.session)
    if (change.type === 'delete-session') rows.delete(change.id)
  }
  const barred = new Set<string>()
  const isBarred = (whose: Whose) => whose.type === 'holder' && barred.has(whose.keyId)
  const deps = { nowMs: () => clock.nowMs, randomBytes, save, isBarred }
  const open = ({ shared, prefix = '' }: { shared?: SharedSessions; prefix?: string | number } = {}) => {
    const newId = () => `id-${prefix}-${++ids}`
    const state = { sessions: [...rows.values()], failures: [], lastSeenAtMs: new Map<string, number>() }
    return new Sessions(state, { ...deps, newId, shared })
  }
  return { rows, clock, open, barred }
}

describe('a session', () => {
  it('is found by its two values together, and by nothing else', () => {
    const sessions = house().open()
    const [a, b] = [sessions.open(undefined), sessions.open('member')]
    expect(sessions.find(a.token, [a.cookie])).toMatchObject({ id: a.session.id, whose: { type: 'owner' } })
    expect(sessions.find(b.token, ['', 'x', b.cookie])).toMatchObject({ whose: { type: 'member', memberId: 'member' } })
    for (const [token, cookies] of [
      [a.token, []],
      [a.token, [b.cookie]],
      [a.cookie, [a.token]],
      [a.token, [a.token]],
      ['', [a.cookie]],
      [`${a.token}=`, [a.cookie]],
      [a.token, [...Array.from({ length: 8 }, () => 'x'), a.cookie]],
    ] as const) {
      expect(sessions.find(token, cookies)).toBeUndefined()
    }
  })

  it('is stored as hashes, and goes on after a restart', () => {
    const { rows, open } = house()
    const { token, cookie } = open().open('member')
    expect(JSON.stringify([...rows])).not.toContain(token)
    expect(JSON.stringify([...rows])).not.toContain(cookie)
    expect(open().find(token, [cookie])).toMatchObject({ whose: { type: 'member', memberId: 'member' } })
  })

  it("of a key is nowhere but in memory, and is nobody else's", () => {
    const { rows, open } = house()
    const sessions = open()
    const { token, cookie, session } = sessions.openForKey('key-id', 'hash')
    expect(sessions.find(token, [cookie])).toMatchObject({
      whose: { type: 'holder', keyId: 'key-id', keyHash: 'hash' },
    })
    expect(rows.size).toBe(0)
    expect(open().find(token, [cookie])).toBeUndefined()
    // Neither ending all of the owner nor of a member of the same id ends it.
    sessions.endAllOf(undefined)
    sessions.endAllOf('key-id')
    expect([sessions.count(undefined), sessions.count('key-id')]).toEqual([0, 0])
    expect(sessions.find(token, [cookie])).toBeDefined()
    const other = sessions.openForKey('key-id', 'hash')
    const owner = sessions.open(undefined)
    sessions.endAllLike(session)
    expect(sessions.find(other.token, [other.cookie])).toBeUndefined()
    expect(sessions.find(owner.token, [owner.cookie])).toBeDefined()
  })

  it('of somebody who may not be here any more ends at the next sweep, and what it has running with it', () => {
    const { open, barred } = house()
    const sessions = open()
    const [one, two] = [sessions.openForKey('one', 'hash'), sessions.openForKey('two', 'hash')]
    barred.add('one')
    sessions.sweep()
    expect([one.session.ended.aborted, two.session.ended.aborted]).toEqual([true, false])
    expect(sessions.find(one.token, [one.cookie])).toBeUndefined()
  })

  it('ends half an hour after its last request, also over a restart', () => {
    const { rows, clock, open } = house()
    const sessions = open()
    const { token, cookie, session } = sessions.open(undefined)
    for (let count = 0; count < 5; count++) {
      clock.nowMs += 29 * MINUTE_MS
      expect(sessions.find(token, [cookie])).toBeDefined()
    }
    expect(open().find(token, [cookie])).toBeDefined()
    clock.nowMs += 30 * MINUTE_MS
    expect(open().find(token, [cookie])).toBeUndefined()
    expect(session.ended.aborted).toBe(false)
    sessions.sweep()
    expect(session.ended.aborted).toBe(true)
    expect(rows.size).toBe(0)
  })

  it('ends twelve hours after it began, however busy it is', () => {
    const { clock, open } = house()
    const sessions = open()
    const { token, cookie, session } = sessions.open(undefined)
    for (let minutes = 0; minutes < 12 * 60 - 10; minutes += 10) {
      clock.nowMs += 10 * MINUTE_MS
      expect(sessions.find(token, [cookie])).toBeDefined()
    }
    clock.nowMs += 10 * MINUTE_MS
    expect(sessions.find(token, [cookie])).toBeUndefined()
    expect(session.ended.aborted).toBe(true)
  })

  it('ends at once with what it has running, alone or with all of its person', () => {
    const { rows, open } = house()
    const sessions = open()
    const [a, b, c] = [sessions.open('m'), sessions.open('m'), sessions.open('n')]
    sessions.end(a.session.id)
    expect([a, b, c].map(({ session }) => session.ended.aborted)).toEqual([true, false, false])
    const kept = sessions.open('m')
    sessions.endAllOf('m', kept.session.id)
    expect([b, kept, c].map(({ session }) => session.ended.aborted)).toEqual([true, false, false])
    expect(rows.size).toBe(2)
  })

  it('is one of at most fifty of a person; those not seen for longest end', () => {
    const { rows, clock, open } = house()
    const sessions = open()
    const all = Array.from({ length: 53 }, () => {
      clock.nowMs += 1
      return sessions.open('m')
    })
    expect(sessions.count('m')).toBe(50)
    expect(rows.size).toBe(50)
    expect(all.map(({ session }) => session.ended.aborted)).toEqual(all.map((_, index) => index < 3))
  })
})

/** Gateways that tell each other of their sessions, as soon as `tell` is called. */
function fleet() {
  const notes = new Map<string, SharedSession | undefined>()
  const listeners: ((id: string, session: SharedSession | undefined) => void)[] = []
  const state = { isCurrent: true, looks: 0 }
  const tell = () => {
    for (const [id, session] of notes) for (const listener of listeners) listener(id, session)
  }
  const shared: SharedSessions = {
    get isCurrent() {
      return state.isCurrent
    },
    onChanged: (listener) => void listeners.push(listener),
    find: (tokenHash) => [...notes.values()].find((session) => session?.tokenHash === tokenHash),
    isEnded: (id) => notes.has(id) && notes.get(id) === undefined,
    idsOf: (isMeant) => [...notes].flatMap(([id, session]) => (session && isMeant(session.whose) ? [id] : [])),
    async put(session) {
      if (!shared.isEnded(session.id)) notes.set(session.id, session)
    },
    end: (id) => void notes.set(id, undefined),
    fresh: async () => void (state.looks += 1),
    sweep: () => {},
  }
  const gateways = [house(), house()] as const
  return {
    notes,
    state,
    shared,
    tell,
    gateways,
    open: (index: 0 | 1) => gateways[index].open({ shared, prefix: index }),
  }
}

describe('a session of several gateways', () => {
  it('is found on the other by its two values together, and known there by hashes alone', async () => {
    const { notes, open, state } = fleet()
    const [a, b] = [open(0), open(1)]
    const { token, cookie, told } = a.open('m')
    await told
    expect(b.find(token, [cookie])).toBeUndefined()
    expect(await b.findAnywhere(token, ['x'])).toBeUndefined()
    expect(await b.findAnywhere(token, [cookie])).toMatchObject({ whose: { type: 'member', memberId: 'm' } })
    expect(state.looks).toBe(0)
    expect(await b.findAnywhere(cookie, [token])).toBeUndefined()
    expect(state.looks).toBe(1)
    const all = JSON.stringify([...notes])
    for (const value of [token, cookie]) expect(all).not.toContain(value)
    const holder = b.openForKey('key-id', 'hash')
    expect(await a.findAnywhere(holder.token, [holder.cookie])).toMatchObject({ whose: { type: 'holder' } })
  })

  it('of the owner of a machine is nowhere else', async () => {
    const { notes, open } = fleet()
    const { token, cookie } = open(0).open(undefined)
    expect(await open(1).findAnywhere(token, [cookie])).toBeUndefined()
    expect(notes.size).toBe(0)
  })

  it('ends everywhere, with what it has running, on whichever gateway it is ended', async () => {
    const { open, tell } = fleet()
    const [a, b] = [open(0), open(1)]
    const [one, two, three] = [a.open('m'), b.open('m'), a.open('m')]
    const there = await b.findAnywhere(one.token, [one.cookie])
    b.end(one.session.id)
    tell()
    expect([there?.ended.aborted, one.session.ended.aborted]).toEqual([true, true])
    expect(a.find(one.token, [one.cookie])).toBeUndefined()
    expect(await b.findAnywhere(one.token, [one.cookie])).toBeUndefined()
    // Also those that it has never seen.
    expect([a.count('m'), b.count('m')]).toEqual([2, 2])
    a.endAllOf('m', three.session.id)
    tell()
    expect([two.session.ended.aborted, three.session.ended.aborted]).toEqual([true, false])
    expect(await b.findAnywhere(three.token, [three.cookie])).toBeDefined()
  })

  it('that was ended while its gateway was not there is over at its next start', async () => {
    const { open, gateways } = fleet()
    const { token, cookie, session } = open(0).open('m')
    open(1).endAllOf('m')
    expect(gateways[0].rows.has(session.id)).toBe(true)
    expect(await open(0).findAnywhere(token, [cookie])).toBeUndefined()
    expect(gateways[0].rows.has(session.id)).toBe(false)
  })

  it('goes on where it was seen last, also when the gateway that opened it has not seen it for long', async () => {
    const { open, gateways, tell } = fleet()
    const [a, b] = [open(0), open(1)]
    const { token, cookie } = a.open('m')
    for (let count = 0; count < 3; count += 1) {
      for (const { clock } of gateways) clock.nowMs += 20 * MINUTE_MS
      expect(await b.findAnywhere(token, [cookie])).toBeDefined()
    }
    // It starts again, and has heard nothing of it.
    const again = open(0)
    again.sweep()
    tell()
    expect(await b.findAnywhere(token, [cookie])).toBeDefined()
    expect(await again.findAnywhere(token, [cookie])).toBeDefined()
  })

  it('of somebody whom the other gateway does not know yet is not ended by it', async () => {
    const { open, gateways, tell } = fleet()
    const [a, b] = [open(0), open(1)]
    const { token, cookie } = a.openForKey('new', 'hash')
    gateways[1].barred.add('new')
    expect(await b.findAnywhere(token, [cookie])).toBeUndefined()
    b.sweep()
    tell()
    gateways[1].barred.clear()
    expect(await b.findAnywhere(token, [cookie])).toBeDefined()
    gateways[1].barred.add('new')
    b.sweep()
    expect(a.find(token, [cookie])).toBeDefined()
  })

  it('of another gateway is not believed by one that has not heard of the others for long; its own are', async () => {
    const { open, state } = fleet()
    const [a, b] = [open(0), open(1)]
    const [there, here] = [a.open('m'), b.open('m')]
    expect(await b.findAnywhere(there.token, [there.cookie])).toBeDefined()
    state.isCurrent = false
    expect(await b.findAnywhere(there.token, [there.cookie])).toBeUndefined()
    expect(await b.findAnywhere(here.token, [here.cookie])).toBeDefined()
  })
})

describe('a ticket', () => {
  const clock = { now: 0 }
  const tickets = new Tickets({ monotonicMs: () => clock.now, randomBytes })

  it('is good once', () => {
    const { ticket } = tickets.make()
    expect(Buffer.from(ticket, 'base64url')).toHaveLength(32)
    expect([tickets.redeem(ticket), tickets.redeem(ticket)]).toEqual([true, false])
    expect(tickets.redeem('')).toBe(false)
  })

  it('is good for a minute', () => {
    const [early, late] = [tickets.make(), tickets.make()]
    clock.now += MINUTE_MS - 1
    expect(tickets.redeem(early.ticket)).toBe(true)
    clock.now += 1
    expect(tickets.redeem(late.ticket)).toBe(false)
  })

  it('is one of a hundred', () => {
    const all = Array.from({ length: 101 }, () => tickets.make().ticket)
    expect(all.map((ticket) => tickets.redeem(ticket))).toEqual(all.map((_, index) => index > 0))
  })
})

describe('a password', () => {
  const cheap = { logN: 4, blockSize: 8, parallel: 1 }

  it('is kept at the cost that is asked for, with a salt of its own', async () => {
    const [a, b] = await Promise.all([new Passwords().hash('geheim'), new Passwords().hash('geheim')])
    expect(a).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/)
    expect(a).not.toBe(b)
  })

  it('is known again, however its letters are composed, and nothing else is', async () => {
    const passwords = new Passwords(cheap)
    const kept = await passwords.hash('Schl\u00fcssel')
    if (isRefusal(kept)) throw new Error('refused')
    expect(await passwords.verify('Schlu\u0308ssel', kept)).toEqual({ isRight: true, isOutdated: false })
    for (const wrong of ['', 'schl\u00fcssel', 'Schl\u00fcssel ']) {
      expect(await passwords.verify(wrong, kept)).toMatchObject({ isRight: false })
    }
    expect(await new Passwords({ ...cheap, logN: 5 }).verify('Schl\u00fcssel', kept)).toEqual({
      isRight: true,
      isOutdated: true,
    })
  })

  it('fits nothing that this program did not write', async () => {
    const passwords = new Passwords(cheap)
    const [salt, made] = ['A'.repeat(22), 'A'.repeat(43)]
    for (const kept of [
      undefined,
      '',
      'plain',
      `$scrypt$ln=30,r=8,p=1$${salt}$${made}`,
      `$scrypt$ln=0,r=0,p=0$${salt}$${made}`,
    ]) {
      expect(await passwords.verify('plain', kept)).toMatchObject({ isRight: false })
    }
  })

  it('is hashed beside few others, and is refused where too many wait', async () => {
    const passwords = new Passwords({ ...cheap, logN: 14 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => passwords.verify('x', undefined)))
    expect(answers.filter(isRefusal)).toHaveLength(12)
    expect(answers.find(isRefusal)).toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 })
    expect(await passwords.verify('x', undefined)).toMatchObject({ isRight: false })
  })
})

describe('the journal', () => {
  it('keeps what the disk refuses, in its order, and loses only what is too much', async () => {
    const written: VisitChange[] = []
    let isFull = true
    let losses = 0
    const journal = new VisitJournal({
      write: async (changes) => {
        if (isFull) throw new Error('SQLITE_FULL')
        written.push(...changes)
      },
      onLoss: () => void (losses += 1),
    })
    const change = (index: number) => ({ type: 'delete-session', id: String(index) }) as const
    for (let index = 0; index < 5002; index++) journal.add(change(index))
    await journal.flushed()
    expect([written.length, losses]).toEqual([0, 1])
    isFull = false
    await journal.close()
    expect(written).toEqual(Array.from({ length: 5000 }, (_, index) => change(index)))
  })
})
