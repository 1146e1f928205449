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
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
  accessSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { changedMeanwhile, Refused, type RefusedReason } from '#connect/format.ts'

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
  const stats = attempt(path, () => statOf(target))
  if (stats === undefined) return { path, target, bytes: undefined, sha256: null, mode: undefined }
  insistOnOwnFile(path, stats)
  insistOnWritable(path, target)
  const bytes = readFileSync(target)
  return { path, target, bytes, sha256: sha256Of(bytes), mode: stats.mode & 0o7777 }
}

/**
 * Refuses a place where no file can be made, before anything else is done for it. The nearest thing on the way to it that is there has to
 * be a folder that this user may write in.
 */
export function insistOnPlace({ path, target }: ToolFile): void {
  let folder = dirname(target)
  while (attempt(path, () => lstatSync(folder, { throwIfNoEntry: false })) === undefined && dirname(folder) !== folder)
    folder = dirname(folder)
  const isFolder = attempt(path, () => statOf(folder))?.isDirectory() ?? false
  if (!isFolder) throw new Refused('not_a_file', `${path} cannot be made: ${folder} is not a folder.`)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    throw new Refused('read_only', `${path} cannot be made: nothing can be written in ${folder}.`)
  }
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
    throw new Refused('unreadable', 'It is not text in UTF-8. Save it as that, and try again.')
  }
}

export function encode(text: string, like: Buffer | undefined): Buffer {
  const hasMark = like?.subarray(0, 3).equals(UTF8_MARK) ?? false
  return hasMark ? Buffer.concat([UTF8_MARK, Buffer.from(text)]) : Buffer.from(text)
}

/** What becomes of a file: its new content, or undefined where it is taken away. */
export type FileEdit = { readonly file: ToolFile; readonly bytes: Buffer | undefined }
type Draft = FileEdit & { readonly draft: string | undefined }

/** Some files have their new content and others have not: what is in the journal has to be taken back by hand or by a disconnection. */
export class HalfWritten extends Error {
  override readonly name = 'HalfWritten'
}

/**
 * Gives files their new content; refuses where one of them is not what was read. All of it is on the disk beside them before the first file
 * changes, so that a disk without room for it changes none. Where a later one fails, those before it are put back.
 */
export function replaceToolFiles(edits: readonly FileEdit[]): void {
  const drafts: Draft[] = []
  const done: Draft[] = []
  try {
    for (const edit of edits) drafts.push({ ...edit, draft: draftOf(edit) })
    for (const edit of drafts) {
      placeDraft(edit)
      done.push(edit)
    }
  } catch (error) {
    for (const { draft } of drafts) if (draft !== undefined) rmSync(draft, { force: true })
    for (const { file, bytes } of done.toReversed()) putBack(file, bytes)
    throw error
  }
}

export function replaceToolFile(file: ToolFile, bytes: Buffer | undefined): void {
  replaceToolFiles([{ file, bytes }])
}

function putBack(file: ToolFile, written: Buffer | undefined): void {
  try {
    replaceToolFile({ ...file, sha256: sha256Of(written) }, file.bytes)
  } catch (error) {
    throw new HalfWritten(`${file.path} could not be put back as it was.`, { cause: error })
  }
}

