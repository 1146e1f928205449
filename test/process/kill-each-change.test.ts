// `kill -9` at each change of a file in turn. A gateway starts, answers calls, changes its catalogue, folds its log, makes a backup and
// ends, and in each round it dies at another of the changes that this makes to its files: before it, in the middle of a write, or behind
// it. The start that puts things right is killed too, at another change each time. Then everything that anybody was told must be there.

import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRecords, watchedBy, type Kill } from '../support/disk-recorder.ts'
import { costlyAnswers } from '../support/load.ts'
import { fillLog } from '../support/long-log.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { expectBackups, expectKept, nothingTold, prepareLoad, runLoad } from '../support/told.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

/** Rounds of two kills each. */
const ROUNDS = isLong ? 500 : 3
const PARTS = Array.from({ length: isLong ? 10 : 1 }, (_, part) => part)
/** While it appends, while it projects, and while it folds the log of the database. */
const STAGES = ['farebox.journal-1', 'farebox.db-wal', 'farebox.db'] as const
/** Multiples of it lie evenly between two whole numbers, wherever one stops. */
const GOLDEN_RATIO = 0.618034
const HOWS = ['before', 'half', 'after'] as const

let upstream: Upstream
let folder: string

beforeEach(async () => {
  upstream = await startUpstream()
  upstream.script(costlyAnswers())
  folder = await temporaryFolder()
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

type Place = { readonly root: string; readonly dataDir: string; readonly log: string }

function placeOf(name: string): Place {
  const root = join(folder, name)
  return { root, dataDir: join(root, 'data'), log: join(folder, `${name}.log`) }
}

/** Starts a gateway that is to die; undefined where it has died already. */
async function startDying({ root, dataDir, log }: Place, kill?: Kill): Promise<FareboxProcess | undefined> {
  const env = watchedBy({ folder: root, log, ...(kill === undefined ? {} : { kill }) })
  try {
    return await startProcess({ dataDir, env })
  } catch (error) {
    expect(String(error)).toContain('it ended (SIGKILL) before it printed')
    return undefined
  }
}

/** What a gateway does between its start and its end. */
async function work(program: FareboxProcess, { root }: Place, keys: readonly string[]) {
  const told = nothingTold()
  const { url, admin } = program
  const load = { name: 'change', url, admin, keys, told, now: () => performance.now(), folder: root }
  await runLoad({ ...load, clients: 3, callsEach: 4, changes: 2 })
  await program.stop()
  return told
}

/** The files at whose changes a process can die, each as often as it is changed. */
function changesIn(log: string): string[] {
  return readRecords(log)
    .filter(({ type }) => !['sync-range', 'make-folder', 'killed'].includes(type))
    .map(({ path, toPath }) => basename(toPath || path))
}

function killedAt(log: string): string | undefined {
  const last = readRecords(log).findLast(({ type }) => type === 'killed')
  return last && basename(last.path)
}

type Prepared = {
  readonly pristine: string
  readonly keys: readonly string[]
  /** What changes files in all of the work and its end, and in the start. */
  readonly changes: readonly string[]
  readonly startChanges: readonly string[]
}

/** A folder to begin with, and how many changes there are in all of the work and in its start. */
async function prepare(): Promise<Prepared> {
  const first = placeOf('first')
  const keys = await prepareLoad(first.dataDir, upstream.url)
  fillLog(first.dataDir)
  const whole = placeOf('whole')
  cpSync(first.root, whole.root, { recursive: true })
  const undisturbed = await startDying(whole)
  if (undisturbed === undefined) throw new Error('it died without being killed')
  const startChanges = changesIn(whole.log)
  await work(undisturbed, whole, keys)
  return { pristine: first.root, keys, startChanges, changes: changesIn(whole.log) }
}

/** In turn a change of the file that stands for a stage, and any change. */
function killOf(number: number, changes: readonly string[]): Kill {
  const isOfStage = !isLong || number % 2 === 0
  const file = STAGES[(isLong ? number / 2 : number) % STAGES.length]
  // Each file is met in each way.
  const how = HOWS[(number + Math.floor(number / (2 * STAGES.length))) % HOWS.length] ?? 'before'
  // There are not quite as many each time.
  const count = isOfStage ? 0.8 * changes.filter((name) => name === file).length : changes.length
  const at = 1 + Math.floor(count * ((number * GOLDEN_RATIO) % 1))
  return isOfStage && file !== undefined ? { at, how, file } : { at, how }
}

/** One round: killed at work, and once more by the start after it. Returns at which files. */
async function round({ pristine, keys, changes, startChanges }: Prepared, number: number): Promise<string[]> {
  const place = placeOf(`round-${number}`)
  mkdirSync(place.root)
  cpSync(pristine, place.root, { recursive: true })
  const kill = killOf(number, changes)
  const program = await startDying(place, kill)
  const told = program === undefined ? nothingTold() : await work(program, place, keys)
  const first = killedAt(place.log) ?? 'nothing'
  rmSync(place.log)
  // There is more to do for this start than for the first one.
  const again = killOf(number, [...startChanges, ...startChanges])
  const second = await startDying(place, again)
  second?.kill('SIGKILL')
  await second?.exited
  const stages = [`work at ${first}`, `start at ${killedAt(place.log) ?? 'its end'}`]
  try {
    expectBackups(place.root, told)
    await expectKept(place.dataDir, keys, told)
  } catch (error) {
    const kills = `${JSON.stringify(kill)} and ${JSON.stringify(again)}`
    throw new Error(`round ${number}, ${kills}: ${stages.join(', ')}`, { cause: error })
  }
  rmSync(place.root, { recursive: true })
  rmSync(place.log)
  return stages
}

describe('a kill at a change of a file', () => {
  it.each(PARTS)('takes nothing from anybody who was answered (part %i)', { timeout: 1_200_000 }, async (part) => {
    const prepared = await prepare()
    const stages: string[] = []
    for (let number = part; number < ROUNDS; number += PARTS.length) stages.push(...(await round(prepared, number)))
    const counts = [...Map.groupBy(stages, (stage) => stage)].map(([stage, all]) => `${stage} ${all.length}`)
    console.log(`${stages.length} kills at ${prepared.changes.length} changes: ${counts.toSorted().join(', ')}`)
    expect(stages).toEqual(expect.arrayContaining(STAGES.map((stage) => `work at ${stage}`)))
  })
})
