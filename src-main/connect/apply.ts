// Writing what was planned, and taking it back. Both can be killed at any moment and done again: each file is looked at anew, and what
// has been done to it already is not done twice.

import { withoutMembers } from '#connect/edit.ts'
import { Refused } from '#connect/format.ts'
import {
  beginJournal,
  changedSince,
  closeJournal,
  dropJournal,
  finishJournal,
  readCopy,
  readJournal,
  type JournalFile,
  type Told,
} from '#connect/journal.ts'
import { FORMATS, naming, type FilePlan, type ReadFile } from '#connect/plan.ts'
import {
  decode,
  encode,
  HalfWritten,
  isSameFile,
  makeFolders,
  missingFolders,
  readToolFile,
  removeDrafts,
  removeEmptyFolders,
  replaceToolFile,
  replaceToolFiles,
  sha256Of,
  type ToolFile,
} from '#connect/tool-file.ts'

/** A file as it is now, and the plan for it as it is without what was written for an earlier connection. */
export type Change = { readonly now: ToolFile; readonly plan: FilePlan }

/** What a connection would change, where it takes the place of an earlier one. Nothing is written. Throws a Refused. */
export function planChanges(
  dataDir: string,
  tool: string,
  plan: (readFile: ReadFile) => readonly FilePlan[],
): readonly Change[] {
  const files = planTakingBack(dataDir, tool)
  insistOnTakenBack(files)
  const earlier = (path: string) => files.find(({ entry }) => isSameFile(entry.file, path))
  const readFile = (path: string): ToolFile => {
    const back = earlier(path)
    const file = readToolFile(path)
    return back === undefined ? file : { ...file, bytes: back.bytes, sha256: sha256Of(back.bytes) }
  }
  // A file that no earlier connection wrote is the very one that the plan was made for: it is not looked at once more, since it may have changed.
  const plans = plan(readFile)
  insistOnDifferent(plans)
  return plans.map((one) => {
    const { path, target } = one.file
    const file = earlier(path)?.file
    return { now: file === undefined ? one.file : { ...file, path, target }, plan: one }
  })
}

/** Of two plans for one file the second would not know what the first wrote. */
function insistOnDifferent(plans: readonly FilePlan[]): void {
  const paths = plans.map(({ file }) => file.path)
  paths.forEach((path, index) => {
    const same = paths.slice(0, index).find((other) => isSameFile(other, path))
    if (same !== undefined) throw new Refused('foreign', `${same} and ${path} are one file, and the tool needs two.`)
  })
}

export type Connecting = {
  readonly dataDir: string
  readonly tool: string
  readonly changes: readonly Change[]
  readonly at: string
  readonly told: Told
}

/**
 * Writes what was planned, and takes back what an earlier connection wrote into other files. Throws where that cannot be: all files, and an
 * earlier connection, are then as they were.
 */
export function applyChanges({ dataDir, tool, changes, at, told }: Connecting): void {
  if (changes.length === 0) return
  const obsolete = planTakingBack(dataDir, tool).filter(
    ({ entry }) => !changes.some(({ now }) => isSameFile(now.path, entry.file)),
  )
  insistOnTakenBack(obsolete)
  const edits = [
    ...changes.map(({ now, plan }) => ({ file: now, bytes: plan.after })),
    ...obsolete.flatMap(({ file, bytes }) => (file === undefined ? [] : { file, bytes })),
  ]
  try {
    const { files } = beginJournal(dataDir, tool, { plans: changes.map(({ plan }) => plan), at, told })
    try {
      for (const { target } of files) makeFolders(missingFolders(target))
      replaceToolFiles(edits)
    } catch (error) {
      if (!(error instanceof HalfWritten)) for (const entry of files) removeEmptyFolders(entry.made_folders)
      throw error
    }
  } catch (error) {
    if (!(error instanceof HalfWritten)) dropJournal(dataDir, tool)
    throw error
  }
  finishJournal(dataDir, tool)
  for (const { entry, bytes } of obsolete) if (bytes === undefined) removeEmptyFolders(entry.made_folders)
}

/** What becomes of one file. */
export type TakingBack = {
  readonly entry: JournalFile
  /** The file as it is; undefined where it could not be looked at. */
  readonly file: ToolFile | undefined
  readonly bytes: Buffer | undefined
  /** Members that somebody changed since, and that stay. */
  readonly left: readonly string[]
  /** Why nothing could be done; the file is as it was found. */
  readonly problem: string | null
}

