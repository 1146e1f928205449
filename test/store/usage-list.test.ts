// Lists of calls beside a plain look through all records: whatever is asked for, page by page, is what fits, once each and in order.

import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attributionIds } from '#ledger/attribution-ids.ts'
import { applyMigrations, type Db } from '#store/database.ts'
import { ANY_PARTS } from '#store/usage-filter.ts'
import { listUsage, type UsageFilter } from '#store/usage-list.ts'
import { UsageRollups } from '#store/usage-rollups.ts'

const HOUR = 3_600_000
const START = Date.parse('2027-03-20T00:00:00Z')

const aCall = fc.record({
  // Many at the same time, and hours and days without any.
  atMs: fc
    .integer({ min: 0, max: 9 })
    .chain((day) => fc.integer({ min: 0, max: 3 }).map((hour) => START + (day * 31 + hour * 5) * HOUR)),
  keyId: fc.constantFrom('k0', 'k1', 'k2'),
  modelId: fc.constantFrom('m0', 'm1'),
  providerId: fc.constantFrom(null, 'p0', 'p1'),
  charge: fc.integer({ min: 0, max: 3 }),
  outcome: fc.constantFrom('answered', 'answered', 'failed', 'cut', 'client_gone', 'out_of_credits'),
  session: fc.constantFrom(null, 's0', 's1'),
})
type Made<Some> = Some extends fc.Arbitrary<infer One> ? One : never
type Call = Made<typeof aCall> & { readonly id: string }

const aTime = fc.option(
  fc.integer({ min: -5, max: 320 }).map((hours) => START + hours * HOUR),
  { nil: undefined },
)
const aFilter = fc.record({
  keyIds: fc.option(fc.subarray(['k0', 'k1', 'k2', 'nobody']), { nil: undefined, freq: 2 }),
  modelId: fc.option(fc.constantFrom('m0', 'm1'), { nil: undefined, freq: 2 }),
  providerId: fc.option(fc.constantFrom('p0', 'p1'), { nil: undefined, freq: 2 }),
  status: fc.option(fc.constantFrom('ok', 'failed', 'cut', 'out_of_credits', 'client_gone'), {
    nil: undefined,
    freq: 2,
  }),
  minMicro: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 2 }),
  session: fc.option(fc.constantFrom('s0', 's1', 'unknown'), { nil: undefined, freq: 2 }),
  sinceMs: aTime,
  untilMs: aTime,
  limit: fc.integer({ min: 1, max: 9 }),
})
type Wish = Made<typeof aFilter>

it('every list is what fits of all records, whatever is asked for and however short the pages are', () => {
  const property = fc.property(
    fc.array(aCall, { maxLength: 60 }),
    fc.array(aFilter, { minLength: 12, maxLength: 12 }),
    (some, wishes) => {
      const db = new Database(':memory:')
      try {
        const calls = filled(db, some)
        for (const wish of [...wishes, { ...NOTHING_ASKED, limit: 4 }]) {
          expect(paged(db, wish)).toEqual(calls.filter((call) => fits(call, wish)).map(({ id }) => id))
        }
      } finally {
        db.close()
      }
    },
  )
  fc.assert(property, { numRuns: 8 })
})

const NOTHING_ASKED = {
  keyIds: undefined,
  modelId: undefined,
  providerId: undefined,
  status: undefined,
  minMicro: undefined,
  session: undefined,
  sinceMs: undefined,
  untilMs: undefined,
} satisfies Omit<Wish, 'limit'>

/** The calls, the newest first. */
function filled(db: Db, some: readonly Omit<Call, 'id'>[]): Call[] {
  applyMigrations(db)
  db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1)`)
  const key = db.prepare(
    `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'p', 'active', 1)`,
  )
  for (const name of ['k0', 'k1', 'k2']) key.run(name, name, name.padStart(43, '0'))
  const insert = db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, is_stream, outcome, status, usage_source,
       hold_micro, charge_micro, is_overrun, created_at_ms, duration_ms, session_id)
     VALUES (@id, @keyId, 'p', 'chat', @modelId, @providerId, 0, @outcome, 200, 'none', 0, @charge, 0, @atMs, 1, @sessionId)`,
  )
  const idsOf = attributionIds(db)
  const calls = some.map((call, index) => ({ ...call, id: `call-${String(index).padStart(4, '0')}` }))
  for (const { session, ...call } of calls) insert.run({ ...call, sessionId: idsOf([null, null, null, session])[1] })
  new UsageRollups(db, 'Europe/Berlin').open()
  return calls.toSorted((left, right) => right.atMs - left.atMs || (left.id < right.id ? 1 : -1))
}

function fits(call: Call, wish: Wish): boolean {
  const { keyIds, modelId, providerId, status, minMicro, session, sinceMs, untilMs } = wish
  const isOfState =
    status === undefined ||
    (status === 'ok' && call.outcome === 'answered') ||
    (status === 'failed' && call.outcome !== 'answered') ||
    status === call.outcome
  return (
    isOfState &&
    (keyIds === undefined || keyIds.includes(call.keyId)) &&
    (modelId === undefined || modelId === call.modelId) &&
    (providerId === undefined || providerId === call.providerId) &&
    (minMicro === undefined || call.charge >= minMicro) &&
    (session === undefined || session === call.session) &&
    (sinceMs === undefined || call.atMs >= sinceMs) &&
    (untilMs === undefined || call.atMs < untilMs)
  )
}

function paged(db: Db, { keyIds, modelId, providerId, ...wish }: Wish): string[] {
  const parts = { ...ANY_PARTS, keyIds, modelId, providerId }
  const ids: string[] = []
  for (let before: UsageFilter['before']; ;) {
    const { rows, next } = listUsage(db, { ...wish, parts, before })
    expect(rows.length).toBeLessThanOrEqual(wish.limit)
    ids.push(...rows.map(({ id }) => id))
    if (next === undefined) return ids
    before = next
  }
}
