// What the system and Electron tell the program: that it was started once more, that it is to end, that something has crashed.

import { app } from 'electron'
import type { CrashNotes } from '#shell/crash-notes.ts'

export type SystemOptions = {
  readonly crashes: CrashNotes
  /** Begins the end of the program. */
  readonly end: () => void
  readonly hasEnded: () => boolean
  /** Shows the dashboard. */
  readonly open: () => void
}

/** To be called before Electron is ready, so that nothing is missed. */
export function listenToSystem(options: SystemOptions): void {
  const { crashes, end, open } = options
  app.on('second-instance', open)
  // Somebody clicked the icon in the Dock.
  app.on('activate', open)
  app.on('before-quit', (event) => {
    // Electron would end at once; the way out of ours ends the process itself.
    event.preventDefault()
    end()
  })
  // Without a listener Electron ends with its last window.
  app.on('window-all-closed', () => undefined)
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) => {
    if (reason !== 'clean-exit') crashes.add({ what: 'window', reason, exitCode })
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') crashes.add({ what: type, reason, exitCode })
  })
  listenToSignals(options)
}

function listenToSignals({ crashes, end, hasEnded }: SystemOptions): void {
  // The second one ends the process where it stands.
  const signalled = () => (hasEnded() ? app.exit(1) : end())
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, signalled)
  // Electron would show the message in a window, and a message may quote what a client sent.
  const fault = (error: unknown) => {
    crashes.add({ what: 'main', reason: placeOf(error) })
    end()
  }
  process.on('uncaughtException', fault)
  process.on('unhandledRejection', fault)
}

function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return `${error.name} ${place?.trim() ?? ''}`
}
