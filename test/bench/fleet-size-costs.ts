// What each question that gateways ask costs PostgreSQL: processor time of its processes and bytes of its log, with a million accounts.
import pg, { type Client } from 'pg'
import { upgradeFrom } from '#fleet/schema.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { childrenMicros } from './process-figures.ts'

/** Of one question, or of one row of it. */
export type Cost = { readonly cpuMicros: number; readonly logBytes: number }
export type Costs = Readonly<Record<'take' | 'ahead' | 'ship' | 'charge' | 'return' | 'heard' | 'beat' | 'shown', Cost>>

const GATEWAYS = 100
const CLIENTS = 4
const LISTENERS = 10
const ROWS = 50
/** Everything about one cycle, which begins at 0. */
const KEY = (keys: number) => `'k' || ceil(random() * ${keys})::int`
const rows = (keys: number, count: number) =>
  count === 0 ? `'[]'` : `(SELECT jsonb_agg(jsonb_build_array(${KEY(keys)}, 0, 10)) FROM generate_series(1, ${count}))`

export async function measureCosts(keys: number, times: number): Promise<Costs> {
  const postgres = await startPostgres(['fsync=on'])
  try {
    await fill(postgres, keys)
    const cost = (sql: (client: number) => string, count = times, listeners = 0) =>
      costOf(postgres, { sql, times: count, listeners })
    const ship = (charges: number, handed: number) => (client: number) =>
      `SELECT farebox.ship('g${client}', 1, shipped, shipped + 1, ${rows(keys, charges)}, ${rows(keys, handed)})
       FROM farebox.gateway WHERE id = 'g${client}'`
    const take = await cost(
      (client) => `SELECT farebox.take('g${client}', 1, 0, ${KEY(keys)}, 0, 20000, 40000, 0, NULL, 1000000000)`,
    )
    const few = Math.ceil(times / 10)
    const ahead = await cost((client) => `SELECT farebox.take_ahead('g${client}', 1, ${rows(keys, ROWS)})`, few)
    const [empty, charged] = [await cost(ship(1, 0)), await cost(ship(ROWS, 0), few)]
    const handed = await cost(ship(0, ROWS), few)
    const notices = () => `SELECT pg_notify('farebox', 'want ' || n) FROM generate_series(1, ${ROWS}) n`
    const [said, heard] = [await cost(notices, few), await cost(notices, few, LISTENERS)]
    const beat = await cost((client) => `SELECT farebox.beat('g${client}', 1, 0, '10 min')`)
    const looked = await cost(() => SHOWN, 3)
    const [{ count }] = (await postgres.query(`SELECT count(*) FROM (${SHOWN}) s`)) as [{ count: number }]
    return {
      take,
      ahead: share(ahead, empty, ROWS),
      ship: empty,
      charge: share(charged, empty, ROWS - 1),
      return: share(handed, empty, ROWS),
      heard: { ...share(heard, said, ROWS * LISTENERS), logBytes: 0 },
      beat,
      shown: share(looked, { cpuMicros: 0, logBytes: 0 }, count),
    }
  } finally {
    await postgres.close()
  }
}

/** As gateways ask what others have charged lately. */
const SHOWN = `SELECT key_id, cycle, sum(amount) AS amount FROM farebox.charged WHERE gateway NOT IN ('g1', '')
  AND (key_id, cycle) IN (SELECT key_id, cycle FROM farebox.charged WHERE changed_at > now() - '1 hour'::interval)
  GROUP BY key_id, cycle`

function share(all: Cost, without: Cost, count: number): Cost {
  const each = (name: keyof Cost) => Math.max(0, (all[name] - without[name]) / count)
  return { cpuMicros: each('cpuMicros'), logBytes: each('logBytes') }
}

async function fill(postgres: Postgres, keys: number): Promise<void> {
  await postgres.run(upgradeFrom(0))
  await postgres.run(`INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at)
      SELECT 'g' || n, 'here', 'bench', 1, 0, 0, now() + '1 hour', now() + '1 hour' FROM generate_series(1, ${GATEWAYS}) n;
    INSERT INTO farebox.account SELECT 'k' || n, 0, 1000000000, 0, 0, 1000000000, 0 FROM generate_series(1, ${keys}) n`)
  await postgres.run('VACUUM ANALYZE')
  await postgres.run('CHECKPOINT')
}

type Trial = { readonly sql: (client: number) => string; readonly times: number; readonly listeners: number }

async function costOf(postgres: Postgres, { sql, times, listeners }: Trial): Promise<Cost> {
  const [{ pid }] = (await postgres.query(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
  )) as [{ pid: number }]
  const position = async () => {
    const [{ at }] = (await postgres.query(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS at`)) as [{ at: number }]
    return at
  }
  const from = await position()
  const before = childrenMicros(pid)
  const listening = await Promise.all(Array.from({ length: listeners }, () => open(postgres, 'LISTEN farebox')))
  const asking = await Promise.all(Array.from({ length: CLIENTS }, () => open(postgres)))
  await Promise.all(
    asking.map(async (client, index) => {
      const text = sql(index + 1)
      for (let count = 0; count < times / CLIENTS; count += 1) await client.query({ name: 'asked', text })
    }),
  )
  await Promise.all([...asking, ...listening].map((client) => client.end()))
  const done = Math.ceil(times / CLIENTS) * CLIENTS
  const logBytes = ((await position()) - from) / done
  // The time of a process is counted when it has ended.
  await waitForEnd(postgres)
  return { cpuMicros: ((childrenMicros(pid) ?? NaN) - (before ?? NaN)) / done, logBytes }
}

async function open({ url }: Postgres, sql?: string): Promise<Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  if (sql !== undefined) await client.query(sql)
  return client
}

async function waitForEnd(postgres: Postgres): Promise<void> {
  const others = `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
  for (;;) {
    const [{ count }] = (await postgres.query(others)) as [{ count: number }]
    if (count === 0) return
  }
}
