// Which test files may share a process, found by what they load: a list of them would be out of date with the next test. The
// configuration of the tests reads it, so that `npm run test:fast` is made of whatever is quick today.

import { join } from 'node:path'
import { importsOf, readSources, type SourceFile } from './sources.ts'

/**
 * - `fast`: nothing that the file loads can start a process or a thread, listen, connect, or open a database.
 * - `shared`: it does some of that within its own process and ends it again, so that the next file finds the process as it was.
 * - `programs`: the same, and it starts programs, whose files belong on a disk.
 * - `own`: it takes the place of a module, stops the clocks, or measures the process that it runs in.
 */
export type TestKind = 'fast' | 'shared' | 'programs' | 'own'

const SOURCES = ['src-main', 'src-renderer', 'test']

/** What can do none of that. A part of the platform or a package that is not named here is taken to be able to. */
const HARMLESS = new Set([
  ...['crypto', 'fs', 'fs/promises', 'os', 'path', 'stream', 'stream/consumers'].map((name) => `node:${name}`),
  ...['timers/promises', 'url', 'util', 'v8', 'vm', 'zlib'].map((name) => `node:${name}`),
  ...'@resvg/resvg-js dns-packet fast-check openai prettier typebox uqr vitest yaml'.split(' '),
])

/** What a test does to its process, or reads from it, that other tests in the process would notice or change. */
const ALONE =
  /\bvi\.(mock|doMock|stubEnv|stubGlobal)\(|\bprocess\.(chdir|memoryUsage|cpuUsage|resourceUsage)\(|\bgc\(|\bmonitorEventLoopDelay\(/

/** Stops the clocks of the process: of connections that another test left open too, whose timers then count among its own. */
const STOPS_CLOCKS = /\bvi\.useFakeTimers\(/

/** Reads all sources of the project. */
export function readTestGraph(root: string): TestGraph {
  return new TestGraph(
    SOURCES.flatMap((folder) =>
      readSources(join(root, folder)).map(({ path, text }) => ({ path: `${folder}/${path}`, text })),
    ),
  )
}

type Loaded = { readonly inside: readonly string[]; readonly outside: readonly string[] }

/** What test files load, directly and through what they load. Paths are from the root of the project. */
export class TestGraph {
  readonly tests: readonly string[]
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #loaded = new Map<string, Loaded>()
  readonly #reached = new Map<string, ReadonlySet<string>>()

  constructor(files: readonly SourceFile[]) {
    this.tests = files.map(({ path }) => path).filter((path) => /^test\/.*\.test\.ts$/.test(path))
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  kinds(): ReadonlyMap<string, TestKind> {
    return new Map(this.tests.map((path) => [path, this.#kindOf(path)]))
  }

  textOf(path: string): string {
    return this.#files.get(path)?.text ?? ''
  }

  #kindOf(test: string): TestKind {
    const reached = [...this.reach(test)]
    const isHarmless = reached.every((path) => this.#load(path).outside.every((name) => HARMLESS.has(name)))
    // What the program could start is not what a test starts: only the files of the tests decide about that.
    const tests = reached.filter((path) => path.startsWith('test/'))
    const says = (words: RegExp) => tests.some((path) => words.test(this.textOf(path)))
    if (says(ALONE)) return 'own'
    const isStarting = tests.some((path) => this.#load(path).outside.includes('node:child_process'))
    if (isHarmless && !isStarting) return 'fast'
    if (says(STOPS_CLOCKS)) return 'own'
    return isStarting ? 'programs' : 'shared'
  }

  /** The test file itself, and all that it loads. */
  reach(test: string): ReadonlySet<string> {
    const known = this.#reached.get(test)
    if (known !== undefined) return known
    const reached = new Set([test])
    // A set hands out what is added to it on the way.
    for (const path of reached) for (const next of this.#load(path).inside) reached.add(next)
    this.#reached.set(test, reached)
    return reached
  }

  #load(path: string): Loaded {
    const known = this.#loaded.get(path)
    if (known !== undefined) return known
    const file = this.#files.get(path)
    const imports = file === undefined ? [] : importsOf(file).filter(({ isTypeOnly }) => !isTypeOnly)
    const loaded = {
      inside: imports.filter(({ type }) => type === 'inside').map(({ target }) => fromRoot(target)),
      outside: imports.filter(({ type }) => type === 'outside').map(({ target }) => target),
    }
    this.#loaded.set(path, loaded)
    return loaded
  }
}

/** `#core/money.ts` is a room of the gateway, `#renderer/…` the dashboard; every other path says where it begins. */
function fromRoot(target: string): string {
  if (SOURCES.some((folder) => target.startsWith(`${folder}/`))) return target
  return target.startsWith('renderer/') ? `src-${target}` : `src-main/${target}`
}
