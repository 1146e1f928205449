// The process of the keychain as a utility process of Electron: a packaged app cannot run as Node, so it cannot fork itself.

import { utilityProcess } from 'electron'
import { fileURLToPath } from 'node:url'
import type { ChildListener, KeychainChild } from '#secret/keychain-child.ts'

/** What Electron calls the process. */
export const KEYCHAIN_NAME = 'Farebox keychain'

/** Only once Electron is ready. It ends with the app, and never keeps it. */
export function startKeychainUtility(script: URL, { answered, ended }: ChildListener): KeychainChild {
  const child = utilityProcess.fork(fileURLToPath(script), [], {
    serviceName: KEYCHAIN_NAME,
    // What a library prints about secrets must not end up in a log.
    stdio: 'ignore',
  })
  child.on('message', answered)
  child.on('exit', ended)
  return {
    send: (call) => child.postMessage(call),
    kill: () => void child.kill(),
  }
}
