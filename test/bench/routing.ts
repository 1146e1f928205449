// What a choice of targets costs: calls at a model of three targets, all of them well, beside calls at a model of one. Both go
// through the same process in turn, so that nothing but the model differs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import { usedMicro, type Installation } from './farebox.ts'
import { createClient, runCalls, type Client } from './load.ts'
import type { Options } from './options.ts'
import { ONE_TARGET, THREE_TARGETS, wholeExchange, type Exchange } from './payload.ts'
import { cpuMicros } from './process-figures.ts'
import { spread, type Spread } from './statistics.ts'

export type RoutingRatios = {
  /** CPU time of a call at three targets over that of a call at one, where weights decide; undefined where it cannot be measured. */
  readonly byWeight: Spread | undefined
  /** The same where requests of one conversation stay together. */
  readonly byConversation: Spread | undefined
}

/** One slice takes about as long as many ticks of the system's clock, because each is measured by itself. */
const SLICES_OF_A_ROUND = 2
const WARM_UP_ROUNDS = 4
/** Records are written after an answer; that work must be over when the next slice begins. */
const AFTERMATH_MS = 250

/** Throws when an answer is wrong or was not charged exactly. */
export async function routingRatios(farebox: Installation, { work, profile }: Options): Promise<RoutingRatios> {
  const spentBefore = await charged(farebox)
  const child = await farebox.start(profile ? 'profiled' : 'plain')
  const client = createClient({ name: 'Farebox, routing', url: child.url, key: farebox.key }, work.callers)
  try {
    const load = { calls: work.callsPerSlice * SLICES_OF_A_ROUND, callers: work.callers }
    const sides = { child, client, load }
    const rounds: (readonly [number | undefined, number | undefined])[] = []
    for (let round = 0; round < WARM_UP_ROUNDS + work.rounds; round += 1) {
      const ratios = [
        await ratio(sides, {}, round),
        await ratio(sides, { user: `conversation-${round}` }, round),
      ] as const
      if (round >= WARM_UP_ROUNDS) rounds.push(ratios)
    }
    await checkCharges(sides, { spentBefore, calls: (WARM_UP_ROUNDS + work.rounds) * 4 * load.calls }, farebox.key)
    return {
      byWeight: spreadOf(rounds.map(([ratio]) => ratio)),
      byConversation: spreadOf(rounds.map(([, ratio]) => ratio)),
    }
  } finally {
    await client.close()
    await child.stop()
  }
}

type Sides = {
  readonly child: Child
  readonly client: Client
  readonly load: { readonly calls: number; readonly callers: number }
}

/** One slice of each, whoever comes first. */
async function ratio(sides: Sides, members: object, round: number): Promise<number | undefined> {
  const one = wholeExchange({ model: ONE_TARGET, ...members })
  const three = wholeExchange({ model: THREE_TARGETS, ...members })
  const isReversed = round % 2 === 1
  const first = await cpuOf(sides, isReversed ? three : one)
  const second = await cpuOf(sides, isReversed ? one : three)
  if (first === undefined || second === undefined) return undefined
  return isReversed ? first / second : second / first
}

async function cpuOf({ child, client, load }: Sides, exchange: Exchange): Promise<number | undefined> {
  const before = cpuMicros(child.pids)
  await runCalls(client, exchange, load)
  await sleep(AFTERMATH_MS)
  const after = cpuMicros(child.pids)
  return before === undefined || after === undefined ? undefined : after - before
}

async function charged(farebox: Installation): Promise<number> {
  const child = await farebox.start('plain')
  try {
    return await usedMicro(child.url, farebox.key)
  } finally {
    await child.stop()
  }
}

type Spending = { readonly spentBefore: number; readonly calls: number }

async function checkCharges({ child }: Sides, { spentBefore, calls }: Spending, key: string): Promise<void> {
  const expected = spentBefore + calls * wholeExchange({}).chargeMicro
  const used = await usedMicro(child.url, key)
  if (used !== expected) throw new Error(`${used} micro-credits were charged instead of ${expected}`)
}

function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : spread(known)
}
