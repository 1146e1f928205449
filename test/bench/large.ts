// `npm run bench -- --only large`: how much longer small calls take while somebody sends a conversation of five megabytes each second, which
// is passed on, or translated. Small calls are paced, so that what holds them up shows in their slowest hundredth. The same stands there for
// the bare proxy: what five megabytes take from small calls where all processes share one machine and nobody reads them.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Child } from './child.ts'
import { ownChild } from './contenders.ts'
import { checkBooks, usedMicro, type Installation } from './farebox.ts'
import { CONVERSATIONS, type Conversation, type Sending } from './large-conversations.ts'
import { createClient, type Client } from './load.ts'
import type { Options } from './options.ts'
import { WHOLE_EXCHANGE } from './payload.ts'
import { residentMiB } from './process-figures.ts'
import { percentile } from './statistics.ts'
import { figuresLine } from './table.ts'

const CALLERS = 16
const EVERY_MS = 80
const LARGE_EVERY_MS = 1000
const LIMIT_MS = 5
/** Niceness of the client of large conversations, of at most 19. */
const BEHIND = 10
const FORMATS = ['chat', 'messages'] as const
/** Each conversation of a format once. */
const ROUND_MS = Math.max(2, CONVERSATIONS.length / FORMATS.length) * LARGE_EVERY_MS

type Load = { readonly name: string; readonly conversations: readonly Conversation[] }

const ALONE: Load = { name: 'alone', conversations: [] }
const LOADS: readonly Load[] = [
  ALONE,
  ...FORMATS.map((format) => ({
    name: format === 'chat' ? 'passed on' : 'translated',
    conversations: CONVERSATIONS.filter((one) => one.format === format),
  })),
]

/** Who carries the calls, large and small, and what small calls took beside each load. */
type Way = {
  readonly name: string
  readonly client: Client
  readonly sender: Sender
  readonly loads: readonly Load[]
  readonly tookMs: ReadonlyMap<string, number[]>
}

/** Returns lines for the terminal. Throws when an answer or a charge is wrong. */
export async function largeFigures(
  farebox: Installation,
  { work, profile }: Options,
  upstream: Child,
): Promise<string> {
  const child = await farebox.start(profile ? 'profiled' : 'plain')
  const bare = await ownChild('bare-proxy.ts', { args: [upstream.url] })
  const through = wayThrough('Farebox', { url: child.url, key: farebox.key }, LOADS)
  // It translates nothing.
  const beside = wayThrough('the bare proxy', { url: bare.url, key: '' }, LOADS.slice(0, 2))
  const ways = [through, beside]
  try {
    for (const way of ways) await turn(way, 2 * LARGE_EVERY_MS)
    for (const { tookMs } of ways) for (const took of tookMs.values()) took.length = 0
    const spentBefore = await usedMicro(child.url, farebox.key)
    let calls = 0
    for (let round = 0; round < work.largeRounds; round += 1) {
      calls += await turn(through, ROUND_MS)
      await turn(beside, ROUND_MS)
    }
    const charged = (await usedMicro(child.url, farebox.key)) - spentBefore
    if (charged !== calls * WHOLE_EXCHANGE.chargeMicro) throw new Error(`${calls} calls were charged ${charged}`)
    const resident = `Resident at the end: ${Math.round(residentMiB(child.pids) ?? Number.NaN)} MiB`
    return [...linesOf(through), resident, ...linesOf(beside), ''].join('\n')
  } finally {
    for (const { client, sender } of ways) await Promise.all([client.close(), sender.close()])
    await child.stop()
    await bare.stop()
    await checkBooks(farebox)
  }
}

function wayThrough(name: string, { url, key }: Sending, loads: readonly Load[]): Way {
  return {
    name,
    client: createClient({ name, url, key }, CALLERS),
    sender: new Sender({ url, key }),
    loads,
    tookMs: new Map(loads.map((load) => [load.name, [] as number[]])),
  }
}

/** Returns how many calls were made, large and small. */
async function turn({ client, sender, loads, tookMs }: Way, forMs: number): Promise<number> {
  let calls = 0
  for (const load of loads) {
    const done = await underLoad(client, sender, { load, forMs })
    tookMs.get(load.name)?.push(...done.smallMs)
    calls += done.smallMs.length + done.large
  }
  return calls
}

function linesOf(way: Way): string[] {
  return way.loads.map((load) => lineOf(load, way))
}

function lineOf({ name }: Load, way: Way): string {
  const p99 = (load: string) => percentile(way.tookMs.get(load) ?? [], 99)
  const took = way.tookMs.get(name) ?? []
  const figures = `p50 ${percentile(took, 50).toFixed(2)} ms, p99 ${p99(name).toFixed(2)} ms, slowest ${Math.max(...took).toFixed(1)} ms`
  if (name === ALONE.name) return `Small calls through ${way.name}, ${name}: ${figures} (${took.length} calls)`
  const movedMs = p99(name) - p99(ALONE.name)
  const label = `Beside a conversation of 5 MB a second, ${name}`
  const moved = `${figures}, p99 moved by ${movedMs.toFixed(1)} ms`
  if (way.loads.length < LOADS.length) return `${label}: ${moved}`
  return figuresLine(label, movedMs <= LIMIT_MS, `${moved}, target at most ${LIMIT_MS}`)
}

type Span = { readonly load: Load; readonly forMs: number }

async function underLoad(client: Client, sender: Sender, { load: { conversations }, forMs }: Span) {
  const smallMs: number[] = []
  const endMs = performance.now() + forMs
  const caller = async (place: number) => {
    await sleep((place / CALLERS) * EVERY_MS)
    while (performance.now() < endMs) {
      const [{ totalMs }] = await Promise.all([client.call(WHOLE_EXCHANGE), sleep(EVERY_MS)])
      smallMs.push(totalMs)
    }
  }
  let large = 0
  const largeCaller = async () => {
    for (; conversations.length > 0 && performance.now() < endMs; large += 1) {
      const conversation = conversations[large % conversations.length]
      if (conversation === undefined) throw new RangeError('no conversation')
      await Promise.all([sender.send(conversation), sleep(LARGE_EVERY_MS)])
    }
  }
  await Promise.all([largeCaller(), ...Array.from({ length: CALLERS }, (_, place) => caller(place))])
  return { smallMs, large }
}

/** Sends large conversations from a process of its own, which takes the processor when nobody else wants it: clients are elsewhere. */
class Sender {
  readonly #child: ChildProcess

  constructor({ url, key }: Sending) {
    this.#child = fork(fileURLToPath(new URL('large-sender.ts', import.meta.url)), [url, key])
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, BEHIND)
  }

  /** Throws where the answer is not a good one. */
  async send({ name }: Conversation): Promise<void> {
    const answered = once(this.#child, 'message')
    this.#child.send(name)
    const [problem] = (await answered) as [string]
    if (problem !== '') throw new Error(`${name}: ${problem}`)
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}
