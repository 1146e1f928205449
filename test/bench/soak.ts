// `npm run bench -- --only soak`: an hour of mixed load with faults and people who leave, and what is left of it in memory, on the
// disk and in descriptors.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Child } from './child.ts'
import { checkBooks, type Installation } from './farebox.ts'
import type { Options } from './options.ts'
import { adminHeaders, startReader, type Reader } from './reader.ts'
import { figure, KEPT_MS, scrape, WITH_METRICS, type Scrape } from './scrape.ts'
import { startSoakLoad, type SoakKeys } from './soak-load.ts'
import { forgetRequests, LITTLE, PLENTY, soakDocument, startSoakProvider } from './soak-provider.ts'
import { percentile, slope } from './statistics.ts'
import { figuresLine } from './table.ts'

const LIMITS = { slopeMiBPerHour: 1, logMiB: 64 }
/** Of a whole run; what is loaded and compiled at first is no leak. */
const WARM_UP_SHARE = 1 / 6
const SCRAPE_MS = 5000
const MINUTE_MS = 60_000
/** What an administrator does meanwhile is done so often. */
const CHANGE_MS = 10_000
/** Until the reader has asked for each of its pages once, and what reads for it has been started. */
const SETTLE_MS = 30_000
/** Nothing that Farebox itself did wrong is among these. */
const EXPECTED = new Set(['200', '400', '401', '402', '429', '502', '503', '504', 'left'])

/** Returns lines for the terminal. Throws when the books do not agree or a call got an answer that no fault explains. */
export async function soakFigures(farebox: Installation, { work }: Options): Promise<string> {
  const upstream = await startSoakProvider()
  const child = await farebox.start('collected', {
    ...WITH_METRICS,
    SOAK_SECRET: 'sk-soak',
    FAREBOX_UPSTREAM_RETRY_DELAY_MS: '20',
    FAREBOX_LOG: 'json',
    FAREBOX_LOG_LEVEL: 'error',
  })
  try {
    const keys = await setUp(farebox, upstream.url)
    const reader = startReader(child.url, farebox.dataFolder, SCRAPE_MS)
    await sleep(SETTLE_MS)
    const atRest = await scrape(child.url, farebox.dataFolder)
    const load = startSoakLoad(child.url, keys)
    const startedMs = performance.now()
    const endMs = startedMs + work.soakMinutes * MINUTE_MS
    try {
      while (performance.now() < endMs) {
        await sleep(CHANGE_MS)
        forgetRequests(upstream)
        await administer(child, farebox)
      }
    } finally {
      await load.stop()
    }
    await reader.stop()
    await sleep(KEPT_MS)
    const end = await scrape(child.url, farebox.dataFolder)
    const openHolds = await checkBooks(farebox)
    if (openHolds !== 0) throw new Error(`${openHolds} holds are still open in the books`)
    return report({ work, startedMs, pages: reader.pages, atRest, end, outcomes: load.outcomes })
  } finally {
    await child.stop()
    await upstream.close()
  }
}

async function setUp(farebox: Installation, upstreamUrl: string): Promise<SoakKeys> {
  const file = join(farebox.dataFolder, '..', 'soak.yaml')
  process.env['SOAK_SECRET'] = 'sk-soak'
  writeFileSync(file, JSON.stringify(soakDocument(upstreamUrl)))
  await farebox.run('apply', '-f', file)
  return { rich: await newKey(farebox, 'rich', PLENTY), poor: await newKey(farebox, 'poor', LITTLE) }
}

async function newKey(farebox: Installation, name: string, packageName: string): Promise<string> {
  const output = await farebox.run('key', 'create', name, '--package', packageName, '--json')
  return (JSON.parse(output) as { key: string }).key
}

