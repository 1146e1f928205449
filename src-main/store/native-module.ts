// Whether SQLite can be used by the Node that runs this: its module is built for one, and a machine may have several.

import Database from 'better-sqlite3'
import { errorCode } from '#store/files.ts'

/** The short name of what is wrong; undefined where nothing is. */
export function nativeModuleProblem(): string | undefined {
  try {
    new Database(':memory:').close()
    return undefined
  } catch (error) {
    return errorCode(error) || 'it cannot be loaded'
  }
}
