// The log files below a folder, without following links.

import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogFile, LogFormat } from '#scan/log-format.ts'

/** Of one tool. Years of daily work make some ten thousands of files, and some tools have a folder for each. */
const BOUNDS = { files: 100_000, folders: 100_000 }
const MAX_DEPTH = 8

type Where = Pick<LogFormat, 'isLog' | 'mayHold' | 'records'>
export type Found = { readonly files: readonly LogFile[]; readonly isPartial: boolean }

/** Those whose path from the folder is one of a log, the oldest first. `isPartial` where something that may hold a log was left out. */
export async function findLogs(folder: string, format: Where, most = BOUNDS): Promise<Found> {
  const { isLog, mayHold = () => true } = format
  const files: LogFile[] = []
  let folders = 1
  let isPartial = false
  let level: readonly string[] = ['']
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = []
    for (const place of level) {
      for (const entry of await entriesOf(join(folder, place))) {
        const path = place === '' ? entry.name : `${place}/${entry.name}`
        if (entry.isDirectory() && mayHold(path)) {
          if (folders < most.folders) next.push(path)
          else isPartial = true
          folders += 1
        }
        if (!entry.isFile() || !isLog(path)) continue
        if (files.length >= most.files) return { files: sorted(files), isPartial: true }
        const file = join(folder, path)
        // What is new in a database is beside it first.
        const logMs = format.records?.type === 'rows' ? await changedAt(`${file}-wal`) : undefined
        const changedAtMs = await changedAt(file)
        if (changedAtMs !== undefined) files.push({ path: file, changedAtMs: Math.max(changedAtMs, logMs ?? 0) })
      }
    }
    level = next
  }
  return { files: sorted(files), isPartial: isPartial || level.length > 0 }
}

/** None where it is not there, or may not be looked at. */
function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}

function changedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    // It is gone meanwhile.
    () => undefined,
  )
}

function sorted(files: readonly LogFile[]): LogFile[] {
  return files.toSorted((left, right) => left.changedAtMs - right.changedAtMs || (left.path < right.path ? -1 : 1))
}
