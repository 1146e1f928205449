// The roll-ups beside the records that they are sums of: recomputed one by one, for every way to tell calls apart, in many zones.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UsageReport } from '#contract/reports.ts'
import { Calendar } from '#core/calendar.ts'
import { tagsText } from '#core/attribution.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { attributionIds } from '#ledger/attribution-ids.ts'
import { usageReport, type UsageReportRequest } from '#reports/usage-report.ts'
import { applyMigrations, openForWriting, type Db } from '#store/database.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { ANY_PARTS } from '#store/usage-filter.ts'
import { UsageRollups } from '#store/usage-rollups.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Zones with clocks that change by an hour, by half an hour, at midnight, or are not a whole number of hours off. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const

type Call = {
  readonly atMs: number
  readonly key: number
  readonly model: number
  readonly provider: number | null
  readonly package: number
  readonly charge: number
  readonly outcome: string
  readonly tool?: string
  readonly project?: string
  readonly tags?: readonly string[]
}

let dataDir: string
let db: Db

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-rollups-'))
  db = openForWriting(dataDir)
  addKeys(db)
})

afterEach(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

function addKeys(to: Db): void {
  to.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('package 0', 'small', 'topup', 1, 'UTC', '"all"', 1), ('package 1', 'large', 'topup', 1, 'UTC', '"all"', 1)`)
  for (const key of [0, 1, 2]) {
    to.prepare(
      `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'package 0', 'active', 1)`,
    ).run(`key ${key}`, `name ${key}`, String(key).repeat(43))
  }
}

let ids = 0

function insert(to: Db, call: Call): string {
  ids += 1
  const id = `call-${String(ids).padStart(8, '0')}`
  to.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, is_stream, outcome, status,
       input_tokens, output_tokens, usage_source, hold_micro, charge_micro, is_overrun, created_at_ms, first_byte_ms, duration_ms)
     VALUES (?, ?, ?, 'chat', ?, ?, 1, ?, ?, ?, 0, 'reported', 0, ?, 0, ?, 100, 1)`,
  ).run(
    id,
    `key ${call.key}`,
    `package ${call.package}`,
    `model ${call.model}`,
    call.provider === null ? null : `provider ${call.provider}`,
    call.outcome,
    call.outcome === 'failed' ? 502 : 200,
    call.charge,
    call.charge,
    call.atMs,
  )
  const { tool = null, project = null, tags = [] } = call
  const isSaid = tool !== null || project !== null || tags.length > 0
  if (isSaid) {
    const [attributionId] = attributionIds(to)([tool, project, tagsText(tags)])
    to.prepare('UPDATE usage_record SET attribution_id = ? WHERE id = ?').run(attributionId, id)
  }
  return id
}

function report(request: Partial<UsageReportRequest>): UsageReport {
  const answer = ask(request)
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}

function ask(request: Partial<UsageReportRequest>): UsageReport | Refusal {
  const usual = { from: undefined, to: undefined, rollup: undefined, group: 'none', top: 50, owners: {} } as const
  return usageReport(db, { ...usual, hasPoints: true, heads: {}, parts: ANY_PARTS, nowMs: 0, ...request })
}

const NAMES = ['red', 'green', 'blue', 'other'] as const
const someNames = {
  tool: fc.constantFrom('', ...NAMES),
  project: fc.constantFrom('', ...NAMES),
  tags: fc.subarray([...NAMES]).map((tags) => tags.toSorted()),
}

const aCall = fc.record({
  // Around the changes of the clock in spring and autumn, and the day that Samoa left out.
  atMs: fc.oneof(
    fc.integer({ min: Date.parse('2027-03-27T12:00:00Z'), max: Date.parse('2027-03-29T12:00:00Z') }),
    fc.integer({ min: Date.parse('2027-04-03T00:00:00Z'), max: Date.parse('2027-04-04T15:00:00Z') }),
  ),
  key: fc.integer({ min: 0, max: 2 }),
  model: fc.integer({ min: 0, max: 2 }),
  provider: fc.option(fc.integer({ min: 0, max: 1 })),
  package: fc.integer({ min: 0, max: 1 }),
  charge: fc.integer({ min: 0, max: 1_000_000_000 }),
  outcome: fc.constantFrom('answered', 'answered', 'failed', 'cut', 'client_gone'),
  ...someNames,
})

