import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtProgram } from './support/built.ts'

const SOURCES = join(import.meta.dirname, '..', 'src-main', 'hosts')

const BUILT = builtProgram()
/** What may be loaded before the thread of the database begins, which is what a start without a display waits for. */
const MAX_BYTES_AHEAD = 10_000
const QUIET = { encoding: 'utf8', stdio: 'pipe' } as const

let place: string
let program: string

/** The way in next to stand-ins for what it starts. */
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-launch-'))
  const folder = join(place, 'src-main', 'hosts')
  program = join(folder, 'farebox.ts')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "type": "module", "imports": { "#hosts/*": "./src-main/hosts/*" } }')
  for (const name of ['farebox.ts', 'frugal.ts', 'desktop-choice.ts'])
    copyFileSync(join(SOURCES, name), join(folder, name))
  const headless = "console.log('headless', JSON.stringify(argv), why ?? '')"
  writeFileSync(
    join(folder, 'headless-ahead.ts'),
    `export async function startAhead(argv: string[], why?: string) { ${headless} }`,
  )
  const runtime = "console.log('desktop', JSON.stringify(argv)); return 5"
  const found = `env.RUNTIME === undefined ? { type: 'unavailable', why: 'no runtime' } : { type: 'ready', program: '' }`
  writeFileSync(
    join(folder, 'desktop-runtime.ts'),
    `export const findRuntime = async ({ env }: { env: Record<string, string | undefined> }) => (${found})
     export async function runDesktop(_program: string, argv: string[]) { ${runtime} }`,
  )
  const command = "console.log('command', JSON.stringify(argv)); if (argv[0] === 'fault') throw new Error('a fault')"
  writeFileSync(join(folder, 'command.ts'), `export async function main(argv: string[]) { ${command}; return 3 }`)
})

afterAll(() => {
  rmSync(place, { recursive: true, force: true })
})