/** Works out what taking back would do to each file of a tool, and writes nothing. None where all of it is taken back already. */
export function planTakingBack(dataDir: string, tool: string): readonly TakingBack[] {
  const journal = readJournal(dataDir, tool)
  if (journal === undefined || journal.state === 'disconnected') return []
  const earlier = journal.earlier ?? []
  const entries = [
    ...earlier.filter(({ file }) => !journal.files.some((entry) => isSameFile(entry.file, file))),
    ...journal.files,
  ]
  return entries.toReversed().map((entry) => {
    const nothing = { entry, file: undefined, bytes: undefined, left: [] }
    const written = [entry, ...earlier.filter(({ file }) => isSameFile(file, entry.file))]
    return orProblem(nothing, () => planFileBack(dataDir, tool, written))
  })
}

/** Takes back what was written for a tool. All files are worked out before the first of them is written. */
export function takeBack(dataDir: string, tool: string): readonly TakingBack[] {
  const files = planTakingBack(dataDir, tool).map((file) => orProblem(file, () => takeFileBack(file)))
  if (files.length > 0 && files.every(({ problem }) => problem === null)) closeJournal(dataDir, tool)
  return files
}

export function insistOnTakenBack(files: readonly TakingBack[]): void {
  const problem = files.find((file) => file.problem !== null)?.problem
  if (problem !== undefined && problem !== null) throw new Refused('changed', problem)
}

/** A file that is refused stays as it is, and the others need not. */
function orProblem(file: Omit<TakingBack, 'problem'>, work: () => TakingBack): TakingBack {
  try {
    return naming(file.entry.file, work)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { ...file, bytes: file.file?.bytes, left: [], problem: error.message }
  }
}

/** `written` is what may be in the file: one entry, or that of an interrupted connection and the one that it was to take the place of. */
function planFileBack(dataDir: string, tool: string, written: readonly JournalFile[]): TakingBack {
  const [first, earlier] = written
  if (first === undefined) throw new Error('A file of a journal has an entry.')
  const file = readToolFile(first.file)
  const entry = earlier !== undefined && fitsBetter(earlier, first, file) ? earlier : first
  const copies = {
    before: entry.before_copy === null ? undefined : readCopy(dataDir, tool, entry.before_copy),
    after: readCopy(dataDir, tool, entry.after_copy),
  }
  return { entry, file, ...undoneFile(entry, file, copies), problem: null }
}

/**
 * Whether a file says more of what the one entry wrote than of what the other did: more members that are as they were written, and of as
 * many the entry of which fewer are not.
 */
function fitsBetter(entry: JournalFile, other: JournalFile, { bytes, sha256 }: ToolFile): boolean {
  if (bytes === undefined || sha256 === other.after_sha256) return false
  if (sha256 === entry.after_sha256) return true
  const text = decode(bytes)
  const [changed, otherChanged] = [entry, other].map((one) => changedSince(one, text).length) as [number, number]
  const more = entry.members.length - changed - (other.members.length - otherChanged)
  return more === 0 ? changed < otherChanged : more > 0
}

function takeFileBack(planned: TakingBack): TakingBack {
  const { entry, file, bytes } = planned
  if (file === undefined) return planned
  removeDrafts(entry.target)
  if (sha256Of(bytes) !== file.sha256) replaceToolFile(file, bytes)
  if (bytes === undefined) removeEmptyFolders(entry.made_folders)
  return planned
}

type CopiedBytes = { readonly before: Buffer | undefined; readonly after: Buffer }
type UndoneFile = { readonly bytes: Buffer | undefined; readonly left: readonly string[] }

function undoneFile(entry: JournalFile, file: ToolFile, { before, after }: CopiedBytes): UndoneFile {
  // It was never written, or is taken back already, or somebody took it away.
  if (file.bytes === undefined || file.sha256 === entry.before_sha256) return { bytes: file.bytes, left: [] }
  if (file.sha256 === entry.after_sha256) return { bytes: before, left: [] }
  if (entry.format === 'own') return { bytes: file.bytes, left: [entry.file] }
  const format = FORMATS[entry.format]
  const versions = {
    before: before === undefined ? '' : decode(before),
    after: decode(after),
    current: decode(file.bytes),
  }
  const { text, left } = withoutMembers(format, versions, entry.members)
  const isOurs = before === undefined && format.isBlank(text)
  return { bytes: isOurs ? undefined : encode(text, file.bytes), left }
}
