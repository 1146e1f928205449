// The process that talks to the keychain: the only one that loads its library. A keychain that hangs cannot be interrupted
// from within, and would keep the gateway from ending; a process of its own can be killed.

import { carryOut, type KeychainAnswer, type KeychainCall, type Keytar } from '#secret/keychain-operations.ts'

/** undefined where the library has no binary for this machine. */
let library: Promise<Keytar | undefined> | undefined

const reply = listen((call) => void answer(call))
// A terminal sends it to everybody; the gateway may still need secrets for the calls that it finishes.
process.on('SIGINT', () => undefined)

async function answer({ id, request }: KeychainCall): Promise<void> {
  library ??= import('keytar/keytar.js').catch(() => undefined)
  const keytar = await library
  const result =
    keytar === undefined
      ? ({ type: 'failed', trouble: 'unreachable' } as const)
      : await carryOut(keytar, request, process.platform)
  reply({ id, result })
}

/** Hears calls from whichever way this process was started, and returns what sends their answers back the same way. */
function listen(hear: (call: KeychainCall) => void): (answer: KeychainAnswer) => void {
  // Only a utility process of Electron has that port; it ends by itself when the gateway is gone.
  const port: Electron.ParentPort | undefined = process.parentPort
  if (port !== undefined) {
    port.on('message', ({ data }) => hear(data))
    return (message) => port.postMessage(message)
  }
  process.on('message', hear)
  // The gateway is gone. `process.exit` would wait for a call that hangs.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  return (message) => void process.send?.(message)
}
