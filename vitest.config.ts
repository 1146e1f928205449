import { join } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests of functions that leave nothing behind: their files share processes, and what these have loaded. */
const PURE = ['cli', 'core', 'dialect', 'matrix', 'pipeline', 'renderer/{api,data}'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

/** Tests that give this machine more networks. Browsers drop what they are loading then, so that these run when no other does. */
const NETWORK = ['guessing', 'invite', 'other-machine'].map((file) => `test/lan/${file}.test.ts`)

/** Files that are short to read and take a minute or two. Vitest takes the largest first, and would end with a worker at these alone. */
const LONGEST =
  /test\/(faults|ledger\/ledger-model|openapi|vendor-schemas|process\/(kill|disk-full|backup|shutdown|server))/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const common = {
  environment: 'node',
  // Processes rather than threads: tests start worker threads of their own, load a native addon and send signals.
  pool: 'forks',
  // One more than there are processors on a small machine: most tests of calls and of processes wait for time limits, disks and other
  // processes two thirds of their time.
  maxWorkers: 3,
  testTimeout: 20_000,
  hookTimeout: 20_000,
  teardownTimeout: 10_000,
  setupFiles: ['test/support/held-responses.ts'],
  // Every file is a process that loads much of the same, and so are the threads that it starts.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'farebox-tests') },
  // The default of a second is short for a machine that runs several suites at once.
  expect: { poll: { timeout: 5_000 } },
  // Packages of hundreds of modules, which nearly every file loads. As one module each they cost a fraction of the time.
  deps: {
    optimizer: { ssr: { enabled: true, include: ['fastify', 'typebox', 'typebox/compile', 'undici', 'yaml'] } },
  },
} satisfies ViteUserConfig['test']

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'own process',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PURE, ...NETWORK],
        },
      },
      { test: { ...common, name: 'shared process', include: PURE, isolate: false } },
      { test: { ...common, name: 'network', include: NETWORK, sequence: { groupOrder: 1 } } },
    ],
  },
})
