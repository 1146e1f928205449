// The report by session beside what it says: each session's calls added up one by one, whatever of them is shown by itself.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { usageReport } from '#reports/usage-report.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { ANY_PARTS } from '#store/usage-filter.ts'
import { UsageRollups } from '#store/usage-rollups.ts'

const DAY = 24 * 3_600_000
const NOW = Date.parse('2027-03-28T14:20:00Z')
const BEGIN = Date.parse('2027-03-22T00:00:00Z')
const END = Date.parse('2027-03-29T00:00:00Z')
const KEYS = ['key 0', 'key 1'] as const

type Call = { readonly atMs: number; readonly key: string; readonly session: string; readonly charge: number }

let dataDir: string
let db: Db

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-session-report-'))
  db = openForWriting(dataDir)
  new UsageRollups(db, 'UTC').open()
  db.exec(
    `INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms) VALUES ('p', 'small', 'topup', 1, 'UTC', '"all"', 1)`,
  )
  for (const [place, id] of KEYS.entries()) {
    db.prepare(
      `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'p', 'active', 1)`,
    ).run(id, id, String(place).repeat(43))
  }
})

afterEach(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

function insert({ atMs, key, session, charge }: Call, place: number): void {
  if (session !== '') db.prepare('INSERT OR IGNORE INTO call_session (name) VALUES (?)').run(session)
  db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, is_stream, outcome, status, input_tokens,
       output_tokens, usage_source, hold_micro, charge_micro, is_overrun, created_at_ms, duration_ms, session_id)
     VALUES (?, ?, 'p', 'chat', 'm', 1, 'answered', 200, 3, 0, 'reported', 0, ?, 0, ?, 1, (SELECT id FROM call_session WHERE name = ?))`,
  ).run(`call-${place}`, key, charge, atMs, session)
}

const calls = fc.array(
  fc.record({
    // From before the time before to after the present.
    atMs: fc.integer({ min: BEGIN - 8 * DAY, max: END + DAY }),
    key: fc.constantFrom(...KEYS),
    session: fc.constantFrom('', 'a', 'b', 'c', "d'e", 'older'),
    charge: fc.integer({ min: 0, max: 4 }),
  }),
  { maxLength: 30 },
)

/** Requests and micro-credits. */
function sum(some: readonly Call[]): [number, number] {
  return [some.length, some.reduce((total, { charge }) => total + charge, 0)]
}

function seen({ requests, charge_credits }: { requests: number; charge_credits: number }): [number, number] {
  return [requests, Math.round(charge_credits * 1e6)]
}

it('shows the dearest sessions, all others together, and adds up to all calls of both times', () => {
  const request = fc.record({ top: fc.integer({ min: 0, max: 6 }), key: fc.option(fc.constantFrom(...KEYS)) })
  fc.assert(
    fc.property(calls, request, (all, { top, key }) => {
      db.exec('DELETE FROM usage_record; DELETE FROM call_session')
      db.transaction(() => all.forEach(insert))()
      const report = usageReport(db, {
        from: '7d',
        to: undefined,
        rollup: 'day',
        group: 'session',
        hasPoints: false,
        nowMs: NOW,
        top,
        owners: {},
        heads: {},
        parts: { ...ANY_PARTS, keyIds: key === null ? undefined : [key] },
      })
      if (isRefusal(report)) throw new Error(report.message)

      const asked = all.filter((call) => key === null || call.key === key)
      const present = asked.filter(({ atMs }) => atMs >= BEGIN && atMs < END)
      const past = asked.filter(({ atMs }) => atMs >= BEGIN - 7 * DAY && atMs < BEGIN)
      expect(seen(report.totals)).toEqual(sum(present))
      expect(seen(report.previous)).toEqual(sum(past))

      const bySession = Map.groupBy(present, ({ session }) => session)
      const shown = report.series.filter(({ kind }) => kind === 'value')
      expect(shown).toHaveLength(Math.min(top, bySession.size))
      const names = shown.map(({ name }) => name ?? '')
      for (const [place, { totals, previous }] of shown.entries()) {
        const isOfIt = ({ session }: Call) => session === names[place]
        expect([seen(totals), seen(previous)]).toEqual([sum(present.filter(isOfIt)), sum(past.filter(isOfIt))])
      }
      const charges = Array.from(bySession.values(), (ofIt) => sum(ofIt)[1]).toSorted((left, right) => right - left)
      expect(shown.map(({ totals }) => seen(totals)[1])).toEqual(charges.slice(0, top))

      const rest = report.series.filter(({ kind }) => kind === 'other')
      const isOther = ({ session }: Call) => !names.includes(session)
      const expected = bySession.size > top ? [[sum(present.filter(isOther)), sum(past.filter(isOther))]] : []
      expect(rest.map(({ totals, previous }) => [seen(totals), seen(previous)])).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})
