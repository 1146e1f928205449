// The promise of the ledger, against power cuts. A real gateway works for many clients on a disk that is watched; from what it
// wrote and synced follow the folders that a power cut at any moment may leave (`forgetful-disk.ts`). On each a gateway must start by
// itself, with everything that anybody had been told before the cut.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lengthOf, readRecords, watchedBy, type DiskRecord } from '../support/disk-recorder.ts'
import { ForgetfulDisk, type Fate, type Random } from '../support/forgetful-disk.ts'
import { costlyAnswers } from '../support/load.ts'
import { fillLog } from '../support/long-log.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import {
  expectBackups,
  expectKept,
  nothingTold,
  prepareLoad,
  runLoad,
  setUpLoad,
  toldBefore,
  toldUpTo,
  type Told,
} from '../support/told.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

/** Each round goes on from what one of the cuts before left. */
const ROUNDS = isLong ? 5 : 1
const CUTS = isLong ? 20 : 4
const HISTORIES = isLong ? [1, 2, 3, 4, 5] : [1]
const CLIENTS = 8
/** In the long tests so many that the journal goes from its first file to the second and back. */
const CALLS_EACH = isLong ? 120 : 10
const CHANGES = isLong ? 12 : 4
/** What is told before it is on disk is told well before it. */
const SYNC_US = 2000

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

type State = { readonly root: string; readonly keys: readonly string[]; readonly told: Told }

async function firstState(): Promise<State> {
  const root = join(folder, 'first')
  const keys = await prepareLoad(join(root, 'data'), upstream.url)
  return { root, keys, told: nothingTold() }
}

type Recording = { readonly disk: ForgetfulDisk; readonly records: readonly DiskRecord[]; readonly told: Told }

/** Works on a folder for a while, with every change of its files recorded, and ends in one of three ways. */
async function recordLoad({ root, keys, told: before }: State, round: number, name: string): Promise<Recording> {
  const log = join(folder, `${name}.log`)
  const disk = new ForgetfulDisk(root)
  const env = watchedBy({ folder: root, log, syncUs: SYNC_US })
  const program = await startProcess({ dataDir: join(root, 'data'), env })
  const told = toldBefore(before)
  const { url, admin } = program
  const load = { name, url, admin, keys, told, now: () => lengthOf(log), folder: root }
  await runLoad({ ...load, clients: CLIENTS, callsEach: CALLS_EACH, changes: CHANGES })
  if (round % 2 === 0) await program.stop()
  else program.kill('SIGKILL')
  await program.exited
  return { disk, records: readRecords(log), told }
}

function randomOf(seed: number): Random {
  const next = randomFrom(seed)
  return (below) => Math.floor(next() * below)
}

/** Where to cut: half of the moments are any, and half are before a change of a kind that may be rare. */
function chooseCuts(records: readonly DiskRecord[], random: Random): number[] {
  const byKind = Map.groupBy(records.keys(), (index) => kindOf(records, index))
  const kinds = [...byKind.values()]
  return Array.from({ length: CUTS }, (_, cut) => {
    if (cut % 2 === 0) return random(records.length)
    const moments = kinds[random(kinds.length)] ?? []
    return moments[random(moments.length)] ?? 0
  }).toSorted((left, right) => left - right)
}

function kindOf(records: readonly DiskRecord[], index: number): string {
  const { type = 'the end', path = '' } = records[index] ?? {}
  return `${type} ${basename(path)}`
}

/** The folder must be what the recording says it is: otherwise something was written that nobody saw. */
function expectComplete({ disk }: Recording, root: string, random: Random): void {
  const replayed = join(folder, 'replayed')
  mkdirSync(replayed)
  disk.leave(replayed, 'all', random)
  const files = (place: string) =>
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
      .map((entry) => join(entry.parentPath, entry.name).slice(place.length))
      .toSorted()
  expect(files(replayed)).toEqual(files(root))
  for (const file of files(root)) {
    expect(readFileSync(join(replayed, file)).equals(readFileSync(join(root, file))), file).toBe(true)
  }
  rmSync(replayed, { recursive: true })
}

