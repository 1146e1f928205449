// Runs a dialect's faults: one Farebox, and for each run a provider, a model and a key of its own, so that no run sees what
// another one did. Runs go at once as far as the machine allows; a row's test only waits for its own.

import { expect } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { ask, FORMATS, type Format } from '../gateway/formats.ts'
import { soon } from '../gateway/support.ts'
import { cases } from '../support/cases.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { REFUSED_ORIGIN, startRawUpstream, type RawUpstream } from '../support/raw-upstream.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { askOverSocket } from './socket-calls.ts'
import { LAST_WORDS, wordsOf, type Fault, type FaultDialect, type Mode, type Run } from './fault.ts'
import { expectSeen, expectSettled, nameOf, readSeen } from './judge.ts'

const BOTH: readonly Mode[] = ['whole', 'streamed']
/** How many runs go at once that neither wait for a time limit nor move many megabytes. */
const AT_ONCE = 12
/** Longer than every limit below together with the attempts that they allow; whoever waits longer hangs. */
const HANG_MS = 40_000

/** Small enough to be waited for, and large enough for a busy machine. */
const LIMITS = {
  FAREBOX_UPSTREAM_CONNECT_TIMEOUT_MS: '2000',
  FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '3000',
  FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '4000',
  // A busy machine takes long for 65 MB, and a sign of life begins an answer after fifteen seconds.
  FAREBOX_UPSTREAM_TOTAL_TIMEOUT_MS: '13000',
  FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1',
}

/** Where redirects lead, and nobody may go. */
export const ELSEWHERE = '/elsewhere'

export type Catalogue = {
  /** Waits until a row's runs are over, and fails with what was wrong with them. */
  check(fault: Fault): Promise<void>
  /** What must hold when all is over. */
  expectSound(): Promise<void>
  close(): Promise<void>
}

/**
 * The runs of all rows: each passed on to a provider of the same format, and translated for one other format, which changes from row to
 * row, in both modes. `npm test` has one of them in turn, FAREBOX_LONG_TESTS every format.
 */
export function runsOf(dialect: FaultDialect, faults: readonly Fault[]): Run[] {
  return faults.flatMap((fault, row) => {
    const modes = fault.modes ?? BOTH
    const runsIn = (formats: readonly Format[]) =>
      modes.flatMap((mode) =>
        formats.map((format) => ({ fault, dialect, format, mode, isPassed: format.dialect === dialect })),
      )
    const all = runsIn(formatsOf(dialect, row))
    const turn = row % all.length
    return cases(all.slice(turn, turn + 1), all, runsIn(FORMATS))
  })
}

function formatsOf(dialect: FaultDialect, row: number): readonly Format[] {
  const passed = FORMATS.filter((format) => format.dialect === dialect)
  const translated = FORMATS.filter((format) => format.dialect !== dialect)
  // Not in step with the four runs of a row, so that each format has its turn in both modes.
  const turn = (row + Math.floor(row / 4)) % translated.length
  return [...passed, ...translated.slice(turn, turn + 1)]
}

/** A run with what stands behind it. */
type Place = {
  readonly run: Run
  /** Names the provider and the model, and begins the path of every request. */
  readonly id: string
  readonly origin: string
  /** Set where the provider is a socket server of its own. */
  readonly raw: RawUpstream | undefined
}

type House = { readonly farebox: Farebox; readonly upstream: Upstream; readonly places: readonly Place[] }

export async function startCatalogue(dialect: FaultDialect, runs: readonly Run[]): Promise<Catalogue> {
  const upstream = await startUpstream()
  const places = await Promise.all(runs.map((run, index) => placeOf(upstream, run, `run-${index}`)))
  const house = { farebox: await startFarebox({ env: LIMITS }), upstream, places }
  script(house)
  await setUp(house, dialect)
  const results = new Map(places.map((place) => [place, Promise.withResolvers<string | undefined>()]))
  const go = async (place: Place) => results.get(place)?.resolve(await problemOf(house, place))
  const all = runAll(places, go)
  return {
    async check(fault) {
      const own = [...results].filter(([place]) => place.run.fault === fault)
      const problems = await Promise.all(own.map(([, result]) => result.promise))
      expect(problems.filter((problem) => problem !== undefined)).toEqual([])
    },
    async expectSound() {
      await all
      expect(upstream.requests.filter(({ path }) => path.startsWith(ELSEWHERE))).toEqual([])
      await expectSoundBooks(house)
    },
    async close() {
      await house.farebox.close()
      await Promise.all([upstream, ...places.flatMap(({ raw }) => raw ?? [])].map((server) => server.close()))
    },
  }
}

