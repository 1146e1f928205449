// `farebox ledger verify`: recomputes everything that the ledger's tables promise and lists what does not hold. Reads only.

import type { Database } from 'better-sqlite3'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { priceOfRow, type Price, type PriceRow } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'
import { usageOfRow, type UsageCounts } from '#core/usage.ts'
import { ALL_PARTS, findMismatches } from '#ledger/entries.ts'
import { withEntrySums } from '#ledger/entry-sums.ts'
import { PIECE, piecesOf, type Piece } from '#ledger/pieces.ts'
import { summarisedUpTo, summaryProblems } from '#ledger/summary.ts'

type Rule = { readonly says: string; readonly sql: string }

/**
 * Each finds rows of a piece (`@from` to `@upTo`) that break one rule; `subject` names the first few of them. That the piece is read, and
 * not an index from end to end for each piece, is said in the SQL and not left to SQLite.
 */
const RULES_OF_ENTRIES: readonly Rule[] = [
  {
    says: 'a hold was resolved that was never taken',
    sql: `SELECT resolution.exchange_id AS subject FROM ledger_entry AS resolution NOT INDEXED
      WHERE resolution.seq BETWEEN @from AND @upTo AND resolution.charge_micro IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ledger_entry AS hold WHERE hold.exchange_id = resolution.exchange_id AND hold.kind = 'hold')`,
  },
  {
    says: 'a resolution does not return its hold less its charge',
    sql: `SELECT hold.exchange_id AS subject FROM ledger_entry AS hold NOT INDEXED CROSS JOIN ledger_entry AS resolution
        ON resolution.exchange_id = hold.exchange_id AND resolution.charge_micro IS NOT NULL
      WHERE hold.seq BETWEEN @from AND @upTo AND hold.kind = 'hold' AND (hold.key_id <> resolution.key_id
        OR resolution.amount_micro <> -hold.amount_micro - resolution.charge_micro)`,
  },
  {
    says: 'a resolved exchange has no usage record of the same charge',
    sql: `SELECT resolution.exchange_id AS subject FROM ledger_entry AS resolution NOT INDEXED
        LEFT JOIN usage_record ON usage_record.id = resolution.exchange_id
      WHERE resolution.seq BETWEEN @from AND @upTo AND resolution.charge_micro IS NOT NULL
        AND (usage_record.id IS NULL OR usage_record.charge_micro <> resolution.charge_micro)`,
  },
  {
    says: 'a usage record is not about the call of its entries',
    sql: `SELECT usage_record.id AS subject FROM ledger_entry AS entry NOT INDEXED
        CROSS JOIN usage_record ON usage_record.id = entry.exchange_id
      WHERE entry.seq BETWEEN @from AND @upTo AND (entry.kind = 'hold' OR entry.charge_micro IS NOT NULL)
        AND (entry.key_id <> usage_record.key_id OR entry.model_id IS NOT usage_record.model_id
          OR entry.price_version IS NOT usage_record.price_version
          OR (entry.kind = 'hold' AND -entry.amount_micro > usage_record.hold_micro))`,
  },
]

const RULES_OF_RECORDS: readonly Rule[] = [
  {
    // Tokens times prices, rounded up once. A sum that 64 bits do not hold becomes a fraction, and is left to the export. Prices that
    // name more than the four classes are looked at one by one, below.
    says: 'a charge is not what its tokens cost',
    sql: `SELECT id AS subject FROM (
        SELECT usage_record.id, usage_record.charge_micro, usage_record.usage_source, price.version,
          coalesce(input_tokens, 0) * price.input_micro + coalesce(output_tokens, 0) * price.output_micro
            + coalesce(cache_read_tokens, 0) * price.cache_read_micro
            + coalesce(cache_write_tokens, 0) * price.cache_write_micro AS parts
        FROM usage_record LEFT JOIN price
          ON price.model_id = usage_record.model_id AND price.version = usage_record.price_version
        WHERE usage_record.id BETWEEN @from AND @upTo AND price.details IS NULL)
      WHERE CASE WHEN usage_source = 'none' OR version IS NULL THEN charge_micro <> 0
        ELSE typeof(parts) = 'integer' AND charge_micro <> (parts + 999999) / 1000000 END`,
  },
  {
    says: 'a usage record has no resolution',
    sql: `SELECT usage_record.id AS subject FROM usage_record WHERE usage_record.id BETWEEN @from AND @upTo AND NOT EXISTS (
        SELECT 1 FROM ledger_entry AS resolution
        WHERE resolution.exchange_id = usage_record.id AND resolution.charge_micro IS NOT NULL)`,
  },
]

const RULES_OF_ALL: readonly Rule[] = [
  {
    says: 'entries are missing, of which the last number is',
    sql: `SELECT last AS subject FROM (SELECT max(seq) AS last FROM ledger_entry)
      WHERE last <> (SELECT sum(entries) FROM temp.entry_sum)`,
  },
  {
    says: 'an ended cycle does not sum to zero',
    sql: `SELECT entry.key_id AS subject FROM temp.entry_sum AS entry JOIN balance ON balance.key_id = entry.key_id
      WHERE entry.cycle_started_at_ms <> balance.cycle_started_at_ms
      GROUP BY entry.key_id, entry.cycle_started_at_ms HAVING sum(entry.available_micro) <> 0`,
  },
]

const NAMED = 5

/**
 * `byTable`: the tables of the file are looked at one after the other, and not whether all its pages are somewhere, so that a thread can be
 * ended sooner. `rows`: how many are looked at in one go.
 */
