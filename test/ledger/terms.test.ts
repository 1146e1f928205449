import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Books, terms, type SetClock } from './books.ts'

const DAY = 86_400_000
const NOON = Date.parse('2028-02-14T12:00:00Z')

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

function keyWith(...of: Parameters<typeof terms>): Promise<string> {
  clock.nowMs = NOON
  return books.addKey(terms(...of))
}

function shown(key: string) {
  const { totalMicro, remainingMicro, usedMicro, cycleStartedAtMs, nextResetAtMs } = books.ledger.balance(key)
  const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
  return {
    total: totalMicro,
    remaining: remainingMicro,
    used: usedMicro,
    started: iso(cycleStartedAtMs),
    next: iso(nextResetAtMs),
  }
}

async function spend(key: string, amount: number): Promise<void> {
  await books.resolve(await books.held(key, amount), amount)
}

async function entriesOf(key: string): Promise<string[]> {
  await books.ledger.flush()
  const rows = books.rows<{ entry: string }>(
    `SELECT kind || ' ' || amount_micro || coalesce(' ' || reason, '') AS entry FROM ledger_entry WHERE key_id = ?
     ORDER BY seq`,
    key,
  )
  return rows.map((row) => row.entry)
}

async function restart(): Promise<void> {
  await books.ledger.flush()
  await books.stop()
  books = await Books.open({ dataDir: books.dataDir, clock })
  expect(books.mismatches).toEqual([])
}

describe.each(['monthly', 'daily', 'topup'] as const)('the credits of a %s package', (type) => {
  it('act at once when they are raised, and leave what was used and what was added', async () => {
    const key = await keyWith(type, 100)
    await spend(key, 30)
    await books.topUp(key, 7, 'a')
    await books.changeTerms(key, terms(type, 500))
    expect(shown(key)).toMatchObject({ total: 507, used: 30, remaining: 477 })
    expect((await entriesOf(key)).at(-1)).toBe('adjustment 400 test')
    await restart()
    expect(shown(key)).toMatchObject({ total: 507, used: 30, remaining: 477 })
  })

  it('refuse the next call when they are lowered below what was used, and are never shown below 0', async () => {
    const key = await keyWith(type, 100)
    await spend(key, 60)
    await books.changeTerms(key, terms(type, 20))
    expect(shown(key)).toMatchObject({ total: 20, used: 60, remaining: 0 })
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'exhausted' })
    await books.changeTerms(key, terms(type, 61))
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'held' })
  })

  it('change nothing for calls that hold some of them', async () => {
    const key = await keyWith(type, 100)
    const hold = await books.held(key, 80)
    await books.changeTerms(key, terms(type, 10))
    expect(books.ledger.balance(key)).toMatchObject({ heldMicro: 80, remainingMicro: 10 })
    await books.resolve(hold, 50)
    expect(shown(key)).toMatchObject({ total: 10, used: 50, remaining: 0 })
  })

  it('that are the same write nothing', async () => {
    const key = await keyWith(type, 100)
    await books.changeTerms(key, terms(type, 100))
    expect(await entriesOf(key)).toEqual(['grant 100'])
  })

  it('with what was used reset begin a cycle that ends when the present one would have', async () => {
    const key = await keyWith(type, 100)
    const { next } = shown(key)
    await spend(key, 90)
    await books.topUp(key, 7, 'a')
    const running = await books.held(key, 5)
    clock.nowMs += 60_000
    await books.changeTerms(key, terms(type, 50), true)
    expect(shown(key)).toMatchObject({ total: 57, used: 0, remaining: 57, started: '2028-02-14T12:01:00.000Z', next })
    await books.resolve(running, 5)
    expect(shown(key)).toMatchObject({ used: 0, remaining: 57 })
    await restart()
    expect(shown(key)).toMatchObject({ total: 57, used: 0, next })
  })
})

it('changes twice within one millisecond, or again after the clock was set back, all count', async () => {
  const key = await keyWith('topup', 100)
  for (const credits of [200, 300]) await books.changeTerms(key, terms('topup', credits))
  await restart()
  for (const credits of [400, 500]) await books.changeTerms(key, terms('topup', credits))
  for (let count = 0; count < 2; count++) await books.changeTerms(key, terms('topup', 600), true)
  clock.nowMs -= DAY
  await books.changeTerms(key, terms('topup', 700), true)
  expect(shown(key)).toMatchObject({ total: 700, used: 0 })
})

it('a call that waits for credits is let in when the package gets more', async () => {
  const patient = await Books.open({ clock, holdWaitMs: 60_000 })
  try {
    const key = await patient.addKey(terms('topup', 10))
    await patient.held(key, 10)
    const waiting = patient.hold({ keyId: key, worstMicro: terms('topup', 5).creditsMicro })
    await patient.changeTerms(key, terms('topup', 15))
    expect(await waiting).toMatchObject({ type: 'held', hold: { amountMicro: 5 } })
  } finally {
    await patient.remove()
  }
})

