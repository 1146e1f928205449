// `npm run bench -- --only crowd`: a thousand streams at a time for a minute, half of them over the LAN, with everything on; then half
// of the clients vanish at once. What it measures is the process of Farebox, as it tells it itself, beside a load that shares its machine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Child } from './child.ts'
import { checkBooks, usedMicro, type Installation } from './farebox.ts'
import { createClient, type Client } from './load.ts'
import type { Options, Work } from './options.ts'
import { streamExchange } from './payload.ts'
import { systemMicros } from './process-figures.ts'
import { startReader, type Reader } from './reader.ts'
import { figure, KEPT_MS, scrape, shareWithin, WITH_METRICS, type Scrape } from './scrape.ts'
import { figuresLine } from './table.ts'

const EVERY_MS = 50
/** In which all of them begin. */
const RAMP_MS = 5000
/** For the last of them to begin; they outlast the measurement by more. */
const BEGIN_LIMIT_MS = 5000
const SETTLE_MS = 8000
const LAN_ADDRESS = '127.0.0.2'
/** The LAN bounds the connections of one address, so its clients are several machines. */
const LAN_CLIENTS = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14']
const LIMITS = { residentMB: 300, loopMs: 25, loopShare: 0.99 }
/** Within this time the provider has to hear of clients that vanished. */
const AFTERMATH_MS = 10_000
/** Niceness of the load, of at most 19. */
const BEHIND = 10
const LOOP_DELAY = 'farebox_event_loop_delay_seconds'
const LOOP_BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

/** Returns lines for the terminal. Throws when an answer or a charge is wrong. */
export async function crowdFigures(
  farebox: Installation,
  { work, profile }: Options,
  upstream: Child,
): Promise<string> {
  const { url: lanUrl, certificate } = await turnLanOn(farebox)
  const child = await farebox.start(profile ? 'profiled' : 'plain', {
    ...WITH_METRICS,
    FAREBOX_LOG: 'json',
    FAREBOX_LOG_REQUESTS: 'true',
  })
  stepBack(upstream)
  const reader = startReader(child.url, farebox.dataFolder)
  const clients = [
    createClient({ name: 'loopback', url: child.url, key: farebox.key }, work.crowdStreams),
    ...LAN_CLIENTS.map((localAddress) =>
      createClient({ name: 'LAN', url: lanUrl, key: farebox.key }, work.crowdStreams, {
        ca: certificate,
        localAddress,
      }),
    ),
  ]
  try {
    return await measure({ child, farebox, upstream, clients, watched: reader, work })
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await reader.stop()
    await child.stop()
  }
}

/** Elsewhere the load is on other machines. Here it has what Farebox leaves of the processors, and does not take turns with it. */
function stepBack(upstream: Child): void {
  for (const pid of [process.pid, ...upstream.pids]) setPriority(pid, BEHIND)
}

type Scene = {
  readonly child: Child
  readonly farebox: Installation
  readonly upstream: Child
  /** The first is on this machine, the others are on the LAN. */
  readonly clients: readonly Client[]
  readonly watched: Pick<Reader, 'pages'>
  readonly work: Work
}

async function measure(scene: Scene): Promise<string> {
  const { child, farebox, upstream, watched, work } = scene
  const { crowdSeconds: seconds } = work
  const page = () => scrape(child.url, farebox.dataFolder)
  await leaveOne(scene)
  // Until the reader has asked for each of its pages once, and what reads for it has been started.
  await sleep(SETTLE_MS)
  const atRest = await page()
  const spentBefore = await usedMicro(child.url, farebox.key)

  const streams = await begin(scene)
  // What is measured is all of them at a time. Where they do not all begin, the report says how many did.
  await until(async () => (await openStreams(upstream)) === streams.length, undefined, BEGIN_LIMIT_MS).catch(
    () => undefined,
  )
  const full = await page()
  const openWhenFull = await openStreams(upstream)
  const systemBefore = systemMicros(child.pids)
  await sleep(seconds * 1000)
  const before = await page()
  const inSystem = (systemMicros(child.pids) ?? Number.NaN) - (systemBefore ?? Number.NaN)

  const vanished = streams.filter((_, index) => index % 2 === 0)
  const stayed = streams.filter((_, index) => index % 2 === 1)
  const leftAtMs = performance.now()
  for (const stream of vanished) stream.leave()
  await until(async () => (await openStreams(upstream)) <= stayed.length)
  const stoppedMs = performance.now() - leftAtMs

  const ends = await Promise.allSettled(stayed.map(({ answer }) => answer))
  const whole = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  await Promise.allSettled(vanished.map(({ answer }) => answer))
  await Promise.all(scene.clients.map((client) => client.close()))
  const isQuiet = (now: Scrape) =>
    figure(now, 'farebox_open_exchanges') === 0 && figure(now, 'process_open_fds') <= figure(atRest, 'process_open_fds')
  const end = await until(page, isQuiet, KEPT_MS).catch(page)
  const charged = (await usedMicro(child.url, farebox.key)) - spentBefore
  await checkBooks(farebox)

  const peakMB = Math.max(...watched.pages.map((one) => figure(one.page, 'process_resident_memory_bytes'))) / 1e6
  const loopShare = shareWithin(full, before, { name: LOOP_DELAY, bound: LIMITS.loopMs / 1000 })
  const events = whole.reduce((sum, { reads }) => sum + reads, 0)
  return [
    `streams at a time: ${openWhenFull} of ${streams.length}, ${(1000 / EVERY_MS).toFixed(0)} events a second each, ${seconds} s, half over the LAN`,
    figuresLine(
      'whole answers',
      errors.length === 0 && openWhenFull === streams.length,
      `${whole.length} of ${stayed.length} exact, in ${events} reads; ${errors.length} errors${errors[0] === undefined ? '' : `, such as ${errors[0]}`}`,
    ),
    figuresLine('memory', peakMB <= LIMITS.residentMB, `at most ${peakMB.toFixed(0)} MB (${LIMITS.residentMB})`),
    figuresLine(
      'event loop',
      loopShare >= LIMITS.loopShare,
      `${(100 * loopShare).toFixed(2)} % of its delays within ${LIMITS.loopMs} ms (99); ${loopLine(full, before)}`,
    ),
    processorLine(full, before, { work, inSystem }),
    `half vanished: the provider had ended ${vanished.length} streams after ${stoppedMs.toFixed(0)} ms`,
    figuresLine(
      'nothing stays',
      figure(end, 'farebox_open_holds') === 0 && isQuiet(end),
      `holds ${figure(end, 'farebox_open_holds')}, running ${figure(end, 'farebox_open_exchanges')}, descriptors ` +
        `${figure(end, 'process_open_fds')} (${figure(atRest, 'process_open_fds')} before, ${figure(before, 'process_open_fds')} meanwhile)`,
    ),
    `charged: ${charged} micro-credits; the books agree`,
    '',
  ].join('\n')
}

