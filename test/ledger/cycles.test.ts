import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Books, terms, type SetClock } from './books.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(text)

let books: Books
const clock: SetClock = { nowMs: 0 }

beforeAll(async () => {
  books = await Books.open({ clock })
})

afterAll(async () => {
  await books.ledger.flush()
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
  await books.remove()
})

async function keyAt(instant: string, ...of: Parameters<typeof terms>): Promise<string> {
  clock.nowMs = at(instant)
  return books.addKey(terms(...of))
}

/** What a key is shown, with times one can read. */
function shown(key: string) {
  const balance = books.ledger.balance(key)
  return {
    total: balance.totalMicro,
    remaining: balance.remainingMicro,
    started: new Date(balance.cycleStartedAtMs).toISOString(),
    next: balance.nextResetAtMs === undefined ? undefined : new Date(balance.nextResetAtMs).toISOString(),
  }
}

async function spend(key: string, amount: number): Promise<void> {
  await books.resolve(await books.held(key, amount), amount)
}

async function entriesOf(key: string): Promise<string[]> {
  await books.ledger.flush()
  const rows = books.rows<{ entry: string }>(
    `SELECT kind || ' ' || amount_micro AS entry FROM ledger_entry WHERE key_id = ? ORDER BY seq`,
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

describe('a new cycle', () => {
  it('grants anew at the first instant of the month in the zone of the package, and not before', async () => {
    const key = await keyAt('2026-03-10T12:00:00Z', 'monthly', 1000, 'Europe/Berlin')
    await spend(key, 300)
    clock.nowMs = at('2026-03-31T21:59:59.999Z')
    expect(shown(key)).toMatchObject({ remaining: 700, started: '2026-02-28T23:00:00.000Z' })
    clock.nowMs += 1
    expect(shown(key)).toEqual({
      total: 1000,
      remaining: 1000,
      started: '2026-03-31T22:00:00.000Z',
      next: '2026-04-30T22:00:00.000Z',
    })
    expect(await entriesOf(key)).toEqual(['grant 1000', 'hold -300', 'settle 0', 'lapse -700', 'grant 1000'])
  })

  it('begins at each local midnight through both changes of the clocks', async () => {
    const key = await keyAt('2026-03-28T12:00:00Z', 'daily', 100, 'Europe/Berlin')
    for (const [instant, started] of [
      ['2026-03-28T22:59:59Z', '2026-03-27T23:00:00.000Z'],
      ['2026-03-28T23:00:00Z', '2026-03-28T23:00:00.000Z'],
      ['2026-03-29T21:59:59Z', '2026-03-28T23:00:00.000Z'],
      ['2026-03-29T22:00:00Z', '2026-03-29T22:00:00.000Z'],
      ['2026-10-24T22:00:00Z', '2026-10-24T22:00:00.000Z'],
      ['2026-10-25T22:59:59Z', '2026-10-24T22:00:00.000Z'],
      ['2026-10-25T23:00:00Z', '2026-10-25T23:00:00.000Z'],
    ] as const) {
      clock.nowMs = at(instant)
      expect(shown(key).started).toBe(started)
    }
  })

  it('skips the ones that a sleeping machine missed', async () => {
    const key = await keyAt('2028-01-31T23:00:00Z', 'daily', 100)
    await spend(key, 30)
    clock.nowMs = at('2028-03-01T00:00:00Z')
    expect(shown(key)).toMatchObject({ total: 100, remaining: 100, started: '2028-03-01T00:00:00.000Z' })
    expect(await entriesOf(key)).toEqual(['grant 100', 'hold -30', 'settle 0', 'lapse -70', 'grant 100'])
  })

  it('takes an overrun away with everything else', async () => {
    const key = await keyAt('2028-02-29T01:00:00Z', 'daily', 100)
    await books.resolve(await books.held(key, 100), 250)
    expect(shown(key)).toMatchObject({ remaining: 0 })
    clock.nowMs += DAY
    expect(shown(key)).toMatchObject({ remaining: 100 })
    expect(await entriesOf(key)).toEqual(['grant 100', 'hold -100', 'settle -150', 'lapse 150', 'grant 100'])
  })

  it('leaves nothing to write where nothing was left', async () => {
    const key = await keyAt('2028-02-29T01:00:00Z', 'daily', 100)
    await spend(key, 100)
    clock.nowMs += DAY
    shown(key)
    expect(await entriesOf(key)).toEqual(['grant 100', 'hold -100', 'settle 0', 'grant 100'])
  })

  it.each([
    ['monthly', 'Asia/Kolkata', '2028-02-14T12:00:00Z', '2028-02-29T18:30:00.000Z', '2028-03-31T18:30:00.000Z'],
    ['daily', 'Australia/Lord_Howe', '2028-04-01T03:00:00Z', '2028-04-01T13:00:00.000Z', '2028-04-02T13:30:00.000Z'],
    ['monthly', 'Asia/Kathmandu', '2027-01-31T12:00:00Z', '2027-01-31T18:15:00.000Z', '2027-02-28T18:15:00.000Z'],
    ['daily', 'UTC', '2028-02-28T23:59:59Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ] as const)('of a %s package in %s begins on time', async (type, zone, instant, first, second) => {
    const key = await keyAt(instant, type, 100, zone)
    expect(shown(key)).toMatchObject({ next: first })
    for (const started of [first, second]) {
      clock.nowMs = at(started) - 1
      expect(shown(key).started).not.toBe(started)
      clock.nowMs = at(started)
      expect(shown(key)).toMatchObject({ started })
    }
    expect((await entriesOf(key)).filter((entry) => entry.startsWith('grant'))).toHaveLength(3)
  })

  it('is not paid for by calls that began before it', async () => {
    const key = await keyAt('2028-02-14T23:59:00Z', 'daily', 100)
    const [late, released, over] = [await books.held(key, 40), await books.held(key, 30), await books.held(key, 10)]
    clock.nowMs += DAY
    expect(shown(key)).toMatchObject({ remaining: 100 })
    await books.resolve(late, 15)
    await books.resolve(released, 0)
    await books.resolve(over, 25)
    expect(shown(key)).toMatchObject({ total: 100, remaining: 100 })
    expect(books.ledger.balance(key).heldMicro).toBe(0)
    expect((await entriesOf(key)).slice(4)).toEqual([
      'lapse -20',
      'grant 100',
      'settle 25',
      'lapse -25',
      'release 30',
      'lapse -30',
      'settle -15',
      'lapse 15',
    ])
  })

  it('never comes for topup and unlimited keys', async () => {
    for (const type of ['topup', 'unlimited'] as const) {
      const key = await keyAt('2028-02-14T12:00:00Z', type, type === 'topup' ? 100 : 0)
      const before = shown(key)
      clock.nowMs += 4000 * DAY
      expect(shown(key)).toEqual({ ...before, next: undefined })
    }
  })
})

describe('a clock that is set', () => {
  it('back changes nothing, and never grants a cycle twice', async () => {
    const key = await keyAt('2028-02-14T12:00:00Z', 'daily', 100)
    await spend(key, 60)
    for (const back of [HOUR, 3 * DAY, 400 * DAY, 20_000 * DAY]) {
      clock.nowMs = at('2028-02-14T12:00:00Z') - back
      expect(shown(key)).toMatchObject({ remaining: 40, started: '2028-02-14T00:00:00.000Z' })
      clock.nowMs = at('2028-02-14T13:00:00Z')
      expect(shown(key)).toMatchObject({ remaining: 40 })
    }
    await spend(key, 40)
    expect((await entriesOf(key)).filter((entry) => entry.startsWith('grant'))).toHaveLength(1)
  })

  // A clock that is wrong for two seconds must not stop a key until its time has come.
  it.each([
    ['daily', 10 * DAY, '2028-02-15T00:00:00.000Z'],
    ['daily', 365 * DAY, '2028-02-15T00:00:00.000Z'],
    ['monthly', 31 * DAY, '2028-03-01T00:00:00.000Z'],
    ['monthly', 365 * DAY, '2028-03-01T00:00:00.000Z'],
  ] as const)('forward and back again resumes the %s cycle of before (%d ms)', async (type, wrongMs, next) => {
    const key = await keyAt('2028-02-14T12:00:00Z', type, 100)
    await spend(key, 30)
    clock.nowMs += wrongMs
    await spend(key, 20)
    await restart()
    clock.nowMs -= wrongMs - 2000
    for (const _ of [1, 2]) {
      expect(shown(key)).toMatchObject({ remaining: 50, next })
      await restart()
    }
    await spend(key, 40)
    clock.nowMs += wrongMs
    expect(shown(key)).toMatchObject({ remaining: 100 })
    await spend(key, 80)
    clock.nowMs -= wrongMs
    expect(shown(key)).toMatchObject({ remaining: 0, next })
    clock.nowMs += wrongMs
    expect(shown(key)).toMatchObject({ remaining: 30 })
    expect((await entriesOf(key)).filter((entry) => entry.startsWith('grant'))).toHaveLength(2)
    clock.nowMs = at(next)
    const isThatOne = type === 'monthly' && wrongMs === 31 * DAY
    expect(shown(key)).toMatchObject({ remaining: isThatOne ? 30 : 100 })
  })

  it('right after a key was made by a wrong one lets its first cycle go on until the day is over', async () => {
    const key = await keyAt('2029-02-14T12:00:00Z', 'daily', 100)
    await spend(key, 30)
    clock.nowMs = at('2028-02-14T12:00:00Z')
    expect(shown(key)).toMatchObject({ remaining: 70, next: '2028-02-15T00:00:00.000Z' })
    await spend(key, 20)
    await restart()
    expect(shown(key)).toMatchObject({ remaining: 50, next: '2028-02-15T00:00:00.000Z' })
    await books.changeTerms(key, terms('daily', 100), true)
    expect(shown(key)).toMatchObject({ remaining: 100, started: '2028-02-14T12:00:00.000Z' })
    clock.nowMs = at('2028-02-15T00:00:00Z')
    expect(shown(key)).toMatchObject({ remaining: 100, started: '2028-02-15T00:00:00.000Z' })
  })
})

describe('a package whose time zone is changed', () => {
  it.each([
    ['monthly', 'Europe/Berlin', 'America/New_York', '2028-02-20T12:00:00Z', '2028-03-01T05:00:00.000Z'],
    ['monthly', 'America/New_York', 'Asia/Tokyo', '2028-02-20T12:00:00Z', '2028-02-29T15:00:00.000Z'],
    ['monthly', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', '2028-02-20T12:00:00Z', '2028-03-01T11:00:00.000Z'],
    ['monthly', 'Pacific/Pago_Pago', 'Pacific/Kiritimati', '2028-02-20T12:00:00Z', '2028-02-29T10:00:00.000Z'],
    ['daily', 'Europe/Berlin', 'America/New_York', '2028-02-20T12:00:00Z', '2028-02-21T05:00:00.000Z'],
    ['daily', 'America/New_York', 'Europe/Berlin', '2028-02-20T12:00:00Z', '2028-02-20T23:00:00.000Z'],
  ] as const)('does not grant its %s cycle a second time: %s to %s', async (type, from, to, instant, next) => {
    const key = await keyAt(instant, type, 1000, from)
    await spend(key, 900)
    await books.changeTerms(key, terms(type, 1000, to))
    expect(shown(key)).toMatchObject({ total: 1000, remaining: 100, next })
    await restart()
    expect(shown(key)).toMatchObject({ total: 1000, remaining: 100, next })
    clock.nowMs = at(next) - 1
    expect(shown(key)).toMatchObject({ remaining: 100 })
    clock.nowMs += 1
    expect(shown(key)).toMatchObject({ total: 1000, remaining: 1000, started: next })
  })
})

describe('a top-up', () => {
  it('adds to the running cycle and lapses with it', async () => {
    const key = await keyAt('2028-02-14T12:00:00Z', 'daily', 100)
    await books.topUp(key, 50, 'a')
    expect(shown(key)).toMatchObject({ total: 150, remaining: 150 })
    clock.nowMs += DAY
    expect(shown(key)).toMatchObject({ total: 100, remaining: 100 })
  })

  it('with the same id counts once, also after a restart and in a later cycle', async () => {
    const key = await keyAt('2028-02-14T12:00:00Z', 'topup', 100)
    await Promise.all([books.topUp(key, 50, 'a'), books.topUp(key, 50, 'a'), books.topUp(key, 7, 'b')])
    await restart()
    clock.nowMs += 100 * DAY
    await books.topUp(key, 50, 'a')
    expect(shown(key)).toMatchObject({ total: 157 })
  })

  it('with the same id on another key is another one', async () => {
    const keys = [await keyAt('2028-02-14T12:00:00Z', 'topup', 1), await keyAt('2028-02-14T12:00:00Z', 'topup', 1)]
    for (const key of keys) await books.topUp(key, 50, 'same')
    expect(keys.map((key) => shown(key).total)).toEqual([51, 51])
  })

  it('beyond what can be counted exactly is refused each time, and forgotten', async () => {
    const key = await keyAt('2028-02-14T12:00:00Z', 'topup', 100)
    for (let count = 0; count < 2; count++) {
      await expect(books.topUp(key, Number.MAX_SAFE_INTEGER, 'too much')).rejects.toThrow(RangeError)
    }
    expect(shown(key)).toMatchObject({ total: 100 })
    await books.topUp(key, 5, 'too much')
    expect(shown(key)).toMatchObject({ total: 105 })
  })
})
