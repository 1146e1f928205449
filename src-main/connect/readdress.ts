// A connection whose gateway has moved to another address. What was written is written again with that address: the same members, models
// and key, and nothing that a person chose since.

import { applyChanges, insistOnTakenBack, planChanges, planTakingBack } from '#connect/apply.ts'
import { Refused, type Path } from '#connect/format.ts'
import { changedSince, readCopy, readJournal, type Journal, type JournalFile } from '#connect/journal.ts'
import { FORMATS, planFile, type ReadFile, type Wanted } from '#connect/plan.ts'
import { decode } from '#connect/tool-file.ts'
import { isObject, valueAt } from '#connect/values.ts'

export type Readdressing = {
  readonly dataDir: string
  readonly tool: string
  /** The gateway's address, without `/v1`. */
  readonly url: string
  readonly nowMs: number
}

/** Throws a Refused where somebody changed what was written, or one of the files cannot be written; all of them are then as they were. */
export function readdress({ dataDir, tool, url, nowMs }: Readdressing): void {
  const journal = readJournal(dataDir, tool)
  const told = journal?.told
  if (journal?.state !== 'connected' || told === undefined) throw new Refused('missing', `${tool} is not connected.`)
  insistOnUntouched(dataDir, tool)
  const wanted = wantedAgain(dataDir, journal, (text) => text.replaceAll(told.url, url))
  const plan = (readFile: ReadFile) => wanted.map((one) => planFile(one, readFile))
  const changes = planChanges(dataDir, tool, plan)
  applyChanges({ dataDir, tool, changes, at: new Date(nowMs).toISOString(), told: { ...told, url } })
}

/** What somebody changed or took away is theirs, and is neither written over nor made anew. */
function insistOnUntouched(dataDir: string, tool: string): void {
  const files = planTakingBack(dataDir, tool)
  insistOnTakenBack(files)
  for (const { entry, file, left } of files) {
    if (file?.bytes === undefined) throw new Refused('changed', `${entry.file} is not there any more.`)
    const [changed] = [...changedSince(entry, decode(file.bytes)), ...left]
    if (changed !== undefined) throw new Refused('changed', `Somebody changed ${changed} since ${tool} was connected.`)
  }
}

type Rewrite = (text: string) => string

/** What was written, in the order in which it was. */
function wantedAgain(dataDir: string, { tool, files }: Journal, rewrite: Rewrite): Wanted[] {
  return files.map((entry) => wantedFile(entry, decode(readCopy(dataDir, tool, entry.after_copy)), rewrite))
}

function wantedFile({ file, format, members }: JournalFile, written: string, rewrite: Rewrite): Wanted {
  if (format === 'own') return { type: 'own', path: file, text: rewrite(written) }
  const values = FORMATS[format].read(written)
  return {
    type: 'members',
    path: file,
    format,
    members: members.map(({ path, kept }) => ({
      path: rewritten(path, rewrite) as Path,
      value: rewritten(valueAt(values, path), rewrite),
      ...(kept !== undefined && { kept }),
    })),
  }
}

function rewritten(value: unknown, rewrite: Rewrite): unknown {
  if (typeof value === 'string') return rewrite(value)
  if (Array.isArray(value)) return value.map((entry) => rewritten(entry, rewrite))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewritten(member, rewrite)]))
}
