// Following a catalogue that very much was changed in.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connection } from '#fleet/connection.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { Gateways, HOLD } from './gateways.ts'

const MANY = 1200

describe('changes of the catalogue', () => {
  let postgres: Postgres
  let connection: Connection
  beforeAll(async () => {
    postgres = await startPostgres()
    const options = { password: () => undefined, onNotice: () => {}, onLost: () => {} }
    connection = new Connection({ ...options, url: postgres.url })
    await connection.open()
  })
  afterAll(async () => {
    await connection.close()
    await postgres.close()
  })

  async function pagesAfter(version: number): Promise<number[][]> {
    const pages: number[][] = []
    for (let from = version, more = true; more;) {
      const { changes, hasMore } = await connection.changesAfter(from)
      pages.push(changes.map((change) => change.version))
      from = changes.at(-1)?.version ?? from
      more = hasMore
    }
    return pages
  }

  it('are read in pages, in their order, and none when all are known', async () => {
    expect(await pagesAfter(0)).toEqual([[]])
    await postgres.run(`INSERT INTO farebox.change SELECT n, 'g', now(), '{}' FROM generate_series(1, 2500) n;
      UPDATE farebox.state SET version = 2500`)
    const pages = await pagesAfter(0)
    expect(pages.flat()).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1))
    expect(pages.map(({ length }) => length)).toEqual([1000, 1000, 500])
    expect(await pagesAfter(2500)).toEqual([[]])
  })

  it('are read one by one where they are as large as a catalogue', async () => {
    const large = "(SELECT to_jsonb(string_agg(md5(n || ' ' || i), '')) FROM generate_series(1, 80000) i)"
    await postgres.run(`ALTER TABLE farebox.change ALTER body SET STORAGE EXTERNAL;
      INSERT INTO farebox.change SELECT n, 'g', now(), ${large} FROM generate_series(2501, 2503) n;
      UPDATE farebox.state SET version = 2503`)
    expect(await pagesAfter(2500)).toEqual([[2501], [2502], [2503]])
  })
})

describe('an empty gateway', () => {
  it('knows all of them when it begins to serve, however many they are', async () => {
    const gateways = await Gateways.begin(1)
    try {
      const { id } = await gateways.newKey(10 * HOLD)
      await gateways.postgres.run(`
        CREATE TABLE made AS SELECT version, body FROM farebox.change WHERE body->'openings'->0->>0 = '${id}';
        INSERT INTO farebox.change SELECT version + n, 'g', now(), body || jsonb_build_object(
          'rows', jsonb_build_array(jsonb_build_object('type', 'put-key', 'key', body->'rows'->0->'key' || jsonb_build_object(
            'id', 'key-' || n, 'name', 'key-' || n, 'hash', lpad(n::text, 43, '0')))),
          'openings', jsonb_build_array(jsonb_set(body->'openings'->0, '{0}', to_jsonb('key-' || n))))
          FROM made, generate_series(1, ${MANY}) n;
        UPDATE farebox.state SET version = version + ${MANY}`)
      const { admin } = await gateways.join()
      expect(await admin.call('status', {})).toMatchObject({ keys: MANY + 1 })
      expect(await admin.call('showKey', { id: `key-${MANY}` })).toMatchObject({
        balance: { total_credits: (10 * HOLD) / 1e6 },
      })
    } finally {
      await gateways.close()
    }
  })
})
