// `npm run bench -- --only callers`: whole answers for one caller, for 16 and for 64, through the bare proxy, through Farebox with all that
// it does for a call, and through another gateway where `--against URL` names one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { allocatedBytes } from './allocation.ts'
import type { Child } from './child.ts'
import { bareContender, fareboxContender, ownChild } from './contenders.ts'
import type { Installation } from './farebox.ts'
import { createClient, runCalls, type Client } from './load.ts'
import type { Gateway, Options, Work } from './options.ts'
import { wholeExchange, WHOLE_EXCHANGE, type Exchange } from './payload.ts'
import { pagesPerSync } from './pages.ts'
import { cpuMicros, writtenBytes } from './process-figures.ts'
import { percentile, spread } from './statistics.ts'
import { figuresLine } from './table.ts'

const CROWDS = [1, 16, 64] as const
const AFTERMATH_MS = 300
export const WARM_UP_SLICES = 5
const LIMITS = {
  ratio: { 1: 3, 16: 2, 64: 2 },
  p50At16Ms: 2,
  addedAloneMs: 0.3,
  callsPerSecondAt64: 12_000,
  bytes: 3072,
}

export type Runner = {
  readonly name: string
  /** undefined for a gateway that somebody else started. */
  readonly child: Child | undefined
  readonly url: string
  readonly exchange: Exchange
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
}

export type Slice = {
  readonly cpuMicros: number
  readonly written: number
  readonly perSecond: number
  readonly took: readonly number[]
}
export type CallersFigures = { readonly name: string; readonly callers: number; readonly slices: readonly Slice[] }

/** Returns lines for the terminal. Throws when an answer or a charge is wrong. */
export async function callersFigures(farebox: Installation, options: Options, upstream: Child): Promise<string> {
  const figures = await contest(farebox, options, upstream)
  const allocated = await allocations(farebox, options.work, upstream)
  const pages = await pagesPerSync(farebox, options.work)
  return [...rowsOf(figures), allocated, ...verdicts(figures, commitMs()), pages].join('\n') + '\n'
}

async function contest(farebox: Installation, options: Options, upstream: Child): Promise<CallersFigures[]> {
  const contenders = [bareContender(upstream.url), fareboxContender(farebox, 'chat', options)]
  const children: Child[] = []
  try {
    for (const contender of contenders) children.push(await contender.start('contest'))
    const runners = contenders.map(({ name, key }, place) => runnerOf(name, key, children[place]))
    if (options.gateway !== undefined) runners.push(otherRunner(options.gateway))
    const figures: CallersFigures[] = []
    for (const callers of CROWDS) figures.push(...(await crowd(runners, callers, options.work)))
    const calls = CROWDS.length * (WARM_UP_SLICES + options.work.rounds) * options.work.callsPerSlice
    await contenders[1]?.checkCharges(children[1]?.url ?? '', calls * WHOLE_EXCHANGE.chargeMicro)
    return figures
  } finally {
    for (const child of children) await child.stop()
  }
}

export function runnerOf(name: string, key: string, child: Child | undefined): Runner {
  if (child === undefined) throw new Error(`${name} was not started`)
  return { name, child, url: child.url, key, exchange: WHOLE_EXCHANGE, headers: {} }
}

/** What it answers cannot be compared byte by byte: a gateway may write an answer anew. */
function otherRunner({ url, model, headers }: Gateway): Runner {
  const exchange = { ...wholeExchange({ model }), expected: undefined }
  return { name: url, child: undefined, url, key: '', exchange, headers }
}

