// A watched disk: what a process does to the files below a folder, in order and with its bytes, written down by a library that is
// loaded before all others (`disk-recorder.c`). Linux with a C compiler only.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'disk-recorder.c')
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'farebox-tests')

/** In the order of the numbers in `disk-recorder.c`, from 1. */
const TYPES = [
  'create',
  'write',
  'resize',
  'sync',
  'sync-range',
  'rename',
  'unlink',
  'link',
  'make-folder',
  'killed',
] as const

export type DiskRecord = {
  readonly type: (typeof TYPES)[number]
  readonly inode: number
  /** Absolute. Where it came from, for a renaming or a link. */
  readonly path: string
  /** The new name of a renaming or a link. */
  readonly toPath: string
  readonly bytes: Buffer
  /** A write's position, a new size, or how long the log was when a sync began. */
  readonly first: number
  /** What a synced range covers. */
  readonly position: number
  readonly length: number
  /** Where the log stood behind it: whoever saw a longer one came later. */
  readonly end: number
}

const HEAD_BYTES = 48

export type Watch = {
  /** The folder whose files are watched. */
  readonly folder: string
  readonly log?: string
  /** By how much a sync takes longer, so that whoever does not wait for it is seen to. */
  readonly syncUs?: number
  readonly kill?: Kill
}

export type Kill = {
  /** The number of the change to die at, from 1. */
  readonly at: number
  /** The name of the file whose changes count; those of all unless given. */
  readonly file?: string
  readonly how: 'before' | 'half' | 'after'
}

/** The variables by which a program is watched. */
export function watchedBy({ folder, log, syncUs = 0, kill }: Watch): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library(),
    DISK_FOLDER: folder,
    DISK_SYNC_US: String(syncUs),
    ...(log === undefined ? {} : { DISK_LOG: log }),
    ...(kill === undefined
      ? {}
      : {
          DISK_KILL_AT: String(kill.at),
          DISK_KILL_FILE: kill.file === undefined ? '' : `/${kill.file}`,
          DISK_KILL_HOW: kill.how,
        }),
  }
}

/** How far a log has come. */
export function lengthOf(log: string): number {
  return statSync(log).size
}

export function readRecords(log: string): DiskRecord[] {
  const bytes = readFileSync(log)
  const records: DiskRecord[] = []
  for (let start = 0; start + HEAD_BYTES <= bytes.length;) {
    const record = recordAt(bytes, start)
    records.push(record)
    start = record.end
  }
  return records
}

function recordAt(bytes: Buffer, start: number): DiskRecord {
  const type = TYPES[bytes.readUInt32LE(start) - 1]
  if (type === undefined) throw new Error(`there is no record at byte ${start} of the log`)
  const number = (index: number) => Number(bytes.readBigInt64LE(start + 8 * index))
  const pathEnd = start + HEAD_BYTES + bytes.readUInt32LE(start + 4)
  const end = pathEnd + number(1)
  const [path = '', toPath = ''] = bytes.toString('utf8', start + HEAD_BYTES, pathEnd).split('\0')
  const data = bytes.subarray(pathEnd, end)
  return {
    type,
    path,
    toPath,
    bytes: data,
    end,
    inode: number(2),
    first: number(3),
    position: number(4),
    length: number(5),
  }
}

/** Compiled once for each version of its source. */
function library(): string {
  const name = `disk-recorder-${createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16)}.so`
  const path = join(CACHE, name)
  if (existsSync(path)) return path
  mkdirSync(CACHE, { recursive: true })
  const draft = `${path}.${process.pid}`
  const compiled = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', draft, SOURCE, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  })
  if (compiled.status !== 0) throw new Error(`disk-recorder.c could not be compiled: ${compiled.stderr}`)
  renameSync(draft, path)
  return path
}
