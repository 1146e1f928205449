// What the system and Electron tell the program: that it was started once more, that it is to end, that something has crashed.

import { app } from 'electron'
import { linkIn } from '#shell/arguments.ts'
import { HIDDEN_FLAG } from '#shell/autostart.ts'
import type { CrashNotes } from '#shell/crash-notes.ts'
import { KEYCHAIN_NAME } from '#shell/keychain-child.ts'

export type SystemOptions = {
  readonly crashes: CrashNotes
  /** Begins the end of the program. */
  readonly end: () => void
  readonly hasEnded: () => boolean
  /** Whether everything is done, so that Electron may end the process. */
  readonly mayQuit: () => boolean
  /** Shows the dashboard. */
  readonly open: () => void
  /** Shows what a link proposes that somebody followed. */
  readonly openLink: (link: string) => void
}

/** To be called before Electron is ready, so that nothing is missed. */
export function listenToSystem(options: SystemOptions): void {
  const { crashes, end, mayQuit, open, openLink } = options
  app.on('second-instance', (_event, argv) => {
    const link = linkIn(argv)
    if (link !== undefined) return openLink(link)
    // A login can start a second instance, and the user did not ask for a window then.
    if (!argv.includes(HIDDEN_FLAG)) open()
  })
  // On macOS the system hands links over by this event alone, also those that started the program.
  app.on('open-url', (event, link) => {
    event.preventDefault()
    openLink(link)
  })
  // Somebody clicked the icon in the Dock.
  app.on('activate', open)
  app.on('before-quit', (event) => {
    // An installer has taken over, and waits for the process to end.
    if (mayQuit()) return
    // Electron would end at once; the way out of ours ends the process itself.
    event.preventDefault()
    end()
  })
  // Without a listener Electron ends with its last window.
  app.on('window-all-closed', () => undefined)
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) => {
    if (reason !== 'clean-exit') crashes.add({ what: 'window', reason, exitCode })
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    // That one is ended by us whenever there is nothing for it to do.
    const isExpected = reason === 'clean-exit' || (reason === 'killed' && name === KEYCHAIN_NAME)
    if (!isExpected) crashes.add({ what: type, reason, exitCode })
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

/** The kind of an error and the place it came from. Nothing of its message, which may quote a prompt. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  const { name, message, stack } = error
  const kind = /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error'
  // A message of several lines stands before the places, and may have lines that look like one.
  const start = typeof stack === 'string' ? stack.indexOf(message) : -1
  if (typeof stack !== 'string' || start === -1) return kind
  const places = stack.slice(start + message.length).split('\n')
  return `${kind} ${places.find((line) => line.startsWith('    at '))?.trim() ?? ''}`
}
