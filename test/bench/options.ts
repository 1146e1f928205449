// The command line of the benchmark, and how much work each of its two lengths means.
import { parseArgs } from 'node:util'

export type Options = {
  readonly json: boolean
  readonly profile: boolean
  readonly isBareOnly: boolean
  readonly only: 'calls' | 'events' | 'routing' | 'reports' | undefined
  readonly work: Work
}

export type Work = {
  readonly rounds: number
  readonly callers: number
  /** Whole answers: slices in one round, and calls in one slice of one proxy. */
  readonly callSlices: number
  readonly callsPerSlice: number
  /** Streams: slices in one round, each with one stream per caller. */
  readonly eventSlices: number
  readonly contentEvents: number
  readonly everyMs: number
  /** One after another, for latencies. */
  readonly singleCalls: number
  readonly singleStreams: number
  readonly starts: number
  /** Calls in the year whose reports are measured, and how often each report is asked for. */
  readonly yearCalls: number
  readonly reportRounds: number
}

export const USAGE = `npm run bench -- [--quick] [--json] [--profile] [--bare] [--only calls|events|routing|reports]
  --quick    fewer rounds; good for a look, too noisy for a verdict
  --json     one JSON object instead of the table
  --profile  runs Farebox with the CPU profiler and prints where its time goes
  --bare     only the bare proxy
  --only     only one kind of load, for a profile of it; reports are only measured when they are asked for`

const FULL: Work = {
  rounds: 12,
  callers: 32,
  callSlices: 10,
  callsPerSlice: 1000,
  eventSlices: 4,
  contentEvents: 400,
  everyMs: 2,
  singleCalls: 2000,
  singleStreams: 1000,
  starts: 5,
  yearCalls: 1_000_000,
  reportRounds: 20,
}

const QUICK: Work = {
  ...FULL,
  rounds: 5,
  callSlices: 4,
  eventSlices: 1,
  singleCalls: 500,
  singleStreams: 200,
  starts: 3,
  yearCalls: 100_000,
  reportRounds: 5,
}

/** Throws a sentence for the user when an option is not known. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      bare: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  })
  const { only } = values
  if (only !== undefined && only !== 'calls' && only !== 'events' && only !== 'routing' && only !== 'reports') {
    throw new Error(`--only is calls, events, routing or reports`)
  }
  const { json, profile, bare, quick } = values
  return { json, profile, isBareOnly: bare, only, work: quick ? QUICK : FULL }
}