type Launching = {
  readonly program?: string
  readonly node?: string
  readonly nodeArguments?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

function launch(argv: readonly string[], options: Launching = {}) {
  const nodeArguments = [...(options.nodeArguments ?? []), options.program ?? program, ...argv]
  const result = spawnSync(options.node ?? process.execPath, nodeArguments, {
    encoding: 'utf8',
    env: options.env ?? {},
  })
  return { pid: result.pid, code: result.status, output: result.stdout, errors: result.stderr }
}

/** Runs the way in on this Node, which says that it is another one. */
function launchAs(version: string, argv: readonly string[], ran?: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  return launch(argv, { nodeArguments, ...(ran === undefined ? {} : { program: ran }) })
}

/** Old versions of Node that this machine happens to have; often there are none. */
function oldNodes(): string[] {
  const paths = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'))
  return paths.filter((path) => {
    try {
      const [major = 0, minor = 0] = execFileSync(path, ['-p', 'process.versions.node'], QUIET).split('.').map(Number)
      return major >= 14 && (major < 22 || (major === 22 && minor < 18))
    } catch {
      // There is no Node at this place of the PATH.
      return false
    }
  })
}

function expectRefusal(result: ReturnType<typeof launch>): void {
  expect(result.code).toBe(1)
  expect(result.output).toBe('')
  expect(result.errors).toMatch(/^Farebox needs Node 22\.18 or later, and this is Node [0-9.]+: .*npm.*\.\n$/)
}

describe('on a Node that cannot run Farebox', () => {
  // What was built, because it is what such a Node can read.
  it.each(['14.21.3', '20.20.2', '22.17.1', '23.5.0'])('refuses %s with one sentence', (version) => {
    expectRefusal(launchAs(version, ['start'], BUILT))
  })

  it.each([['status'], []])('refuses whatever it is asked for', (...argv) => {
    expectRefusal(launchAs('20.20.2', argv, BUILT))
  })

  it('refuses every real one of this machine in the same way', () => {
    for (const node of oldNodes()) expectRefusal(launch(['start'], { node, program: BUILT }))
  })
})

describe('on a Node that can', () => {
  it.each(['22.18.0', '23.6.0', '24.0.0', '100.0.0'])('starts on %s', (version) => {
    expect(launchAs(version, ['start', '--headless']).output).toBe('headless ["--headless"] \n')
  })

  it('hands the flags of start on without the verb', () => {
    const { code, output } = launch(['start', '--headless', '--port', '0'])
    expect({ code, output }).toEqual({ code: 0, output: 'headless ["--headless","--port","0"] \n' })
  })

  it('hands every other verb to the command line, and ends with its code', () => {
    const { code, output } = launch(['key', 'create', 'start'])
    expect({ code, output }).toEqual({ code: 3, output: 'command ["key","create","start"]\n' })
  })

  it('leaves it to the command line to help when there is no verb', () => {
    expect(launch([]).output).toBe('command []\n')
  })

  it('shows a fault and ends with an error code', () => {
    const { code, errors } = launch(['fault'])
    expect(code).toBe(1)
    expect(errors).toContain('a fault')
  })
})

describe.runIf(process.platform === 'linux')('a start', () => {
  const DISPLAY = { DISPLAY: ':99' }
  const isRoot = process.getuid?.() === 0

  it('without a display runs without a tray icon and says why', () => {
    expect(launch(['start']).output).toBe('headless [] there is no display\n')
  })

  it('with a display and the runtime shows the tray app, and ends with its code', () => {
    const { code, output } = launch(['start', '--port', '0'], { env: { ...DISPLAY, RUNTIME: '1' } })
    const asRoot = 'headless ["--port","0"] this is root, for whom Electron has no sandbox\n'
    expect({ code, output }).toEqual(
      isRoot ? { code: 0, output: asRoot } : { code: 5, output: 'desktop ["--port","0"]\n' },
    )
  })

  it('with a display and no runtime runs without a tray icon and says why', () => {
    const { output } = launch(['start'], { env: DISPLAY })
    expect(output).toMatch(isRoot ? /this is root/ : /^headless \[\] no runtime\n$/)
  })

  describe('and what is read when a process begins', () => {
    const TELLING = `process.once('exit', () => console.error(process.pid, process.env.MALLOC_ARENA_MAX, process.execArgv.at(-1)))`
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(TELLING)}`]

    function started(more: readonly string[], env: Record<string, string>) {
      const { pid, errors, output } = launch(['start', '--headless'], {
        nodeArguments: [...nodeArguments, ...more],
        env,
      })
      return { isSameProcess: errors.startsWith(`${pid} `), told: errors.split(' ').slice(1).join(' '), output }
    }

    it('is told to be frugal with memory, in the same process with the same arguments', () => {
      const told = '2 --max-semi-space-size=8\n'
      expect(started([], {})).toEqual({ isSameProcess: true, told, output: 'headless ["--headless"] \n' })
    })

    it('keeps what it was told already', () => {
      const output = 'headless ["--headless"] \n'
      const kept = { isSameProcess: true, output }
      expect(started([], { MALLOC_ARENA_MAX: '5' })).toEqual({ ...kept, told: '5 --max-semi-space-size=8\n' })
      const more = ['--max-semi-space-size=32']
      expect(started(more, {})).toEqual({ ...kept, told: 'undefined --max-semi-space-size=32\n' })
    })
  })

  it('that was told to have none does not look for one', () => {
    expect(launch(['start', '--headless'], { env: { ...DISPLAY, RUNTIME: '1' } }).output).toBe(
      'headless ["--headless"] \n',
    )
  })
})

describe('what was built', () => {
  const folder = dirname(BUILT)

  /** Built files and all that they import before they run, by name. */
  function loadedWith(beginnings: readonly string[]): ReadonlyMap<string, string> {
    const loaded = new Map<string, string>()
    const names = new Set(beginnings)
    // A set hands out what is added to it on the way.
    for (const name of names) {
      const code = readFileSync(join(folder, name), 'latin1')
      loaded.set(name, code)
      for (const [, imported = ''] of code.matchAll(/(?:from|import)\s*["'](\.\/[^"']+)["']/g))
        names.add(basename(imported))
    }
    return loaded
  }

  it('loads little before the thread of the database begins', () => {
    const beginnings = readdirSync(folder).filter((name) => /^headless-ahead-[\w-]{8}\.js$/.test(name))
    const code = [...loadedWith(beginnings).values()].join('')
    expect(code).toContain('startAhead')
    expect(code).toContain('node:worker_threads')
    expect(code.length).toBeLessThan(MAX_BYTES_AHEAD)
  })
})
