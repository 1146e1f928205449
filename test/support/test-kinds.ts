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

/** The kind of every test file, by its path from the root of the project. */
export function testKinds(root: string): ReadonlyMap<string, TestKind> {
  return kindsOf(
    SOURCES.flatMap((folder) =>
      readSources(join(root, folder)).map(({ path, text }) => ({ path: `${folder}/${path}`, text })),
    ),
  )
}

export function kindsOf(files: readonly SourceFile[]): ReadonlyMap<string, TestKind> {
  const graph = new Graph(files)
  const tests = files.filter(({ path }) => /^test\/.*\.test\.ts$/.test(path))
  return new Map(tests.map(({ path }) => [path, graph.kindOf(path)]))
}

type Loaded = { readonly inside: readonly string[]; readonly outside: readonly string[] }

class Graph {
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #loaded = new Map<string, Loaded>()

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  kindOf(test: string): TestKind {
    const reached = [...this.#reach(test)]
    const isHarmless = reached.every((path) => this.#load(path).outside.every((name) => HARMLESS.has(name)))
    // What the program could start is not what a test starts: only the files of the tests decide about that.
    const tests = reached.filter((path) => path.startsWith('test/'))
    const says = (words: RegExp) => tests.some((path) => words.test(this.#files.get(path)?.text ?? ''))
    if (says(ALONE)) return 'own'
    const isStarting = tests.some((path) => this.#load(path).outside.includes('node:child_process'))
    if (isHarmless && !isStarting) return 'fast'
    if (says(STOPS_CLOCKS)) return 'own'
    return isStarting ? 'programs' : 'shared'
  }

  #reach(test: string): ReadonlySet<string> {
    const reached = new Set([test])
    // A set hands out what is added to it on the way.
    for (const path of reached) for (const next of this.#load(path).inside) reached.add(next)
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
