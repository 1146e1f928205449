// What gateways take ahead of calls: as the book of leases wishes for it, and as PostgreSQL gives it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableIn, LeaseBook, type Sum } from '#fleet/lease-book.ts'
import { upgradeFrom } from '#fleet/schema.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { expectSoundFleet } from './support.ts'

const HOLD = 1000

describe('a lease of a key that is called one call after the other', () => {
  function scene() {
    const clock = { ms: 1_000_000 }
    const book = new LeaseBook({ monotonicMs: () => clock.ms, cycleOf: () => 1, changed: () => {}, charged: () => {} })
    const lease = book.present('key')
    book.leased([['key', 1, HOLD]])
    book.hold(lease, HOLD)
    return { clock, book, lease }
  }

  it('grows while a call runs, so that the next one fits', () => {
    const { book, lease } = scene()
    const wish = book.ahead(lease)
    expect(availableIn(lease) + wish).toBeGreaterThanOrEqual(HOLD)
    // Once for each time that it is looked at.
    expect(book.ahead(lease)).toBe(0)
  })

  it('is left as it is where the next call fits, and where nobody has called for a while', () => {
    const { clock, book, lease } = scene()
    book.leased([['key', 1, HOLD]])
    expect(book.ahead(lease)).toBe(0)
    book.leased([['key', 1, -HOLD]])
    clock.ms += 2000
    expect(book.ahead(lease)).toBe(0)
  })
})

describe('a lease of which nothing runs', () => {
  const GIVEN_BACK: Sum[] = [['key', 1, HOLD]]
  function idle(freeMicro: number | undefined) {
    const clock = { ms: 1_000_000 }
    const book = new LeaseBook({ monotonicMs: () => clock.ms, cycleOf: () => 1, changed: () => {}, charged: () => {} })
    book.leased([['key', 1, HOLD, freeMicro]])
    const takeAfter = (ms: number, isWanted = false) => {
      clock.ms += ms
      return book.takeIdle(
        () => isWanted,
        () => false,
        10,
      )
    }
    return { takeAfter }
  }

  it.each([undefined, 0, 9 * HOLD])('is given back after two seconds where %s is free beside it', (free) => {
    const { takeAfter } = idle(free)
    expect(takeAfter(1990)).toEqual([])
    expect(takeAfter(10)).toEqual(GIVEN_BACK)
  })

  it('stays for half a minute where plenty is free, and goes at once where another gateway lacks it', () => {
    const { takeAfter } = idle(10 * HOLD)
    expect(takeAfter(29_990)).toEqual([])
    expect(takeAfter(10)).toEqual(GIVEN_BACK)
    expect(idle(10 * HOLD).takeAfter(0, true)).toEqual(GIVEN_BACK)
  })

  it('is another one in the next cycle', () => {
    const present = { cycle: 1 }
    const book = new LeaseBook({
      monotonicMs: () => 0,
      cycleOf: () => present.cycle,
      changed: () => {},
      charged: () => {},
    })
    const first = book.present('key')
    expect(book.present('key')).toBe(first)
    present.cycle = 2
    expect(book.present('key')).toMatchObject({ cycle: 2 })
    expect(book.lease('key', 1)).toBe(first)
  })
})

describe('PostgreSQL', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.run(upgradeFrom(0))
    await postgres.run(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at)
        SELECT g, 'here', '0.1.0', 7, 0, 0, now(), now() + interval '1 h' FROM unnest('{a,b}'::text[]) g;
      INSERT INTO farebox.account SELECT k, 1, f, 0, 0, f, 0 FROM (VALUES ('much', 4000), ('little', 3), ('none', 0), ('over', 4000)) v (k, f);
      INSERT INTO farebox.account SELECT 'over', floor(extract(epoch FROM now() - interval '1 min') * 1000), 1, 0, 0, 1, 0`)
  })
  afterAll(() => postgres.close())

  const ask = async (epoch: number, asked: readonly Sum[]) => {
    const [row] = await postgres.query(`SELECT farebox.take_ahead('a', ${epoch}, '${JSON.stringify(asked)}') AS answer`)
    return row?.answer
  }

  it('gives what is wished for, and at most half of an equal share of what is free', async () => {
    const asked: Sum[] = [
      ['much', 1, 300],
      ['little', 1, 300],
      ['none', 1, 300],
      ['over', 1, 300],
      ['unknown', 1, 300],
    ]
    expect(await ask(7, asked)).toEqual({ got: [['much', 1, 300, 3700]] })
    expect(await ask(7, [['much', 1, 9000]])).toEqual({ got: [['much', 1, 925, 2775]] })
    const leases = await postgres.query('SELECT gateway, key_id, amount FROM farebox.lease')
    expect(leases).toEqual([{ gateway: 'a', key_id: 'much', amount: 1225 }])
    await expectSoundFleet(postgres)
  })

  it('gives nothing to a gateway that speaks under an older epoch', async () => {
    expect(await ask(6, [['much', 1, 300]])).toEqual({ error: 'superseded' })
  })

  it('gives nothing while gateways may spend leases that it does not know', async () => {
    await postgres.run(`UPDATE farebox.gateway SET timeline = 'before' WHERE id = 'b'`)
    expect(await ask(7, [['much', 1, 300]])).toEqual({ error: 'settling' })
  })
})
