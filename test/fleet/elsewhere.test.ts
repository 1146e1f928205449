// What a gateway shows of the charges of others, as PostgreSQL has them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connection } from '#fleet/connection.ts'
import { Elsewhere } from '#fleet/elsewhere.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

const REST_MS = 20_000

let postgres: Postgres
let connection: Connection

describe('charges of other gateways', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    connection = new Connection({
      url: postgres.url,
      password: () => undefined,
      onNotice: () => {},
      onLost: () => {},
    })
    await connection.open()
    await postgres.run(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at)
      SELECT g, 'here', '0.1.0', 1, 0, 0, now(), now() FROM unnest('{own,b,c}'::text[]) g`)
  })
  afterAll(async () => {
    await connection.close()
    await postgres.close()
  })

  const charge = (gateway: string, key: string, cycle: number, amount: number, at = "now() - interval '1 year'") =>
    postgres.run(`INSERT INTO farebox.account SELECT '${key}', ${cycle}, 100, 0, 0, 100 ON CONFLICT DO NOTHING;
      INSERT INTO farebox.charged VALUES ('${gateway}', '${key}', ${cycle}, ${amount}, ${at})
      ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = ${amount}, changed_at = ${at}`)
  function scene(keyIds: readonly string[]) {
    const clock = { ms: 1_000_000 }
    const seat = {
      gatewayId: 'own',
      inTurn: <Result>(work: (asked: Connection) => Promise<Result>) => work(connection),
    }
    const elsewhere = new Elsewhere({ seat, keyIds: () => keyIds, monotonicMs: () => clock.ms })
    return { clock, elsewhere }
  }

  it('are sums of all but its own and what was taken by hand, in the last cycle of each key', async () => {
    for (const [gateway, cycle, amount] of [
      ['own', 2, 1],
      ['b', 2, 10],
      ['c', 2, 20],
      ['', 2, 7],
      ['b', 1, 50],
    ] as const)
      await charge(gateway, 'daily', cycle, amount)
    await charge('own', 'mine', 1, 3)
    await charge('b', 'unknown', 1, 3)
    const { elsewhere } = scene(['daily', 'mine', 'nothing'])
    await elsewhere.look()
    const sums = [
      ['daily', 2],
      ['daily', 1],
      ['mine', 1],
      ['nothing', 1],
      ['unknown', 1],
    ] as const
    expect(sums.map(([key, cycle]) => elsewhere.charged(key, cycle))).toEqual([30, 0, 0, 0, 0])
  })

  it('follow what changes, and no cycle that was over before', async () => {
    await charge('b', 'followed', 5, 10)
    const { clock, elsewhere } = scene(['followed'])
    await elsewhere.look()
    await charge('c', 'followed', 5, 4, 'now()')
    await charge('b', 'followed', 4, 90, 'now()')
    clock.ms += REST_MS
    await elsewhere.lookAgain()
    expect([elsewhere.charged('followed', 5), elsewhere.charged('followed', 4)]).toEqual([14, 0])
    await charge('b', 'followed', 6, 2, 'now()')
    clock.ms += REST_MS
    await elsewhere.lookAgain()
    expect([elsewhere.charged('followed', 5), elsewhere.charged('followed', 6)]).toEqual([0, 2])
  })
})
