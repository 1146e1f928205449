// Electron without a window or an icon: for commands, and for a gateway without a desktop.

import { app } from 'electron'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs some work once Electron is ready, and ends the program with the exit code that it resolves to; undefined: it goes on until a
 * signal ends it.
 */
export async function runPlainly(work: () => Promise<number | undefined>): Promise<void> {
  // Chromium writes a little at each start. That must not get into the folder of an app that runs at the same time.
  const folder = mkdtempSync(join(tmpdir(), 'farebox-command-'))
  const clean = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clean)
  app.setPath('userData', folder)
  app.disableHardwareAcceleration()
  await app.whenReady()
  const exitCode = await work()
  if (exitCode === undefined) return
  // Ending at once would lose what a slow reader has not taken yet.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  clean()
  app.exit(exitCode)
}
