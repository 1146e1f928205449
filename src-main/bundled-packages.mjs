// Has some packages come as one file each, where bundle-packages.mjs has made them. Finding and linking their hundreds of modules costs
// most of a start otherwise.

import { accessSync, constants } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BUNDLED } from './cache-folder.mjs'

/** For what is imported from here on. */
export function useBundles(places) {
  const place = findBundles(places)
  if (place === undefined) return
  registerHooks({
    resolve(specifier, context, next) {
      // What packages require of each other stays theirs.
      if (!Object.hasOwn(BUNDLED, specifier) || context.conditions.includes('require')) return next(specifier, context)
      const url = pathToFileURL(fileIn(place, specifier)).href
      return { url, format: 'module', shortCircuit: true }
    },
  })
}

/** The first of these places that has them all for this user to read. */
export function findBundles(places) {
  return places.find((place) => Object.keys(BUNDLED).every((specifier) => isReadable(fileIn(place, specifier))))
}

function fileIn(place, specifier) {
  return join(place, BUNDLED[specifier] + '.mjs')
}

function isReadable(path) {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    // It is not there, or is another user's: the package is loaded as it is.
    return false
  }
}
