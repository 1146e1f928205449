// One file of a tool: how it is found through links, what Farebox refuses to touch, and how it gets its new content. Whoever looks at any
// moment sees the old file or the new one: the new one is written beside it and takes its name at once.

import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
  accessSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { changedMeanwhile, Refused } from '#connect/format.ts'

/** Settings are small; more than this is something else. */
const MAX_FILE_BYTES = 16 * 1_048_576
/** Of links that lead to each other. */
const MAX_LINKS = 20
/** What Farebox makes may hold a key. */
const PRIVATE_MODE = 0o600
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** `bytes` and `mode` are undefined where there is no file. */
export type ToolFile = {
  /** Where the tool looks for it. */
  readonly path: string
  /** Where it is: behind links. */
  readonly target: string
  readonly bytes: Buffer | undefined
  readonly sha256: string | null
  readonly mode: number | undefined
}

/** Reads a file, and refuses one that is not to be written. */
export function readToolFile(path: string): ToolFile {
  const target = targetOf(path)
  const stats = statOf(target)
  if (stats === undefined) return { path, target, bytes: undefined, sha256: null, mode: undefined }
  insistOnOwnFile(path, stats)
  insistOnWritable(path, target)
  const bytes = readFileSync(target)
  return { path, target, bytes, sha256: sha256Of(bytes), mode: stats.mode & 0o7777 }
}

/** The same hash as the previews and the journal have; null for no file. */
export function sha256Of(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex')
}

/** Text without the mark at its beginning, which `encode` puts back. */
export function decode(bytes: Buffer): string {
  const text = bytes.subarray(0, 3).equals(UTF8_MARK) ? bytes.subarray(3) : bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    throw new Refused('unreadable', 'It is not text in UTF-8.')
  }
}

export function encode(text: string, like: Buffer | undefined): Buffer {
  const hasMark = like?.subarray(0, 3).equals(UTF8_MARK) ?? false
  return hasMark ? Buffer.concat([UTF8_MARK, Buffer.from(text)]) : Buffer.from(text)
}

/** Gives a file its new content, or takes it away; refuses where it is not what was read. */
export function replaceToolFile({ path, target, sha256, mode }: ToolFile, bytes: Buffer | undefined): void {
  if (bytes === undefined) {
    insistOnUnchanged(path, target, sha256)
    rmSync(target, { force: true })
    return
  }
  const draft = join(dirname(target), `.${basename(target)}.farebox-${randomUUID().slice(0, 8)}`)
  try {
    writeDraft(draft, bytes, { mode: mode ?? PRIVATE_MODE, like: statOf(target) })
    insistOnUnchanged(path, target, sha256)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(target))
}

/** Takes away what an edit that was killed had begun to write beside a file. */
export function removeDrafts(target: string): void {
  const folder = dirname(target)
  if (!existsSync(folder)) return
  const start = `.${basename(target)}.farebox-`
  const drafts = readdirSync(folder).filter(
    (name) => name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length)),
  )
  for (const name of drafts) rmSync(join(folder, name), { force: true })
}

/** The folders on the way to a file that are not there yet, the outermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  return missing
}

export function makeFolders(folders: readonly string[]): void {
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Of the folders that Farebox made, those that nobody put anything into. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

/** A file of Farebox's own: only this user reads it, and it is there only once it is whole. */
export function writePrivate(path: string, bytes: Buffer | string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  writeDraft(draft, Buffer.from(bytes), { mode: PRIVATE_MODE, like: undefined })
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** Follows links by hand: the last of them may point to a file that is not there. */
function targetOf(path: string): string {
  let target = resolve(path)
  for (let links = 0; links < MAX_LINKS; links++) {
    const stats = lstatSync(target, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink() !== true) return target
    target = resolve(dirname(target), readlinkSync(target))
  }
  throw new Refused('not_a_file', `${path} is a link that leads nowhere.`)
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function insistOnOwnFile(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new Refused('not_a_file', `${path} is not a file.`)
  if (stats.size > MAX_FILE_BYTES) throw new Refused('too_large', `${path} is larger than settings are.`)
  const user = process.getuid?.()
  if (user !== undefined && stats.uid !== user) throw new Refused('foreign', `${path} belongs to another user.`)
  // A file that takes its place would leave its other names behind with the old content.
  if (stats.nlink > 1)
    throw new Refused('foreign', `${path} has a second name (a hard link), which an edit would part from it.`)
  const isReadOnly = (stats.mode & constants.S_IWUSR) === 0
  if (isReadOnly) throw new Refused('read_only', `${path} is read-only.`)
}

function insistOnWritable(path: string, target: string): void {
  try {
    accessSync(target, constants.R_OK | constants.W_OK)
    accessSync(dirname(target), constants.W_OK)
  } catch {
    throw new Refused('read_only', `${path} cannot be written, or its folder cannot.`)
  }
}

function insistOnUnchanged(path: string, target: string, sha256: string | null): void {
  const stats = statOf(target)
  const now = stats === undefined ? undefined : readFileSync(target)
  if (sha256Of(now) !== sha256) throw changedMeanwhile(path)
}

type Like = { readonly mode: number; readonly like: Stats | undefined }

function writeDraft(draft: string, bytes: Buffer, { mode, like }: Like): void {
  const file = openSync(draft, 'wx', PRIVATE_MODE)
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    if (process.platform !== 'win32') {
      if (like !== undefined) fchownSync(file, like.uid, like.gid)
      fchmodSync(file, mode)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Windows keeps names by itself, and has no way to ask for it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32') chmodSync(folder, 0o700)
}