it('a call that waits over a reset gets its credits from the new cycle', async () => {
  const patient = await Books.open({ clock, holdWaitMs: 30 })
  try {
    const key = await patient.addKey(terms('daily', 10))
    await patient.held(key, 10)
    const waiting = patient.hold({ keyId: key, worstMicro: terms('topup', 4).creditsMicro })
    clock.nowMs += DAY
    expect(await waiting).toMatchObject({ type: 'held', hold: { amountMicro: 4 } })
  } finally {
    await patient.remove()
  }
})

describe('another kind of package', () => {
  it('ends the cycle: what was left lapses, with what was topped up, and the new grant counts from now', async () => {
    const key = await keyWith('topup', 100)
    await spend(key, 30)
    await books.topUp(key, 7, 'a')
    await books.changeTerms(key, terms('monthly', 50))
    expect(shown(key)).toEqual({
      total: 50,
      used: 0,
      remaining: 50,
      started: '2028-02-14T12:00:00.001Z',
      next: '2028-03-01T00:00:00.000Z',
    })
    const entries = await entriesOf(key)
    expect(entries.slice(-2)).toEqual(['lapse -77 test', 'grant 50 test'])
    await restart()
    clock.nowMs = Date.parse('2028-03-01T00:00:00Z') - 1
    expect(shown(key)).toMatchObject({ next: '2028-03-01T00:00:00.000Z' })
    clock.nowMs += 1
    expect(shown(key)).toMatchObject({ total: 50, started: '2028-03-01T00:00:00.000Z' })
  })

  it('takes a debt away with everything else', async () => {
    const key = await keyWith('daily', 10)
    await books.resolve(await books.held(key, 10), 500)
    await books.changeTerms(key, terms('topup', 5))
    expect(shown(key)).toMatchObject({ total: 5, used: 0, remaining: 5, next: undefined })
  })

  it('lets running calls settle against the cycle in which they were admitted', async () => {
    const key = await keyWith('unlimited', 0)
    const hold = await books.held(key, 40)
    await books.changeTerms(key, terms('daily', 100))
    await books.resolve(hold, 40)
    expect(shown(key)).toMatchObject({ total: 100, used: 0, remaining: 100 })
    const [record] = books.rows<{ is_overrun: number }>('SELECT is_overrun FROM usage_record WHERE key_id = ?', key)
    expect(record).toEqual({ is_overrun: 0 })
  })

  it('there and back at one moment grants each of its cycles once', async () => {
    const key = await keyWith('daily', 10)
    for (const type of ['monthly', 'daily', 'unlimited', 'daily'] as const) {
      await books.changeTerms(key, terms(type, type === 'unlimited' ? 0 : 10))
    }
    expect(shown(key)).toMatchObject({ total: 10, next: '2028-02-15T00:00:00.000Z' })
    expect((await entriesOf(key)).filter((entry) => entry.startsWith('grant'))).toHaveLength(4)
    clock.nowMs += DAY
    expect(shown(key)).toMatchObject({ total: 10, started: '2028-02-15T00:00:00.000Z' })
  })
})

describe('a process that dies between the change of a package and that of its accounts', () => {
  it.each([
    ['credits', terms('monthly', 70), { total: 70, used: 30, remaining: 40 }],
    ['type', terms('topup', 70), { total: 70, used: 0, remaining: 70, next: undefined }],
  ])('leaves it to the next start: %s', async (_, changed, expected) => {
    const key = await keyWith('monthly', 100)
    await spend(key, 30)
    await books.changePackageOnly(key, changed)
    await restart()
    expect(shown(key)).toMatchObject(expected)
    const entries = await entriesOf(key)
    await restart()
    expect(await entriesOf(key)).toEqual(entries)
  })
})

describe('books that do not add up', () => {
  it('are shown as they stand, and nothing is written on top of them', async () => {
    const key = await keyWith('daily', 100)
    await spend(key, 30)
    await books.stop()
    const damaged = await Books.open({ dataDir: books.dataDir, clock })
    damaged.ledger.stopSpending('a test says so')
    const before = damaged.rows('SELECT * FROM ledger_entry')
    clock.nowMs += DAY
    expect(damaged.ledger.balance(key)).toMatchObject({ totalMicro: 100, remainingMicro: 100 })
    await damaged.changeTerms(key, terms('daily', 500))
    expect(await damaged.hold({ keyId: key })).toEqual({ type: 'halted' })
    await damaged.ledger.flush()
    expect(damaged.rows('SELECT * FROM ledger_entry')).toEqual(before)
    await damaged.stop()
    books = await Books.open({ dataDir: damaged.dataDir, clock })
    // The start that finds them in order makes the change.
    expect(shown(key)).toMatchObject({ total: 500 })
  })
})

it('an orphan is settled by the terms under which it was admitted', async () => {
  const key = await keyWith('daily', 100)
  await books.held(key, 60)
  await books.changePackageOnly(key, terms('topup', 10))
  await books.ledger.flush()
  await books.stop()
  books = await Books.open({ dataDir: books.dataDir, clock })
  expect(books.released).toBe(1)
  expect(shown(key)).toMatchObject({ total: 10, used: 0, remaining: 10 })
})
