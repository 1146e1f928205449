// `node test/bench/scale.ts [--quick]`: how a call and a start depend on what a data folder holds already. The same load in
// turn through Fareboxes of different pasts, in one run, so that their ratios mean something on any machine.
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
  { name: '10 keys, no calls', keys: 10, calls: 0 },
  { name: '100,000 keys, no calls', keys: 100_000 * WORK.many, calls: 0 },
  { name: '10 keys, 1,000,000 calls', keys: 10, calls: 1_000_000 * WORK.many },
  { name: '10 keys, 10,000,000 calls', keys: 10, calls: 10_000_000 * WORK.many },
]

type Contender = {
  readonly name: string
  readonly child: Child
  readonly client: Client
  readonly cpu: number[]
  readyMs: number
}

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
  return { name, child, client, cpu: [], readyMs: percentile(ready, 50) }
}

/** Slices in turn. The first rounds are not counted: code is compiled, and what a start left to do is done. */
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
  for (const { name, cpu, readyMs, child } of contenders) {
    const ratios = cpu.map((micros, index) => micros / (first.cpu[index] ?? micros))
    const figures = [
      name.padEnd(26),
      `${percentile(cpu, 50).toFixed(0)} us of CPU per call`,
      `x ${percentile(ratios, 50).toFixed(3)}`,
      `ready after ${readyMs.toFixed(0)} ms`,
      `${(residentMiB(child.pids) ?? 0).toFixed(0)} MiB`,
    ]
    process.stdout.write(`${figures.join('   ')}\n`)
  }
}
