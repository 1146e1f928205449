// How SQLite goes about the questions of the dashboard: by the keys of its tables, and never through all records or roll-ups.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openForWriting, type Db } from '#store/database.ts'
import { ANY_PARTS, type UsageParts } from '#store/usage-filter.ts'
import { listUsage, type UsageFilter } from '#store/usage-list.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { firstTokenCounts, sumsByGroup, sumsByInterval, sumsOfRecords } from '#store/usage-sums.ts'

const DAY = 86_400_000
const NOTHING = {
  keyIds: '[]',
  modelId: '',
  providerId: '',
  packageId: '',
  slice: 0,
  first: 0,
  end: 0,
  hours: '[]',
  intervals: '[]',
  owners: '{}',
  shown: '[]',
  fromMs: 0,
  toMs: 0,
  beforeMs: 0,
  beforeId: '',
  minMicro: 0,
  most: 1,
  limit: 1,
  skipped: 0,
}

let dataDir: string
let db: Db
let steps: string[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-plans-'))
  db = openForWriting(dataDir)
  db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1);
    INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
    VALUES ('k', 'k', '${'0'.repeat(43)}', 'h', 'p', 'active', 1)`)
  const insert = db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, is_stream, outcome, status, usage_source, hold_micro,
       charge_micro, is_overrun, created_at_ms, duration_ms) VALUES (?, 'k', 'p', 'chat', ?, 0, 'answered', 200, 'none', 0, ?, 0, ?, 1)`,
  )
  for (let index = 0; index < 60; index += 1)
    insert.run(`call-${index}`, `m${index % 6}`, index, DAY + index * 1_000_000)
  new UsageRollups(db, 'UTC').open()
  steps = []
})

afterEach(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The same connection, which notes the plan of everything that is asked. */
function noted(): Db {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name)
      return (sql: string) => {
        const plan = target.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(NOTHING)
        steps.push(...plan.map(({ detail }) => detail))
        return target.prepare(sql)
      }
    },
  })
}

function expectNoScans(): void {
  expect(steps.length).toBeGreaterThan(0)
  const tables = /^SCAN (usage_record|usage_day|usage_hour|usage_first_token|sums|times|total|parts|key|provider)\b/
  const scans = steps.filter((step) => tables.test(step))
  // The parts that are looked up were chosen before; scanning those is no scan of a table. Nor is going through the records that a
  // page has read in a part of its own.
  const isOwn = (step: string) => step === 'SCAN parts' || step === 'SCAN usage_record'
  expect(scans.filter((step) => !isOwn(step))).toEqual([])
  const count = (wanted: string) => steps.filter((step) => step === wanted).length
  expect(count('SCAN usage_record')).toBeLessThanOrEqual(count('CO-ROUTINE usage_record'))
}

const PARTS: readonly Partial<UsageParts>[] = [
  {},
  { keyIds: ['k'] },
  { modelId: 'm1' },
  { keyIds: ['k'], modelId: 'm2' },
]

it.each(['hour', 'day'] as const)('sums by %s read the intervals that are asked for', (rollup) => {
  for (const some of PARTS) {
    for (const group of [undefined, 'model', 'key', 'provider', 'package', 'owner'] as const) {
      const query = { rollup, parts: { ...ANY_PARTS, ...some }, group }
      sumsByGroup(noted(), query, [DAY])
      sumsByInterval(noted(), query, { intervals: [DAY], shown: ['m1'] })
    }
    sumsOfRecords(noted(), { ...ANY_PARTS, ...some }, { fromMs: 0, toMs: DAY })
  }
  firstTokenCounts(noted(), ['k'], [DAY])
  expectNoScans()
  expect(steps.some((step) => /SEARCH sums USING PRIMARY KEY \(started_at_ms=\? AND group_id/.test(step))).toBe(true)
})

it('lists read records in the order of their time, from the place where the page begins', () => {
  const everything: Omit<UsageFilter, 'parts'> = {
    sinceMs: undefined,
    untilMs: undefined,
    status: undefined,
    minMicro: undefined,
    before: { createdAtMs: 2 * DAY, id: '' },
    limit: 5,
  }
  for (const some of PARTS) {
    for (const more of [{}, { status: 'failed' }, { status: 'ok', minMicro: 3 }] as const) {
      listUsage(noted(), { ...everything, ...more, parts: { ...ANY_PARTS, ...some } })
    }
  }
  expectNoScans()
  expect(
    steps.some(
      (step) => step.includes('SEARCH usage_record USING COVERING INDEX') || step.includes('usage_record_created'),
    ),
  ).toBe(true)
})

it('a page reads a bounded number of records, and says where the next one begins', () => {
  const insert = db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, is_stream, outcome, status, usage_source, hold_micro,
       charge_micro, is_overrun, created_at_ms, duration_ms) VALUES (?, 'k', 'p', 'chat', ?, 0, 'answered', 200, 'none', 0, 1, 0, ?, 1)`,
  )
  // One call of a model among very many of another, all in one hour.
  db.transaction(() => {
    for (let index = 0; index < 45_000; index += 1) {
      insert.run(`many-${String(index).padStart(6, '0')}`, index === 10 ? 'rare' : 'common', 9 * DAY + index)
    }
  })()
  db.exec('DELETE FROM usage_rollup')
  new UsageRollups(db, 'UTC').open()
  const pages: number[] = []
  let before: UsageFilter['before']
  do {
    const parts = { ...ANY_PARTS, modelId: 'rare' }
    const times = { sinceMs: undefined, untilMs: undefined, status: undefined, minMicro: undefined }
    const page = listUsage(db, { ...times, parts, before, limit: 10 })
    pages.push(page.rows.length)
    before = page.next
  } while (before !== undefined)
  expect(pages).toEqual([0, 0, 1])
})
