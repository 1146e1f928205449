// The one list of what tests need: it has every program that a test starts, and a run installs what is missing or says what it leaves out.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { prepare, type Machine } from './install.ts'
import { findBrowser, LEFT_OUT_VARIABLE, REQUIREMENTS, tagsOf, type Requirement } from './requirements.ts'
import { withoutComments } from './support/sources.ts'
import { readTestGraph, TestGraph } from './support/test-kinds.ts'
import { needsOf } from './support/test-needs.ts'

const ALL: readonly Requirement[] = REQUIREMENTS
const GRAPH = readTestGraph(join(import.meta.dirname, '..'))
const NEEDS = needsOf(GRAPH)

describe('the list', () => {
  /** The smallest Debian has them, or Node brings them. */
  const EVERYWHERE =
    'sh bash cp id mkfifo prlimit script sha256sum true unshare nsenter mount getconf node npm npx'.split(' ')
  /** What these start, a command other than the tests asks for. */
  const COMMANDS = ['input-estimates/tokenizers.ts', 'install.ts', 'requirements.test.ts']
  const loaded = new Set(GRAPH.tests.flatMap((test) => [...GRAPH.reach(test)]))
  const starting = [...loaded]
    .filter((path) => path.startsWith('test/') && GRAPH.textOf(path).includes('child_process'))
    .filter((path) => !COMMANDS.some((command) => path === `test/${command}`))

  /** The rows whose programs a file may start. */
  function declaredBy(path: string): readonly Requirement[] {
    const { whole = [], partly = [] } = NEEDS.get(path) ?? {}
    const isHelper = (helper: string) =>
      [helper, helper.replace(/\.ts$/, '.test.ts')].some((one) => path === `test/${one}`)
    return ALL.filter(
      ({ name, helpers }) => [...whole, ...partly].some((one) => one === name) || helpers.some(isHelper),
    )
  }

  it.each(starting)('has every program that %s starts, which is known to need it', (path) => {
    const text = withoutComments(GRAPH.textOf(path))
    const [, alias = 'spawn'] = /const (\w+) = promisify\(execFile\)/.exec(text) ?? []
    const calls = new RegExp(`\\b(?:spawn|spawnSync|execFile|execFileSync|${alias})\\(\\s*'([^']+)'`, 'g')
    const started = [...text.matchAll(calls)].map(([, program = '']) => program.split('/').at(-1) ?? '')
    const known = [...EVERYWHERE, ...ALL.flatMap(({ programs }) => programs)]
    expect(started.filter((program) => !known.includes(program))).toEqual([])
    const named = ALL.flatMap(({ programs }) => programs).filter((program) => text.includes(`'${program}'`))
    const declared = declaredBy(path).flatMap(({ programs }) => programs)
    expect(named.filter((program) => !declared.includes(program))).toEqual([])
  })

  it('names helpers that are there', () => {
    const helpers = ALL.flatMap((one) => one.helpers)
    expect(helpers.filter((path) => !existsSync(join(import.meta.dirname, path)))).toEqual([])
  })

  it('finds the tests of several gateways and of the dashboard, and no quick one', () => {
    const whole = (name: string) => [...NEEDS].filter(([, one]) => one.whole.some((each) => each === name))
    expect(whole('postgresql').length).toBeGreaterThan(20)
    expect(whole('chromium').length).toBeGreaterThan(38)
    const kinds = GRAPH.kinds()
    const quick = [...NEEDS].filter(([path]) => kinds.get(path) === 'fast')
    expect(quick.filter(([, { whole, partly }]) => [...whole, ...partly].length > 0)).toEqual([])
  })
})

describe('what a test file needs', () => {
  const needsOfTest = (text: string) => {
    const files = [
      { path: 'test/a.test.ts', text },
      { path: 'test/b.ts', text: "import { startPostgres } from './support/postgres.ts'" },
      { path: 'test/support/postgres.ts', text: '' },
      { path: 'test/support/postgres.test.ts', text: "import { startPostgres } from './postgres.ts'" },
    ]
    return needsOf(new TestGraph(files))
  }

  it('is what its helpers need, however far away, but for what it says to need for some of its tests', () => {
    const helped = "import { b } from './b.ts'"
    expect(needsOfTest(helped).get('test/a.test.ts')).toEqual({ whole: ['postgresql'], partly: [] })
    const partly = `${helped}\nit('x', ${'needs'}('postgresql', 'python3'), () => {})`
    expect(needsOfTest(partly).get('test/a.test.ts')).toEqual({ whole: [], partly: ['postgresql', 'python3'] })
  })

  it('is nothing if it only takes types, or tests the helper itself', () => {
    const found = needsOfTest("import type { Postgres } from './support/postgres.ts'")
    expect([found.get('test/a.test.ts'), found.get('test/support/postgres.test.ts')]).toEqual([
      { whole: [], partly: [] },
      { whole: [], partly: [] },
    ])
  })

  it('skips tests by the tags that it gives them', () => {
    vi.stubEnv(LEFT_OUT_VARIABLE, 'python3 gcc')
    expect(tagsOf(['strace'])).toEqual(['strace'])
    expect(tagsOf(['strace', 'gcc'])).toEqual(['gcc', 'left-out'])
    vi.unstubAllEnvs()
  })
})

