// Builds Farebox: the gateway into dist/main, the dashboard into dist/dashboard. `node build.mjs` builds both anew. With --prepare, at
// the end of an installation, it builds what is out of date and never fails, because an installation must not fail for want of a page.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
/** Says in each build of which sources it was made. */
const STATE_FILE = 'sources.sha256'
const BOTH_USE = ['package.json', 'package-lock.json', 'vite.plugins.ts']

/** By the names of their folders in dist/: the configuration of Vite, and what they are made of. */
const PARTS = {
  main: { config: 'vite.main.config.ts', sources: ['src-main'] },
  dashboard: { config: 'vite.config.ts', sources: ['src-renderer', 'src-main/contract'] },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv[2] === '--prepare')

function run(isPreparing) {
  const names = Object.keys(PARTS)
  const print = (line) => process.stdout.write(line + '\n')
  const problems = isPreparing ? bringUpToDate(names, print) : names.flatMap((name) => attempt(name, 'inherit'))
  for (const problem of problems) print(problem)
  process.exitCode = problems.length > 0 && !isPreparing ? 1 : 0
}

/** Builds anew what was made of other sources than those that are here. Never throws; returns a sentence for each part that could not be built. */
export function bringUpToDate(names, print) {
  return names.flatMap((name) => {
    if (isUpToDate(name)) return []
    print('Building dist/' + name + ', because ' + reasonFor(name) + '…')
    return attempt(name, 'ignore')
  })
}

function attempt(name, output) {
  try {
    build(name, output)
    return []
  } catch (error) {
    return ['dist/' + name + ' could not be built: ' + error.message + '.']
  }
}

function reasonFor(name) {
  const isThere = existsSync(join(ROOT, 'dist', name, STATE_FILE))
  return isThere ? 'its sources have changed since it was built' : 'it was not built yet'
}

/** By content: a copy of the sources has other times, and a checkout of older sources has newer ones. */
function isUpToDate(name) {
  const file = join(ROOT, 'dist', name, STATE_FILE)
  return existsSync(file) && readFileSync(file, 'utf8') === stateOf(name)
}

function stateOf(name) {
  const { config, sources } = PARTS[name]
  const hash = createHash('sha256')
  for (const path of [config, ...BOTH_USE, ...sources].flatMap(filesAt).sort(byText)) {
    const text = readFileSync(join(ROOT, path))
    hash.update(path + '\0' + text.length + '\0').update(text)
  }
  return hash.digest('hex')
}

/** By code units, which are the same wherever this runs. */
function byText(one, other) {
  return one < other ? -1 : Number(one > other)
}

/** The file at a path or all files below it, in the words of the root folder and with forward slashes, as on every system. */
function filesAt(path) {
  const entry = statSync(join(ROOT, path), { throwIfNoEntry: false })
  if (entry === undefined) return []
  if (!entry.isDirectory()) return [path]
  // Nothing more is asked about plain files: every start in a clone lists them all.
  return readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((inner) => {
    const place = path + '/' + inner.name
    return inner.isFile() ? [place] : filesAt(place)
  })
}

/** Builds a part beside its place and moves it there when it is whole, so that nobody ever runs or is served half of it. */
function build(name, output) {
  if (!existsSync(VITE)) throw new Error('Vite is not installed here')
  const state = stateOf(name)
  const draft = 'dist/' + name + '.new-' + process.pid
  // It is code, for everybody who may start Farebox.
  const umask = process.umask(0o022)
  try {
    // Throws where nothing can be written, before anything is run in vain.
    mkdirSync(join(ROOT, draft), { recursive: true })
    removeAbandoned(name)
    const args = ['build', '--config', PARTS[name].config, '--outDir', join(ROOT, draft), '--emptyOutDir']
    // What a test runner or a shell sets for itself would change what is built.
    const env = { ...process.env, NODE_ENV: undefined, VITEST: undefined }
    const options = { cwd: ROOT, env, stdio: ['ignore', output, 'inherit'] }
    const { status } = spawnSync(process.execPath, [VITE, ...args, '--logLevel', 'warn'], options)
    if (status !== 0) throw new Error('Vite ended with ' + status)
    moveInto('dist/' + name, draft)
    writeFileSync(join(ROOT, 'dist', name, STATE_FILE), state)
  } finally {
    process.umask(umask)
    rmSync(join(ROOT, draft), { recursive: true, force: true })
  }
}

/**
 * File by file, so that the place is never empty: files with a hash of their content in their name come first, and those that load
 * them after that. Two builds of the same sources at the same time put the same files there.
 */
function moveInto(place, draft) {
  const hasHash = (path) => /-[\w-]{8}\.[\w.]+$/.test(path)
  const drafts = filesAt(draft).sort((one, other) => Number(hasHash(other)) - Number(hasHash(one)))
  const names = drafts.map((path) => path.slice(draft.length))
  for (const name of names) {
    mkdirSync(dirname(join(ROOT, place + name)), { recursive: true })
    renameSync(join(ROOT, draft + name), join(ROOT, place + name))
  }
  const kept = new Set([...names, '/' + STATE_FILE])
  for (const path of filesAt(place)) if (!kept.has(path.slice(place.length))) rmSync(join(ROOT, path), { force: true })
}

/** What builds left behind that were killed. */
function removeAbandoned(name) {
  for (const entry of readdirSync(join(ROOT, 'dist'))) {
    const [, part, pid] = /^(\w+)\.new-(\d+)$/.exec(entry) ?? []
    if (part === name && !isRunning(Number(pid))) rmSync(join(ROOT, 'dist', entry), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user may not be signalled, and runs.
    return error.code === 'EPERM'
  }
}
