// `npm run bench -- --only large`: how much longer small calls take while somebody sends a conversation of five megabytes each second, which
// is passed on, or translated. Small calls are paced, so that what holds them up shows in their slowest hundredth.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
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

type Load = { readonly name: string; readonly conversations: readonly Conversation[] }

const LOADS: readonly Load[] = [
  { name: 'alone', conversations: [] },
  ...FORMATS.map((format) => ({
    name: format === 'chat' ? 'passed on' : 'translated',
    conversations: CONVERSATIONS.filter((one) => one.format === format),
  })),
]

/** Returns lines for the terminal. Throws when an answer or a charge is wrong. */
export async function largeFigures(farebox: Installation, { work, profile }: Options): Promise<string> {
  const child = await farebox.start(profile ? 'profiled' : 'plain')
  const client = createClient({ name: 'small', url: child.url, key: farebox.key }, CALLERS)
  const sender = new Sender({ url: child.url, key: farebox.key })
  const tookMs = new Map(LOADS.map(({ name }) => [name, [] as number[]]))
  try {
    for (const load of LOADS) await underLoad(client, sender, { load, forMs: 2 * LARGE_EVERY_MS })
    const spentBefore = await usedMicro(child.url, farebox.key)
    let calls = 0
    for (let round = 0; round < work.largeRounds; round += 1) {
      for (const load of LOADS) {
        const forMs = Math.max(2, CONVERSATIONS.length / FORMATS.length) * LARGE_EVERY_MS
        const done = await underLoad(client, sender, { load, forMs })
        tookMs.get(load.name)?.push(...done.smallMs)
        calls += done.smallMs.length + done.large
      }
    }
    const charged = (await usedMicro(child.url, farebox.key)) - spentBefore
    if (charged !== calls * WHOLE_EXCHANGE.chargeMicro) throw new Error(`${calls} calls were charged ${charged}`)
    const resident = `Resident at the end: ${Math.round(residentMiB(child.pids) ?? Number.NaN)} MiB`
    return [...LOADS.map(({ name }) => lineOf(name, tookMs)), resident, ''].join('\n')
  } finally {
    await client.close()
    await sender.close()
    await child.stop()
    await checkBooks(farebox)
  }
}

function lineOf(name: string, tookMs: ReadonlyMap<string, readonly number[]>): string {
  const p99 = (load: string) => percentile(tookMs.get(load) ?? [], 99)
  const took = tookMs.get(name) ?? []
  const figures = `p50 ${percentile(took, 50).toFixed(2)} ms, p99 ${p99(name).toFixed(2)} ms, slowest ${Math.max(...took).toFixed(1)} ms`
  if (name === 'alone') return `Small calls, ${name}: ${figures} (${took.length} calls)`
  const movedMs = p99(name) - p99('alone')
  const moved = `${figures}, p99 moved by ${movedMs.toFixed(1)} ms, target at most ${LIMIT_MS}`
  return figuresLine(`Beside a conversation of 5 MB a second, ${name}`, movedMs <= LIMIT_MS, moved)
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