/** A key comes, is used once and goes; credits are given; a backup is made where the last one was. */
async function administer(child: Child, farebox: Installation): Promise<void> {
  const headers = { ...adminHeaders(farebox.dataFolder), 'content-type': 'application/json' }
  const ask = async (method: 'POST', path: string, body: object) => {
    const answer = await request(child.url + path, { method, headers, body: JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}: ${text}`)
    return JSON.parse(text) as { key?: string }
  }
  const name = `visitor-${Math.round(performance.now())}`
  const { key = '' } = await ask('POST', '/api/keys', { name, package: PLENTY })
  const balance = await request(`${child.url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  await balance.body.dump()
  await ask('POST', `/api/keys/${name}/top-up`, { credits: 1 })
  await ask('POST', `/api/keys/${name}/revoke`, {})
  const file = join(farebox.dataFolder, '..', 'soak-backup.db')
  rmSync(file, { force: true })
  await ask('POST', '/api/backup', { file })
}

type Run = {
  readonly work: Options['work']
  readonly startedMs: number
  readonly pages: Reader['pages']
  readonly atRest: Scrape
  readonly end: Scrape
  readonly outcomes: ReadonlyMap<string, number>
}

function report({ work, startedMs, pages, atRest, end, outcomes }: Run): string {
  const fromMs = startedMs + work.soakMinutes * MINUTE_MS * WARM_UP_SHARE
  const late = pages.filter(({ atMs }) => atMs >= fromMs)
  const series = (name: string) => byMinute(late, startedMs, name)
  const resident = slope(series('process_resident_memory_bytes'))
  const heap = slope(series('farebox_heap_used_bytes'))
  const logMiB = Math.max(...pages.map(({ page }) => figure(page, 'farebox_database_log_bytes'))) / 2 ** 20
  const calls = [...outcomes].toSorted(([, left], [, right]) => right - left)
  const unexpected = calls.filter(([outcome]) => !EXPECTED.has(outcome))
  const before = figure(atRest, 'process_open_fds')
  const after = figure(end, 'process_open_fds')
  const minutes = [...new Set(series('process_resident_memory_bytes').map(([hour]) => Math.round(hour * 60)))]
  return [
    `${calls.reduce((sum, [, count]) => sum + count, 0)} calls in ${work.soakMinutes} minutes: ${calls.map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`,
    figuresLine(
      'answers',
      unexpected.length === 0,
      unexpected.length === 0 ? 'none that no fault explains' : JSON.stringify(unexpected),
    ),
    figuresLine(
      'memory',
      resident <= LIMITS.slopeMiBPerHour,
      `${resident.toFixed(2)} MiB an hour from minute ${minutes[0] ?? 0} on (${LIMITS.slopeMiBPerHour}); heap ${heap.toFixed(2)}`,
    ),
    `memory by ten minutes, MiB: ${everyTenth(series('process_resident_memory_bytes'))}; at the end ${mib(end, 'process_resident_memory_bytes')}`,
    figuresLine(
      'write-ahead log',
      logMiB <= LIMITS.logMiB,
      `at most ${logMiB.toFixed(1)} MiB (${LIMITS.logMiB}); the database has ${mib(end, 'farebox_database_bytes')} MiB`,
    ),
    figuresLine(
      'nothing stays',
      figure(end, 'farebox_open_holds') === 0 && figure(end, 'farebox_open_exchanges') === 0 && after <= before + 2,
      `holds ${figure(end, 'farebox_open_holds')}, running ${figure(end, 'farebox_open_exchanges')}, descriptors ${after} (${before} before)`,
    ),
    'the books agree',
    '',
  ].join('\n')
}

/** The least of each minute, in MiB, by hours: what a collection of garbage leaves, rather than what it is about to take. */
function byMinute(pages: Reader['pages'], startedMs: number, name: string): (readonly [hours: number, mib: number])[] {
  const minutes = Map.groupBy(pages, ({ atMs }) => Math.floor((atMs - startedMs) / MINUTE_MS))
  return [...minutes].map(([minute, few]) => {
    const least = percentile(
      few.map(({ page }) => figure(page, name)),
      0,
    )
    return [minute / 60, least / 2 ** 20] as const
  })
}

function everyTenth(series: readonly (readonly [number, number])[]): string {
  return series
    .filter((_, index) => index % 10 === 0)
    .map(([, value]) => value.toFixed(1))
    .join(' ')
}

function mib(page: Scrape, name: string): string {
  return (figure(page, name) / 2 ** 20).toFixed(1)
}
