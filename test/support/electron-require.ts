// Gives the double of Electron to packages that ask for Electron with `require`, which the mocks of Vitest do not reach.

import { createRequire } from 'node:module'
import * as double from './electron-double.ts'

const require = createRequire(import.meta.url)
const path = require.resolve('electron')

export function requireDouble(): void {
  require.cache[path] = { id: path, filename: path, loaded: true, exports: double } as unknown as NodeJS.Module
}

export function releaseDouble(): void {
  delete require.cache[path]
}
