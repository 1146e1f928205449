// `node test/bench/fleet-start.ts [--quick]`: how long a gateway that shares its books takes to begin, with a hundred thousand keys in PostgreSQL, ten million calls in
// its own folder, and ten million sums of charges of past days in PostgreSQL (a million of each with --quick), beside the same folder by itself; how long an empty one
// takes to get to know all keys; and what the dashboard asks.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { startPostgres } from '../support/postgres.ts'
import type { Child } from './child.ts'
import { ownChild } from './contenders.ts'
import { emptyFolder, install, usedMicro, type Installation, type Settings } from './farebox.ts'
import { adminHeaders } from './reader.ts'
import { timesOf } from './reports.ts'
import { fill } from './scale-fill.ts'
import { percentile, spread } from './statistics.ts'
import { figuresLine } from './table.ts'

const isQuick = process.argv.includes('--quick')
const PAST = { keys: 100_000, calls: isQuick ? 1_000_000 : 10_000_000, days: 30 }
/** Of each key, of which both gateways have charged something. */
const PAST_DAYS = PAST.calls / PAST.keys / 2
const STARTS = 5
const LIMITS = { startMs: 3000, overviewMs: 150, reportRatio: 2 }
/** The first time everything is told or learnt. */
const FIRST_LIMIT_MS = 180_000
/** All calls are of these days. */
const SINCE = 'from=2025-10-01T00:00:00Z&to=2025-11-15T00:00:00Z&rollup=day'
const QUESTIONS = {
  overview: '/api/overview',
  'report by model': `/api/usage-report?${SINCE}&group=model`,
  'report by key': `/api/usage-report?${SINCE}&group=key`,
} as const
const TIMES = 15

type Folder = Pick<Installation, 'start' | 'dataFolder'>
type Started = { readonly child: Child; readonly servesMs: number }
type Looked = Readonly<Record<keyof typeof QUESTIONS, number>>

