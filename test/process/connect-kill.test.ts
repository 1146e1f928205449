// `farebox connect`, `disconnect` and the rotation of a tool's key, killed at each change that they make to a file.

import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRecords, watchedBy, type Kill } from '../support/disk-recorder.ts'
import { endProcesses, farebox, startProcess } from '../support/process.ts'
import { Lane } from './connect-lane.ts'
import { isLong } from '../support/cases.ts'

/** At how many changes of a command it dies, where it does not die at all of them. */
const KILLS = 3
/** How many go on side by side, each with a home and a gateway of its own. */
const LANES = isLong ? 3 : 1
const LIMIT_MS = 1_800_000

let lanes: readonly Lane[] = []

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open()))
})
afterAll(endProcesses)

async function dying({ folder, dataDir }: Lane, kill: Kill | undefined, args: readonly string[]) {
  const log = join(dirname(folder), `${folder.split('/').at(-1)}.log`)
  const env = watchedBy({ folder, log, ...(kill === undefined ? {} : { kill }) })
  try {
    const { code, stderr } = await farebox(args, { dataDir, env })
    return { code, stderr, changes: changesIn(log) }
  } finally {
    rmSync(log, { force: true })
  }
}

/** The types of what a command changes below the folder, in order, as a kill counts them. */
function changesIn(log: string): string[] {
  const types = readRecords(log).map(({ type }) => type)
  return types.filter((type) => !['sync-range', 'make-folder', 'killed'].includes(type))
}

/** All moments at which what is on the disk differs: a sync changes nothing for whoever is killed, and only a write can be half of one. */
function momentsOf(changes: readonly string[]): Kill[] {
  return changes.flatMap((type, index): Kill[] => {
    const at = index + 1
    if (type === 'sync') return []
    return [{ at, how: 'before' }, ...(type === 'write' ? [{ at, how: 'half' } as const] : []), { at, how: 'after' }]
  })
}

type Command = {
  readonly name: string
  /** Makes things as they are before each kill. */
  readonly prepare: (lane: Lane) => Promise<unknown>
  readonly args: (round: number) => readonly string[]
  /** What the settings may say when it was killed: what they said before, and what they say once it is through. */
  readonly afterwards: (lane: Lane, round: number) => Promise<void>
}

const nothing = async (): Promise<void> => undefined
const connected = (lane: Lane) => lane.connects()

async function connectsAgain(lane: Lane, ...args: readonly string[]): Promise<void> {
  await lane.connects(...args)
  expect(await lane.working()).toHaveLength(1)
  expect(await lane.statusOfKey()).toBe(200)
}

const COMMANDS: readonly Command[] = [
  {
    name: 'a connection',
    prepare: nothing,
    args: () => ['connect', 'claude-code'],
    afterwards: async (lane, round) => (round % 2 === 0 ? connectsAgain(lane) : undefined),
  },
  {
    name: 'a connection in the place of another',
    prepare: connected,
    args: () => ['connect', 'claude-code', '--model', 'other'],
    afterwards: async (lane, round) => (round % 2 === 0 ? connectsAgain(lane, '--model', 'other') : undefined),
  },
  {
    name: 'a connection with another key',
    prepare: connected,
    args: (round) => ['connect', 'claude-code', '--key', `key-${round}`],
    afterwards: async (lane, round) => {
      // Until it is connected again, it goes on with a key that works.
      expect(await lane.statusOfKey()).toBe(200)
      if (round % 2 === 0) await connectsAgain(lane)
    },
  },
  {
    name: 'a disconnection',
    prepare: connected,
    args: () => ['disconnect', 'claude-code'],
    afterwards: async (lane, round) => (round % 2 === 0 ? connectsAgain(lane) : undefined),
  },
]

/** The whole command once: what it changes, and what the settings say before and afterwards. */
async function wholeOf(lane: Lane, { prepare, args }: Command) {
  await prepare(lane)
  const before = lane.says()
  const { code, stderr, changes } = await dying(lane, undefined, args(0))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const whole = { changes, allowed: [before, lane.says()] }
  await lane.isTakenBack()
  return whole
}

type Whole = Awaited<ReturnType<typeof wholeOf>>

async function runLane(lane: Lane, { allowed }: Whole, command: Command, kills: readonly (readonly [number, Kill])[]) {
  for (const [round, kill] of kills) {
    await command.prepare(lane)
    const dead = await dying(lane, kill, command.args(round + 1))
    const when = `${kill.how} change ${kill.at}`
    expect([dead.code, dead.stderr], when).toEqual([null, ''])
    expect(allowed, when).toContainEqual(lane.says())
    await command.afterwards(lane, round)
    await lane.isTakenBack()
  }
}

/** Those at which it dies here, evenly over all of them. */
function chosenOf<Moment>(moments: readonly Moment[]): readonly Moment[] {
  if (isLong) return moments
  return moments.filter((_, index) => index % Math.ceil(moments.length / KILLS) === 1)
}

/** The files that a rotation changes, and when it dies there. */
const ROTATION = ['key', 'key.new'].flatMap((file) =>
  (['before', 'half', 'after'] as const).map((how) => [file, how] as const),
)
/** The new value before it takes the place of the old one. */
const LIGHT_ROTATION = ROTATION.filter(([file]) => file === 'key.new')

describe('a connection that is killed', () => {
  describe.each(COMMANDS)('$name that is killed', (command) => {
    it('leaves the old file or the new one, and can be taken back', { timeout: LIMIT_MS }, async () => {
      const ready = await Promise.all(lanes.map(async (lane) => ({ lane, whole: await wholeOf(lane, command) })))
      const { changes } = (ready[0] as (typeof ready)[number]).whole
      const kills = [...chosenOf(momentsOf(changes)).entries()]
      const run = ({ lane, whole }: (typeof ready)[number], number: number) => {
        const own = kills.filter(([round]) => round % LANES === number)
        return runLane(lane, whole, command, own)
      }
      await Promise.all(ready.map(run))
      console.log(`${command.name}: ${kills.length} kills at ${changes.length} changes`)
      expect(kills.length).toBeGreaterThanOrEqual(isLong ? 20 : 2)
    })
  })

  it('leaves a tool its old key or the new one, where a rotation of it is killed', { timeout: LIMIT_MS }, async () => {
    const lane = await Lane.open()
    await connected(lane)
    const { keyFile } = lane
    let kills = 0
    for (const [file, how] of isLong ? ROTATION : LIGHT_ROTATION) {
      for (let at = 1; ; at++) {
        await lane.gateway?.stop()
        const before = readFileSync(keyFile, 'utf8')
        const env = watchedBy({ folder: lane.folder, kill: { at, how, file: `claude-code/${file}` } })
        const dead = await farebox(['key', 'rotate', 'claude-code'], { dataDir: lane.dataDir, env })
        const after = readFileSync(keyFile, 'utf8')
        lane.gateway = await startProcess({ dataDir: lane.dataDir })
        // The old value works for a day.
        expect(await lane.statusOfKey(), `${how} change ${at} of ${file}`).toBe(200)
        if (dead.code === 0) break
        expect([dead.code, dead.stderr], `${how} change ${at} of ${file}`).toEqual([null, ''])
        expect(after.length).toBe(before.length)
        kills++
        await connectsAgain(lane)
        if (!isLong) break
      }
    }
    console.log(`a rotation: ${kills} kills`)
    expect(kills).toBeGreaterThanOrEqual(isLong ? 9 : LIGHT_ROTATION.length)
    await lane.isTakenBack()
  })
})
