// Writing what was planned, and taking it back. Both can be killed at any moment and done again: each file is looked at anew, and what
// has been done to it already is not done twice.

import { withoutMembers } from '#connect/edit.ts'
import { Refused } from '#connect/format.ts'
import {
  openJournal,
  readCopy,
  readJournal,
  removeWrittenCopies,
  writeJournal,
  type Journal,
  type JournalFile,
  type Told,
} from '#connect/journal.ts'
import { FORMATS, naming, type FilePlan } from '#connect/plan.ts'
import {
  decode,
  encode,
  makeFolders,
  missingFolders,
  readToolFile,
  removeDrafts,
  removeEmptyFolders,
  replaceToolFile,
  sha256Of,
  type ToolFile,
} from '#connect/tool-file.ts'

export type Connecting = {
  readonly dataDir: string
  readonly tool: string
  readonly plans: readonly FilePlan[]
  readonly at: string
  readonly told: Told
}

/** Writes the planned files. Throws a Refused where one has changed since; those that were written are then taken back. */
export function applyPlans({ dataDir, tool, plans, at, told }: Connecting): Journal {
  const journal = openJournal(dataDir, tool, { plans, at, told })
  try {
    for (const { file, after } of plans) {
      makeFolders(missingFolders(file.target))
      replaceToolFile(file, after)
    }
  } catch (error) {
    takeBack(dataDir, tool)
    throw error
  }
  const connected: Journal = { ...journal, state: 'connected' }
  writeJournal(dataDir, connected)
  return connected
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
  return journal.files.toReversed().map((entry) => {
    const nothing = { entry, file: undefined, bytes: undefined, left: [] }
    return orProblem(nothing, () => planFileBack(dataDir, tool, entry))
  })
}

/** Takes back what was written for a tool. All files are worked out before the first of them is written. */
export function takeBack(dataDir: string, tool: string): readonly TakingBack[] {
  const journal = readJournal(dataDir, tool)
  if (journal === undefined || journal.state === 'disconnected') return []
  const files = planTakingBack(dataDir, tool).map((file) => orProblem(file, () => takeFileBack(file)))
  if (files.every(({ problem }) => problem === null)) {
    writeJournal(dataDir, { ...journal, state: 'disconnected' })
    removeWrittenCopies(dataDir, tool)
  }
  return files
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

function planFileBack(dataDir: string, tool: string, entry: JournalFile): TakingBack {
  const file = readToolFile(entry.file)
  const copies = {
    before: entry.before_copy === null ? undefined : readCopy(dataDir, tool, entry.before_copy),
    after: readCopy(dataDir, tool, entry.after_copy),
  }
  return { entry, file, ...undoneFile(entry, file, copies), problem: null }
}

function takeFileBack(planned: TakingBack): TakingBack {
  const { entry, file, bytes } = planned
  if (file === undefined) return planned
  removeDrafts(entry.target)
  if (sha256Of(bytes) !== file.sha256) replaceToolFile(file, bytes)
  if (bytes === undefined) removeEmptyFolders(entry.made_folders)
  return planned
}

type Copies = { readonly before: Buffer | undefined; readonly after: Buffer }
type UndoneFile = { readonly bytes: Buffer | undefined; readonly left: readonly string[] }

function undoneFile(entry: JournalFile, file: ToolFile, { before, after }: Copies): UndoneFile {
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
