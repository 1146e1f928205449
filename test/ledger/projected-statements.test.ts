// What the projection asks SQLite for each call: only what is looked up at once, and nothing twice in one transaction.

import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Attribution } from '#core/attribution.ts'
import { microCredits } from '#core/money.ts'
import { usageRow, type LedgerBatch } from '#ledger/rows.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { appenderOf } from '#threads/projector.ts'
import { temporaryFolder } from '../support/process.ts'
import { settlement } from './books.ts'

let db: Db
/** How often each statement was run. */
let runs: Map<string, number>

beforeEach(async () => {
  db = openForWriting(await temporaryFolder())
  db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1);
    INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
    VALUES ('k', 'k', '${'0'.repeat(43)}', 'h', 'p', 'active', 1)`)
  runs = new Map()
})

afterEach(() => {
  db.close()
})

/** The same connection, which counts what is run on it. */
function counted(): Db {
  return new Proxy(db, {
    get: (target, name) => (name === 'prepare' ? countedStatement : Reflect.get(target, name)),
  })
}

function countedStatement(sql: string): unknown {
  const statement: object = new Proxy(db.prepare(sql), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'run' || name === 'get') runs.set(sql, (runs.get(sql) ?? 0) + 1)
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args)
        return result === target ? statement : result
      }
    },
  })
  return statement
}

function batchOf(calls: readonly (Attribution | undefined)[], first = 0): LedgerBatch {
  const hold = { keyId: 'k', modelId: 'm', priceVersion: 1, holdMicro: microCredits(9), isOverrun: false }
  const usage = calls.map((attribution, index) =>
    usageRow({ ...settlement(5), ...hold, id: `call-${first + index}`, attribution }),
  )
  return { entries: [], usage, balances: [] }
}

function partyOf(project: string, session: string): Attribution {
  return { tool: 'zed', project, tags: ['ci'], session }
}

function runsOf(words: RegExp): number {
  return [...runs].filter(([sql]) => words.test(sql)).reduce((sum, [, count]) => sum + count, 0)
}

it('nothing that is asked for each call is a join, which SQLite would prepare anew for each of them', () => {
  const rollups = new UsageRollups(counted(), 'UTC')
  rollups.open()
  const append = appenderOf(counted(), rollups)
  runs.clear()
  append(batchOf(Array.from({ length: 20 }, () => partyOf('one', 'here'))))
  const often = [...runs].filter(([, count]) => count >= 20).map(([sql]) => sql)
  expect(often.some((sql) => sql.includes('FROM usage_record'))).toBe(true)
  const joined = often.filter((sql) => {
    const marks = sql.split('?').length - 1
    const plan = db
      .prepare<unknown[], { parent: number; detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array<null>(marks).fill(null))
    return plan.filter(({ parent, detail }) => parent === 0 && /^(SEARCH|SCAN)/.test(detail)).length > 1
  })
  expect(joined).toEqual([])
})

it('names that come again in a batch are asked for once, and calls that were made for nobody ask for none', () => {
  const append = appenderOf(counted(), new UsageRollups(db, 'UTC'))
  runs.clear()
  append(batchOf(Array.from({ length: 20 }, () => undefined)))
  expect(runsOf(/attribution WHERE|call_session/)).toBe(0)
  append(batchOf([...Array<Attribution>(20).fill(partyOf('one', 'here')), partyOf('two', 'there')], 20))
  expect(runsOf(/SELECT id FROM attribution/)).toBe(2)
  expect(runsOf(/SELECT id FROM call_session/)).toBe(2)
})

it('what a batch that was rolled back had found is not taken for what is there', () => {
  const rollups = new UsageRollups(db, 'UTC')
  const append = appenderOf(db, rollups)
  const transaction = db.transaction((batch: LedgerBatch, isRefused: boolean) => {
    append(batch)
    if (isRefused) throw new Error('the disk is full')
  })
  const refused = batchOf([partyOf('one', 'here')])
  expect(() => transaction(refused, true)).toThrow('full')
  transaction(batchOf([partyOf('two', 'there')], 1), false)
  transaction(refused, false)
  const kept = db
    .prepare(
      `SELECT usage_record.id, project, name FROM usage_record JOIN attribution ON attribution.id = attribution_id
         JOIN call_session ON call_session.id = session_id ORDER BY 1`,
    )
    .raw()
    .all()
  expect(kept).toEqual([
    ['call-0', 'one', 'here'],
    ['call-1', 'two', 'there'],
  ])
  const sums = db
    .prepare(
      `SELECT project, charge_micro FROM usage_day JOIN usage_group ON usage_group.id = group_id
         WHERE project <> '' AND key_id = 'k' ORDER BY 1`,
    )
    .raw()
    .all()
  expect(sums).toEqual([
    ['one', 5],
    ['two', 5],
  ])
})