describe('roll-ups', () => {
  it('are the sums of the records by hour and by day, told apart in every way, in every zone', () => {
    const property = fc.property(fc.array(aCall, { maxLength: 40 }), fc.constantFrom(...ZONES), (calls, zone) => {
      db.exec('DELETE FROM usage_record; DELETE FROM usage_rollup')
      const rollups = new UsageRollups(db, zone)
      rollups.open()
      for (let at = 0; at < calls.length; at += 3) {
        db.transaction(() => rollups.add(calls.slice(at, at + 3).map((call) => insert(db, call))))()
      }
      expect(rollupProblems(db)).toEqual([])
      for (const rollup of ['hour', 'day'] as const) compare(calls, zone, rollup)
    })
    fc.assert(property, { numRuns: 60 })
  })

  function compare(calls: readonly Call[], zone: string, rollup: 'hour' | 'day'): void {
    const calendar = new Calendar(zone)
    const from = '2027-03-27T12:00:00Z'
    const to = '2027-04-04T16:00:00Z'
    const names = {
      none: () => null,
      model: (call: Call) => `model ${call.model}`,
      key: (call: Call) => `name ${call.key}`,
    }
    const more = {
      provider: (call: Call) => (call.provider === null ? null : `provider ${call.provider}`),
      package: (call: Call) => (call.package === 0 ? 'small' : 'large'),
      owner: (call: Call) => (call.key === 2 ? null : 'ann'),
      tool: (call: Call) => call.tool || null,
      project: (call: Call) => call.project || null,
    }
    const owners = { 'key 0': 'ann', 'key 1': 'ann' }
    for (const [group, nameOf] of Object.entries({ ...names, ...more })) {
      const made = report({ from, to, rollup, group: group as UsageReport['group'], owners })
      const found = made.series.flatMap(({ name, points }) =>
        points.flatMap((point, place) =>
          point.requests === 0
            ? []
            : [[name, made.intervals[place], point.requests, point.failed, point.charge_credits]],
        ),
      )
      const wanted = new Map<string, [string | null, string, number, number, number]>()
      for (const call of calls) {
        const start = new Date(calendar.start(rollup, call.atMs)).toISOString()
        const name = nameOf(call)
        const row = wanted.get(`${start} ${name}`) ?? [name, start, 0, 0, 0]
        const charge = (Math.round(row[4] * 1e6) + call.charge) / 1e6
        wanted.set(`${start} ${name}`, [
          name,
          start,
          row[2] + 1,
          row[3] + (call.outcome === 'answered' ? 0 : 1),
          charge,
        ])
      }
      expect(found.toSorted(byText)).toEqual([...wanted.values()].toSorted(byText))
      const charge = calls.reduce((sum, call) => sum + call.charge, 0)
      expect(made.totals).toMatchObject({ requests: calls.length, charge_credits: charge / 1e6, input_tokens: charge })
    }
  }

  it('add up by tool and project to the whole, and by tag to each call with it, also among calls of one key or project', () => {
    const property = fc.property(
      fc.array(aCall, { maxLength: 30 }),
      fc.constantFrom('hour', 'day'),
      (calls, rollup) => {
        db.exec('DELETE FROM usage_record; DELETE FROM usage_rollup')
        const rollups = new UsageRollups(db, 'UTC')
        rollups.open()
        db.transaction(() => rollups.add(calls.map((call) => insert(db, call))))()
        const range = { from: '2027-03-27T12:00:00Z', to: '2027-04-04T16:00:00Z', rollup } as const
        const filters = [{}, { keyIds: ['key 1'] }, { project: 'red' }, { tag: 'blue' }, { tool: 'red', tag: 'green' }]
        for (const filter of filters) {
          const isMeant = ({ key, tool, project, tags = [] }: Call) =>
            (filter.keyIds === undefined || key === 1) &&
            (filter.project ?? project) === project &&
            (filter.tool ?? tool) === tool &&
            (filter.tag === undefined || tags.includes(filter.tag))
          const meant = calls.filter(isMeant)
          const parts = { ...ANY_PARTS, ...filter }
          const microOf = (group: 'tool' | 'project' | 'tag' | 'none') => {
            const { series, totals } = report({ ...range, parts, group })
            expect(Math.round(totals.charge_credits * 1e6)).toBe(sum(meant))
            return new Map(
              series.map(({ name, totals: { charge_credits: credits } }) => [name, Math.round(credits * 1e6)]),
            )
          }
          for (const group of ['tool', 'project'] as const) expect(sumOfAll(microOf(group))).toBe(sum(meant))
          const byTag = microOf('tag')
          for (const tag of NAMES) expect(byTag.get(tag) ?? 0).toBe(sum(meant.filter(({ tags }) => tags.includes(tag))))
        }
      },
    )
    fc.assert(property, { numRuns: 40 })
  })

  const sum = (calls: readonly Call[]) => calls.reduce((total, { charge }) => total + charge, 0)
  const sumOfAll = (sums: ReadonlyMap<unknown, number>) => [...sums.values()].reduce((total, one) => total + one, 0)

  const byText = (left: unknown, right: unknown) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)

  it('are the same whether they were kept or filled afterwards, and are filled anew in another zone', () => {
    const rollups = new UsageRollups(db, 'Europe/Berlin')
    expect(rollups.open()).toBe(true)
    const start = Date.parse('2027-03-27T20:00:00Z')
    const calls = Array.from({ length: 50 }, (_, index): Call => {
      const charge = index * 7 + 1
      return {
        atMs: start + index * HOUR,
        key: index % 3,
        model: index % 2,
        provider: null,
        package: 0,
        charge,
        outcome: 'answered',
      }
    })
    db.transaction(() => rollups.add(calls.map((call) => insert(db, call))))()
    const tables = ['usage_hour', 'usage_day', 'usage_first_token'] as const
    const content = () => tables.map((name) => db.prepare(`SELECT * FROM ${name}`).raw().all())
    const kept = content()
    expect(new UsageRollups(db, 'Europe/Berlin').open()).toBe(false)
    db.exec('DELETE FROM usage_rollup')
    expect(new UsageRollups(db, 'Europe/Berlin').open()).toBe(true)
    expect(content()).toEqual(kept)
    expect(new UsageRollups(db, 'Asia/Kolkata').open()).toBe(true)
    expect(content()).not.toEqual(kept)
    expect(rollupProblems(db)).toEqual([])
    expect(report({ from: '2027-03-27', rollup: 'day', nowMs: start + 2 * DAY }).intervals[0]).toBe(
      '2027-03-26T18:30:00.000Z',
    )
  })

  it('have nothing of a transaction that failed', () => {
    const rollups = new UsageRollups(db, 'UTC')
    rollups.open()
    const call: Call = { atMs: 5 * DAY, key: 0, model: 0, provider: 0, package: 0, charge: 3, outcome: 'answered' }
    const failing = db.transaction(() => {
      rollups.add([insert(db, call)])
      throw new Error('the disk is full')
    })
    expect(() => failing()).toThrow('the disk is full')
    expect(db.prepare('SELECT count(*) FROM usage_day').pluck().get()).toBe(0)
    db.transaction(() => rollups.add([insert(db, call)]))()
    db.transaction(() => rollups.add([insert(db, { ...call, charge: 4 })]))()
    expect(rollupProblems(db)).toEqual([])
  })

  it('that are missing are filled at a start', () => {
    const old = new Database(':memory:')
    applyMigrations(old)
    addKeys(old)
    insert(old, { atMs: DAY, key: 0, model: 0, provider: null, package: 0, charge: 3, outcome: 'answered' })
    expect(rollupProblems(old)).not.toEqual([])
    new UsageRollups(old, 'UTC').open()
    expect(rollupProblems(old)).toEqual([])
    old.close()
  })

  it.each([
    ['a sum by hour', 'UPDATE usage_hour SET charge_micro = charge_micro + 1 WHERE group_id > 0', 'by hour'],
    ['a sum by day', 'UPDATE usage_day SET requests = requests + 1 WHERE group_id > 16000000000000', 'by day'],
    ['one slice of a day', 'UPDATE usage_day SET failed = failed + 1 WHERE group_id = 0', 'slices'],
    ['a record', 'DELETE FROM usage_record', 'by hour'],
  ])('that are wrong are found: %s', (_what, sql, says) => {
    const rollups = new UsageRollups(db, 'UTC')
    rollups.open()
    db.transaction(() =>
      rollups.add([
        insert(db, { atMs: DAY, key: 0, model: 0, provider: 0, package: 0, charge: 3, outcome: 'answered' }),
      ]),
    )()
    expect(rollupProblems(db)).toEqual([])
    db.exec(sql)
    expect(rollupProblems(db).join()).toContain(says)
  })
})

