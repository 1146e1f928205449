// Runs the tests with the Node that runs this file, and closes with one plain line that says how many passed and failed.
// Arguments are handed on, so `node test/run.mjs test/core` runs a part.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'farebox-tests-'))
const report = join(folder, 'report.json')

const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal))

vitest.on('close', (code) => finish(code ?? 1))

function finish(code) {
  const { passed, failed, skipped } = count(code)
  rmSync(folder, { recursive: true, force: true })
  const tail = skipped > 0 ? `, ${skipped} skipped` : ''
  process.stdout.write(`tests: ${passed} passed, ${failed} failed${tail}\n`)
  process.exitCode = code
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
  }
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    // Vitest wrote no report, so no test has run: nothing passed, and its exit code says that something failed.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
