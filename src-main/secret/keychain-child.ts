// The process of the keychain as its caller sees it, and the way to start it on Node. A packaged desktop app cannot run as Node,
// so it hands in a way of its own.

import { fork } from 'node:child_process'
import type { KeychainAnswer, KeychainCall } from '#secret/keychain-operations.ts'

export type KeychainChild = {
  /** Never throws: that a call could not be sent shows as the end of the process. */
  send(call: KeychainCall): void
  /** Ends it in the middle of whatever it does. */
  kill(): void
}

/** Neither is called before the process was handed back. */
export type ChildListener = {
  readonly answered: (answer: KeychainAnswer) => void
  readonly ended: () => void
}

/** Starts the process from its file. It must not keep this process alive. */
export type StartKeychain = (script: URL, listener: ChildListener) => KeychainChild

/** `env`: the environment of the process; this process's unless given. */
export function forkKeychain(env?: Readonly<Record<string, string>>): StartKeychain {
  return (script, { answered, ended }) => {
    const child = fork(script, [], {
      // What a library prints about secrets must not end up in a log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      ...(env === undefined ? {} : { env: { ...env } }),
    })
    // The time limit of a call keeps this process alive, and nothing else here does.
    child.unref()
    child.channel?.unref()
    child.on('message', answered)
    child.once('error', ended)
    child.once('exit', ended)
    return {
      send: (call) => void child.send(call, () => undefined),
      kill: () => void child.kill('SIGKILL'),
    }
  }
}