/** The same number of calls for all, in short slices in turn. Throws when an answer is wrong. */
export async function crowd(runners: readonly Runner[], callers: number, work: Work): Promise<CallersFigures[]> {
  const clients = runners.map(({ name, url, key, headers }) => createClient({ name, url, key, headers }, callers))
  const slices: Slice[][] = runners.map(() => [])
  const ends = runners.map(({ child }) => figuresOf(child))
  try {
    for (let turn = -WARM_UP_SLICES; turn < work.rounds; turn += 1) {
      const places = [...runners.keys()]
      for (const place of turn % 2 === 0 ? places : places.reverse()) {
        const [runner, client] = [runners[place], clients[place]]
        if (runner === undefined || client === undefined) continue
        const before = ends[place] ?? [NaN, NaN]
        const { done, end } = await slice(runner, client, { calls: work.callsPerSlice, callers, before })
        ends[place] = end
        if (turn >= 0) slices[place]?.push(done)
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
  return runners.map(({ name }, place) => ({ name, callers, slices: slices[place] ?? [] }))
}

type Counted = readonly [cpuMicros: number, written: number]

function figuresOf(child: Child | undefined): Counted {
  return [cpuMicros(child?.pids ?? []) ?? NaN, writtenBytes(child?.pids ?? []) ?? NaN]
}

/** What a slice costs counts from the end of the one before it: tables that follow calls a second later are a part of it. */
async function slice(
  { child, exchange }: Runner,
  client: Client,
  { calls, callers, before }: { calls: number; callers: number; before: Counted },
): Promise<{ done: Slice; end: Counted }> {
  const startedAtMs = performance.now()
  const { tookMs } = await runCalls(client, exchange, { calls, callers })
  const seconds = (performance.now() - startedAtMs) / 1000
  await sleep(AFTERMATH_MS)
  const end = figuresOf(child)
  const isKnown = child !== undefined
  const done = {
    cpuMicros: isKnown ? (end[0] - before[0]) / calls : NaN,
    written: isKnown ? (end[1] - before[1]) / calls : NaN,
    perSecond: calls / seconds,
    took: tookMs,
  }
  return { done, end }
}

async function allocations(farebox: Installation, work: Work, upstream: Child): Promise<string> {
  const run = (key: string, slices: number) => async (url: string) => {
    const client = createClient({ name: 'allocation', url, key }, 16)
    try {
      await runCalls(client, WHOLE_EXCHANGE, { calls: slices * work.callsPerSlice, callers: 16 })
    } finally {
      await client.close()
    }
  }
  const units = 4 * work.callsPerSlice
  const task = (key: string) => ({ warmUp: run(key, WARM_UP_SLICES), work: run(key, 4), units })
  const bare = await allocatedBytes(
    (nodeOptions, env) => ownChild('bare-proxy.ts', { args: [upstream.url], nodeOptions, env }),
    task('key_none'),
  )
  const own = await allocatedBytes(
    (nodeOptions, env) => farebox.start('plain', env, { nodeOptions }),
    task(farebox.key),
  )
  return `Allocated per call at 16 callers, main thread: bare ${Math.round(bare)} bytes, Farebox ${Math.round(own)} bytes`
}

/** What a durable transaction costs here, in milliseconds: of one small row, as the database of Farebox is set. */
function commitMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-fsync-'))
  const db = new Database(join(folder, 'a.db'))
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.exec('CREATE TABLE row (text TEXT)')
    const insert = db.prepare('INSERT INTO row VALUES (?)')
    const took = Array.from({ length: 200 }, () => {
      const startedAtMs = performance.now()
      insert.run('x'.repeat(500))
      return performance.now() - startedAtMs
    })
    return percentile(took, 50)
  } finally {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function rowsOf(figures: readonly CallersFigures[]): string[] {
  return figures.map(({ name, callers, slices }) => {
    const took = slices.flatMap((one) => one.took)
    const cpu = spread(slices.map((one) => one.cpuMicros))
    const parts = [
      `${cpu.median.toFixed(0)} us CPU a call (${cpu.min.toFixed(0)}-${cpu.max.toFixed(0)})`,
      `p50 ${percentile(took, 50).toFixed(2)} ms`,
      `p99 ${percentile(took, 99).toFixed(2)} ms`,
      `${Math.round(spread(slices.map((one) => one.perSecond)).median)} calls a second`,
      `${Math.round(spread(slices.map((one) => one.written)).median)} bytes written a call`,
    ]
    return `${callers === 1 ? 'One caller' : `${callers} callers`}, ${name}: ${parts.filter((part) => !part.includes('NaN')).join(', ')}`
  })
}

function verdicts(figures: readonly CallersFigures[], durableMs: number): string[] {
  const of = (name: string, callers: number) =>
    figures.find((one) => one.name === name && one.callers === callers)?.slices ?? []
  const p50 = (slices: readonly Slice[]) =>
    percentile(
      slices.flatMap(({ took }) => took),
      50,
    )
  const ratios = CROWDS.map((callers) => {
    const bare = of('bare proxy', callers)
    const pairs = of('Farebox', callers).map(({ cpuMicros: cpu }, index) => cpu / (bare[index]?.cpuMicros ?? NaN))
    const { median, min, max } = spread(pairs)
    const text = `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)}) x bare, target at most ${LIMITS.ratio[callers]}`
    return figuresLine(`CPU per call, ${callers} callers`, median <= LIMITS.ratio[callers], text)
  })
  const [at16, alone] = [p50(of('Farebox', 16)), p50(of('Farebox', 1))]
  const added = alone - p50(of('bare proxy', 1)) - durableMs
  const perSecond = spread(of('Farebox', 64).map((one) => one.perSecond)).median
  const written = spread(of('Farebox', 16).map((one) => one.written)).median
  return [
    ...ratios,
    figuresLine('p50, 16 callers', at16 <= LIMITS.p50At16Ms, `${at16.toFixed(2)} ms, target at most 2`),
    figuresLine(
      'p50, one caller, beyond bare and one commit',
      added <= LIMITS.addedAloneMs,
      `${added.toFixed(2)} ms (a commit is ${durableMs.toFixed(2)} ms), target at most 0.3`,
    ),
    figuresLine(
      'Calls a second, 64 callers',
      perSecond >= LIMITS.callsPerSecondAt64,
      `${Math.round(perSecond)}, target at least 12000`,
    ),
    figuresLine(
      'Bytes written a call, 16 callers',
      written <= LIMITS.bytes,
      `${Math.round(written)}, target at most 3072`,
    ),
  ]
}
