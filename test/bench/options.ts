// The command line of the benchmark, and how much work each of its two lengths means.
import { parseArgs } from 'node:util'
import { MODEL } from './payload.ts'

export type Options = {
  readonly json: boolean
  readonly profile: boolean
  readonly isBareOnly: boolean
  readonly only: Only | undefined
  /** The folder of another checkout, whose Farebox takes part in the same rounds. */
  readonly against: string | undefined
  /** Another gateway that runs already, beside which Farebox is put. */
  readonly gateway: Gateway | undefined
  readonly work: Work
}

export type Gateway = {
  readonly url: string
  readonly model: string
  readonly headers: Readonly<Record<string, string>>
}

const ONLY = [
  'calls',
  'events',
  'routing',
  'reports',
  'pages',
  'sessions',
  'crowd',
  'soak',
  'attacks',
  'callers',
  'large',
  'fleet',
] as const
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
  /** How often small calls are measured beside each kind of large conversations. */
  readonly largeRounds: number
  /** How long several gateways are called at a steady pace, and how long all of them for one key. */
  readonly paceSeconds: number
  readonly hotSeconds: number
}

export const USAGE = `npm run bench -- [--quick] [--json] [--profile] [--bare] [--only ${ONLY.join('|')}] [--against FOLDER|URL]
  --quick    fewer rounds; good for a look, too noisy for a verdict
  --json     one JSON object instead of the table
  --profile  runs Farebox with the CPU profiler and prints where its time goes
  --bare     only the bare proxy
  --only     only one kind of load; reports, pages, sessions, a crowd of streams, an hour of mixed load, attacks and gateways that share their books are only measured when they are asked for
  --against  this Farebox beside that of another checkout, in the same rounds; with --only callers the address of another gateway,
             to which --model NAME and --header 'Name: value' (as often as needed) are sent`

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
  largeRounds: 8,
  paceSeconds: 20,
  hotSeconds: 60,
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
  largeRounds: 3,
  paceSeconds: 6,
  hotSeconds: 10,
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
      model: { type: 'string', default: MODEL },
      header: { type: 'string', multiple: true, default: [] },
    },
  })
  const only = ONLY.find((name) => name === values.only)
  if (values.only !== undefined && only === undefined) throw new Error(`--only is one of ${ONLY.join(', ')}`)
  const { json, profile, bare, quick, model } = values
  const isAddress = URL.canParse(values.against ?? '') && /^https?:/.test(values.against ?? '')
  if (isAddress && only !== 'callers') throw new Error('an address is compared with --only callers')
  const gateway = isAddress ? { url: values.against ?? '', model, headers: readHeaders(values.header) } : undefined
  const against = isAddress ? undefined : values.against
  return { json, profile, isBareOnly: bare, only, against, gateway, work: quick ? QUICK : FULL }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf(':')
      if (end < 1) throw new Error(`--header is 'Name: value'`)
      return [line.slice(0, end).trim().toLowerCase(), line.slice(end + 1).trim()]
    }),
  )
}
