// Keeps compiled code from one start to the next (docs/decisions/0005-compile-cache.md). Turning TypeScript into JavaScript takes a
// compiler of 30 MB; with the cache it is loaded once, by a process that ends before Farebox starts. Plain JavaScript, because it runs
// before anything is compiled.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cacheFolders } from './cache-folder.mjs'

const HOOK = new URL('bundled-packages.mjs', import.meta.url)
const BUNDLER = fileURLToPath(new URL('bundle-packages.mjs', import.meta.url))
const WARM_UP = fileURLToPath(new URL('warm-up.ts', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Has Node use the cache, and fills it before where that was not done or not to its end. */
export async function useCodeCache(env) {
  if (!existsSync(PACKAGES)) return
  const { folder, mark } = cacheFolders()
  // Worker threads and the warm-up find the cache through the environment.
  env.NODE_COMPILE_CACHE = folder
  if (!existsSync(mark)) await fill({ folder, mark, env })
  // Where neither this user nor Farebox before could make one, this does nothing.
  enableCompileCache(folder)
  await import(HOOK.href)
}

/**
 * Two at the same time do the same work twice and harm nothing: whatever they write is renamed to its place when it is whole. The mark
 * comes last, so that an installation that was interrupted is made up for.
 */
async function fill({ folder, mark, env }) {
  const attempt = mark + '.new'
  try {
    mkdirSync(folder, { recursive: true })
    // Throws where nothing can be written, before anything is run in vain.
    writeFileSync(attempt, '')
    const { spawnSync } = await import('node:child_process')
    const run = (args, more) => spawnSync(process.execPath, args, { env: { ...env, ...more } })
    const steps = [
      // The builder is used once, and need not be in the cache.
      run([BUNDLER], { NODE_DISABLE_COMPILE_CACHE: '1' }),
      run(['--import', HOOK.href, WARM_UP]),
    ]
    // What was killed is tried again by the next start. What failed is not: it would hold up every start from now on.
    if (steps.every((step) => step.signal === null)) writeFileSync(mark, '')
    rmSync(attempt, { force: true })
  } catch {
    // Installed by someone else, in a folder that is not ours to write, or the disk is full: Farebox runs with what is there.
  }
}
