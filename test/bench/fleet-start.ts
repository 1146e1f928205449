// `node test/bench/fleet-start.ts [--quick]`: how long a gateway that shares its books takes to begin, with a hundred thousand keys in PostgreSQL and ten million
// calls in its own folder, beside the same folder by itself; and how long an empty one takes to get to know all keys.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { startPostgres } from '../support/postgres.ts'
import type { Child } from './child.ts'
import { ownChild } from './contenders.ts'
import { emptyFolder, install, usedMicro, type Installation, type Settings } from './farebox.ts'
import { fill } from './scale-fill.ts'
import { spread } from './statistics.ts'
import { figuresLine } from './table.ts'

const isQuick = process.argv.includes('--quick')
const PAST = { keys: 100_000, calls: isQuick ? 100_000 : 10_000_000 }
const STARTS = 5
const LIMIT_MS = 3000
/** The first time everything is told or learnt. */
const FIRST_LIMIT_MS = 180_000

const upstream = await ownChild('upstream-server.ts')
const postgres = await startPostgres()
const folders: Pick<Installation, 'remove'>[] = []
try {
  const farebox = await install(upstream.url)
  folders.push(farebox)
  fill(farebox.dataFolder, PAST)
  const shared = { FAREBOX_DATABASE_URL: postgres.url }
  const alone = await starts(farebox, {})

  const first = await startedServing(farebox, shared)
  process.stdout.write(`the first gateway, with all it brings: ${first.servesMs.toFixed(0)} ms\n`)
  const empty = emptyFolder()
  folders.push(empty)
  const second = await startedServing(empty, shared)
  const learntMs = await untilKnown(second.child, farebox.key)
  process.stdout.write(
    `an empty gateway: ${second.servesMs.toFixed(0)} ms, and ${learntMs.toFixed(0)} ms until it knew all keys\n`,
  )
  await second.child.stop()
  await first.child.stop()

  const joined = await starts(farebox, shared)
  const other = await starts(empty, shared)
  const times = (ms: readonly number[]) => {
    const { median, min, max } = spread(ms)
    return `${median.toFixed(0)} ms (${min.toFixed(0)}-${max.toFixed(0)})`
  }
  const name = `${PAST.keys} keys, ${PAST.calls} calls: start`
  process.stdout.write(`${name} by itself: ${times(alone)}\n`)
  for (const [of, ms] of [
    ['shared', joined],
    ['shared, a folder without calls', other],
  ] as const) {
    process.stdout.write(
      `${figuresLine(`${name}, ${of}`, spread(ms).median <= LIMIT_MS, `${times(ms)}, target at most ${LIMIT_MS}`)}\n`,
    )
  }
} finally {
  for (const { remove } of folders) remove()
  await postgres.close()
  await upstream.stop()
}

type Started = { readonly child: Child; readonly servesMs: number }

async function starts(farebox: Pick<Installation, 'start'>, settings: Settings): Promise<number[]> {
  const took: number[] = []
  while (took.length < STARTS) {
    const { child, servesMs } = await startedServing(farebox, settings)
    took.push(servesMs)
    await child.stop()
  }
  return took
}

/** Until it would be sent calls by a proxy. */
async function startedServing(farebox: Pick<Installation, 'start'>, settings: Settings): Promise<Started> {
  const startedAtMs = performance.now()
  const child = await farebox.start('plain', settings)
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
