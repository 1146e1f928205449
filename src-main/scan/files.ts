// The log files below a folder, without following links.

import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogFile } from '#scan/log-format.ts'

/** Of one tool. Years of daily work make some ten thousands. */
const MAX_FILES = 100_000
const MAX_DEPTH = 8

export type Found = { readonly files: readonly LogFile[]; readonly isPartial: boolean }

/** Those whose path from the folder is one of a log, the oldest first. `isPartial` where there are more than are looked at. */
export async function findLogs(folder: string, isLog: (path: string) => boolean, most = MAX_FILES): Promise<Found> {
  const files: LogFile[] = []
  let level: readonly string[] = ['']
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = []
    for (const place of level) {
      for (const entry of await entriesOf(join(folder, place))) {
        const path = place === '' ? entry.name : `${place}/${entry.name}`
        if (entry.isDirectory()) next.push(path)
        if (!entry.isFile() || !isLog(path)) continue
        if (files.length >= most) return { files: sorted(files), isPartial: true }
        const changedAtMs = await changedAt(join(folder, path))
        if (changedAtMs !== undefined) files.push({ path: join(folder, path), changedAtMs })
      }
    }
    level = next
  }
  return { files: sorted(files), isPartial: level.length > 0 }
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
