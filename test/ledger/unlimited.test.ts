// Keys that are moved to an unlimited package, and back, while their calls run: what lists show as available after each entry.

import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import { listEntries } from '#ledger/list.ts'
import { summariseNext } from '#ledger/summary.ts'
import { applyMigrations } from '#store/database.ts'
import { Books, terms, type SetClock } from './books.ts'

const DAY = 86_400_000
const NOON = Date.parse('2028-02-14T12:00:00Z')
const OPEN = terms('unlimited', 0)
const MONTH = terms('monthly', 100)

let books: Books
const clock: SetClock = { nowMs: NOON }

beforeAll(async () => {
  books = await Books.open({ clock })
})

afterAll(async () => {
  await books.ledger.flush()
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
  await books.remove()
})

function keyWith(of: AccountTerms): Promise<string> {
  clock.nowMs = NOON
  return books.addKey(of)
}

/** At the next moment: a cycle begins for each change of the kind. */
async function move(key: string, to: AccountTerms): Promise<void> {
  clock.nowMs += 1
  await books.changeTerms(key, to)
}

async function spend(key: string, amount: number): Promise<void> {
  await books.resolve(await books.held(key, amount), amount)
}

/** The entries of a key, the oldest first: the kind, and what was available afterwards. */
async function listed(key: string): Promise<(readonly [kind: string, available: number | null])[]> {
  await books.ledger.flush()
  const { entries } = listEntries(books.reader, { keyIds: [key], kind: undefined, beforeSeq: undefined, limit: 1000 })
  return entries.toReversed().map((entry) => [entry.kind, entry.available_micro] as const)
}

describe('an entry of a call that began before its key became unlimited', () => {
  it.each([
    ['less than its hold', 15, ['settle', 'lapse']],
    ['more than its hold', 25, ['settle', 'lapse']],
    ['all of its hold', 20, ['settle']],
    ['nothing', 0, ['release', 'lapse']],
  ])('is shown without an amount: %s', async (_name, charge, kinds) => {
    const key = await keyWith(MONTH)
    const hold = await books.held(key, 20)
    await move(key, OPEN)
    await books.resolve(hold, charge)
    const late = kinds.map((kind) => [kind, null])
    expect(await listed(key)).toEqual([['grant', 100], ['hold', 80], ['lapse', 0], ...late])
  })

  it('is shown so also among calls that are charged to the new cycle', async () => {
    const key = await keyWith(MONTH)
    const holds = [await books.held(key, 20), await books.held(key, 20)]
    await move(key, OPEN)
    for (const hold of holds) {
      await spend(key, 7)
      await books.resolve(hold, 20)
    }
    const inBetween = [
      ['hold', null],
      ['settle', null],
    ]
    const settled = [...inBetween, ['settle', null]]
    expect((await listed(key)).slice(4)).toEqual([...settled, ...settled])
  })

  it.each([
    ['less than its hold', 90],
    ['more than its hold', 130],
  ])('is shown so also where the calls held all that there was, so that nothing lapsed: %s', async (_name, charge) => {
    const key = await keyWith(MONTH)
    const hold = await books.held(key, 100)
    await move(key, OPEN)
    await books.resolve(hold, charge)
    expect((await listed(key)).slice(2)).toEqual([
      ['settle', null],
      ['lapse', null],
    ])
  })

  it('is shown so also where only a call of the new cycle says that there is one', async () => {
    const key = await keyWith(MONTH)
    const hold = await books.held(key, 100)
    await move(key, OPEN)
    await spend(key, 7)
    await books.resolve(hold, 100)
    expect((await listed(key)).slice(2).every(([, available]) => available === null)).toBe(true)
  })

  it('is shown so also where only another such call says that the cycle has ended', async () => {
    const key = await keyWith(MONTH)
    const holds = [await books.held(key, 50), await books.held(key, 50)]
    await move(key, OPEN)
    for (const [index, hold] of holds.entries()) await books.resolve(hold, 40 + 10 * index)
    expect((await listed(key)).slice(3)).toEqual([
      ['settle', null],
      ['lapse', null],
      ['settle', null],
    ])
  })

  it('is shown so also after a cycle in between', async () => {
    const key = await keyWith(MONTH)
    const hold = await books.held(key, 20)
    await move(key, terms('topup', 50))
    await move(key, OPEN)
    await books.resolve(hold, 25)
    expect((await listed(key)).slice(-2)).toEqual([
      ['settle', null],
      ['lapse', null],
    ])
  })
})

describe('an entry of a call that began before its key was limited', () => {
  it('is shown with what the key has since', async () => {
    const key = await keyWith(OPEN)
    const hold = await books.held(key, 20)
    await spend(key, 3)
    await move(key, MONTH)
    await books.resolve(hold, 15)
    expect(await listed(key)).toEqual([
      ...['hold', 'hold', 'settle', 'lapse'].map((kind) => [kind, null]),
      ['grant', 100],
      ['settle', 85],
      ['lapse', 100],
    ])
  })

  it('is shown so also where the call began before the key was unlimited', async () => {
    const key = await keyWith(MONTH)
    const hold = await books.held(key, 20)
    await move(key, OPEN)
    await spend(key, 7)
    await move(key, terms('daily', 50))
    await books.resolve(hold, 15)
    expect((await listed(key)).slice(-3)).toEqual([
      ['grant', 50],
      ['settle', 55],
      ['lapse', 50],
    ])
  })

  it('is shown without an amount where the key is unlimited again', async () => {
    const key = await keyWith(OPEN)
    const hold = await books.held(key, 20)
    await move(key, MONTH)
    await move(key, OPEN)
    await books.resolve(hold, 15)
    expect((await listed(key)).slice(-4)).toEqual([
      ['grant', 100],
      ['lapse', 0],
      ['settle', null],
      ['lapse', null],
    ])
  })
})