describe('a report', () => {
  const nowMs = Date.parse('2027-03-28T14:20:00Z')

  beforeEach(() => {
    new UsageRollups(db, 'Europe/Berlin').open()
  })

  it('has days of 23 and 25 hours', () => {
    const spring = report({ from: '2027-03-28', to: '2027-03-29', rollup: 'hour', nowMs })
    const autumn = report({ from: '2027-10-31', to: '2027-11-01', rollup: 'hour', nowMs })
    expect(spring.intervals).toHaveLength(23)
    expect(autumn.intervals).toHaveLength(25)
  })

  it('takes a length of time for so many intervals, the present one among them', () => {
    const days = report({ from: '7d', rollup: 'day', nowMs })
    expect(days.intervals).toHaveLength(7)
    expect(days).toMatchObject({
      from: '2027-03-21T23:00:00.000Z',
      to: '2027-03-28T22:00:00.000Z',
      time_zone: 'Europe/Berlin',
    })
    const hours = report({ from: '24h', nowMs })
    expect(hours).toMatchObject({ rollup: 'hour', to: '2027-03-28T15:00:00.000Z' })
    expect(hours.intervals).toHaveLength(24)
  })

  it('refuses more than 400 days or 200 hours, an end before its beginning, and what is no date', () => {
    expect(ask({ from: '400d', rollup: 'day', nowMs })).toMatchObject({ group: 'none' })
    expect(ask({ from: '401d', rollup: 'day', nowMs })).toMatchObject({ code: 'invalid_request', param: 'from' })
    expect(ask({ from: '200h', rollup: 'hour', nowMs })).toMatchObject({ group: 'none' })
    expect(ask({ from: '201h', rollup: 'hour', nowMs })).toMatchObject({ code: 'invalid_request', param: 'from' })
    expect(ask({ from: '99999d', rollup: 'hour', nowMs })).toMatchObject({ code: 'invalid_request' })
    expect(ask({ from: '2027-03-02', to: '2027-03-01', nowMs })).toMatchObject({ code: 'invalid_request', param: 'to' })
    expect(ask({ from: 'soon', nowMs })).toMatchObject({ code: 'invalid_request', param: 'from' })
    expect(ask({ from: '7d', to: '2027-02-30', nowMs })).toMatchObject({ code: 'invalid_request', param: 'to' })
  })

  it('shows the dearest groups, sums up the rest, and compares with the time before', () => {
    const rollups = new UsageRollups(db, 'Europe/Berlin')
    const call = { key: 0, provider: 0, package: 0, outcome: 'answered' }
    const calls = [5, 9, 2].map((charge, model): Call => ({ ...call, atMs: nowMs, model, charge }))
    const before = { ...call, atMs: nowMs - 7 * DAY, model: 0, charge: 4 }
    db.transaction(() => rollups.add([...calls, before].map((one) => insert(db, one))))()
    const { series, totals, previous } = report({ from: '7d', rollup: 'day', group: 'model', top: 1, nowMs })
    expect(
      series.map(({ kind, name, totals: sums, previous: past }) => [kind, name, sums.charge_credits, past.requests]),
    ).toEqual([
      ['value', 'model 1', 0.000009, 0],
      ['other', null, 0.000007, 1],
    ])
    expect(series.map(({ points }) => points.at(-1)?.requests)).toEqual([1, 2])
    expect([totals.charge_credits, previous.charge_credits]).toEqual([0.000016, 0.000004])
  })

  it('by session is refused for too many calls of those that it is about, whatever others made, and tells no number of them', () => {
    const rollups = new UsageRollups(db, 'Europe/Berlin')
    const call = { model: 0, provider: 0, package: 0, outcome: 'answered', charge: 1, atMs: nowMs }
    db.transaction(() => rollups.add([0, 1].map((key) => insert(db, { ...call, key }))))()
    db.exec(
      `UPDATE usage_day SET requests = 100777 WHERE group_id IN (SELECT id FROM usage_group WHERE key_id <> 'key 1')`,
    )
    const bySession = { from: '7d', rollup: 'day', group: 'session', hasPoints: false, nowMs } as const
    const ofKey = (id: string) => ask({ ...bySession, parts: { ...ANY_PARTS, keyIds: [id] } })
    expect(ofKey('key 1')).toMatchObject({ group: 'session', totals: { requests: 1 } })
    for (const refused of [ask(bySession), ofKey('key 0')]) {
      expect(refused).toMatchObject({ code: 'invalid_request', param: 'from' })
      expect(JSON.stringify(refused)).not.toContain('777')
    }
  })
})
