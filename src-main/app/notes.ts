// What a running gateway leaves in its data folder for others of the same user: the note where it listens, and the pages that bring
// browsers here.

import { chmodSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOpenPage } from '#core/open-page.ts'

export type Instance = { readonly url: string; readonly pid: number; readonly token: string }

const instancePath = (dataDir: string) => join(dataDir, 'instance.json')

/** Tells the command line where this process listens and what to present. Only this user can read the file. */
export function writeInstance(dataDir: string, instance: Instance): void {
  const draft = `${instancePath(dataDir)}.new`
  writeFileSync(draft, JSON.stringify(instance), { mode: 0o600 })
  if (process.platform !== 'win32') chmodSync(draft, 0o600)
  renameSync(draft, instancePath(dataDir))
}

export function removeInstance(dataDir: string): void {
  rmSync(instancePath(dataDir), { force: true })
}

/**
 * Removes the pages that brought browsers here: their tickets are used or have ended. All of them unless a time is given. Never throws: what
 * cannot be removed now goes the next time.
 */
export function removeOpenPages(dataDir: string, olderThanMs = Number.POSITIVE_INFINITY): void {
  try {
    for (const name of readdirSync(dataDir).filter(isOpenPage)) {
      const path = join(dataDir, name)
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < olderThanMs) rmSync(path, { force: true })
    }
  } catch {
    // It runs on a timer, where it would end the process.
  }
}