export type VerifyOptions = { readonly byTable?: boolean; readonly rows?: number }

/** Checks the books as one consistent snapshot. */
export function verifyLedger(db: Database, options: VerifyOptions = {}): LedgerReport {
  try {
    return db.transaction(() => verifySnapshot(db, options))()
  } catch (error) {
    // Damage can keep the check itself from being made.
    if (error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))) {
      return damaged(error.message)
    }
    throw error
  }
}

function verifySnapshot(db: Database, { byTable = false, rows = PIECE }: VerifyOptions): LedgerReport {
  const damage = byTable ? damageByTable(db) : damageIn(db, '1')
  if (damage !== undefined) return damaged(damage)
  const foreign = orphans(db)
  const ofSums = withEntrySums(db, { summarisedUpTo: summarisedUpTo(db), rows }, () => ({
    problems: [
      ...findMismatches(db, ALL_PARTS),
      ...summaryProblems(db),
      ...RULES_OF_ALL.flatMap((rule) => broken(db, rule, [{}])),
    ],
    entries: count(db, 'SELECT coalesce(sum(entries), 0) FROM temp.entry_sum'),
    openHolds: count(db, 'SELECT coalesce(sum(request_count - resolutions), 0) FROM temp.entry_sum'),
  }))
  const problems = [
    ...foreign,
    ...ofSums.problems,
    ...RULES_OF_ENTRIES.flatMap((rule) => broken(db, rule, piecesOf(db, 'ledger_entry', rows))),
    ...RULES_OF_RECORDS.flatMap((rule) => broken(db, rule, piecesOf(db, 'usage_record', rows))),
    ...wrongCharges(db),
  ]
  return {
    ok: problems.length === 0,
    keys: count(db, 'SELECT count(*) FROM key'),
    entries: ofSums.entries,
    openHolds: ofSums.openHolds,
    usageRecords: count(db, 'SELECT count(*) FROM usage_record'),
    problems,
  }
}

/** The first thing that is wrong with the file, or with what a table has in it. */
function damageIn(db: Database, what: string): string | undefined {
  const found = String(db.pragma(`quick_check(${what})`, { simple: true }))
  return found === 'ok' ? undefined : found
}

function damageByTable(db: Database): string | undefined {
  for (const table of [SCHEMA_TABLE, ...tablesOf(db)]) {
    const damage = damageIn(db, quoted(table))
    if (damage !== undefined) return damage
  }
  return undefined
}

/** Looked at with it is the list of free pages. */
const SCHEMA_TABLE = 'sqlite_schema'

function tablesOf(db: Database): string[] {
  return db.prepare<[], string>(`SELECT name FROM main.sqlite_schema WHERE type = 'table'`).pluck().all()
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** What a damaged file says cannot be trusted, and reading it may fail, so nothing else is looked at. */
function damaged(result: string): LedgerReport {
  const problems = [`the database file is damaged: ${result}`]
  return { ok: false, isDamaged: true, keys: 0, entries: 0, openHolds: 0, usageRecords: 0, problems }
}

function orphans(db: Database): string[] {
  let rows = 0
  for (const table of tablesOf(db)) {
    const foreign = db.pragma(`foreign_key_check(${quoted(table)})`)
    if (Array.isArray(foreign)) rows += foreign.length
  }
  return rows > 0 ? [`${rows} rows refer to rows that are not there`] : []
}

function broken(db: Database, rule: Rule, pieces: Iterable<Piece | Record<string, never>>): string[] {
  const statement = db.prepare<[object], string>(rule.sql).pluck()
  const subjects = new Set<string>()
  for (const piece of pieces) for (const subject of statement.all(piece)) subjects.add(subject)
  return problem(rule.says, [...subjects])
}

function problem(says: string, subjects: readonly string[]): string[] {
  if (subjects.length === 0) return []
  const more = subjects.length > NAMED ? ` and ${subjects.length - NAMED} more` : ''
  return [`${says}: ${subjects.slice(0, NAMED).join(', ')}${more}`]
}

type FineCharge = UsageCounts &
  Pick<PriceRow, 'version'> & {
    readonly id: string
    readonly model_id: string
    readonly charge_micro: number
    readonly usage_source: string
  }

/** Charges at prices that name more than the four classes: they are not sums that SQL would make. */
function wrongCharges(db: Database): string[] {
  const prices = new Map<string, Price>()
  const found = db.prepare<[], PriceRow & { model_id: string }>('SELECT * FROM price WHERE details IS NOT NULL')
  for (const row of found.iterate()) prices.set(`${row.model_id}\0${row.version}`, priceOfRow(row))
  if (prices.size === 0) return []
  const wrong: string[] = []
  const charges = db.prepare<[], FineCharge>(
    `SELECT usage_record.*, price.version FROM usage_record JOIN price
       ON price.model_id = usage_record.model_id AND price.version = usage_record.price_version
     WHERE price.details IS NOT NULL`,
  )
  for (const row of charges.iterate()) {
    const price = prices.get(`${row.model_id}\0${row.version}`)
    const charge = price === undefined || row.usage_source === 'none' ? 0 : priceOf(usageOfRow(row), price)
    if (row.charge_micro !== charge) wrong.push(row.id)
  }
  return problem('a charge is not what was counted costs', wrong)
}

function count(db: Database, sql: string): number {
  return Number(db.prepare(sql).pluck().get())
}
