// The functions in PostgreSQL, as gateways call them.

import pg, { type Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sum } from '#fleet/lease-book.ts'
import { upgradeFrom } from '#fleet/schema.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { WAIT } from './gateways.ts'
import { expectSoundFleet } from './support.ts'

/** How many leases of a gateway that is gone one sign of life takes back. */
const RECLAIMED = 1000
/** How many hours one telling that tells nothing forgets. */
const FORGOTTEN = 5000

let postgres: Postgres
let listener: Client
let notices: string[]

describe('PostgreSQL', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.run(upgradeFrom(0))
    await postgres.run(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at)
      SELECT g, 'here', '0.1.0', 7, 0, 0, now(), now() + interval '1 h' FROM unnest('{a,b,lost}'::text[]) g`)
    listener = new pg.Client({ connectionString: postgres.url })
    await listener.connect()
    await listener.query('LISTEN farebox')
    listener.on('notification', ({ payload = '' }) => notices.push(payload))
  })
  beforeEach(() => {
    notices = []
  })
  afterAll(async () => {
    await listener.end()
    await postgres.close()
  })

  const say = async (call: string) => {
    const [row] = await postgres.query(`SELECT farebox.${call} AS answer`)
    return row?.answer as Record<string, unknown>
  }
  const open = (key: string, amount: number) =>
    postgres.run(`INSERT INTO farebox.account VALUES ('${key}', 1, ${amount}, 0, 0, ${amount}, 0)`)
  const take = (gateway: string, key: string, need: number) =>
    say(`take('${gateway}', 7, 0, '${key}', 1, ${need}, ${need}, 0, NULL, 0)`)
  const giveBack = (gateway: string, sums: readonly Sum[]) =>
    say(`ship('${gateway}', 7, 0, 0, '[]', '${JSON.stringify(sums)}')`)

  it('says that something was given back only where another gateway lacked it', async () => {
    await open('plenty', 1000)
    await open('scarce', 1000)
    for (const key of ['plenty', 'scarce']) expect(await take('a', key, 800)).toMatchObject({ got: 800 })
    expect(await take('b', 'scarce', 500)).toMatchObject({ got: 0, free: 200, elsewhere: 800 })
    const handed = (['plenty', 'scarce'] as const).map((key) => [key, 1, 300] as const)
    expect(await giveBack('a', handed)).toEqual({})
    await expect.poll(() => notices, WAIT).toEqual(['want scarce', 'freed scarce'])
    expect(await take('b', 'scarce', 500)).toMatchObject({ got: 500 })
    await expectSoundFleet(postgres)
  })

  it('keeps nothing of a lease that was given back whole', async () => {
    await open('left', 1000)
    await take('a', 'left', 400)
    await giveBack('a', [['left', 1, 150]])
    const leases = () => postgres.query("SELECT amount FROM farebox.lease WHERE key_id = 'left'")
    expect(await leases()).toEqual([{ amount: 250 }])
    await giveBack('a', [['left', 1, 250]])
    expect(await leases()).toEqual([])
    await expectSoundFleet(postgres)
  })

  it('forgets very many hours that count no more little by little, and those of an earlier program at once', async () => {
    const tell = (known: number, hours: string) => say(`tell_usage('b', 7, ${known}, true, '${hours}')`)
    const left = async () => {
      const [row] = await postgres.query("SELECT count(*) AS hours FROM farebox.usage_hour WHERE sums <> '{}'")
      return row?.hours
    }
    const add = () =>
      postgres.run(`INSERT INTO farebox.usage_hour SELECT 'b', n, '[]', '{"requests": 1}', 1 FROM generate_series(1, ${FORGOTTEN + 10}) n
        ON CONFLICT (gateway, started_at, parts) DO UPDATE SET sums = excluded.sums, changed = 1`)
    await add()
    expect(await tell(1, '[]')).toEqual({ seq: 2, more: true })
    expect(await left()).toBe(10)
    expect(await tell(1, '[]')).toEqual({ seq: 3, more: false })
    expect(await left()).toBe(0)
    await add()
    expect(await tell(3, '[[1, "[]", {"requests": 2}]]')).toMatchObject({ seq: 4 })
    expect(await left()).toBe(1)
  })

  it('frees very many leases of a gateway that is gone little by little, and all of them where it is settled', async () => {
    const count = 2 * RECLAIMED + 10
    await postgres.run(`INSERT INTO farebox.account SELECT 'of lost ' || n, 1, 9, 0, 4, 5, 0 FROM generate_series(1, ${count}) n;
      INSERT INTO farebox.lease SELECT 'lost', 'of lost ' || n, 1, 4 FROM generate_series(1, ${count}) n;
      UPDATE farebox.gateway SET free_at = now() - interval '1 s' WHERE id = 'lost'`)
    const left = async () => {
      const [row] = await postgres.query("SELECT count(*) AS leases FROM farebox.lease WHERE gateway = 'lost'")
      return row?.leases
    }
    await say(`beat('a', 7, 0, '1 h', NULL)`)
    expect(await left()).toBe(count - RECLAIMED)
    await expectSoundFleet(postgres)
    expect(await say(`settle('a', 7, 'lost', 'charged')`)).toEqual({ amount: 4 * count })
    expect(await left()).toBe(0)
    await expectSoundFleet(postgres)
  })
})
