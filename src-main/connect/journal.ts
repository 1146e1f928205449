// What Farebox wrote into a tool's files, so that it can be taken back: a folder for each tool in the data folder, with a journal that names
// every file and member, and beside it the files as they were and as they were written. The journal has no secret in it: values are kept
// as hashes, and the copies beside it can be read by this user alone. It is on disk before the first file changes.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withoutNames, type WrittenMember } from '#connect/edit.ts'
import { Refused } from '#connect/format.ts'
import { connectionFolder } from '#connect/key-file.ts'
import { FORMATS, type FilePlan, type FormatName } from '#connect/plan.ts'
import { decode, makePrivateFolder, missingFolders, sha256Of, writePrivate } from '#connect/tool-file.ts'
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

/** undefined where the tool was never connected. Throws a Refused where it cannot be read. */
export function readJournal(dataDir: string, tool: string): Journal | undefined {
  const folder = connectionFolder(dataDir, tool)
  const path = join(folder, JOURNAL)
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

export function writeJournal(dataDir: string, journal: Journal): void {
  const folder = connectionFolder(dataDir, journal.tool)
  writePrivate(join(folder, JOURNAL), `${JSON.stringify(journal, null, 2)}\n`)
}

/** Copies of files before and after, and the journal that says so: all of it is on disk when this comes back. */
export function openJournal(
  dataDir: string,
  tool: string,
  opened: { plans: readonly FilePlan[]; at: string; told: Told },
): Journal {
  const folder = connectionFolder(dataDir, tool)
  makePrivateFolder(folder)
  removeCopies(dataDir, tool)
  const files = opened.plans.map((plan, index) => {
    const before = plan.file.bytes
    const copies = { before: `before-${index}`, after: `after-${index}` }
    if (before !== undefined) writePrivate(join(folder, copies.before), before)
    writePrivate(join(folder, copies.after), plan.after)
    return journalFile(plan, { before: before === undefined ? null : copies.before, after: copies.after })
  })
  const journal: Journal = { tool, state: 'connecting', at: opened.at, told: opened.told, files }
  writeJournal(dataDir, journal)
  return journal
}

/** The bytes of a copy. */
export function readCopy(dataDir: string, tool: string, name: string): Buffer {
  return readFileSync(join(connectionFolder(dataDir, tool), name))
}

/** What was written is of no more use once it is taken back, and may hold a key; what was there before is kept. */
export function removeWrittenCopies(dataDir: string, tool: string): void {
  removeCopies(dataDir, tool, /^after-\d+$/)
}

function removeCopies(dataDir: string, tool: string, names = /^(before|after)-\d+$/): void {
  const folder = connectionFolder(dataDir, tool)
  for (const name of readdirSync(folder)) if (names.test(name)) rmSync(join(folder, name))
}

const JOURNAL = 'journal.json'

function journalFile(plan: FilePlan, copies: { before: string | null; after: string }): JournalFile {
  const { wanted, file, after } = plan
  return {
    file: file.path,
    target: file.target,
    format: wanted.type === 'own' ? 'own' : wanted.format,
    before_sha256: file.sha256,
    after_sha256: sha256Of(after),
    before_copy: copies.before,
    after_copy: copies.after,
    made_folders: missingFolders(file.target),
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