function draftOf({ file: { path, target, mode }, bytes }: FileEdit): string | undefined {
  if (bytes === undefined) return undefined
  const draft = join(dirname(target), `.${basename(target)}.farebox-${randomUUID().slice(0, 8)}`)
  try {
    attempt(path, () => writeDraft(draft, bytes, { mode: mode ?? PRIVATE_MODE, like: statOf(target) }))
    return draft
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function placeDraft({ file: { path, target, sha256 }, draft }: Draft): void {
  insistOnUnchanged(path, target, sha256)
  if (draft === undefined) return rmSync(target, { force: true })
  renameSync(draft, target)
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
  let folder = dirname(path)
  while (!existsSync(folder) && dirname(folder) !== folder) {
    missing.unshift(folder)
    folder = dirname(folder)
  }
  return missing
}

/**
 * Makes folders for this user alone, the outermost first. They are made one at a time: in places such as /proc, where no folder can be
 * made, Node goes on for ever when it is to make those above it too.
 */
export function makeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      const code = codeOf(error)
      // Somebody else made it meanwhile.
      if (code === 'EEXIST') continue
      throw new Refused('not_a_file', `The folder ${folder} cannot be made (${code}).`)
    }
  }
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
  try {
    writeDraft(draft, Buffer.from(bytes), { mode: PRIVATE_MODE, like: undefined })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/**
 * Whether two paths lead to one file, or would once it is there: through links, folders that are mounted twice, and names that differ only in
 * their case where the system does not tell these apart. One that cannot be looked at is the same as no other.
 */
export function isSameFile(path: string, other: string): boolean {
  if (path === other) return true
  try {
    const [one, two] = [placeOf(path), placeOf(other)]
    return one.device === two.device && one.inode === two.inode && one.rest === two.rest
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

/** What is there of the way to a file, by its number on its device, and the names that are not there yet. */
function placeOf(path: string): { readonly device: bigint; readonly inode: bigint; readonly rest: string } {
  const rest: string[] = []
  let place = targetOf(path)
  for (;;) {
    const stats = attempt(path, () => statSync(place, { throwIfNoEntry: false, bigint: true }))
    if (stats !== undefined) return { device: stats.dev, inode: stats.ino, rest: inOneCase(rest.join('/')) }
    if (dirname(place) === place) throw new Refused('not_a_file', `${path} cannot be used: there is no ${place}.`)
    rest.unshift(basename(place))
    place = dirname(place)
  }
}

/** Names of files that are not there yet, as systems compare them that do not tell cases apart unless asked to. */
function inOneCase(names: string): string {
  return process.platform === 'linux' ? names : names.toLowerCase()
}

/** Follows links by hand: the last of them may point to a file that is not there. */
function targetOf(path: string): string {
  let target = resolve(path)
  for (let links = 0; links < MAX_LINKS; links++) {
    const place = target
    const stats = attempt(path, () => lstatSync(place, { throwIfNoEntry: false }))
    if (stats?.isSymbolicLink() !== true) return target
    target = attempt(path, () => behindLink(place))
  }
  throw new Refused('not_a_file', `${path} is a link that leads nowhere. Take it away, or make what it leads to.`)
}

/**
 * What a link says counts from the folder that it really is in, which its own path names only where no folder on the way is a link, as those
 * of people are who keep their settings elsewhere.
 */
function behindLink(link: string): string {
  const place = readlinkSync(link)
  const written = isAbsolute(place) ? place : `${realpathSync.native(dirname(link))}${sep}${place}`
  const folder = dirname(written)
  return join(existsSync(folder) ? realpathSync.native(folder) : folder, basename(written))
}

/** What the system says of a place that cannot be used, as a refusal that names the file. */
function attempt<Done>(path: string, work: () => Done): Done {
  try {
    return work()
  } catch (error) {
    const reason = PLACE_ERRORS.get(codeOf(error))
    if (reason === undefined) throw error
    throw new Refused(reason, `${path} cannot be used (${codeOf(error)}).`)
  }
}

/** EPERM is the answer where a file would be given to a group or a user that this one may not give it to. */
const PLACE_ERRORS: ReadonlyMap<string, RefusedReason> = new Map([
  ['ENOTDIR', 'not_a_file'],
  ['ELOOP', 'not_a_file'],
  ['EACCES', 'read_only'],
  ['EROFS', 'read_only'],
  ['EPERM', 'foreign'],
])

/** What the system calls an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** Refuses what is not to be read as settings: a pipe or a device would be waited for without an end. */
export function insistOnSettings(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new Refused('not_a_file', `${path} is not a file. Move it away, and try again.`)
  if (stats.size > MAX_FILE_BYTES)
    throw new Refused(
      'too_large',
      `${path} is larger than settings are (16 MiB). Move away what is no setting, and try again.`,
    )
}

function insistOnOwnFile(path: string, stats: Stats): void {
  insistOnSettings(path, stats)
  const user = process.getuid?.()
  if (user !== undefined && stats.uid !== user)
    throw new Refused(
      'foreign',
      `${path} belongs to another user. Run this as that user, or have the file given to you.`,
    )
  // A file that takes its place would leave its other names behind with the old content.
  if (stats.nlink > 1)
    throw new Refused(
      'foreign',
      `${path} has a second name (a hard link), which an edit would part from it. Have a link (ln -s) in the place of one of them.`,
    )
  const isReadOnly = (stats.mode & constants.S_IWUSR) === 0
  if (isReadOnly) throw new Refused('read_only', `${path} is read-only. Make it writable, and try again.`)
}

function insistOnWritable(path: string, target: string): void {
  try {
    accessSync(target, constants.R_OK | constants.W_OK)
    accessSync(dirname(target), constants.W_OK)
  } catch {
    throw new Refused(
      'read_only',
      `${path} cannot be written, or its folder cannot. Make them writable for you, and try again.`,
    )
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
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export function makePrivateFolder(folder: string): void {
  makeFolders(missingFolders(join(folder, 'file')))
  if (process.platform !== 'win32') chmodSync(folder, 0o700)
}
