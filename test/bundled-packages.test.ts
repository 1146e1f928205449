// The packages as one file each, made in an installation that has the packages of this one and a cache of its own.

import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const FILES = ['bundle-packages.mjs', 'bundled-packages.mjs', 'cache-folder.mjs']
const LIST = '.package-lock.json'
/** The builder is loaded once. */
const LIMIT = { timeout: 90_000 }

let place: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-bundles-'))
  mkdirSync(join(place, 'src-main'))
  for (const name of FILES) copyFileSync(join(ROOT, 'src-main', name), join(place, 'src-main', name))
  mkdirSync(join(place, 'node_modules'))
  copyFileSync(join(ROOT, 'node_modules', LIST), join(place, 'node_modules', LIST))
})

afterEach(() => {
  rmSync(place, { recursive: true, force: true })
})

function install(isWanted: (name: string) => boolean): void {
  const names = readdirSync(join(ROOT, 'node_modules')).filter((name) => !name.startsWith('.') && isWanted(name))
  for (const name of names) symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name))
}

function run(argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: place, encoding: 'utf8', env: {} })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

/** A text with one of these takes twice as much memory. */
const TWO_BYTES = /[^\0-\xff]/

function madeTexts(): string[] {
  const cache = join(place, 'node_modules', '.cache', 'farebox')
  const folders = readdirSync(cache).map((name) => join(cache, name, 'packages'))
  return folders.flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')))
}

/** Makes them at the place where an installation has them. */
function bundle(): void {
  const script = "console.log((await import('./src-main/cache-folder.mjs')).cacheFolders().bundles.at(-1) ?? '')"
  const made = run(['--input-type=module', '--eval', script]).trim()
  run([join('src-main', 'bundle-packages.mjs'), made])
}

/** What an import of each package has, and from where each is loaded. */
function loaded(isHooked: boolean) {
  const script = `
    const { BUNDLED, cacheFolders } = await import('./src-main/cache-folder.mjs')
    const { useBundles } = await import('./src-main/bundled-packages.mjs')
    if (${isHooked}) useBundles(cacheFolders().bundles)
    const found = {}
    for (const name of Object.keys(BUNDLED)) {
      const names = Object.keys(await import(name)).filter((one) => one !== 'module.exports')
      found[name] = { names, isBundle: import.meta.resolve(name).includes('/packages/') }
    }
    console.log(JSON.stringify(found))`
  const printed = run(['--input-type=module', '--eval', script])
  return JSON.parse(printed) as Record<string, { readonly names: readonly string[]; readonly isBundle: boolean }>
}

it('have every name that the packages have, and are no longer used once something else is installed', LIMIT, () => {
  install(() => true)
  bundle()
  const plain = loaded(false)
  expect(Object.keys(plain)).toEqual(['fastify', 'typebox', 'typebox/compile', 'undici', 'yaml'])
  const expected = Object.entries(plain).map(([name, { names }]) => [name, { names, isBundle: true }])
  expect(loaded(true)).toEqual(Object.fromEntries(expected))
  expect(madeTexts().filter((text) => TWO_BYTES.test(text))).toEqual([])
  appendFileSync(join(place, 'node_modules', LIST), '\n')
  expect(loaded(true)).toEqual(plain)
})

it('are not made where the builder is not installed, and nothing is missed', LIMIT, () => {
  install((name) => name !== 'vite')
  bundle()
  expect(readdirSync(join(place, 'node_modules'))).not.toContain('.cache')
  expect(Object.values(loaded(true)).map(({ isBundle }) => isBundle)).toEqual([false, false, false, false, false])
})

it('have no place where nothing says what is installed, and nothing is missed', LIMIT, () => {
  install(() => true)
  rmSync(join(place, 'node_modules', LIST))
  expect(loaded(true)['typebox']).toMatchObject({ isBundle: false })
})

it('are not used where one of them cannot be read', LIMIT, () => {
  install(() => true)
  bundle()
  const [made = ''] = readdirSync(join(place, 'node_modules', '.cache', 'farebox'))
  rmSync(join(place, 'node_modules', '.cache', 'farebox', made, 'packages', 'yaml.mjs'))
  expect(Object.values(loaded(true)).map(({ isBundle }) => isBundle)).toEqual([false, false, false, false, false])
})
