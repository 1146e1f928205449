// Runs the tests with the Node that runs this file, and closes with one plain line that says how many passed and failed.
// Arguments are handed on, so `node test/run.mjs test/core` runs a part, with what `npm test` leaves to CI of it; `--all` runs everything.
// On a Node that is too old for Farebox the tests get the one that `npm ci` brings, which npm scripts find first too.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'farebox-tests-'))
const report = join(folder, 'report.json')

/** Where Linux keeps files in memory. Containers often have 64 MB of it. */
const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 4 * 1024 ** 3

// Every Node that can run Farebox runs TypeScript. On an older one the database's addon ends the process without a word.
const isTooOld = !process.features.typescript
const brought = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
if (isTooOld && !existsSync(brought)) {
  process.stderr.write(
    `The tests need Node 22.18 or later, and this is Node ${process.versions.node}: \`npm ci\` brings Node 24.\n`,
  )
  process.exit(1)
}
const node = isTooOld ? brought : process.execPath
// What tests start by the name `node` is the same one.
process.env.PATH = [dirname(node), process.env.PATH].join(delimiter)

// What the gateways of tests write is written to the disk before anybody is answered, which on a busy machine is much of the time of a test.
// Where a system has room for it in memory, tests that are not about disks have their files there.
const memory = roomInMemory() ? mkdtempSync(join(MEMORY, 'farebox-tests-')) : undefined

const given = process.argv.slice(2)
const isAll = given.includes('--all') || given.some((word) => /[/\\]/.test(word))

const vitest = spawn(
  node,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...given.filter((word) => word !== '--all'),
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      ...(isAll && { FAREBOX_ALL_TESTS: '1' }),
      ...(memory !== undefined && { FAREBOX_TESTS_IN_MEMORY: memory }),
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal))

vitest.on('close', (code) => finish(code ?? 1))

function finish(code) {
  const { passed, failed, skipped, without } = count(code)
  for (const made of [folder, memory ?? folder]) rmSync(made, { recursive: true, force: true })
  if (skipped > 0) process.stdout.write(`skipped: ${without}\n`)
  const tail = skipped > 0 ? `, ${skipped} skipped` : ''
  process.stdout.write(`tests: ${passed} passed, ${failed} failed${tail}\n`)
  process.exitCode = code
}

/** Both in the folder and in the memory of the machine, which is what it takes. */
function roomInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES && process.availableMemory() >= 2 * ENOUGH_BYTES
  } catch {
    // There is no such folder on this system.
    return false
  }
}

function count(code) {
  const results = readReport()
  // A file that could not be loaded has no failed test, and neither has an error outside of any test. The closing line
  // must not look green for them.
  const brokenFiles = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = results.numFailedTests + brokenFiles.length
  return {
    passed: results.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: results.numPendingTests + results.numTodoTests,
    without: reasons(results),
  }
}

/** Why tests were skipped: before the tag of those that were left out stands the requirement that is missing (test/requirements.ts). */
function reasons({ numPendingTests, numTodoTests, testResults }) {
  const tags = testResults.flatMap((file) => file.assertionResults.map((test) => test.tags ?? []))
  const missing = tags.flatMap((names) => (names.includes('left-out') ? [names[names.indexOf('left-out') - 1]] : []))
  const counts = [...new Set(missing)].map((name) => `${missing.filter((one) => one === name).length} without ${name}`)
  const others = numPendingTests + numTodoTests - missing.length
  return [...counts, ...(others > 0 ? [`${others} not for this system, user or run`] : [])].join(', ')
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    // Vitest wrote no report, so no test has run: nothing passed, and its exit code says that something failed.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
