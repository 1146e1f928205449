// What Farebox wrote into a tool's files, so that it can be taken back: a folder for each tool in the data folder, with a journal that names
// every file and member, and beside it the files as they were and as they were written. The journal has no secret in it: values are kept
// as hashes, and the copies beside it can be read by this user alone. It is on disk before the first file changes, under a name of its own
// until the last one has: the journal of an earlier connection stays until the new one takes its place by one renaming.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { withoutNames, type WrittenMember } from '#connect/edit.ts'
import { Refused } from '#connect/format.ts'
import { connectionFolder } from '#connect/key-file.ts'
import { FORMATS, type FilePlan, type FormatName } from '#connect/plan.ts'
import {
  decode,
  isSameFile,
  makePrivateFolder,
  missingFolders,
  sha256Of,
  syncFolder,
  writePrivate,
} from '#connect/tool-file.ts'
import { isObject, pathText, valueAt } from '#connect/values.ts'

export type JournalMember = WrittenMember & {
  readonly member: string
  /** A value without what is kept in it, as a hash of its JSON; null where there was none. */
  readonly before_sha256: string | null
  readonly after_sha256: string | null
}

export type JournalFile = {
  readonly file: string
  /** Where the file is, behind links. */
  readonly target: string
  readonly format: FormatName | 'own'
  /** null where there was no file. */
  readonly before_sha256: string | null
  readonly after_sha256: string | null
  /** Copies beside the journal; of a file that was not there, none. */
  readonly before_copy: string | null
  readonly after_copy: string
  readonly made_folders: readonly string[]
  readonly members: readonly JournalMember[]
}

/** What a connection was told of the gateway. */
export type Told = { readonly url: string; readonly model: string; readonly small_model: string }

export type Journal = {
  readonly tool: string
  readonly state: 'connecting' | 'connected' | 'disconnected'
  readonly at: string
  readonly told: Told
  readonly files: readonly JournalFile[]
}

/** `earlier` are the files of the connection that an interrupted one was to take the place of. */
export type FoundJournal = Journal & { readonly earlier?: readonly JournalFile[] }

/** undefined where the tool was never connected. Throws a Refused where it cannot be read. */
export function readJournal(dataDir: string, tool: string): FoundJournal | undefined {
  const whole = readJournalFile(dataDir, tool, JOURNAL)
  const begun = readJournalFile(dataDir, tool, BEGUN_JOURNAL)
  if (begun === undefined) return whole
  return { ...begun, state: 'connecting', earlier: openFiles(whole) }
}

/** The files of a connection that is not taken back. */
function openFiles(journal: Journal | undefined): readonly JournalFile[] {
  return journal === undefined || journal.state === 'disconnected' ? [] : journal.files
}

function readJournalFile(dataDir: string, tool: string, name: string): Journal | undefined {
  const folder = connectionFolder(dataDir, tool)
  const path = join(folder, name)
  if (!existsSync(path)) return undefined
  const journal = parsedOrNothing(path)
  if (isJournal(journal)) return journal
  const how = `What its files were is in ${folder}, in the files whose names begin with 'before-'.`
  throw new Refused('unreadable', `The journal ${path} cannot be read. ${how}`)
}

/** Whether there is anything of a connection to be taken back. A journal that cannot be read may well have something. */
export function isOpenConnection(dataDir: string, tool: string): boolean {
  return journalState(dataDir, tool) !== 'disconnected'
}

export function journalState(dataDir: string, tool: string): JournalState {
  return lookAtJournal(dataDir, tool).state
}

/** A tool that was never connected is `disconnected` as well. */
export type JournalState = Journal['state'] | 'unreadable'

/** The journal as far as it can be read, and what that says of the connection. */
export function lookAtJournal(
  dataDir: string,
  tool: string,
): { readonly journal: Journal | undefined; readonly state: JournalState } {
  try {
    const journal = readJournal(dataDir, tool)
    return { journal, state: journal?.state ?? 'disconnected' }
  } catch (error) {
    if (error instanceof Refused) return { journal: undefined, state: 'unreadable' }
    throw error
  }
}

function parsedOrNothing(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Whatever it is, it is no journal, which its reader says.
    return undefined
  }
}

function isTold(value: unknown): value is Told {
  return isObject(value) && ['url', 'model', 'small_model'].every((name) => typeof value[name] === 'string')
}

const STATES: readonly unknown[] = ['connecting', 'connected', 'disconnected']

/** What is read of it later. */
function isJournal(value: unknown): value is Journal {
  if (!isObject(value) || !STATES.includes(value['state']) || !Array.isArray(value['files'])) return false
  if (value['told'] !== undefined && !isTold(value['told'])) return false
  return value['files'].every(
    (file) =>
      isObject(file) &&
      ['file', 'target', 'after_copy'].every((name) => typeof file[name] === 'string') &&
      (file['format'] === 'own' || Object.hasOwn(FORMATS, String(file['format']))) &&
      Array.isArray(file['made_folders']) &&
      Array.isArray(file['members']) &&
      file['members'].every((member) => isObject(member) && Array.isArray(member['path'])),
  )
}

