// What holds of shared books at every moment, by queries of its own.

import { expect } from 'vitest'
import { openForReading } from '#store/database.ts'
import { exported } from '../recompute/exported.ts'
import { recompute } from '../recompute/recompute.ts'
import type { Postgres } from '../support/postgres.ts'

type Asked = Pick<Postgres, 'query'>

/** Balances add up, leases are what accounts say, and what is used is what gateways charged. */
const WRONG = `SELECT account.*, l.leased AS leases, c.charged FROM farebox.account
  LEFT JOIN (SELECT key_id, cycle, sum(amount) AS leased FROM farebox.lease GROUP BY 1, 2) l USING (key_id, cycle)
  LEFT JOIN (SELECT key_id, cycle, sum(amount) AS charged FROM farebox.charged GROUP BY 1, 2) c USING (key_id, cycle)
  WHERE (granted <> used + account.leased + free OR account.leased <> coalesce(l.leased, 0)
    OR used + owed <> coalesce(c.charged, 0))`

export async function expectSoundFleet(postgres: Asked): Promise<void> {
  expect(await postgres.query(WRONG)).toEqual([])
}

/** The same of days and months that are shared exactly; nothing is free of what is bounded by less than is charged and leased. */
const WRONG_BUDGET = `SELECT budget.*, l.leased AS leases, c.charged FROM farebox.budget
  LEFT JOIN (SELECT id, started, sum(amount) AS leased FROM farebox.budget_lease GROUP BY 1, 2) l USING (id, started)
  LEFT JOIN (SELECT id, started, sum(amount) AS charged FROM farebox.budget_charged GROUP BY 1, 2) c USING (id, started)
  WHERE (granted <> used + budget.leased + free OR budget.leased <> coalesce(l.leased, 0)
    OR used + owed <> coalesce(c.charged, 0) OR free > greatest(0, bound - used - owed - budget.leased)
    OR (bound IS NOT NULL AND granted <> greatest(bound, budget.leased)))`

export async function expectSoundBudgets(postgres: Asked): Promise<void> {
  expect(await postgres.query(WRONG_BUDGET)).toEqual([])
}

/** From now on every commit is looked at when it is made, and noted where it leaves a balance, or a budget, that does not add up. */
export async function watchCommits({ run }: Pick<Postgres, 'run'>): Promise<void> {
  const tables = ['account', 'lease', 'charged']
  const budgets = ['budget', 'budget_lease', 'budget_charged'].map(
    (name) =>
      `CREATE CONSTRAINT TRIGGER watched AFTER INSERT OR UPDATE ON farebox.${name} DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION watch.look_at_budget();`,
  )
  const triggers = tables.map(
    (name) =>
      `CREATE CONSTRAINT TRIGGER watched AFTER INSERT OR UPDATE ON farebox.${name} DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION watch.look();`,
  )
  await run(`CREATE SCHEMA watch;
    CREATE TABLE watch.wrong (found jsonb NOT NULL);
    CREATE SEQUENCE watch.looks;
    CREATE FUNCTION watch.look() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('watch.looks');
      INSERT INTO watch.wrong SELECT to_jsonb(w) FROM (${WRONG} AND key_id = NEW.key_id AND cycle = NEW.cycle) w;
      RETURN NULL;
    END $$;
    CREATE FUNCTION watch.look_at_budget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('watch.looks');
      INSERT INTO watch.wrong SELECT to_jsonb(w) FROM (${WRONG_BUDGET} AND id = NEW.id AND started = NEW.started) w;
      RETURN NULL;
    END $$;
    ${budgets.join('\n')}
    ${triggers.join('\n')}`)
}

/** What was wrong after any commit, and whether there were any. */
export async function expectSoundCommits(postgres: Asked): Promise<void> {
  expect(await postgres.query('SELECT found FROM watch.wrong')).toEqual([])
  const [looks] = await postgres.query('SELECT last_value AS count FROM watch.looks')
  expect(looks?.count).toBeGreaterThan(10)
}

const TABLES = {
  change: 'SELECT *, floor(extract(epoch FROM made_at) * 1000) AS made_at_ms FROM farebox.change',
  account: 'SELECT * FROM farebox.account',
  lease: 'SELECT * FROM farebox.lease',
  charged: 'SELECT * FROM farebox.charged',
  doubt: 'SELECT * FROM farebox.doubt',
} as const

/**
 * By the program that shares no code with gateways: from PostgreSQL, and from the own books of gateways that have ended. `before`: the last entry of a
 * gateway that it had made by itself.
 */
export async function expectRecomputed(
  postgres: Asked,
  dataDirs: readonly string[],
  before: Readonly<Record<string, number>> = {},
): Promise<void> {
  const lines: string[] = []
  for (const [line, sql] of Object.entries(TABLES)) {
    for (const row of await postgres.query(sql)) lines.push(JSON.stringify({ line, ...row }))
  }
  for (const dataDir of dataDirs) {
    const gateway = gatewayIn(dataDir)
    for (const text of exported(dataDir).split('\n')) {
      if (!text.startsWith('{"line":"entry"')) continue
      const entry = JSON.parse(text) as { readonly seq: number }
      lines.push(JSON.stringify({ ...entry, gateway, is_own: entry.seq <= (before[dataDir] ?? 0) }))
    }
  }
  expect(lines.some((line) => line.includes('"line":"entry"'))).toBe(true)
  const { code, said } = recompute(lines.join('\n'), 'fleet.py')
  expect(said).toMatch(/all agree\n$/)
  expect(code).toBe(0)
}

function gatewayIn(dataDir: string): string {
  const db = openForReading(dataDir)
  const id = db.prepare<[], string>('SELECT gateway_id FROM fleet').pluck().get()
  db.close()
  if (id === undefined) throw new Error(`${dataDir} never joined`)
  return id
}