/** Begins all streams evenly and comes back when the last has been asked for; they outlast the measurement. */
async function begin({ clients, work: { crowdSeconds, crowdStreams } }: Scene) {
  const exchange = paced(RAMP_MS + crowdSeconds * 1000 + AFTERMATH_MS)
  const [own, ...lan] = clients
  const startedMs = performance.now()
  const streams: ReturnType<Client['begin']>[] = []
  while (streams.length < crowdStreams) {
    const index = streams.length
    const client = index % 4 < 2 ? own : lan[Math.floor(index / 4) % lan.length]
    if (client === undefined) throw new Error('there are no clients')
    const stream = client.begin(exchange)
    // Whoever waits for it hears of it; until then it is nobody's fault.
    stream.answer.catch(() => undefined)
    streams.push(stream)
    const dueMs = (streams.length / crowdStreams) * RAMP_MS
    await sleep(Math.max(0, dueMs - (performance.now() - startedMs)))
  }
  await sleep(1000)
  return streams
}

/** One stream that is left in the middle, so that what counts its tokens has been started too. */
async function leaveOne({ clients: [own] }: Scene): Promise<void> {
  const stream = own?.begin(paced(AFTERMATH_MS))
  await sleep(1000)
  stream?.leave()
  await stream?.answer.catch(() => undefined)
}

function paced(forMs: number) {
  return streamExchange({ contentEvents: Math.ceil(forMs / EVERY_MS), everyMs: EVERY_MS }, 'chat')
}

async function openStreams(upstream: Child): Promise<number> {
  const answer = await request(`${upstream.url}/streams`)
  return Number(await answer.body.text())
}

async function until<Value>(
  look: () => Promise<Value>,
  isSo = (value: Value) => value === true,
  limitMs = AFTERMATH_MS,
): Promise<Value> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const value = await look()
    if (isSo(value)) return value
    if (performance.now() > endMs) throw new Error(`it was not so within ${limitMs} ms`)
    await sleep(20)
  }
}

/** Before the gateway starts, as an administrator does it once. */
export async function turnLanOn(farebox: Installation): Promise<{ url: string; certificate: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-lan-'))
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'a password for the bench', { mode: 0o600 })
  const child = await farebox.start('plain')
  try {
    await farebox.run('member', 'add', 'ada', '--role', 'administrator', '--password-file', passwordFile)
    const output = await farebox.run('lan', 'on', '--address', LAN_ADDRESS, '--port', '0', '--json')
    const { urls } = JSON.parse(output) as { urls: readonly string[] }
    const [url] = urls
    if (url === undefined) throw new Error(`the LAN is not on: ${output}`)
    return { url, certificate: await farebox.run('lan', 'certificate') }
  } finally {
    await child.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Share = {
  readonly work: Work
  /** Microseconds, most of them for handing bytes to a reader on the same machine. */
  readonly inSystem: number
}

function processorLine(before: Scrape, after: Scrape, { work, inSystem }: Share): string {
  const { crowdSeconds: seconds, crowdStreams } = work
  const used = figure(after, 'process_cpu_seconds_total') - figure(before, 'process_cpu_seconds_total')
  const events = (crowdStreams * seconds * 1000) / EVERY_MS
  const perEvent = `${((used * 1e6) / events).toFixed(1)} us an event, ${(inSystem / events).toFixed(1)} of them in the system`
  return `processor: ${((100 * used) / seconds).toFixed(0)} % of one, ${perEvent}`
}

/** Which share of the delays was at most so long, as far as that is worth reading. */
function loopLine(before: Scrape, after: Scrape): string {
  const shares = LOOP_BOUNDS_MS.map(
    (boundMs) => [boundMs, shareWithin(before, after, { name: LOOP_DELAY, bound: boundMs / 1000 })] as const,
  )
  return shares
    .filter(([, share]) => share > 0.01 && share < 1)
    .map(([boundMs, share]) => `${(100 * share).toFixed(1)} % <= ${boundMs} ms`)
    .join(', ')
}
