// Keeps compiled code from one start to the next (docs/decisions/0005-compile-cache.md). Turning TypeScript into JavaScript takes a
// compiler of 30 MB; with the cache it is loaded once, by a process that ends before Farebox starts. Plain JavaScript, because it runs
// before anything is compiled.

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { constants, enableCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBundles, useBundles } from './bundled-packages.mjs'
import { cacheFolders, removeOutdated } from './cache-folder.mjs'

const BUNDLER = fileURLToPath(new URL('bundle-packages.mjs', import.meta.url))
const LAUNCHER = fileURLToPath(new URL('launch.mjs', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Has Node use what is in the cache from here on. */
export function useCodeCache(env) {
  if (!existsSync(PACKAGES)) return
  const { folder, bundles } = cacheFolders(env.CACHE_DIRECTORY)
  // Where this user has none and may make none, this does nothing.
  enableCompileCache(folder)
  // Worker threads and the warm-up find it through the environment.
  env.NODE_COMPILE_CACHE = folder
  useBundles(bundles)
}

/** Fills the cache where that was not done, or not to its end. */
export async function fillCodeCache(env) {
  if (!existsSync(PACKAGES)) return
  // It is code, for everybody who may start Farebox. What is written later is not.
  const umask = process.umask(0o022)
  try {
    const { folder, bundles } = cacheFolders(env.CACHE_DIRECTORY)
    const { status } = enableCompileCache(folder)
    // Where Node was told of another cache, it uses that.
    if (status === constants.compileCacheStatus.ENABLED) await fill({ folder, bundles, env })
  } catch {
    // Installed by someone else, in a folder that is not ours to write, or the disk is full: Farebox runs with what is there.
  } finally {
    process.umask(umask)
  }
}

/**
 * Two at the same time do the same work twice and harm nothing: whatever they write is renamed to its place when it is whole. The mark
 * comes last, so that an installation that was interrupted is made up for.
 */
async function fill({ folder, bundles, env }) {
  // Node has a folder in it for each user and each kind of processor, and so has each a mark.
  const mark = join(getCompileCacheDir(), 'complete')
  if (existsSync(mark)) return
  const attempt = mark + '.new'
  // Throws where nothing can be written, before anything is run in vain.
  writeFileSync(attempt, '')
  const { spawnSync } = await import('node:child_process')
  const run = (args, more) => spawnSync(process.execPath, args, { env: { ...env, ...more } })
  const steps = []
  if (bundles.length > 0 && findBundles(bundles) === undefined) {
    // The builder is used once, and need not be in the cache.
    steps.push(run([BUNDLER, bundles.at(-1)], { NODE_DISABLE_COMPILE_CACHE: '1' }))
  }
  steps.push(run([LAUNCHER, '--warm-up'], { NODE_COMPILE_CACHE: folder }))
  // What was killed is tried again by the next start. What failed is not: it would hold up every start from now on.
  if (steps.every((step) => step.signal === null)) writeFileSync(mark, '')
  rmSync(attempt, { force: true })
  removeOutdated(folder)
}
