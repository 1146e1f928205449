// `farebox connect` and `disconnect`, killed when they are about to make a system call that has to do with files: whichever it is, the tool has
// its old settings or the new ones, and all of it can be taken back. Which calls there are, and the kill, are the business of strace.

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { needs } from '../requirements.ts'
import { endProcesses, farebox } from '../support/process.ts'
import { CLAUDE_CODE, CRUSH, Lane, type LaneTool } from './connect-lane.ts'
import { isLong } from '../support/cases.ts'

/** At how many calls of a command it dies, where it does not die at all of them. */
const KILLS = 3
/** How many go on side by side, each with a home and a gateway of its own. */
const LANES = isLong ? 2 : 1
const LIMIT_MS = 3_600_000
const MAX_TRIES = 5
/** Those of them that a machine does not have are passed over. */
const FILE_CALLS = [
  'open openat creat close read pread64 readv write pwrite64 writev lseek dup fsync fdatasync truncate ftruncate',
  'fallocate flock sendfile copy_file_range getdents64 rename renameat renameat2 unlink unlinkat rmdir mkdir',
  'mkdirat link linkat symlink stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat',
  'chmod fchmod fchmodat chown fchown fchownat utimensat',
].flatMap((names) => names.split(' ').map((name) => `?${name}`))

const canTrace = process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

afterEach(endProcesses)

/** A call of the main thread: the how many of its name it is, and its line in the words of strace. */
type Call = { readonly name: string; readonly nth: number; readonly line: string }

/** The same again where the machine was so busy that the gateway was taken for none, which changes nothing. */
async function traced(lane: Lane, args: readonly string[], killAt?: Call) {
  for (let tries = 1; ; tries++) {
    const ended = await tracedOnce(lane, args, killAt)
    if (tries === MAX_TRIES || !ended.stderr.includes('Another Farebox is using this data folder')) return ended
  }
}

/** Runs a command to its end, or to this call. */
async function tracedOnce({ folder, dataDir }: Lane, args: readonly string[], killAt?: Call) {
  const log = join(dirname(folder), `${folder.split('/').at(-1)}.log`)
  const kill = killAt === undefined ? [] : ['-e', `inject=${killAt.name}:signal=SIGKILL:when=${killAt.nth}`]
  const command = ['strace', '-f', '-qq', '-y', '-s', '0', '-o', log, '-e', `trace=${FILE_CALLS.join()}`, ...kill]
  try {
    // Calls are counted for each thread: there is one that may read and write beside the main one.
    const options = { dataDir, place: { command, root: '' }, env: { UV_THREADPOOL_SIZE: '1' } }
    const { code, stderr } = await farebox(args, options)
    return { code, stderr, calls: callsIn(readFileSync(log, 'utf8')) }
  } finally {
    rmSync(log, { force: true })
  }
}

function callsIn(log: string): Call[] {
  const [, main = ''] = /^(\d+) /.exec(log) ?? []
  const counts = new Map<string, number>()
  return log.split('\n').flatMap((line) => {
    const [, thread, name = ''] = /^(\d+) +(\w+)\(/.exec(line) ?? []
    if (thread !== main) return []
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    return { name, nth, line: line.replace(/AT_FDCWD<[^>]*>/, 'AT_FDCWD') }
  })
}

/** A call in words that are the same in every round. */
function wordsOf({ line }: Call, { folder }: Lane): string {
  return line
    .replace(/^\d+ +/, '')
    .replaceAll(folder, '~')
    .replaceAll(/farebox-[0-9a-f]{8}/g, 'farebox-')
    .replaceAll(/\b\d+</g, '<')
    .replace(/\) += .*$/, ')')
}

type Command = {
  readonly name: string
  readonly verb: 'connect' | 'disconnect'
  readonly tool: LaneTool
}

