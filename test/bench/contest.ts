// Rounds of the same load through the contestants in turn, so that whatever else the machine does hits all of them alike.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import { createClient, runCalls, type Client, type Timing } from './load.ts'
import { streamExchange, WHOLE_EXCHANGE, type Exchange, type Format } from './payload.ts'
import { cpuMicros } from './process-figures.ts'
import type { Work } from './options.ts'

export type Contestant = {
  readonly name: string
  readonly child: Child
  readonly client: Client
  readonly format: Format
  /** What its calls must have cost so far. */
  spentMicro: number
}

/** One round of one contestant. */
export type Round = {
  /** Microseconds of CPU per call or per event; undefined where that cannot be measured. */
  readonly cpuMicros: number | undefined
  /** Pieces the bodies came in, per event: 1 when every event travelled alone. */
  readonly readsPerUnit: number
}

/** The measurements of one contestant; the arrays of two contestants belong together index by index. */
export type Results = {
  readonly calls: Round[]
  readonly events: Round[]
  readonly singleCalls: Timing[]
  readonly singleStreams: Timing[]
}

/** What a contestant gets in one slice of a round. */
type Load = {
  readonly exchangeOf: (format: Format) => Exchange
  readonly calls: number
  readonly callers: number
  /** What its events are counted in: the provider's, which are the same for all. */
  readonly units: number
}

/** Work put off until after an answer, such as writing usage records, is part of the price of the answer. */
const AFTERMATH_MS = 150
/** About where the compiler has finished with each path; seen in rounds that got no faster afterwards. */
const WARM_UP = { callSlices: 20, eventSlices: 4 }

type Entry = { readonly key: string; readonly callers: number; readonly format: Format }

export function contestant(name: string, child: Child, { key, callers, format }: Entry): Contestant {
  return { name, child, format, client: createClient({ name, url: child.url, key }, callers), spentMicro: 0 }
}

/** All measurements under load. Throws at the first wrong answer. */
export async function contest(all: readonly Contestant[], work: Work, kinds: readonly string[]): Promise<Results[]> {
  // A whole answer is no question of translation; its clients are those of chat completions.
  const plain = all.filter(({ format }) => format === 'chat')
  const results = all.map((): Results => ({ calls: [], events: [], singleCalls: [], singleStreams: [] }))
  const calls = callLoad(work)
  const events = eventLoad(work)
  if (kinds.includes('calls')) await slices(plain, calls, WARM_UP.callSlices)
  if (kinds.includes('events')) await slices(all, events, WARM_UP.eventSlices)
  for (let index = 0; index < work.rounds; index += 1) {
    if (kinds.includes('calls')) add(await round(plain, calls, work.callSlices), (place) => results[place]?.calls)
    if (kinds.includes('events')) add(await round(all, events, work.eventSlices), (place) => results[place]?.events)
  }
  if (kinds.includes('latency')) await singles(all, results, work)
  return results
}

/**
 * The CPU time is read before and after all slices of a round: a contestant costs next to nothing while it waits for its
 * turn, so nothing is counted twice, and the coarse ticks of the system add one error a round instead of one a slice.
 */
async function round(all: readonly Contestant[], load: Load, count: number): Promise<Round[]> {
  const before = all.map(({ child }) => cpuMicros(child.pids))
  const reads = await slices(all, load, count)
  await sleep(AFTERMATH_MS)
  const units = count * load.calls * load.units
  return all.map(({ child }, place) => {
    const [from, to] = [before[place], cpuMicros(child.pids)]
    const cpu = from === undefined || to === undefined ? undefined : (to - from) / units
    return { cpuMicros: cpu, readsPerUnit: (reads[place] ?? 0) / units }
  })
}

/** Short slices in turn: the speed of a shared machine drifts within a second, and it must drift for all alike. */
async function slices(all: readonly Contestant[], load: Load, count: number): Promise<number[]> {
  const reads = all.map(() => 0)
  for (let slice = 0; slice < count; slice += 1) {
    for (const [place, one] of inTurn(all, slice)) {
      const exchange = load.exchangeOf(one.format)
      const done = await runCalls(one.client, exchange, load)
      reads[place] = (reads[place] ?? 0) + done.reads
      one.spentMicro += load.calls * exchange.chargeMicro
    }
  }
  return reads
}

function add(rounds: readonly Round[], listOf: (place: number) => Round[] | undefined): void {
  for (const [place, one] of rounds.entries()) listOf(place)?.push(one)
}

/** One call at a time, the contestants taking turns call by call. */
async function singles(all: readonly Contestant[], results: readonly Results[], work: Work): Promise<void> {
  for (let index = 0; index < work.singleCalls; index += 1) {
    for (const [place, one] of inTurn(all, index)) {
      if (one.format === 'chat') results[place]?.singleCalls.push(await single(one, WHOLE_EXCHANGE))
      const short = streamExchange({ contentEvents: 3, everyMs: 1 }, one.format)
      if (index < work.singleStreams) results[place]?.singleStreams.push(await single(one, short))
    }
  }
}

async function single(one: Contestant, exchange: Exchange): Promise<Timing> {
  one.spentMicro += exchange.chargeMicro
  return one.client.call(exchange)
}

/** Who comes first changes every time. */
/** In each order as often as in any other: what one has left to do when it has answered falls into the turn of the next. */
function inTurn(all: readonly Contestant[], turn: number): [number, Contestant][] {
  const left = [...all.entries()]
  const order: [number, Contestant][] = []
  for (let number = turn; left.length > 0;) {
    const choices = left.length
    order.push(...left.splice(number % choices, 1))
    number = Math.floor(number / choices)
  }
  return order
}

function callLoad({ callsPerSlice, callers }: Work): Load {
  return { exchangeOf: () => WHOLE_EXCHANGE, calls: callsPerSlice, callers, units: 1 }
}

/**
 * Long paced streams: the paces keep events apart, and at this length the share of the call itself (about 1 %) is
 * smaller than the noise that subtracting short streams would add.
 */
function eventLoad({ callers, contentEvents, everyMs }: Work): Load {
  const exchangeOf = (format: Format) => streamExchange({ contentEvents, everyMs }, format)
  return { exchangeOf, calls: callers, callers, units: exchangeOf('chat').events }
}
