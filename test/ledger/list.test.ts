// Lists of entries beside a plain reading of the table, over several steps of the summary.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listEntries, resolvedAfter, type EntryFilter, type ListedEntry } from '#ledger/list.ts'
import { pointProblems } from '#ledger/points.ts'
import { summariseNext } from '#ledger/summary.ts'
import { openForWriting, type Db } from '#store/database.ts'

const CALLS = 7_000
const KEYS = ['a', 'b', 'c', 'rare']
const BEGAN_MS = Date.parse('2027-03-01T00:00:00Z')

let dataDir: string
let db: Db

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-list-'))
  db = openForWriting(dataDir)
  fillEntries(db)
  while (db.transaction(() => summariseNext(db))() === 0);
  expect(db.prepare('SELECT count(*) FROM ledger_step').pluck().get()).toBeGreaterThan(2)
})

afterAll(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** One grant of the rare key, then calls of the others, with a correction now and then. */
function fillEntries(to: Db): void {
  to.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1)`)
  const insert = to.prepare(
    `INSERT INTO ledger_entry (key_id, kind, amount_micro, charge_micro, exchange_id, cycle_started_at_ms, created_at_ms,
       reason, idempotency_id) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)`,
  )
  // A second for each call, and halfway the clock is set back by half an hour.
  let atMs = BEGAN_MS
  to.transaction(() => {
    for (const [index, id] of KEYS.entries()) {
      to.prepare(
        `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'p', 'active', 1)`,
      ).run(id, `name ${id}`, String(index).repeat(43))
      insert.run(id, 'grant', 1_000_000, null, null, atMs, null, 'cycle:1')
    }
    for (let index = 0; index < CALLS; index += 1) {
      const key = KEYS[index % 3]
      const charge = index % 7 === 0 ? 0 : index % 11
      atMs += index === CALLS / 2 ? -1_800_000 : 1000
      insert.run(key, 'hold', -20, null, `call-${index}`, atMs, null, null)
      insert.run(key, charge === 0 ? 'release' : 'settle', 20 - charge, charge, `call-${index}`, atMs, null, null)
      if (index % 2_500 === 0) insert.run('b', 'adjustment', 5, null, null, atMs, 'a reason', `id-${index}`)
    }
  })()
}

type Plain = {
  readonly seq: number
  readonly key_id: string
  readonly kind: string
  readonly available_micro: number | null
  readonly created_at_ms: number
}

type Wanted = Omit<EntryFilter, 'beforeSeq' | 'limit'>

function plain({ keyIds, kind, sinceMs = 0, untilMs = Infinity }: Wanted): Plain[] {
  const rows = db
    .prepare<[], Plain>(
      `SELECT seq, key_id, kind, created_at_ms, sum(amount_micro) OVER (PARTITION BY key_id ORDER BY seq) AS available_micro
       FROM ledger_entry ORDER BY seq DESC`,
    )
    .all()
  return rows.filter(
    (row) =>
      (keyIds?.includes(row.key_id) ?? true) &&
      (kind === undefined || row.kind === kind) &&
      row.created_at_ms >= sinceMs &&
      row.created_at_ms < untilMs,
  )
}

function paged(filter: Wanted, limit: number): ListedEntry[] {
  const found: ListedEntry[] = []
  for (let beforeSeq: number | undefined; ;) {
    const { entries, next } = listEntries(db, { ...filter, beforeSeq, limit })
    found.push(...entries)
    if (next === undefined) return found
    expect(next).toBeLessThan(beforeSeq ?? Infinity)
    beforeSeq = next
  }
}

describe('a list of entries', () => {
  it.each([
    ['everything', {}, 450],
    ['one key', { keyIds: ['c'] }, 333],
    ['several keys', { keyIds: ['a', 'rare'] }, 500],
    ['a key with one entry long ago', { keyIds: ['rare'] }, 10],
    ['a kind that is rare', { kind: 'adjustment' }, 1],
    ['a kind of a key', { keyIds: ['b'], kind: 'release' }, 77],
    ['a kind that there is none of', { kind: 'lapse' }, 5],
    ['no key', { keyIds: [] }, 5],
    [
      'a quarter of an hour that the clock passed twice',
      { sinceMs: BEGAN_MS + 2_400_000, untilMs: BEGAN_MS + 3_300_000 },
      90,
    ],
    ['a key since then', { keyIds: ['c'], sinceMs: BEGAN_MS + 4_000_000 }, 77],
    ['a kind of keys until then', { keyIds: ['a', 'b'], kind: 'release', untilMs: BEGAN_MS + 600_000 }, 5],
    ['a single moment', { sinceMs: BEGAN_MS, untilMs: BEGAN_MS + 1 }, 1],
    ['a time before all', { untilMs: BEGAN_MS }, 5],
  ] as const)('has every entry once with its running balance: %s', (_name, some, limit) => {
    const filter = { keyIds: undefined, kind: undefined, ...some }
    const shape = ({ seq, key_id, kind, available_micro, created_at_ms }: Plain) =>
      ({ seq, key_id, kind, available_micro, created_at_ms }) satisfies Plain
    expect(paged(filter, limit).map(shape)).toEqual(plain(filter).map(shape))
  })

  it('finds a rare entry without reading the history', () => {
    const first = listEntries(db, { keyIds: ['rare'], kind: undefined, beforeSeq: undefined, limit: 10 })
    expect(first.entries).toHaveLength(1)
  })

  it('passes over what was written at other times', () => {
    const filter = { keyIds: undefined, kind: undefined, untilMs: BEGAN_MS + 1000, limit: 10 }
    const last = db.prepare<[], number>('SELECT max(seq) FROM ledger_entry').pluck().get() ?? 0
    const first = listEntries(db, { ...filter, beforeSeq: undefined })
    expect(first.entries.map(({ seq }) => seq)).toEqual([4, 3, 2, 1])
    expect(last).toBeGreaterThan(14_000)
  })

  it('never scans the table', () => {
    const plans: string[] = []
    const spied = new Proxy(db, {
      get(target, name) {
        if (name !== 'prepare') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
        return (sql: string) => {
          const explained = target.prepare(`EXPLAIN QUERY PLAN ${sql}`)
          const nothing = sql.includes('@')
            ? [
                {
                  after: 0,
                  before: 9,
                  last: 9,
                  limit: 1,
                  keyIds: '[]',
                  kind: '',
                  upTo: 0,
                  kinds: 0,
                  seq: 0,
                  sinceMs: 0,
                  untilMs: 9,
                },
              ]
            : (sql.match(/\?/g)?.map(() => 0) ?? [])
          plans.push(...(explained.all(...nothing) as { detail: string }[]).map(({ detail }) => detail))
          return target.prepare(sql)
        }
      },
    })
    for (const keyIds of [undefined, ['a']]) {
      listEntries(spied, { keyIds, kind: 'settle', beforeSeq: undefined, limit: 5 })
      listEntries(spied, { keyIds, kind: undefined, beforeSeq: 6_000, limit: 5 })
      listEntries(spied, { keyIds, kind: 'lapse', sinceMs: 0, untilMs: 9, beforeSeq: 12_000, limit: 5 })
      resolvedAfter(spied, 'call-6990', { keyIds, most: 100 })
    }
    expect(plans.filter((detail) => /^SCAN (entry|opening|ledger_entry|ledger_point)\b/.test(detail))).toEqual([])
    // The sums of the keys of one step are the only thing that is not in an order already.
    expect(plans.filter((detail) => /^USE TEMP B-TREE(?! FOR GROUP BY)/.test(detail))).toEqual([])
  })
})

describe('what ended after a call', () => {
  it('is said in the order in which it did, for keys that one may see', () => {
    const last = ['call-6998', 'call-6999']
    expect(resolvedAfter(db, 'call-6997', { keyIds: undefined, most: 10 })).toEqual(last)
    expect(resolvedAfter(db, 'call-6997', { keyIds: ['a'], most: 10 })).toEqual(['call-6999'])
    expect(resolvedAfter(db, 'call-6999', { keyIds: undefined, most: 10 })).toEqual([])
  })

  it('is not said where it is too much, or the call is not known', () => {
    expect(resolvedAfter(db, 'call-6900', { keyIds: undefined, most: 10 })).toBeUndefined()
    expect(resolvedAfter(db, 'nothing', { keyIds: undefined, most: 10 })).toBeUndefined()
  })
})

describe('the points of the summary', () => {
  it('equal the sums of their entries, and a wrong one is reported', () => {
    expect(pointProblems(db)).toEqual([])
    db.exec('SAVEPOINT tampering; UPDATE ledger_point SET available_micro = available_micro + 1')
    expect(pointProblems(db)).toHaveLength(KEYS.length)
    db.exec('ROLLBACK TO tampering; RELEASE tampering')
  })
})