const COMMANDS: readonly Command[] = [CLAUDE_CODE, CRUSH].flatMap((tool) => [
  { name: `a connection of ${tool.tool}`, verb: 'connect', tool } as const,
  { name: `a disconnection of ${tool.tool}`, verb: 'disconnect', tool } as const,
])
/** Of the light form: each way once, and both shapes of files. */
const LIGHT = ['a connection of crush', 'a disconnection of claude-code']

async function prepare(lane: Lane, { verb }: Command): Promise<void> {
  if (verb === 'disconnect') await lane.connects()
}

/** The whole command once: its calls, and what the tool's files say before and afterwards. */
async function wholeOf(lane: Lane, command: Command) {
  await prepare(lane, command)
  const before = lane.says()
  const { code, stderr, calls } = await traced(lane, [command.verb, command.tool.tool])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const after = lane.says()
  expect(after).not.toEqual(before)
  await lane.isTakenBack()
  return { calls, before, after }
}

type Texts = Readonly<Record<string, string>>

/** Each file is as it was or as it will be; one that is to be made or taken away may be missing. */
function expectOldOrNew(now: Texts, { before, after }: { before: Texts; after: Texts }, when: string): void {
  const names = new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(now)])
  for (const name of names) expect([before[name], after[name]], `${name} ${when}`).toContain(now[name])
}

type Whole = Awaited<ReturnType<typeof wholeOf>>
type Ready = { readonly lane: Lane; readonly whole: Whole }

async function readyFor(command: Command): Promise<Ready> {
  const lane = await Lane.open(command.tool)
  return { lane, whole: await wholeOf(lane, command) }
}

/** Dies at each of these calls. Returns at which it died, in words. */
async function runLane(command: Command, { lane, whole }: Ready, moments: readonly Call[]): Promise<string[]> {
  const killed: string[] = []
  for (const at of moments) {
    await prepare(lane, command)
    const dead = await traced(lane, [command.verb, command.tool.tool], at)
    const last = dead.calls.at(-1)
    const when = `at ${at.name} ${at.nth}: ${last === undefined ? 'none' : wordsOf(last, lane)}`
    // Now and then there are a few calls less than the first time, and the last of them do not come.
    if (dead.code !== 0) expect([dead.code, dead.stderr], when).toEqual([null, ''])
    expectOldOrNew(lane.says(), whole, when)
    expect(Object.keys({ ...whole.before, ...whole.after }), when).toEqual(expect.arrayContaining(lane.drafts()))
    await lane.isTakenBack()
    if (dead.code !== 0 && last !== undefined) killed.push(wordsOf(last, lane))
  }
  return killed
}

/** Those that have to do with the home folder or the data folder in it; in the light form, some that have with the tool or its connection. */
function momentsOf({ lane, whole: { calls } }: Ready): readonly Call[] {
  if (isLong) return calls.filter(({ line }) => line.includes(lane.folder))
  const places = [lane.toolFolder, join(lane.dataDir, 'connections')]
  const own = calls.filter(({ line }) => places.some((place) => line.includes(place)))
  return own.filter((_, index) => index % Math.ceil(own.length / KILLS) === 1)
}

describe.skipIf(!canTrace)('a command that is killed', needs('strace'), () => {
  describe.each(isLong ? COMMANDS : COMMANDS.filter(({ name }) => LIGHT.includes(name)))('$name', (command) => {
    it('leaves each file old or new, whichever call it dies at, and is taken back', { timeout: LIMIT_MS }, async () => {
      const ready = await Promise.all(Array.from({ length: LANES }, () => readyFor(command)))
      const moments = momentsOf(ready[0] as Ready)
      const runs = ready.map((one, lane) => {
        const own = moments.filter((_, index) => index % LANES === lane)
        return runLane(command, one, own)
      })
      const killed = (await Promise.all(runs)).flat()
      console.log(`${command.name}: ${killed.length} kills, at ${new Set(killed).size} different calls`)
      expect(killed.length).toBeGreaterThanOrEqual(isLong ? 100 : 2)
    })
  })
})
