// `npm run bench -- --only fleet`: three gateways with leases from one PostgreSQL. What a call costs beside one gateway with SQLite alone, what PostgreSQL is
// asked, whether a key that all of them serve at once is ever charged more than it has, and how soon what ended is known everywhere.
import { countedBound } from '../gateway/input-bound.ts'
import { crowd, runnerOf, WARM_UP_SLICES } from './callers.ts'
import type { Child } from './child.ts'
import { profileText } from './contenders.ts'
import { usedMicro, type Installation } from './farebox.ts'
import { killOne, revokedStreams, RICH_MICRO } from './fleet-ends.ts'
import { adminOf, BenchFleet, KNOWN_MS, makeKeys, within, type FleetKey } from './fleet-gateways.ts'
import { createClient, type Client } from './load.ts'
import type { Options, Work } from './options.ts'
import { callsAtOnce, pacedCalls } from './paced.ts'
import { PRICE, WHOLE_EXCHANGE, wholeExchange } from './payload.ts'
import { percentile, spread } from './statistics.ts'
import { figuresLine } from './table.ts'

const LIMITS = { cpuRatio: 1.15, moreMs: 3, messages: 0.1 }
const CALLERS = 16
/** Holds hardly more than it is charged, so that a balance for a few calls is one. */
const CLOSE = wholeExchange({ max_tokens: 40 })
const CLOSE_HOLD_MICRO = PRICE.input * (await countedBound(CLOSE.body)) + PRICE.output * 40
const CHARGE = CLOSE.chargeMicro
const PACE = 500
const HOT_PACE = 1000
const KEYS_AT_PACE = [10, 100] as const
/** Of one key, until leases have come to the size of its pace. */
const WARM_UP_SECONDS = 3
const AT_ONCE = { calls: 300, balance: 10 }

type Scene = { readonly farebox: Installation; readonly alone: Child; readonly fleet: BenchFleet; readonly work: Work }

/** Returns lines for the terminal. Throws when an answer or a charge is wrong. */
export async function fleetFigures(farebox: Installation, options: Options, upstream: Child): Promise<string> {
  const mode = options.profile ? 'profiled' : 'plain'
  const fleet = await BenchFleet.start(upstream.url, mode)
  try {
    const lines = await ofFleet(fleet, async () => {
      const alone = await farebox.start(mode)
      try {
        const scene = { farebox, alone, fleet, work: options.work }
        const beside = [
          ...(await besideAlone(scene)),
          await besideJournal(scene),
          await oneCallLeases(scene),
          ...(await messages(scene)),
        ]
        const whenFree = await killOne(fleet)
        const many = [...(await hotKey(scene)), ...(await atOnce(scene)), await revokedStreams(fleet, upstream)]
        return [...beside, ...many, await whenFree()]
      } finally {
        await alone.stop()
      }
    })
    const profile = options.profile && fleet.first !== undefined ? profileText([{ ...farebox, ...fleet.first }]) : ''
    return `${lines.join('\n')}\n${profile}`
  } finally {
    fleet.remove()
  }
}

async function ofFleet<Value>(fleet: BenchFleet, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } finally {
    await fleet.stop()
  }
}

async function besideAlone({ farebox, alone, fleet, work }: Scene): Promise<string[]> {
  const rich = await fleet.newKey(RICH_MICRO)
  const runners = [runnerOf('alone', farebox.key, alone), runnerOf('with leases', rich.key, fleet.gateways[0])]
  const [before, now] = (await crowd(runners, CALLERS, work)).map(({ slices }) => slices)
  if (before === undefined || now === undefined) throw new Error('nothing was measured')
  const charged = (WARM_UP_SLICES + work.rounds) * work.callsPerSlice * WHOLE_EXCHANGE.chargeMicro
  const used = await usedMicro(alone.url, farebox.key)
  if (used !== charged) throw new Error(`${used} micro-credits were charged alone instead of ${charged}`)
  await fleet.expectCharged(rich, charged)
  const cpu = spread(now.map(({ cpuMicros }, index) => cpuMicros / (before[index]?.cpuMicros ?? NaN)))
  const [p50, p50Now] = [before, now].map((slices) =>
    percentile(
      slices.flatMap(({ took }) => took),
      50,
    ),
  )
  const p50Ratio = (p50Now ?? NaN) / (p50 ?? NaN)
  return [
    figuresLine(
      'CPU per call with leases',
      cpu.median <= LIMITS.cpuRatio,
      `${cpu.median.toFixed(2)} (${cpu.min.toFixed(2)}-${cpu.max.toFixed(2)}) x SQLite alone, target at most ${LIMITS.cpuRatio}`,
    ),
    figuresLine(
      `p50 with leases, ${CALLERS} callers`,
      p50Ratio <= 1.05,
      `${p50Now?.toFixed(2)} ms beside ${p50?.toFixed(2)} ms, ${p50Ratio.toFixed(2)} x, target no longer`,
    ),
  ]
}

