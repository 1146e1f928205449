// Two programs that share no code must agree on the books: the ledger itself, and a short Python one that reads its export.

import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PART_CLASSES } from '#contract/price-classes.ts'
import { microCredits } from '#core/money.ts'
import { priceRow, type Price, type Rates } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import type { OpenHold } from '#ledger/account.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { openForReading } from '#store/database.ts'
import { Books, settlement, terms, type SetClock } from '../ledger/books.ts'
import { exported } from './exported.ts'
import { recompute } from './recompute.ts'

const FILE = 'farebox.db'
const START = Date.parse('2028-02-14T09:30:00Z')
const HOUR = 3_600_000
const OPERATIONS = 4000

let folder: string
let books: Books

/** The same numbers in every run, so that a failure can be looked at again. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const rates = (input: number, parts?: Price['parts']): Rates => ({
  inputMicro: microCredits(input),
  outputMicro: microCredits(input * 7),
  cacheReadMicro: microCredits(Math.floor(input / 9)),
  cacheWriteMicro: microCredits(input + 11_111),
  ...(parts === undefined ? {} : { parts }),
})

/** Prices that name everything that a price can name. */
const FINE: readonly Price[] = [
  {
    version: 1,
    ...rates(333_333, { cache_write_1h: microCredits(777_777), input_audio: microCredits(3_333_331) }),
    steps: [
      { aboveTokens: 3000, rates: rates(555_557, { output_image: microCredits(9_999_999) }) },
      { aboveTokens: 6000, rates: rates(777_779) },
    ],
    tiers: {
      flex: { factorMicro: 500_001 },
      priority: { ...rates(999_983), steps: [{ aboveTokens: 1, rates: rates(1) }] },
    },
    minimumMicro: microCredits(1500),
  },
  {
    version: 2,
    ...rates(1, {
      reasoning: microCredits(13),
      output_audio: microCredits(7_000_003),
      cache_read_audio: microCredits(5),
    }),
    units: {
      request: microCredits(17_000_003),
      web_search: microCredits(10_000_000_001),
      image: microCredits(3),
      'image/small': microCredits(40_000_000_007),
      'second/long': microCredits(100_000_001),
    },
  },
]

/** Prices at which nearly every charge has to be rounded. */
async function addPrices(): Promise<void> {
  const db = new Database(join(books.dataDir, FILE))
  const insert = db.prepare('INSERT INTO price VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  insert.run('odd', 1, 333_333, 7_777_777, 33_333, 499_999, 1, null)
  insert.run('odd', 2, 1, 3, 7, 11, 2, null)
  for (const price of FINE) {
    const row = priceRow(price)
    const { version, input_micro, output_micro, cache_read_micro, cache_write_micro } = row
    insert.run('fine', version, input_micro, output_micro, cache_read_micro, cache_write_micro, 1, row.details)
  }
  db.close()
}

type Made = { readonly keys: readonly string[]; readonly holds: OpenHold[]; readonly next: (below: number) => number }

/** One thing that can happen to a ledger; most are calls. */
async function happen({ keys, holds, next }: Made, clock: SetClock, count: number): Promise<void> {
  const key = keys[next(keys.length)] ?? ''
  const what = next(100)
  if (what < 2) clock.nowMs += next(40) * HOUR
  else if (what < 5) await books.topUp(key, 1 + next(900_000), `top-up-${count}`)
  else if (what < 8)
    await books.changeTerms(key, { ...terms('topup', next(5_000_000)), packageType: typeOf(key, keys) })
  else if (what < 55 || holds.length === 0) {
    const modelId = next(2) === 0 ? 'odd' : 'fine'
    const request = { keyId: key, worstMicro: microCredits(next(200_000)), modelId, priceVersion: 1 + next(2) }
    const answer = await books.hold(request, { isCancelled: true, onCancel: () => undefined })
    if (answer.type === 'held') holds.push(answer.hold)
  } else {
    const [hold] = holds.splice(next(holds.length), 1)
    if (hold !== undefined) await settle(hold, next)
  }
}

const TYPES = ['daily', 'monthly', 'topup', 'unlimited'] as const

function typeOf(key: string, keys: readonly string[]) {
  return TYPES[keys.indexOf(key) % TYPES.length] ?? 'topup'
}

function settle(hold: OpenHold, next: (below: number) => number): Promise<void> {
  if (next(8) === 0) return books.ledger.resolve(hold, settlement(0, { usageSource: 'none', inputTokens: undefined }))
  const tokens = {
    inputTokens: next(9000),
    outputTokens: next(3000),
    cacheReadTokens: next(500),
    cacheWriteTokens: next(9),
  }
  if (hold.modelId === 'fine') return settleFinely(hold, { ...UNKNOWN_USAGE, ...tokens }, next)
  const price = hold.priceVersion === 1 ? [333_333n, 7_777_777n, 33_333n, 499_999n] : [1n, 3n, 7n, 11n]
  const parts = Object.values(tokens).reduce((sum, count, index) => sum + BigInt(count) * (price[index] ?? 0n), 0n)
  return books.ledger.resolve(hold, settlement(Number((parts + 999_999n) / 1_000_000n), tokens))
}

const TIERS = [undefined, 'flex', 'priority', 'unheard-of']
const UNITS = ['web_search', 'image/small', 'image/large/high', 'second', 'page']

/** A call of which the provider tells more than its price may name. */
function settleFinely(hold: OpenHold, counted: TokenUsage, next: (below: number) => number): Promise<void> {
  const parts = Object.fromEntries(
    PART_CLASSES.flatMap((part) => (part === 'reasoning' || next(3) > 0 ? [] : [[part, 1 + next(4000)]])),
  )
  const units = Object.fromEntries(UNITS.flatMap((unit) => (next(3) > 0 ? [] : [[unit, 1 + next(5)]])))
  const details = { parts, units, tier: TIERS[next(TIERS.length)] }
  const usage = { ...counted, reasoningTokens: next(2000), ...(next(4) === 0 ? {} : { details }) }
  const price = FINE[(hold.priceVersion ?? 1) - 1]
  if (price === undefined) throw new Error('there is no such price')
  return books.ledger.resolve(hold, settlement(priceOf(usage, price), usage))
}

beforeAll(async () => {
  const clock: SetClock = { nowMs: START }
  books = await Books.open({ clock })
  folder = await mkdtemp(join(tmpdir(), 'farebox-recompute-'))
  const keys: string[] = []
  for (let count = 0; count < 12; count++) {
    const type = TYPES[count % TYPES.length] ?? 'topup'
    keys.push(await books.addKey(terms(type, type === 'unlimited' ? 0 : 3_000_000, 'Europe/Berlin')))
  }
  await addPrices()
  const made: Made = { keys, holds: [], next: numbers(28) }
  for (let count = 0; count < OPERATIONS; count++) await happen(made, clock, count)
  await books.ledger.flush()
  await books.stop()
}, 120_000)

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(books.dataDir, { recursive: true, force: true })
})

