// The command line of the benchmark, and how much work each of its two lengths means.
import { parseArgs } from 'node:util'

export type Options = {
  readonly json: boolean
  readonly profile: boolean
  readonly isBareOnly: boolean
  readonly only: Only | undefined
  /** The folder of another checkout, whose Farebox takes part in the same rounds. */
  readonly against: string | undefined
  readonly work: Work
}

const ONLY = ['calls', 'events', 'routing', 'reports', 'crowd', 'soak', 'attacks'] as const
export type Only = (typeof ONLY)[number]

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
  /** Streams at a time, and how long they are watched. */
  readonly crowdStreams: number
  readonly crowdSeconds: number
  /** How long mixed load runs. */
  readonly soakMinutes: number
  /** How long each attack goes on. */
  readonly attackSeconds: number
}

export const USAGE = `npm run bench -- [--quick] [--json] [--profile] [--bare] [--only ${ONLY.join('|')}] [--against FOLDER]
  --quick    fewer rounds; good for a look, too noisy for a verdict
  --json     one JSON object instead of the table
  --profile  runs Farebox with the CPU profiler and prints where its time goes
  --bare     only the bare proxy
  --only     only one kind of load; reports, a crowd of streams, an hour of mixed load and attacks are only measured when they are asked for
  --against  this Farebox beside that of another checkout, in the same rounds`

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
  crowdStreams: 1000,
  crowdSeconds: 60,
  soakMinutes: 60,
  attackSeconds: 15,
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
  crowdStreams: 300,
  crowdSeconds: 10,
  soakMinutes: 3,
  attackSeconds: 4,
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
      against: { type: 'string' },
    },
  })
  const only = ONLY.find((name) => name === values.only)
  if (values.only !== undefined && only === undefined) throw new Error(`--only is one of ${ONLY.join(', ')}`)
  const { json, profile, bare, quick, against } = values
  return { json, profile, isBareOnly: bare, only, against, work: quick ? QUICK : FULL }
}