/** In tokens. */
const MAX_OUTPUT = 100_000_000

async function placeOf(upstream: Upstream, run: Run, id: string): Promise<Place> {
  const { provider } = run.fault
  if (provider.type === 'nobody') return { run, id, origin: REFUSED_ORIGIN, raw: undefined }
  if (provider.type === 'scripted') return { run, id, origin: new URL(upstream.url).origin, raw: undefined }
  const raw = await startRawUpstream(provider.script)
  return { run, id, origin: raw.origin, raw }
}

/** Every request of the one scripted upstream says by its path which run it is of. */
function script({ upstream, places }: House): void {
  const byId = new Map(places.map((place) => [place.id, place.run.fault.provider]))
  upstream.script((request) => {
    const provider = byId.get(request.path.split('/', 2)[1] ?? '')
    if (provider?.type !== 'scripted') return { type: 'answer' }
    return typeof provider.script === 'function' ? provider.script(request) : provider.script
  })
}

/** Where the addresses of a dialect begin, unless it is OpenAI's `/v1`. */
const PATHS: Partial<Record<FaultDialect, string>> = { gemini: '/v1beta', 'bedrock-converse': '' }

async function setUp({ farebox, places }: House, dialect: FaultDialect): Promise<void> {
  const path = PATHS[dialect] ?? '/v1'
  const providers = places.map(({ id, origin }) => ({
    name: id,
    dialect,
    base_url: `${origin}/${id}${path}`,
    network: 'local' as const,
  }))
  // What providers do wrong here is much longer than ordinary caps, at which streams are ended.
  const sizes = { max_output_tokens: MAX_OUTPUT, context_window: 2 * MAX_OUTPUT }
  const models = places.map(({ id }) => chatModel(id, { targets: [{ provider: id, model: 'real' }], ...sizes }))
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
}

async function runAll(places: readonly Place[], go: (place: Place) => Promise<void>): Promise<void> {
  const paced = (pace: Fault['pace']) => places.filter(({ run }) => run.fault.pace === pace)
  await Promise.all([inTurns(paced('slow'), paced('slow').length, go), inTurns(paced(undefined), AT_ONCE, go)])
  await inTurns(paced('heavy'), 1, go)
}

async function inTurns<Item>(items: readonly Item[], atOnce: number, go: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await go(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** What was wrong with a run; undefined where nothing was. */
async function problemOf(house: House, place: Place): Promise<string | undefined> {
  try {
    await suffer(house, place)
    return undefined
  } catch (error) {
    return `${nameOf(place.run)}: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function suffer(house: House, { run, id, raw }: Place): Promise<void> {
  const { farebox } = house
  for (let call = 0; call < (run.fault.callsBefore ?? 0); call += 1) {
    const { text } = await callOnce(farebox, { run, model: id, key: await farebox.newKey('plenty') })
    expect(text).toContain(wordsOf(run) ?? LAST_WORDS)
  }
  const { key } = await farebox.admin.call('createKey', { body: { name: id, package: 'plenty' } })
  const ending = await expectSeen(run, await callOnce(farebox, { run, model: id, key }))
  await expectSettled(run, { farebox, name: id, key, ending })
  await soon(() => (raw === undefined ? isQuiet(house.upstream, id) : raw.busySockets() === 0))
}

type OneCall = { readonly run: Run; readonly model: string; readonly key: string }

async function callOnce(farebox: Farebox, { run, model, key }: OneCall) {
  const cap = run.format.name === 'messages' ? { max_tokens: MAX_OUTPUT } : {}
  const members = { model, ...cap, ...(run.mode === 'streamed' ? { stream: true } : {}) }
  const signal = AbortSignal.timeout(HANG_MS)
  if (run.way === 'socket') return askOverSocket(farebox, run, { key, members, signal })
  return readSeen(await ask({ farebox }, run.format, { key, members, signal }))
}

/** Every request of a run was answered to its end, or its connection is closed. */
function isQuiet({ requests }: Upstream, id: string): boolean {
  const own = requests.filter(({ path }) => path.startsWith(`/${id}/`))
  return own.every(({ completed, closedAtMs }) => completed || closedAtMs !== undefined)
}
