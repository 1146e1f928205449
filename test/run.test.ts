// What runs the tests, beside a stand-in for the runner: which Node it takes, and how it closes.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let place: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-run-'))
  for (const folder of ['test', 'node_modules/vitest', 'node_modules/node/bin'])
    mkdirSync(join(place, folder), { recursive: true })
  copyFileSync(join(import.meta.dirname, 'run.mjs'), join(place, 'test', 'run.mjs'))
})

afterEach(() => {
  rmSync(place, { recursive: true, force: true })
})

type Test = 'passed' | 'failed' | 'skipped'
type File = {
  readonly status: 'passed' | 'failed'
  readonly tests?: readonly Test[]
  /** The tags of its tests. */
  readonly tags?: readonly string[]
}
type Run = {
  readonly args?: readonly string[]
  readonly files?: readonly File[]
  readonly code?: number
  readonly node?: string
  readonly isOld?: boolean
}

/** Runs the tests with a runner that says what it was given, and reports these files where there are some. An old Node is this one without its TypeScript. */
function run({ args = [], files, code = 0, node = process.execPath, isOld = false }: Run) {
  const all = (files ?? []).flatMap(({ tests = [] }) => tests)
  const report = {
    numPassedTests: all.filter((status) => status === 'passed').length,
    numPendingTests: all.filter((status) => status === 'skipped').length,
    numTodoTests: 0,
    numFailedTests: all.filter((status) => status === 'failed').length,
    testResults: (files ?? []).map(({ status, tests = [], tags = [] }) => ({
      status,
      assertionResults: tests.map((result) => ({ status: result, tags })),
    })),
  }
  writeFileSync(
    join(place, 'node_modules', 'vitest', 'vitest.mjs'),
    `import { writeFileSync } from 'node:fs'
     const file = process.argv.find((word) => word.startsWith('--outputFile.json=')).slice('--outputFile.json='.length)
     if (${files !== undefined}) writeFileSync(file, ${JSON.stringify(JSON.stringify(report))})
     const tests = process.env.FAREBOX_ALL_TESTS === undefined ? 'some' : 'all'
     console.log([process.env.BROUGHT ?? 'own', tests, ...process.argv.slice(6)].join(' '))
     process.exitCode = ${code}`,
  )
  const nodeArguments = isOld ? ['--no-experimental-strip-types'] : []
  const { status, stdout, stderr } = spawnSync(node, [...nodeArguments, join(place, 'test', 'run.mjs'), ...args], {
    encoding: 'utf8',
    // What these tests were started with themselves is not what the run is asked for.
    env: { ...process.env, FAREBOX_ALL_TESTS: undefined },
  })
  return { status, stderr, lines: stdout.trim().split('\n') }
}

/** The Node that npm brings, which says so. */
function bringNode(): void {
  const brought = join(place, 'node_modules', 'node', 'bin', 'node')
  writeFileSync(brought, `#!/bin/sh\nBROUGHT=brought exec '${process.execPath}' "$@"\n`)
  chmodSync(brought, 0o755)
}

describe('a run of the tests', () => {
  it('hands on what it is given, and counts', () => {
    const files: File[] = [{ status: 'passed', tests: ['passed', 'passed'] }]
    expect(run({ args: ['test/core'], files })).toEqual({
      status: 0,
      stderr: '',
      lines: ['own all test/core', 'tests: 2 passed, 0 failed'],
    })
  })

  it('has what is left to CI where everything or a part is asked for, and not otherwise', () => {
    const files: File[] = [{ status: 'passed', tests: ['passed'] }]
    const begins = (...args: string[]) => run({ args, files }).lines[0]
    expect(begins()).toBe('own some')
    expect(begins('--project', 'fast')).toBe('own some --project fast')
    expect(begins('--all')).toBe('own all')
    expect(begins('test/dashboard', '-u')).toBe('own all test/dashboard -u')
    expect(begins('test\\dashboard')).toBe('own all test\\dashboard')
  })

  it('says of the skipped tests which program they wanted, and how many are for another machine', () => {
    const files: File[] = [
      { status: 'passed', tests: ['skipped', 'skipped'], tags: ['other', 'first', 'left-out'] },
      { status: 'passed', tests: ['skipped'], tags: ['second', 'left-out'] },
      { status: 'passed', tests: ['passed', 'skipped'], tags: ['other'] },
    ]
    expect(run({ files }).lines.slice(1)).toEqual([
      'skipped: 2 without first, 1 without second, 1 not for this system, user or run',
      'tests: 1 passed, 0 failed, 4 skipped',
    ])
  })

  it('counts a file that could not be loaded as a failure', () => {
    const files: File[] = [{ status: 'passed', tests: ['passed'] }, { status: 'failed' }]
    const { status, lines } = run({ files, code: 1 })
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: 'tests: 1 passed, 1 failed' })
  })

  it('does not look green where something failed outside of a test, or nothing was run', () => {
    expect(run({ files: [{ status: 'passed', tests: ['passed'] }], code: 1 }).lines.at(-1)).toBe(
      'tests: 1 passed, 1 failed',
    )
    expect(run({ code: 1 }).lines.at(-1)).toBe('tests: 0 passed, 1 failed')
  })
})

describe.skipIf(process.platform === 'win32')('on a Node that is too old', () => {
  const files: File[] = [{ status: 'passed', tests: ['passed'] }]

  it('runs the tests with the one that npm brought', () => {
    bringNode()
    expect(run({ args: ['test/core'], files, isOld: true })).toEqual({
      status: 0,
      stderr: '',
      lines: ['brought all test/core', 'tests: 1 passed, 0 failed'],
    })
  })

  it('says what is needed where npm brought none', () => {
    const { status, stderr, lines } = run({ files, isOld: true })
    expect({ status, lines }).toEqual({ status: 1, lines: [''] })
    expect(stderr).toMatch(
      /^The tests need Node 22\.18 or later, and this is Node [0-9.]+: `npm ci` brings Node 24\.\n$/,
    )
  })

  it('does the same on every real one of this machine', () => {
    bringNode()
    for (const node of oldNodes()) expect(run({ files, node }).lines[0]).toBe('brought some')
  })
})

function oldNodes(): string[] {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'node'))
  return paths.filter((path) => {
    if (!existsSync(path)) return false
    const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return major >= 14 && (major < 22 || (major === 22 && minor < 18))
  })
}