const FATES: readonly Fate[] = ['something', 'nothing', 'all', 'something', 'something']

async function history(number: number): Promise<string> {
  const random = randomOf(number)
  let state = await firstState()
  const counts = { cuts: 0, answers: 0, records: 0 }
  const cutBefore: string[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const name = `history-${number}-${round}`
    fillLog(join(state.root, 'data'))
    // Each round looks at its own backups.
    for (const { name: backup } of state.told.backups) rmSync(join(state.root, backup))
    const recording = await recordLoad(state, round, name)
    const { disk, records, told } = recording
    counts.records += records.length
    counts.answers += told.answers.length - state.told.answers.length
    let taken = 0
    const takeUpTo = (end: number) => {
      for (; taken < end; taken++) disk.take(records[taken] as DiskRecord)
    }
    let left: State = state
    for (const cut of chooseCuts(records, random)) {
      takeUpTo(cut)
      const fate = FATES[counts.cuts % FATES.length] ?? 'all'
      const root = join(folder, `${name}-${(counts.cuts += 1)}`)
      mkdirSync(root)
      disk.leave(root, fate, random)
      cutBefore.push(kindOf(records, cut))
      const known = toldUpTo(told, records[cut - 1]?.end ?? 0)
      try {
        expectBackups(root, known)
        left = { ...state, root, told: await expectKept(join(root, 'data'), state.keys, known) }
      } catch (error) {
        throw new Error(`cut ${cut} of ${records.length} in ${name}, before ${kindOf(records, cut)}, keeping ${fate}`, {
          cause: error,
        })
      }
    }
    takeUpTo(records.length)
    expectComplete(recording, state.root, random)
    state = left
  }
  const kinds = [...Map.groupBy(cutBefore, (kind) => kind)].map(([kind, all]) => `${kind} ${all.length}`)
  return `${counts.cuts} power cuts among ${counts.records} changes of files; ${counts.answers} answers were told; before ${kinds.toSorted().join(', ')}`
}

/** A first start, which makes all the files, with its first calls. */
async function firstStart(): Promise<string> {
  const root = join(folder, 'empty')
  mkdirSync(root)
  const log = join(folder, 'first.log')
  const disk = new ForgetfulDisk(root)
  const program = await startProcess({
    dataDir: join(root, 'data'),
    env: watchedBy({ folder: root, log, syncUs: SYNC_US }),
  })
  const keys = await setUpLoad(program, upstream.url)
  const keysAt = lengthOf(log)
  const told = nothingTold()
  const { url, admin } = program
  const load = { name: 'first', url, admin, keys, told, now: () => lengthOf(log), folder: root }
  await runLoad({ ...load, clients: 2, callsEach: 3, changes: 1 })
  program.kill('SIGKILL')
  await program.exited
  const records = readRecords(log)
  const random = randomOf(0)
  let taken = 0
  for (const [count, cut] of chooseCuts(records, random).entries()) {
    for (; taken < cut; taken++) disk.take(records[taken] as DiskRecord)
    const fate = FATES[count % FATES.length] ?? 'all'
    const place = join(folder, `first-${count}`)
    mkdirSync(place)
    disk.leave(place, fate, random)
    const position = records[cut - 1]?.end ?? 0
    try {
      await expectKept(join(place, 'data'), position < keysAt ? [] : keys, toldUpTo(told, position))
    } catch (error) {
      throw new Error(`cut ${cut} of ${records.length}, before ${kindOf(records, cut)}, keeping ${fate}`, {
        cause: error,
      })
    }
    rmSync(place, { recursive: true })
  }
  return `${CUTS} power cuts among ${records.length} changes of files in a first start`
}

describe('a power cut', () => {
  it.each(HISTORIES)(
    'takes nothing from anybody who was answered (history %i)',
    { timeout: 600_000 },
    async (number) => {
      console.log(await history(number))
    },
  )

  it('takes nothing in a first start, which makes all the files', { timeout: 600_000 }, async () => {
    console.log(await firstStart())
  })
})