/** Copies of files before and after, and the journal that says so: all of it is on disk when this comes back. */
export function beginJournal(
  dataDir: string,
  tool: string,
  begun: { plans: readonly FilePlan[]; at: string; told: Told },
): Journal {
  const folder = connectionFolder(dataDir, tool)
  makePrivateFolder(folder)
  const earlier = openFiles(readJournalFile(dataDir, tool, JOURNAL))
  const first =
    1 +
    copiesIn(folder)
      .map(numberOf)
      .reduce((most, number) => Math.max(most, number), -1)
  const files = begun.plans.map((plan, index) => {
    const before = plan.file.bytes
    const copies = { before: `before-${first + index}`, after: `after-${first + index}` }
    if (before !== undefined) writePrivate(join(folder, copies.before), before)
    writePrivate(join(folder, copies.after), plan.after)
    return journalFile(plan, { ...copies, before: before === undefined ? null : copies.before }, earlier)
  })
  const journal: Journal = { tool, state: 'connected', at: begun.at, told: begun.told, files }
  writeJournal(dataDir, journal, BEGUN_JOURNAL)
  return journal
}

/** All files are written: the journal that was begun is the tool's. Nothing is written for that, so that a full disk does not keep it from being. */
export function finishJournal(dataDir: string, tool: string): void {
  const folder = connectionFolder(dataDir, tool)
  renameSync(join(folder, BEGUN_JOURNAL), join(folder, JOURNAL))
  syncFolder(folder)
  removeUnnamedCopies(dataDir, tool)
}

/** None of the files is written: an earlier journal is the tool's as before. */
export function dropJournal(dataDir: string, tool: string): void {
  rmSync(join(connectionFolder(dataDir, tool), BEGUN_JOURNAL), { force: true })
  removeUnnamedCopies(dataDir, tool)
}

/** All files are taken back. What was written is of no more use then, and may hold a key; what was there before is kept. */
export function closeJournal(dataDir: string, tool: string): void {
  const journal = readJournal(dataDir, tool)
  if (journal === undefined) return
  const { earlier: _, ...closed } = journal
  const folder = connectionFolder(dataDir, tool)
  writeJournal(dataDir, { ...closed, state: 'disconnected' }, JOURNAL)
  rmSync(join(folder, BEGUN_JOURNAL), { force: true })
  removeUnnamedCopies(dataDir, tool)
  for (const name of copiesIn(folder)) if (name.startsWith('after-')) rmSync(join(folder, name))
}

function writeJournal(dataDir: string, journal: Journal, name: string): void {
  const folder = connectionFolder(dataDir, journal.tool)
  writePrivate(join(folder, name), `${JSON.stringify(journal, null, 2)}\n`)
}

/** The bytes of a copy. */
export function readCopy(dataDir: string, tool: string, name: string): Buffer {
  return readFileSync(join(connectionFolder(dataDir, tool), name))
}

/** Copies that the tool's journal does not name are of an earlier connection, or of one that was not made. */
function removeUnnamedCopies(dataDir: string, tool: string): void {
  const folder = connectionFolder(dataDir, tool)
  const files = readJournalFile(dataDir, tool, JOURNAL)?.files ?? []
  const named = new Set(files.flatMap((file) => [file.before_copy, file.after_copy]))
  for (const name of copiesIn(folder)) if (!named.has(name)) rmSync(join(folder, name))
}

function copiesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^(?:before|after)-\d+$/.test(name))
}

function numberOf(copy: string): number {
  return Number(copy.slice(copy.indexOf('-') + 1))
}

const JOURNAL = 'journal.json'
/** Of a connection whose files are being written. */
const BEGUN_JOURNAL = 'begun.json'

type Copies = { readonly before: string | null; readonly after: string }

function journalFile(plan: FilePlan, copies: Copies, earlier: readonly JournalFile[]): JournalFile {
  const { wanted, file, after } = plan
  // Folders that were made for the connection before are there now, and Farebox's own all the same.
  const made = earlier.flatMap(({ file: path, made_folders: folders }) =>
    isSameFile(path, file.path) ? folders : folders.filter((folder) => file.target.startsWith(folder + sep)),
  )
  return {
    file: file.path,
    target: file.target,
    format: wanted.type === 'own' ? 'own' : wanted.format,
    before_sha256: file.sha256,
    after_sha256: sha256Of(after),
    before_copy: copies.before,
    after_copy: copies.after,
    made_folders: [...new Set([...made, ...missingFolders(file.target)])],
    members: wanted.type === 'own' ? [] : membersOf(plan, wanted.format),
  }
}

function membersOf({ wanted, file, after }: FilePlan, format: FormatName): JournalMember[] {
  if (wanted.type === 'own') return []
  const [was, is] = [file.bytes === undefined ? '' : decode(file.bytes), decode(after)].map(FORMATS[format].read)
  return wanted.members.map(({ path, kept }) => {
    const member = { path, ...(kept !== undefined && { kept }) }
    return {
      member: pathText(path),
      ...member,
      before_sha256: memberHash(was, member),
      after_sha256: memberHash(is, member),
    }
  })
}

/** A member's value as the journal has it: what the tool itself writes there is no part of it. */
function memberHash(values: unknown, { path, kept = [] }: Pick<JournalMember, 'path' | 'kept'>): string | null {
  const value = withoutNames(valueAt(values, path), kept)
  if (value === undefined) return null
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** What somebody changed in a file since it was written. */
export function changedSince(entry: JournalFile, text: string): string[] {
  const { file, format, members, after_sha256: after } = entry
  if (format === 'own') return sha256Of(Buffer.from(text)) === after ? [] : [file]
  const values = FORMATS[format].read(text)
  return members
    .filter((member) => memberHash(values, member) !== member.after_sha256)
    .map(({ member }) => `${member} in ${file}`)
}
