// `node test/bench/fleet-size.ts [--quick]`: a hundred gateways and a million keys. How often PostgreSQL would be asked what, in simulated time, and what that
// comes to by what each question costs a real PostgreSQL with as many accounts.
import { measureCosts, type Cost, type Costs } from './fleet-size-costs.ts'
import { simulate, type Asked, type Plan } from './fleet-size-model.ts'

const isQuick = process.argv.includes('--quick')
const KEYS = isQuick ? 100_000 : 1_000_000
const TIMES = isQuick ? 1000 : 10_000
const RATES = isQuick ? [1000] : [1000, 10_000, 50_000]
const BASE = { gateways: 100, keys: KEYS, balanceMicro: 50_000_000 }
const BEAT_PER_SECOND = 1

const costs = await measureCosts(KEYS, TIMES)
for (const [name, { cpuMicros, logBytes }] of Object.entries(costs)) {
  process.stdout.write(
    `${name.padEnd(8)} ${cpuMicros.toFixed(1).padStart(8)} us of CPU ${logBytes.toFixed(0).padStart(7)} bytes of log\n`,
  )
}
for (const callsPerSecond of RATES) {
  for (const isSticky of [false, true]) {
    const plan = { ...BASE, callsPerSecond, isSticky }
    process.stdout.write(`\n${linesOf(plan, simulate(plan), costs).join('\n')}\n`)
  }
}

function linesOf({ callsPerSecond, isSticky, gateways }: Plan, asked: Asked, each: Costs): string[] {
  const beats = gateways * BEAT_PER_SECOND
  // Whoever lacks something says so to all, and so do those who give it back.
  const heard = 2 * asked.refused * gateways
  // Each gateway looks once a second, and later where a look takes long.
  const lookSeconds = (asked.changed * each.shown.cpuMicros) / 1e6
  const looks = 1 / Math.min(10, Math.max(1, 50 * lookSeconds))
  const parts: readonly (readonly [name: string, perSecond: number, cost: Cost])[] = [
    ['leases taken by calls', asked.takes, each.take],
    ['leases taken ahead of calls', asked.ahead, each.ahead],
    ['questions for these', asked.asks, each.ship],
    ['batches', asked.ships, each.ship],
    ['sums of charges in them', asked.charges, each.charge],
    ['leases given back in them', asked.returns, each.return],
    ['notices of these heard', heard, each.heard],
    ['signs of life', beats, each.beat],
    ['sums shown of others', asked.changed * looks * gateways, each.shown],
  ]
  const messages = asked.takes + asked.asks + asked.ships + 2 * beats
  const cores = (some: typeof parts) =>
    some.reduce((sum, [, count, { cpuMicros }]) => sum + (count * cpuMicros) / 1e6, 0)
  const log = parts.reduce((sum, [, count, { logBytes }]) => sum + (count * logBytes) / 1e6, 0)
  return [
    `${callsPerSecond} calls a second, ${isSticky ? 'each key on one gateway' : 'each call on any gateway'}:`,
    ...parts.map(
      (part) =>
        `  ${part[0].padEnd(28)} ${part[1].toFixed(0).padStart(10)} a second ${cores([part]).toFixed(2).padStart(8)} cores`,
    ),
    `  ${'in all'.padEnd(28)} ${messages.toFixed(0).padStart(10)} messages, ${(messages / callsPerSecond).toFixed(3)} a call; ` +
      `${cores(parts).toFixed(1)} cores, ${log.toFixed(1)} MB of log a second`,
    `  ${((100 * asked.takes) / callsPerSecond).toFixed(1)} % of calls waited for a lease, ${asked.refused.toFixed(0)} a second found too little free; what others charged is looked at every ${(1 / looks).toFixed(0)} s`,
  ]
}
