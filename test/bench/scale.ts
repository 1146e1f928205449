// `node test/bench/scale.ts [--quick]`: how a call and a start depend on what a data folder holds already. The same load in
// turn through Fareboxes of different pasts, in one run, so that their ratios mean something on any machine.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startChild, type Child } from './child.ts'
import { install, type Installation } from './farebox.ts'
import { createClient, runCalls, type Client } from './load.ts'
import { WHOLE_EXCHANGE } from './payload.ts'
import { cpuMicros, residentMiB } from './process-figures.ts'
import { fill, type Past } from './scale-fill.ts'
import { percentile } from './statistics.ts'

const isQuick = process.argv.includes('--quick')
const WORK = isQuick
  ? { rounds: 6, calls: 500, callers: 16, starts: 3, many: 0.1 }
  : { rounds: 24, calls: 1000, callers: 16, starts: 3, many: 1 }

const PASTS: readonly (Past & { readonly name: string })[] = [
  past(10, 0),
  past(100_000 * WORK.many, 0),
  past(10, 1_000_000 * WORK.many),
  past(10, 10_000_000 * WORK.many),
]

function past(keys: number, calls: number): Past & { readonly name: string } {
  const words = (count: number) => count.toLocaleString('en')
  return { name: `${words(keys)} keys, ${words(calls)} calls`, keys, calls }
}

type Contender = {
  readonly name: string
  readonly child: Child
  readonly client: Client
  readonly cpu: number[]
  readonly readyMs: number
  /** What a start does when it is ready: its books are recomputed, all of them. */
  readonly aftermath: Aftermath
}

type Aftermath = { readonly cpuSeconds: number; readonly seconds: number }

/** A process that takes less than this share of a core has nothing left to do. */
const IDLE_SHARE = 0.02
const LOOK_EVERY_MS = 2000

const upstream = await startChild({ args: [fileURLToPath(new URL('upstream-server.ts', import.meta.url))] })
const installations: Installation[] = []
try {
  const contenders: Contender[] = []
  for (const past of PASTS) {
    const installation = await install(upstream.url)
    installations.push(installation)
    fill(installation.dataFolder, past)
    contenders.push(await contender(installation, past.name))
  }
  await measure(contenders)
  report(contenders)
  for (const { client, child } of contenders) {
    await client.close()
    await child.stop()
  }
} finally {
  for (const installation of installations) installation.remove()
  await upstream.stop()
}

/** Starts a Farebox some times; the last one stays. */
async function contender(installation: Installation, name: string): Promise<Contender> {
  const ready: number[] = []
  for (let count = 1; count < WORK.starts; count++) {
    const child = await installation.start('plain')
    ready.push(child.readyMs)
    await child.stop()
  }
  const child = await installation.start('plain')
  ready.push(child.readyMs)
  const client = createClient({ name, url: child.url, key: installation.key }, WORK.callers)
  const aftermath = await settled(child)
  return { name, child, client, cpu: [], readyMs: percentile(ready, 50), aftermath }
}

/** Resolves when a process does nothing any more by itself. */
async function settled({ pids }: Child): Promise<Aftermath> {
  const startedMs = performance.now()
  const first = cpuMicros(pids) ?? 0
  for (let before = first; ;) {
    await sleep(LOOK_EVERY_MS)
    const now = cpuMicros(pids) ?? 0
    if (now - before < IDLE_SHARE * LOOK_EVERY_MS * 1000) {
      return { cpuSeconds: (now - first) / 1e6, seconds: (performance.now() - startedMs - LOOK_EVERY_MS) / 1000 }
    }
    before = now
  }
}

/** Slices in turn. The first rounds are not counted: code is compiled in them. */
async function measure(contenders: readonly Contender[]): Promise<void> {
  const warmUp = Math.ceil(WORK.rounds / 3)
  for (let round = 0; round < warmUp + WORK.rounds; round++) {
    for (const { client, child, cpu } of contenders) {
      const before = cpuMicros(child.pids) ?? 0
      await runCalls(client, WHOLE_EXCHANGE, WORK)
      const spent = ((cpuMicros(child.pids) ?? 0) - before) / WORK.calls
      if (round >= warmUp) cpu.push(spent)
    }
  }
}

function report(contenders: readonly Contender[]): void {
  const [first] = contenders
  if (first === undefined) return
  for (const { name, cpu, readyMs, child, aftermath } of contenders) {
    const ratios = cpu.map((micros, index) => micros / (first.cpu[index] ?? micros))
    const figures = [
      name.padEnd(26),
      `${percentile(cpu, 50).toFixed(0)} us of CPU per call`,
      `x ${percentile(ratios, 50).toFixed(3)}`,
      `ready after ${readyMs.toFixed(0)} ms`,
      `then ${aftermath.cpuSeconds.toFixed(1)} s of CPU in ${aftermath.seconds.toFixed(0)} s`,
      `${(residentMiB(child.pids) ?? 0).toFixed(0)} MiB`,
    ]
    process.stdout.write(`${figures.join('   ')}\n`)
  }
}