describe('an entry of a call that began in an earlier cycle', () => {
  it('is shown with an amount where the key always had a limit', async () => {
    const key = await keyWith(terms('daily', 100))
    const hold = await books.held(key, 20)
    clock.nowMs = NOON + 3 * DAY
    await spend(key, 10)
    await books.resolve(hold, 15)
    expect((await listed(key)).slice(-3)).toEqual([
      ['settle', 90],
      ['settle', 95],
      ['lapse', 90],
    ])
  })
})

describe('a list of keys that are moved again and again', () => {
  it('shows an amount where the key had a limit at the time, and only there', async () => {
    const random = numbers(7)
    // More than is ever held at a time: a cycle that ends with nothing left writes nothing of it.
    const kinds = [OPEN, terms('monthly', 4000), OPEN, terms('daily', 3000), terms('topup', 2000)]
    const key = await keyWith(OPEN)
    const expected: (readonly [kind: string, isUnlimited: boolean])[] = []
    let present: AccountTerms = OPEN
    const running: OpenHold[] = []
    for (let step = 0; step < 400; step += 1) {
      const before = present
      const roll = random(10)
      clock.nowMs += random(4) === 0 ? DAY / 3 : 1
      if (roll === 0) await books.changeTerms(key, (present = kinds[random(kinds.length)] ?? OPEN))
      else if (roll < 6) {
        const answer = await books.hold({ keyId: key, isFree: random(2) === 0, worstMicro: microCredits(random(40)) })
        if (answer.type === 'held') running.push(answer.hold)
      } else await Promise.all(running.splice(random(running.length), 1).map((hold) => books.resolve(hold, random(9))))
      // What a step writes is written with the terms after it, but for what the cycle that it ends had left.
      for (const { kind, id } of await writtenSince(key, expected.length)) {
        const isEnd = id?.startsWith('lapse:') === true
        expected.push([kind, kind !== 'grant' && (isEnd ? before : present).packageType === 'unlimited'])
      }
    }
    expect(expected.length).toBeGreaterThan(300)
    const shown = (await listed(key)).map(([kind, available]) => [kind, available === null] as const)
    expect(shown).toEqual(expected)
  })
})

async function writtenSince(key: string, count: number) {
  await books.ledger.flush()
  const sql = 'SELECT kind, idempotency_id AS id FROM ledger_entry WHERE key_id = ? ORDER BY seq LIMIT -1 OFFSET ?'
  return books.rows<{ kind: string; id: string | null }>(sql, key, count)
}

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

describe('an entry of long ago', () => {
  it('is shown alike when its call, the move and what followed are in other steps of the summary', () => {
    const db = new Database(':memory:')
    applyMigrations(db)
    db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
        VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1);
      INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES
        ('moved', 'moved', '${'a'.repeat(43)}', 'h', 'p', 'active', 1), ('other', 'other', '${'b'.repeat(43)}', 'h', 'p', 'active', 1)`)
    const insert = db.prepare(
      `INSERT INTO ledger_entry (key_id, kind, amount_micro, charge_micro, exchange_id, cycle_started_at_ms, created_at_ms,
         idempotency_id) VALUES (?, ?, ?, ?, ?, ?, 1, ?)`,
    )
    let calls = 0
    const fill = () => {
      for (let index = 0; index < 3_000; index += 1) {
        calls += 1
        insert.run('other', 'hold', -1, null, `other-${calls}`, 1, null)
        insert.run('other', 'settle', 0, 1, `other-${calls}`, 1, null)
      }
    }
    insert.run('moved', 'grant', 100, null, null, 10, 'cycle:10')
    insert.run('moved', 'hold', -20, null, 'x', 10, null)
    insert.run('moved', 'hold', -20, null, 'y', 10, null)
    fill()
    insert.run('moved', 'lapse', -60, null, null, 10, 'lapse:10')
    fill()
    insert.run('moved', 'settle', -5, 25, 'x', 10, null)
    insert.run('moved', 'lapse', 5, null, 'x', 10, 'late:x')
    fill()
    insert.run('moved', 'grant', 70, null, null, 20, 'cycle:20')
    fill()
    insert.run('moved', 'settle', 5, 15, 'y', 10, null)
    insert.run('moved', 'lapse', -5, null, 'y', 10, 'late:y')
    fill()
    while (db.transaction(() => summariseNext(db))() === 0);
    expect(db.prepare('SELECT count(*) FROM ledger_step').pluck().get()).toBeGreaterThan(5)
    for (const limit of [1, 3, 100]) {
      const found: (number | null)[] = []
      for (let beforeSeq: number | undefined; ;) {
        const page = listEntries(db, { keyIds: ['moved'], kind: undefined, beforeSeq, limit })
        found.unshift(...page.entries.toReversed().map((entry) => entry.available_micro))
        if (page.next === undefined) break
        beforeSeq = page.next
      }
      expect(found).toEqual([100, 80, 60, 0, null, null, 70, 75, 70])
    }
    db.close()
  })
})
