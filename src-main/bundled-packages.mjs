// Imported for what it does: from here on some packages come as one file each, where bundle-packages.mjs has made them. Finding and
// linking their hundreds of modules costs most of a start otherwise.

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { BUNDLED, cacheFolders } from './cache-folder.mjs'

const { bundles } = cacheFolders()
if (bundles !== undefined && existsSync(bundles)) {
  registerHooks({
    resolve(specifier, context, next) {
      // What packages require of each other stays theirs.
      if (!Object.hasOwn(BUNDLED, specifier) || context.conditions.includes('require')) return next(specifier, context)
      const url = pathToFileURL(bundles + '/' + BUNDLED[specifier] + '.mjs').href
      return { url, format: 'module', shortCircuit: true }
    },
  })
}