const upstream = await ownChild('upstream-server.ts')
const postgres = await startPostgres([
  'fsync=on',
  'shared_buffers=512MB',
  'max_wal_size=8GB',
  'maintenance_work_mem=512MB',
])
const folders: Pick<Installation, 'remove'>[] = []
const say = (line: string) => process.stdout.write(`${line}\n`)
try {
  const farebox = await install(upstream.url)
  folders.push(farebox)
  const startedAtMs = performance.now()
  fill(farebox.dataFolder, PAST)
  say(`${PAST.keys} keys, ${PAST.calls} calls: filled in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
  const shared = { FAREBOX_DATABASE_URL: postgres.url }
  const alone = await starts(farebox, {})
  const lookedAlone = await looks(farebox, {})

  const first = await startedServing(farebox, shared)
  say(`the first gateway, with all that it brings: ${first.servesMs.toFixed(0)} ms`)
  const empty = emptyFolder()
  folders.push(empty)
  const second = await startedServing(empty, shared)
  const learntMs = await untilKnown(second.child, farebox.key)
  say(`an empty gateway: ${second.servesMs.toFixed(0)} ms, and ${learntMs.toFixed(0)} ms until it knew all keys`)
  const beganMs = performance.now()
  await fillPast()
  say(
    `${2 * PAST_DAYS * PAST.keys} sums of past days: filled in ${((performance.now() - beganMs) / 1000).toFixed(0)} s`,
  )
  await second.child.stop()
  await first.child.stop()

  say(`start by itself: ${times(alone)}`)
  for (const [name, folder] of [
    ['shared', farebox],
    ['shared, a folder without calls', empty],
  ] as const) {
    const ms = await starts(folder, shared)
    const isMet = spread(ms).median <= LIMITS.startMs
    say(figuresLine(`start, ${name}`, isMet, `${times(ms)}, target at most ${LIMITS.startMs}`))
  }
  sayLooks(await looks(farebox, shared), lookedAlone)
} finally {
  for (const { remove } of folders) remove()
  await postgres.close()
  await upstream.stop()
}

/** As if every key had been used on every day, on both gateways. Indexes that are made afterwards are sorted once instead of row by row. */
async function fillPast(): Promise<void> {
  const days = `generate_series(1, ${PAST_DAYS}) day`
  const cycle = '1000000000000 + 86400000::bigint * day'
  await postgres.run(`BEGIN;
    ALTER TABLE farebox.account DROP CONSTRAINT account_pkey;
    ALTER TABLE farebox.charged DROP CONSTRAINT charged_pkey;
    DROP INDEX farebox.charged_changed;
    INSERT INTO farebox.account SELECT 'key-' || n, ${cycle}, 10, 10, 0, 0, 0 FROM generate_series(1, ${PAST.keys}) n, ${days};
    INSERT INTO farebox.charged SELECT id, 'key-' || n, ${cycle}, 5, now() - interval '1 year'
      FROM farebox.gateway, generate_series(1, ${PAST.keys}) n, ${days};
    ALTER TABLE farebox.account ADD PRIMARY KEY (key_id, cycle);
    ALTER TABLE farebox.charged ADD PRIMARY KEY (gateway, key_id, cycle);
    CREATE INDEX charged_changed ON farebox.charged (changed_at);
    COMMIT`)
  await postgres.run('VACUUM ANALYZE farebox.account, farebox.charged')
}

function times(ms: readonly number[]): string {
  const { median, min, max } = spread(ms)
  return `${median.toFixed(0)} ms (${min.toFixed(0)}-${max.toFixed(0)})`
}

function sayLooks(shared: Looked, alone: Looked): void {
  for (const [name, ms] of Object.entries(shared)) {
    const ratio = ms / alone[name as keyof Looked]
    const isOverview = name === 'overview'
    const isMet = ratio <= LIMITS.reportRatio && (!isOverview || ms <= LIMITS.overviewMs)
    const target = `target at most ${isOverview ? `${LIMITS.overviewMs} ms` : `${LIMITS.reportRatio} x`}`
    say(figuresLine(name, isMet, `p50 ${ms.toFixed(1)} ms, ${ratio.toFixed(2)} x as long as by itself, ${target}`))
  }
}

async function starts(folder: Folder, settings: Settings): Promise<number[]> {
  const took: number[] = []
  while (took.length < STARTS) {
    const { child, servesMs } = await startedServing(folder, settings)
    took.push(servesMs)
    await child.stop()
  }
  return took
}

/** Medians, in milliseconds. */
async function looks(folder: Folder, settings: Settings): Promise<Looked> {
  const { child } = await startedServing(folder, settings)
  try {
    const headers = adminHeaders(folder.dataFolder)
    const found: [string, number][] = []
    for (const [name, path] of Object.entries(QUESTIONS)) {
      found.push([name, percentile(await timesOf(child.url + path, headers, TIMES), 50)])
    }
    return Object.fromEntries(found) as Looked
  } finally {
    await child.stop()
  }
}

/** Until it would be sent calls by a proxy. */
async function startedServing(folder: Folder, settings: Settings): Promise<Started> {
  const startedAtMs = performance.now()
  const child = await folder.start('plain', settings, { readyLimitMs: FIRST_LIMIT_MS })
  while ((await request(`${child.url}/ready`)).statusCode !== 200) {
    if (performance.now() - startedAtMs > FIRST_LIMIT_MS) throw new Error('it does not become ready')
    await sleep(20)
  }
  return { child, servesMs: performance.now() - startedAtMs }
}

async function untilKnown({ url }: Child, key: string): Promise<number> {
  const startedAtMs = performance.now()
  for (;;) {
    try {
      await usedMicro(url, key)
      return performance.now() - startedAtMs
    } catch (error) {
      if (performance.now() - startedAtMs > FIRST_LIMIT_MS) throw error
      await sleep(50)
    }
  }
}