it.each([
  ['without windows', ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'], '/usr/bin/chromium-headless-shell'],
  ['with windows if it is alone', ['/usr/bin/chromium'], '/usr/bin/chromium'],
  [
    'of macOS',
    ['/Applications/Chromium.app/Contents/MacOS/Chromium'],
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  ['missing if no place has one', [], undefined],
])('the browser of the tests is the one %s', (_what, there: readonly string[], path) => {
  expect(findBrowser((one) => there.includes(one))).toBe(path)
})

it('the browser that Playwright installs without root is found where no other is', () => {
  expect(findBrowser((path) => /ms-playwright/.test(path))).toMatch(/ms-playwright/)
})

describe.runIf(process.platform === 'linux')('before the first test', () => {
  const FILES = [
    { whole: ['postgresql', 'python3'], partly: ['haproxy'] },
    { whole: ['postgresql'], partly: [] },
    { whole: ['chromium'], partly: [] },
  ] as const

  /** A machine where apt-get knows, and can install, these packages. It has what these rows of the list need. */
  async function prepared(there: readonly string[], packages: readonly string[], more: Partial<Machine> = {}) {
    const [has, ran, lines]: [Set<string>, string[], string[]] = [new Set(there), [], []]
    const run: Machine['run'] = async (program, args) => {
      if (args[0] === '--version') return { stderr: '' }
      const wanted = args.slice(args.indexOf('DPkg::Lock::Timeout=120') + 1)
      if (args[0] === 'install') ran.push(wanted.join(' '))
      if (program === 'apt-cache' && !packages.includes(args[1] ?? '')) throw new Error('no such package')
      if (args[0] === 'install')
        for (const one of ALL) if (one.debian.flat().some((name) => wanted.includes(name))) has.add(one.name)
      return { stderr: args[0] === 'update' ? 'W: Some index files failed to download.\n' : '' }
    }
    const isThere = ({ name }: Requirement) => has.has(name)
    const machine: Machine = { isThere, isRoot: true, isCi: false, run, ...more }
    const missing = await prepare(FILES, (line) => lines.push(line), machine)
    return { missing, ran, lines }
  }

  it('nothing is said where everything is there, whatever other tests need', async () => {
    const there = ['postgresql', 'python3', 'chromium', 'haproxy']
    expect(await prepared(there, [])).toEqual({ missing: [], ran: [], lines: [] })
  })

  it('root installs what these tests need and is missing, once, and says so in a line', async () => {
    const packages = ['postgresql', 'chromium', 'chromium-headless-shell', 'haproxy', 'strace']
    expect(await prepared(['python3'], packages)).toEqual({
      missing: [],
      ran: ['postgresql chromium-headless-shell haproxy'],
      lines: [
        'Installing once, with apt-get, what tests need and this machine does not have: postgresql, chromium and haproxy.',
      ],
    })
  })

  it('root goes on without what apt-get does not know, and says why', async () => {
    const { missing, ran, lines } = await prepared(['python3', 'haproxy'], ['postgresql'])
    expect({ missing, ran }).toEqual({ missing: ['chromium'], ran: ['postgresql'] })
    expect(lines.slice(1)).toEqual([
      'apt-get could not install all of it: it knows no chromium. W: Some index files failed to download.',
      'This machine has no chromium. These tests are left out and counted as skipped: the dashboard in a browser (chromium: 1 file). ' +
        "To install: apt-get install chromium, as root (the names are Debian's); chromium without root: npx playwright-core install chromium.",
    ])
  })

  it('root goes on where apt-get fails', async () => {
    const run: Machine['run'] = async (_program, [verb]) => {
      if (verb === 'install') throw Object.assign(new Error('failed'), { stderr: 'E: one\nE: no space left\n' })
      return { stderr: '' }
    }
    const { missing, lines } = await prepared(['python3', 'haproxy', 'chromium'], [], { run })
    expect({ missing, said: lines[1] }).toEqual({
      missing: ['postgresql'],
      said: 'apt-get could not install all of it: E: no space left',
    })
  })

  it('a user is told in a paragraph what is left out, by groups of tests', async () => {
    const { missing, ran, lines } = await prepared(['chromium'], ['postgresql'], { isRoot: false })
    expect({ missing, ran }).toEqual({ missing: ['postgresql', 'python3', 'haproxy'], ran: [] })
    expect(lines).toEqual([
      'This machine has no postgresql, python3 and haproxy. These tests are left out and counted as skipped: ' +
        'several gateways on one database (postgresql: 2 files); books and logs that a second program adds up (python3: 1 file); ' +
        'gateways behind a proxy (haproxy: some tests of 1 file). ' +
        "To install: apt-get install postgresql python3 haproxy, as root (the names are Debian's).",
    ])
  })

  it('CI fails where anything is left out', async () => {
    const left = prepared(['postgresql', 'python3', 'chromium'], [], { isRoot: false, isCi: true })
    await expect(left).rejects.toThrow(
      'This machine has no haproxy. CI leaves no test out. To install: apt-get install haproxy',
    )
  })
})
