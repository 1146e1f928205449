// What is made once after an installation, and where it is kept: compiled code, and the packages that Farebox loads at every start as
// one file each. Plain JavaScript, because it runs before anything is compiled.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url))
const INSTALLED = join(PACKAGES, '.cache', 'farebox')

/** Packages of many modules, by their names in an import; the values are the names of their files. */
export const BUNDLED = {
  fastify: 'fastify',
  typebox: 'typebox',
  'typebox/compile': 'typebox-compile',
  undici: 'undici',
  yaml: 'yaml',
}

/**
 * A folder for every Node and every state of the packages, so that nothing in it outlives what it was made of: in `ofService`, the
 * folders that a service manager has for this service alone (systemd's CACHE_DIRECTORY), else beside the packages. `bundles` are the
 * places where packages may lie as one file each, and the last is where they are made. There is none where no npm wrote down what it
 * installed: then nothing would tell one state from the next.
 */
export function cacheFolders(ofService) {
  const root = serviceFolder(ofService) ?? INSTALLED
  try {
    const state = createHash('sha256')
      .update(readFileSync(join(PACKAGES, '.package-lock.json')))
      .digest('hex')
    const name = process.version + '-' + state.slice(0, 16)
    const folder = join(root, name)
    return { folder, bundles: [...new Set([join(INSTALLED, name, 'packages'), join(folder, 'packages')])] }
  } catch {
    // Another package manager, or a list that cannot be read.
    return { folder: join(root, process.version), bundles: [] }
  }
}

/** Removes what was made for another state, where that is not removed with the packages. */
export function removeOutdated(folder) {
  const root = dirname(folder)
  if (root === INSTALLED) return
  const outdated = readdirSync(root).filter((name) => /^v\d+\.\d+\.\d+(-[0-9a-f]{16})?$/.test(name))
  for (const name of outdated) {
    if (join(root, name) !== folder) rmSync(join(root, name), { recursive: true, force: true })
  }
}

/** undefined where another user could write there too: what is in it is run. */
function serviceFolder(paths = '') {
  const path = paths.split(':')[0]
  if (!process.getuid || !isAbsolute(path)) return undefined
  try {
    const found = statSync(path)
    const isOurs = found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0
    return isOurs ? join(path, 'code') : undefined
  } catch {
    // It is not there, or cannot be looked at.
    return undefined
  }
}
