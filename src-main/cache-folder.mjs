// What is made once after an installation, and where it is kept: compiled code, and the packages that Farebox loads at every start as
// one file each. Plain JavaScript, because it runs before anything is compiled.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Packages of many modules, by their names in an import; the values are the names of their files. */
export const BUNDLED = {
  fastify: 'fastify',
  typebox: 'typebox',
  'typebox/compile': 'typebox-compile',
  undici: 'undici',
  yaml: 'yaml',
}

/**
 * A folder for every Node and every state of the packages, so that nothing in it outlives what it was made of. `bundles` is undefined
 * where no npm wrote down what it installed: then nothing would tell one state from the next. `mark` is a file that is there when all
 * was made that can be. Each user has one, because Node keeps what it compiles for each user apart.
 */
export function cacheFolders() {
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
  const folder = packages + '/.cache/farebox/' + process.version
  try {
    const state = createHash('sha256')
      .update(readFileSync(packages + '/.package-lock.json'))
      .digest('hex')
    const own = folder + '-' + state.slice(0, 16)
    return { folder: own, mark: markIn(own), bundles: own + '/packages' }
  } catch {
    // Another package manager, or a list that cannot be read.
    return { folder, mark: markIn(folder), bundles: undefined }
  }
}

/** Windows has no numbers for users, and there Node does not tell them apart. */
function markIn(folder) {
  return folder + '/complete' + (process.getuid ? '-' + process.getuid() : '')
}