/** A gateway whose answers wait until PostgreSQL has their charges, beside one whose answers wait for its own disk. */
async function besideJournal({ fleet, work }: Scene): Promise<string> {
  const keeping = await fleet.another('plain', { FAREBOX_DATABASE_DURABLE: 'database' })
  try {
    const [one, other] = await fleet.newKeys(2, RICH_MICRO)
    if (one === undefined || other === undefined) throw new Error('no keys were made')
    await within(KNOWN_MS, () => usedMicro(keeping.child.url, other.key))
    const runners = [
      runnerOf('journal', one.key, fleet.gateways[0]),
      runnerOf('database', other.key, keeping.child),
    ] as const
    const found = await crowd(runners, CALLERS, work)
    const [journal, database] = found.map(({ slices }) => ({
      p50: percentile(
        slices.flatMap(({ took }) => took),
        50,
      ),
      cpu: percentile(
        slices.map(({ cpuMicros }) => cpuMicros),
        50,
      ),
    }))
    const cpuRatio = (database?.cpu ?? NaN) / (journal?.cpu ?? NaN)
    return `  with charges in PostgreSQL first: p50 ${database?.p50.toFixed(2)} ms beside ${journal?.p50.toFixed(2)} ms, ${cpuRatio.toFixed(2)} x the CPU, ${CALLERS} callers`
  } finally {
    await keeping.child.stop()
    keeping.remove()
  }
}

/** Balances of three calls, of which each has to ask PostgreSQL, and such balances alone, in turn. */
async function oneCallLeases({ farebox, alone, fleet, work }: Scene): Promise<string> {
  const rounds = work.rounds * 10
  const keys = await fleet.newKeys(rounds, 3 * CLOSE_HOLD_MICRO)
  const ownKeys = await makeKeys(adminOf(alone, farebox.dataFolder), rounds, 3 * CLOSE_HOLD_MICRO)
  const [tookMs, tookAloneMs]: [number[], number[]] = [[], []]
  const before = await fleet.messages()
  for (const [place, { key }] of keys.entries()) {
    const [first] = fleet.gateways
    tookMs.push(...(await twoCalls(createClient({ name: 'small leases', url: first?.url ?? '', key }, 1))))
    tookAloneMs.push(
      ...(await twoCalls(createClient({ name: 'alone', url: alone.url, key: ownKeys[place]?.key ?? '' }, 1))),
    )
  }
  const after = await fleet.messages()
  const takes = ((after.functions['take'] ?? 0) - (before.functions['take'] ?? 0)) / (3 * rounds)
  const [p50, p50Alone] = [percentile(tookMs, 50), percentile(tookAloneMs, 50)]
  return figuresLine(
    'Leases of one call, one caller',
    p50 - p50Alone <= LIMITS.moreMs,
    `p50 ${p50.toFixed(2)} ms beside ${p50Alone.toFixed(2)} ms alone, ${(p50 - p50Alone).toFixed(2)} ms more, target at most ${LIMITS.moreMs}; ` +
      `${takes.toFixed(2)} questions for a lease a call`,
  )
}

/** How long the second and the third call took; the first one opens its connection. */
async function twoCalls(client: Client): Promise<number[]> {
  try {
    await client.call(CLOSE)
    return [(await client.call(CLOSE)).totalMs, (await client.call(CLOSE)).totalMs]
  } finally {
    await client.close()
  }
}