function verified(dataDir: string) {
  const db = openForReading(dataDir)
  try {
    return verifyLedger(db)
  } finally {
    db.close()
  }
}

/** What both programs say about books that somebody changed behind the back of the ledger. */
async function afterTampering(statement: string) {
  const dataDir = await mkdtemp(join(folder, 'tampered-'))
  await copyFile(join(books.dataDir, FILE), join(dataDir, FILE))
  const db = new Database(join(dataDir, FILE))
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  db.exec('DROP TRIGGER ledger_entry_no_update; DROP TRIGGER ledger_entry_no_delete')
  expect(db.prepare(statement).run().changes, statement).toBeGreaterThan(0)
  db.close()
  return { verified: verified(dataDir), recomputed: recompute(exported(dataDir)) }
}

describe('books after thousands of operations', () => {
  it('are the same to the micro-credit by the ledger and by the other program', () => {
    const report = verified(books.dataDir)
    expect(report).toMatchObject({ ok: true, problems: [] })
    expect(report.entries).toBeGreaterThan(OPERATIONS / 2)
    const { code, said } = recompute(exported(books.dataDir))
    expect(said).toBe(`agrees: 12 keys, ${report.entries} entries, ${report.usageRecords} usage records, 12 balances\n`)
    expect(code).toBe(0)
  })

  it('are exported without anything by which a key could be used or found', () => {
    const db = openForReading(books.dataDir)
    const hashes = db.prepare<[], string>('SELECT hash FROM key').pluck().all()
    db.close()
    const text = exported(books.dataDir)
    expect(hashes).toHaveLength(12)
    expect(hashes.filter((hash) => text.includes(hash))).toEqual([])
    expect(text).not.toContain('"hint"')
  })

  it('are exported with whom calls were made for, before the calls that refer to it', async () => {
    const dataDir = await mkdtemp(join(folder, 'named-'))
    await copyFile(join(books.dataDir, FILE), join(dataDir, FILE))
    const db = new Database(join(dataDir, FILE))
    db.exec(`INSERT INTO attribution VALUES (7, 'zed', 'website', ',ci,night,');
      INSERT INTO call_session VALUES (9, 's-1');
      INSERT INTO project VALUES ('website', '{}', 5);
      UPDATE key SET tool = 'zed', project = 'website', tags = ',ci,' WHERE rowid = 1;
      UPDATE usage_record SET attribution_id = 7, session_id = 9 WHERE id = ${CALL}`)
    db.close()
    const text = exported(dataDir)
    const lines = text.trimEnd().split('\n')
    const places = [
      '{"line":"project","id":"website","limits":"{}","created_at_ms":5}',
      '{"line":"attribution","id":7,"tool":"zed","project":"website","tags":",ci,night,"}',
      '{"line":"call_session","id":9,"name":"s-1"}',
    ].map((line) => lines.indexOf(line))
    expect(places).not.toContain(-1)
    expect(Math.max(...places)).toBeLessThan(lines.findIndex((line) => line.startsWith('{"line":"usage"')))
    expect(text).toContain('"attribution_id":7,"session_id":9}')
    expect(text).toContain('"tool":"zed","project":"website","tags":",ci,"}')
    expect(recompute(text)).toMatchObject({ code: 0 })
  })

  it('are not taken for whole when the file was cut off, wherever', () => {
    const lines = exported(books.dataDir).trimEnd().split('\n')
    for (const kept of [1, 5, Math.floor(lines.length / 2), lines.length - 1]) {
      const { code, said } = recompute(`${lines.slice(0, kept).join('\n')}\n`)
      expect(code, said).toBe(1)
      expect(said).toContain('its last line is missing')
    }
  })
})

