import { join, relative, sep } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { prepare } from './test/install.ts'
import { LEFT_FILES } from './test/left-to-ci.ts'
import { LEFT_OUT, LEFT_OUT_VARIABLE, REQUIREMENTS } from './test/requirements.ts'
import { cases } from './test/support/cases.ts'
import { readTestGraph, type TestKind } from './test/support/test-kinds.ts'
import { needsOf } from './test/support/test-needs.ts'
import { threadsAsBuilt } from './test/support/built-threads.ts'

/** What `npm test` leaves to CI is asked for by `test/run.mjs --all`, by the name of a file or folder, or with all long tests. */
const IS_ALL = cases(false, true, true)
const GRAPH = readTestGraph(import.meta.dirname)
const KINDS = [...GRAPH.kinds()].filter(([path]) => IS_ALL || !LEFT_FILES.has(path))

const NEEDS = needsOf(GRAPH)

/** Tests that give this machine more networks. Browsers drop what they are loading then, so that these run when no other does. */
const NETWORK = ['guessing', 'invite', 'other-machine'].map((file) => `test/lan/${file}.test.ts`)

/** Files that are short to read and take a minute or two. Vitest takes the largest first, and would end with a worker at these alone. */
const LONGEST =
  /test\/(faults|ledger\/ledger-model|openapi|vendor-schemas|process\/(kill|disk-full|backup|shutdown|server))/

/**
 * First what takes longest, and then project by project: a process goes from one file to the next only where both are of a project that
 * shares its processes. The quick files come last, so that no worker is left alone with a long one.
 */
const ORDER = ['programs', 'own process', 'dashboard', 'shared process', 'fast']

let isSaid = IS_ALL

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (!isSaid)
      process.stdout.write(`${LEFT_FILES.size} files are left to CI and to \`npm run test:all\`: test/left-to-ci.ts\n`)
    isSaid = true
    const needs = files.flatMap(
      ({ moduleId }) => NEEDS.get(relative(import.meta.dirname, moduleId).replaceAll(sep, '/')) ?? [],
    )
    const missing = await prepare(needs, (line) => void process.stdout.write(`${line}\n`))
    process.env[LEFT_OUT_VARIABLE] = missing.join(' ')
    const sorted = await super.sort(files)
    const place = ({ moduleId, project }: TestSpecification) =>
      2 * ORDER.indexOf(project.name) + (LONGEST.test(moduleId) ? 0 : 1)
    return sorted.toSorted((left, right) => place(left) - place(right))
  }
}

/** The files of a kind, but for those of networks. */
const ofKind = (kind: TestKind) =>
  KINDS.filter(([path, itsKind]) => itsKind === kind && !NETWORK.includes(path)).map(([path]) => path)

const isOfDashboard = (path: string) => path.startsWith('test/dashboard/')
const SHARED = ofKind('shared')

/**
 * A browser on a busy machine takes its time, and a visit is many steps. The limits stand here because what a module sets holds only for
 * the file that loads it first, where files share a process.
 */
const DASHBOARD_LIMITS = { testTimeout: 90_000, hookTimeout: 240_000 }

/**
 * An eighth of the stack that Node has, in KiB. Lists that are spread into arguments, and recursion over what somebody sent, end there
 * with an eighth of the items, which take an eighth of the time.
 */
const SMALL_STACK = '--stack-size=123'

/** A folder in memory, where `test/run.mjs` found room for one: what gateways of tests write durably there waits for no disk. */
const MEMORY = process.env['FAREBOX_TESTS_IN_MEMORY']
const common = {
  environment: 'node',
  // Processes rather than threads: tests start worker threads of their own, load a native addon and send signals.
  pool: 'forks',
  // Two more than there are processors on a small machine: most tests of calls and of processes wait for time limits, disks and other
  // processes much of their time.
  maxWorkers: 4,
  // What takes longer hangs: many times what the slowest takes on a quiet machine. How long something may take is for tests that measure it.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  teardownTimeout: 10_000,
  runner: 'test/support/runner.ts',
  provide: { needs: Object.fromEntries([...NEEDS].map(([path, { whole }]) => [path, whole])) },
  tags: [{ name: LEFT_OUT, skip: true }, ...REQUIREMENTS.map(({ name, tests }) => ({ name, description: tests }))],
  setupFiles: ['test/support/process-as-found.ts', 'test/support/held-responses.ts'],
  // Every file is a process that loads much of the same, and so are the threads that it starts.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'farebox-tests') },
  // The default of a second is short for a machine that runs several suites at once, and that of 50 ms between two looks is most of the
  // time of a call.
  expect: { poll: { timeout: 30_000, interval: 5 } },
  // Packages of hundreds of modules, which nearly every file loads. As one module each they cost a fraction of the time.
  deps: {
    optimizer: { ssr: { enabled: true, include: ['fastify', 'typebox', 'typebox/compile', 'undici', 'yaml'] } },
  },
} satisfies ViteUserConfig['test']

/** Of tests that start gateways. */
const gateways = {
  ...common,
  globalSetup: 'test/support/build-first.ts',
} satisfies ViteUserConfig['test']
const inMemory = { env: { ...common.env, ...(MEMORY !== undefined && { TMPDIR: MEMORY }) } }
const plugins = [threadsAsBuilt()]

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { plugins, test: { ...gateways, name: 'programs', include: ofKind('programs'), isolate: false } },
      { plugins, test: { ...gateways, name: 'own process', include: ofKind('own') } },
      {
        plugins,
        test: {
          ...gateways,
          ...inMemory,
          ...DASHBOARD_LIMITS,
          // A look at a page costs more than one at a gateway of the same process.
          expect: { poll: { timeout: 30_000, interval: 50 } },
          name: 'dashboard',
          include: SHARED.filter(isOfDashboard),
          isolate: false,
        },
      },
      {
        plugins,
        test: {
          ...gateways,
          ...inMemory,
          name: 'shared process',
          include: SHARED.filter((path) => !isOfDashboard(path)),
          isolate: false,
        },
      },
      { test: { ...common, name: 'fast', include: ofKind('fast'), isolate: false, execArgv: [SMALL_STACK] } },
      {
        plugins,
        test: {
          ...gateways,
          name: 'network',
          include: KINDS.map(([path]) => path).filter((path) => NETWORK.includes(path)),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
