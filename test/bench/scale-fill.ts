// Gives a data folder a long past: many keys, and many calls that add up like real ones. Written straight into the tables,
// because a million calls one after the other would take an hour, and summarised by the program's own function.
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { summariseNext } from '#ledger/summary.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { MODEL } from './payload.ts'

export type Past = {
  readonly keys: number
  readonly calls: number
  /** Over how many days the keys have their calls, one key after the other; unless given all call in turn, in one moment. */
  readonly days?: number | undefined
}

/** Fills a folder that Farebox has set up and that nothing runs on. The calls are spread over the new keys. */
export function fill(dataFolder: string, { keys, calls, days }: Past): void {
  const db = new Database(join(dataFolder, 'farebox.db'))
  try {
    // A file that is filled in one go needs no log beside it, which would be written as well and as long.
    db.pragma('journal_mode = OFF')
    db.pragma('synchronous = OFF')
    db.pragma(`cache_size = -${PAGE_CACHE_KIB}`)
    db.transaction(() => {
      addKeys(db, keys)
      if (calls > 0) addCalls(db, { keys, calls, days })
      addBalances(db)
    })()
    while (db.transaction(() => summariseNext(db))() === 0);
    db.exec('DELETE FROM usage_rollup')
    new UsageRollups(db, Intl.DateTimeFormat().resolvedOptions().timeZone).open()
    db.pragma('journal_mode = WAL')
  } finally {
    db.close()
  }
}

const COUNT = (name: string, upTo: string) =>
  `WITH RECURSIVE ${name} (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ${name} WHERE n < ${upTo})`
const PAGE_CACHE_KIB = 2 * 1024 * 1024
const AT_MS = 1_760_000_000_000
const DAY_MS = 86_400_000

function addKeys(db: Database.Database, keys: number): void {
  db.prepare(
    `${COUNT('number', '@keys')}
     INSERT INTO key (id, name, owner, hash, hint, package_id, status, expires_at_ms, created_at_ms)
     SELECT 'key-' || n, 'key-' || n, NULL, printf('%043d', n), 'hint', (SELECT id FROM package WHERE type = 'topup' LIMIT 1),
       'active', NULL, ${AT_MS} FROM number`,
  ).run({ keys })
  db.prepare(
    `${COUNT('number', '@keys')}
     INSERT INTO ledger_entry (key_id, kind, amount_micro, cycle_started_at_ms, created_at_ms, idempotency_id)
     SELECT 'key-' || n, 'grant', (SELECT credits_micro FROM package WHERE type = 'topup' LIMIT 1), ${AT_MS}, ${AT_MS},
       'cycle:${AT_MS}' FROM number`,
  ).run({ keys })
}

/** Each call has its hold, its resolution and its usage record, in the order in which they are written. */
function addCalls(db: Database.Database, { keys, calls, days }: Past): void {
  const { version, tokens } = priceOf(db)
  // Whole numbers for SQLite too, which would divide others into fractions.
  const given = { keys: BigInt(keys), calls: BigInt(calls), version, charge: tokens }
  const { keyOf, atOf } = days === undefined ? inTurn() : oneAfterTheOther(days)
  db.prepare(
    `${COUNT('number', '2 * @calls')}
     INSERT INTO ledger_entry (key_id, kind, amount_micro, charge_micro, exchange_id, cycle_started_at_ms, created_at_ms,
       model_id, price_version)
     SELECT 'key-' || (1 + ${keyOf('(n - 1) / 2')}), CASE WHEN n % 2 = 1 THEN 'hold' ELSE 'settle' END,
       CASE WHEN n % 2 = 1 THEN -5000 ELSE 5000 - @charge END, CASE WHEN n % 2 = 1 THEN NULL ELSE @charge END,
       printf('00000000-0000-7000-8000-%012d', (n + 1) / 2), ${AT_MS}, ${atOf('(n - 1) / 2')}, '${MODEL}', @version FROM number`,
  ).run(given)
  db.prepare(
    `${COUNT('number', '@calls')}
     INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, is_stream, outcome, status, input_tokens,
       output_tokens, usage_source, price_version, hold_micro, charge_micro, is_overrun, created_at_ms, duration_ms)
     SELECT printf('00000000-0000-7000-8000-%012d', n), 'key-' || (1 + ${keyOf('(n - 1)')}), 'p', 'chat-completions', '${MODEL}',
       0, 'answered', 200, 100, 0, 'reported', @version, 5000, @charge, 0, ${atOf('(n - 1)')}, 5 FROM number`,
  ).run(given)
}

/** Which key makes a call, and when, both by the number of the call, from 0 on. */
type Spread = { readonly keyOf: (call: string) => string; readonly atOf: (call: string) => string }

function inTurn(): Spread {
  return { keyOf: (call) => `${call} % @keys`, atOf: () => String(AT_MS) }
}

function oneAfterTheOther(days: number): Spread {
  const keyOf = (call: string) => `${call} * @keys / @calls`
  return { keyOf, atOf: (call) => `${AT_MS} + ${keyOf(call)} * ${days} / @keys * ${DAY_MS}` }
}

/** What 100 tokens of input cost. */
function priceOf(db: Database.Database): { version: number; tokens: number } {
  const row = db
    .prepare<[string], { version: number; input_micro: number }>(
      'SELECT version, input_micro FROM price WHERE model_id = ?',
    )
    .get(MODEL)
  if (row === undefined) throw new Error(`${MODEL} has no price`)
  return { version: row.version, tokens: Math.ceil((100 * row.input_micro) / 1_000_000) }
}

function addBalances(db: Database.Database): void {
  db.exec(
    `INSERT INTO balance (key_id, cycle_started_at_ms, available_micro, granted_micro, used_micro, request_count,
       last_used_at_ms, package_type, package_micro, time_zone)
     SELECT entry.key_id, ${AT_MS}, sum(amount_micro), sum(iif(kind = 'grant', amount_micro, 0)),
       sum(coalesce(charge_micro, 0)), sum(kind = 'hold'), max(entry.created_at_ms), package.type, package.credits_micro, package.time_zone
     FROM ledger_entry AS entry JOIN key ON key.id = entry.key_id JOIN package ON package.id = key.package_id
     WHERE entry.key_id LIKE 'key-%' GROUP BY entry.key_id`,
  )
}