/** One row of a kind, from the middle of the history. */
const SETTLE = `(SELECT seq FROM ledger_entry WHERE kind = 'settle' LIMIT 1 OFFSET 300)`
const CALL = `(SELECT id FROM usage_record WHERE model_id = 'odd' AND charge_micro > 10 LIMIT 1 OFFSET 200)`
const FINE_CALL = `id = (SELECT id FROM usage_record WHERE model_id = 'fine' AND price_version = 1 AND usage_source = 'reported'
  AND cache_write_tokens > 2 AND input_tokens < 2000 AND details ->> '$.parts.cache_write_1h' > 2
  AND coalesce(details ->> '$.tier', 'none') <> 'flex' AND coalesce(details ->> '$.tier', 'none') <> 'priority' AND charge_micro > 2000 LIMIT 1)`
const SEARCH = `id = (SELECT id FROM usage_record WHERE model_id = 'fine' AND price_version = 2 AND usage_source = 'reported'
  AND details IS NOT NULL LIMIT 1)`
const ODD = `model_id = 'odd' AND version = 1`

describe('both programs notice', () => {
  it.each([
    ['a flipped amount', `UPDATE ledger_entry SET amount_micro = -amount_micro WHERE seq = ${SETTLE}`],
    ['an amount of one more', `UPDATE ledger_entry SET amount_micro = amount_micro + 1 WHERE seq = ${SETTLE}`],
    ['an entry that was dropped', `DELETE FROM ledger_entry WHERE seq = ${SETTLE}`],
    ['the last entry dropped', `DELETE FROM ledger_entry WHERE seq = (SELECT max(seq) FROM ledger_entry)`],
    ['a grant that was raised', `UPDATE ledger_entry SET amount_micro = amount_micro + 5 WHERE seq = 1`],
    ['a charge of one less', `UPDATE ledger_entry SET charge_micro = charge_micro - 1 WHERE seq = ${SETTLE}`],
    ['a charge moved to another cycle', `UPDATE ledger_entry SET cycle_started_at_ms = 1 WHERE seq = ${SETTLE}`],
    [
      'a token count that was changed',
      `UPDATE usage_record SET output_tokens = output_tokens + 1000 WHERE id = ${CALL}`,
    ],
    ['a usage record of one less', `UPDATE usage_record SET charge_micro = charge_micro - 1 WHERE id = ${CALL}`],
    ['a usage record dropped', `DELETE FROM usage_record WHERE id = ${CALL}`],
    [
      'a part of a class that was changed',
      `UPDATE usage_record SET details = json_set(details, '$.parts.cache_write_1h', 0) WHERE ${FINE_CALL}`,
    ],
    [
      'a service tier that was changed',
      `UPDATE usage_record SET details = json_set(details, '$.tier', 'flex') WHERE ${FINE_CALL}`,
    ],
    [
      'units that were changed',
      `UPDATE usage_record SET details = json_set(details, '$.units.web_search', 99) WHERE ${SEARCH}`,
    ],
    [
      'a price of a unit that was changed',
      `UPDATE price SET details = json_set(details, '$.units.request', 1) WHERE model_id = 'fine' AND version = 2`,
    ],
    ['another price version of a call', `UPDATE usage_record SET price_version = 3 - price_version WHERE id = ${CALL}`],
    ['a price version that was changed', `UPDATE price SET output_micro = output_micro + 1000 WHERE ${ODD}`],
    ['a price version that was removed', `DELETE FROM price WHERE ${ODD}`],
    ['a balance that was raised', `UPDATE balance SET available_micro = available_micro + 1 WHERE rowid = 3`],
    ['a count of calls that was lowered', `UPDATE balance SET request_count = request_count - 1 WHERE rowid = 3`],
  ])('%s', async (_, statement) => {
    const after = await afterTampering(statement)
    expect(after.verified.ok).toBe(false)
    expect(after.verified.problems).not.toEqual([])
    expect(after.recomputed.code, after.recomputed.said).toBe(1)
    expect(after.recomputed.said).not.toContain('Traceback')
  })
})