async function messages({ fleet, work }: Scene): Promise<string[]> {
  const lines: string[] = []
  for (const count of KEYS_AT_PACE) {
    const keys = await fleet.newKeys(count, RICH_MICRO)
    lines.push(
      await withClients(fleet, keys, 8, async (clients) => {
        await pacedCalls(clients, WHOLE_EXCHANGE, { perSecond: PACE, seconds: WARM_UP_SECONDS })
        const before = await fleet.messages()
        const { answered, tookMs } = await pacedCalls(clients, WHOLE_EXCHANGE, {
          perSecond: PACE,
          seconds: work.paceSeconds,
        })
        const after = await fleet.messages()
        const calls = PACE * work.paceSeconds
        if (answered !== calls) throw new Error(`${answered} of ${calls} calls were answered`)
        const each = (after.all - before.all) / calls
        const functions = Object.keys(after.functions).map(
          (name) => [name, (after.functions[name] ?? 0) - (before.functions[name] ?? 0)] as const,
        )
        const kinds = functions.filter(([name]) => ['take', 'take_ahead', 'ship', 'beat'].includes(name))
        const text = kinds.map(([name, times]) => `${name} ${(times / calls).toFixed(3)}`).join(', ')
        return figuresLine(
          `Messages to PostgreSQL a call, ${count} keys`,
          each <= LIMITS.messages,
          `${each.toFixed(3)} at ${PACE} calls a second, target at most ${LIMITS.messages} (${text}); p50 ${percentile(tookMs, 50).toFixed(1)} ms`,
        )
      }),
    )
  }
  return lines
}

async function hotKey({ fleet, work }: Scene): Promise<string[]> {
  const key = await fleet.newKey(RICH_MICRO)
  return withClients(fleet, [key], 100, async (clients) => {
    const pace = { perSecond: HOT_PACE, seconds: work.hotSeconds }
    const { answered, refused, tookMs, perSecond } = await pacedCalls(clients, WHOLE_EXCHANGE, pace)
    const { owed } = await fleet.expectCharged(key, answered * WHOLE_EXCHANGE.chargeMicro)
    const [p50, p99] = [50, 99].map((percent) => percentile(tookMs, percent).toFixed(1))
    return [
      figuresLine(
        `One key on three gateways, ${work.hotSeconds} s`,
        refused.size === 0 && owed === 0,
        `${Math.round(perSecond)} calls a second (${HOT_PACE}), ${answered} answered and charged, ${refusedText(refused)}, ${owed} overspent`,
      ),
      `  from the call to the end of its answer: p50 ${p50} ms, p99 ${p99} ms`,
    ]
  })
}

async function atOnce({ fleet }: Scene): Promise<string[]> {
  const { calls, balance } = AT_ONCE
  const key = await fleet.newKey(balance * CHARGE + CLOSE_HOLD_MICRO - CHARGE)
  return withClients(fleet, [key], calls, async (clients) => {
    const { answered, refused } = await callsAtOnce(clients, CLOSE, calls)
    const { used, owed } = await fleet.expectCharged(key, answered * CHARGE)
    return [
      figuresLine(
        `${calls} calls at once on a balance for ${balance}`,
        answered === balance && owed === 0,
        `${answered} answered, ${used / CHARGE} charged, ${refusedText(refused)}, ${owed} overspent`,
      ),
    ]
  })
}

function refusedText(refused: ReadonlyMap<number, number>): string {
  const kinds = [...refused].map(([status, count]) => `${count} with ${status}`)
  return kinds.length === 0 ? '0 refused' : `refused ${kinds.join(', ')}`
}

/** A client for each key on each gateway. */
async function withClients<Value>(
  { gateways }: BenchFleet,
  keys: readonly FleetKey[],
  connections: number,
  work: (clients: readonly Client[]) => Promise<Value>,
): Promise<Value> {
  const clients = keys.flatMap(({ key }) =>
    gateways.map(({ url }) => createClient({ name: 'the fleet', url, key }, connections)),
  )
  try {
    return await work(clients)
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}
