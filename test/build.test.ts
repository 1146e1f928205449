// What is built and when, in a clone whose builder is a stand-in that writes down when it runs.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const QUIET = { encoding: 'utf8', stdio: 'pipe' } as const
const BUILDING =
  /^Building dist\/(main|dashboard), because it(s sources have changed since it was built| was not built yet)…$/

let place: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-build-'))
  for (const folder of ['src-main/hosts', 'src-main/contract', 'src-renderer/pages', 'node_modules/vite/bin'])
    mkdirSync(join(place, folder), { recursive: true })
  for (const name of ['build.mjs', 'src-main/hosts/launch.mjs']) copyFileSync(join(ROOT, name), join(place, name))
  for (const name of ['vite.config.ts', 'vite.main.config.ts', 'vite.plugins.ts', 'package-lock.json']) write(name, '')
  write('package.json', '{ "type": "module" }')
  write('src-main/app.ts', 'one')
  write('src-renderer/pages/page.tsx', 'one')
  write('log', '')
  onBuild('')
})

afterEach(() => {
  rmSync(place, { recursive: true, force: true })
})

const path = (name: string) => join(place, name)
const write = (name: string, text: string) => writeFileSync(path(name), text)

/** Each build says what it was made of; `text` is what happens before that. */
function onBuild(text: string): void {
  write('node_modules/vite/package.json', '{ "type": "module" }')
  write(
    'node_modules/vite/bin/vite.js',
    `import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
     const value = (flag) => process.argv[process.argv.indexOf(flag) + 1]
     const part = value('--config') === 'vite.main.config.ts' ? 'main' : 'dashboard'
     appendFileSync('log', part + '\\n')
     console.log('a builder has much to say')
     ${text}
     const made = 'made of ' + readFileSync('src-main/app.ts', 'utf8')
     const program = 'console.log(' + JSON.stringify(made) + ', process.argv.slice(2).join())'
     writeFileSync(value('--outDir') + (part === 'main' ? '/farebox.js' : '/index.html'), program)`,
  )
}

const builds = () => readFileSync(path('log'), 'utf8').split('\n').filter(Boolean)

type As = { readonly env?: Readonly<Record<string, string>>; readonly uid?: number; readonly node?: string }

function run(argv: readonly string[], { env = {}, uid, node = process.execPath }: As = {}) {
  const user = uid === undefined ? {} : { uid, gid: uid }
  const { status, signal, stdout, stderr } = spawnSync(node, argv, { ...QUIET, ...user, cwd: place, env })
  return { status: status ?? signal, stdout, stderr }
}

const prepare = (as?: As) => run([path('build.mjs'), '--prepare'], as)
const start = (as?: As) => run([path('src-main/hosts/launch.mjs'), 'start', '--headless'], as)
const STARTED = { status: 0, stdout: 'made of one start,--headless\n', stderr: '' }

it('happens at the end of an installation, and no start does it again', () => {
  expect(prepare()).toMatchObject({ status: 0, stderr: '' })
  expect([start(), start()]).toEqual([STARTED, STARTED])
  expect(prepare()).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(builds()).toEqual(['main', 'dashboard'])
})

it('happens at the first start where no installation did it, with one line for each part', () => {
  const { status, stdout, stderr } = start()
  expect({ status, stdout }).toEqual({ status: 0, stdout: STARTED.stdout })
  const lines = stderr.trim().split('\n')
  expect(lines.filter((line) => BUILDING.test(line))).toEqual(lines)
  expect(lines).toHaveLength(2)
  expect(start()).toEqual(STARTED)
})

it.each([
  ['the code of the gateway', () => write('src-main/app.ts', 'two'), ['main']],
  ['a file that is new', () => write('src-main/new.ts', ''), ['main']],
  ['a file that is gone', () => rmSync(path('src-main/app.ts.old')), ['main']],
  ['a page', () => write('src-renderer/pages/page.tsx', 'two'), ['dashboard']],
  ['the contract, which both use', () => write('src-main/contract/api.ts', ''), ['main', 'dashboard']],
  ['the configuration of the gateway', () => write('vite.main.config.ts', 'two'), ['main']],
  ['the configuration of the dashboard', () => write('vite.config.ts', 'two'), ['dashboard']],
  ['what is installed', () => write('package-lock.json', 'two'), ['main', 'dashboard']],
])('happens again for %s', (_what, change, expected) => {
  write('src-main/app.ts.old', '')
  prepare()
  write('log', '')
  change()
  expect(start().status).toBe(0)
  expect(builds()).toEqual(expected)
  start()
  expect(builds()).toEqual(expected)
})

it('runs what is new, also where its files have older times', () => {
  prepare()
  write('src-main/app.ts', 'two')
  utimesSync(path('src-main/app.ts'), 1, 1)
  expect(start().stdout).toBe('made of two start,--headless\n')
})

it('does not happen again for a copy, or for files that were only touched', () => {
  prepare()
  utimesSync(path('src-main/app.ts'), 4_000_000_000, 4_000_000_000)
  expect(start()).toEqual(STARTED)
})

it('leaves the dashboard alone for a command', () => {
  const { status, stdout } = run([path('src-main/hosts/launch.mjs'), 'key', 'list'])
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'made of one key,list\n' })
  expect(builds()).toEqual(['main'])
})

it('happens for both parts where it is asked for', () => {
  prepare()
  expect(run([path('build.mjs')])).toMatchObject({ status: 0 })
  expect(builds()).toEqual(['main', 'dashboard', 'main', 'dashboard'])
})

it('is the same whatever a shell or a test runner has set', () => {
  onBuild("if ('NODE_ENV' in process.env || 'VITEST' in process.env) process.exit(1)")
  expect(start({ env: { NODE_ENV: 'development', VITEST: 'true' } })).toMatchObject({ status: 0 })
})

it('fails with its reason where it is asked for', () => {
  onBuild("console.error('a mistake in line 7'); process.exit(1)")
  const { status, stdout, stderr } = run([path('build.mjs')])
  expect(status).toBe(1)
  expect(stderr).toContain('a mistake in line 7')
  expect(stdout).toContain('dist/main could not be built: Vite ended with 1.')
})

it('that fails does not fail an installation', () => {
  onBuild('process.exit(1)')
  expect(prepare()).toMatchObject({ status: 0, stdout: expect.stringContaining('dist/main could not be built') })
})

it('that fails leaves what was built before, which runs, and says so', () => {
  prepare()
  write('src-main/app.ts', 'two')
  onBuild('process.exit(1)')
  const { status, stdout, stderr } = start()
  expect({ status, stdout }).toEqual({ status: 0, stdout: STARTED.stdout })
  expect(stderr).toContain('could not be built: Vite ended with 1.\nFarebox runs as it was built before.\n')
})

it.each([
  ['fails', () => onBuild('process.exit(1)')],
  ['is not installed', () => rmSync(path('node_modules/vite'), { recursive: true })],
])('says it where there is nothing to run because the builder %s', (_why, spoil) => {
  spoil()
  const { status, stdout, stderr } = start()
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain('There is no Farebox to run: `npm ci` installs what builds it.')
})

it('runs what was built where the builder is not installed', () => {
  prepare()
  write('src-main/app.ts', 'two')
  rmSync(path('node_modules/vite'), { recursive: true })
  expect(start()).toMatchObject({ status: 0, stdout: STARTED.stdout })
})

// Windows has no signals, and no parent that a child could ask for.
it.skipIf(process.platform === 'win32')(
  'that was killed leaves what was built before, and the next start makes up for it',
  () => {
    prepare()
    write('src-main/app.ts', 'two')
    onBuild("writeFileSync(value('--outDir') + '/farebox.js', 'half'); process.kill(process.ppid, 'SIGKILL')")
    expect(start().status).toBe('SIGKILL')
    expect(run([path('dist/main/farebox.js')]).stdout).toBe('made of one \n')
    onBuild('')
    expect(start().stdout).toBe('made of two start,--headless\n')
    expect(readdirSync(path('dist')).toSorted()).toEqual(['dashboard', 'main'])
  },
)

it('by two starts at the same time is not noticed by either', async () => {
  prepare()
  write('src-main/app.ts', 'two')
  write('log', '')
  // Each builds until the other does too.
  onBuild(
    `while (readFileSync('log', 'utf8').split(part).length < 3) await new Promise((done) => setTimeout(done, 10))`,
  )
  const starts = [0, 1].map(async () => {
    const child = spawn(process.execPath, [path('src-main/hosts/launch.mjs'), 'start'], { cwd: place, env: {} })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, printed }
  })
  const started = { code: 0, printed: 'made of two start\n' }
  expect(await Promise.all(starts)).toEqual([started, started])
  expect(builds()).toEqual(['main', 'main'])
  expect(readdirSync(path('dist')).toSorted()).toEqual(['dashboard', 'main'])
})

const isRefused = process.platform === 'win32' || process.getuid?.() !== 0

describe.skipIf(isRefused)('a user who may not write where Farebox was installed', { timeout: 60_000 }, () => {
  let as: As

  beforeEach(() => {
    chmodSync(place, 0o755)
    // The folder of this one may be closed to others.
    as = { uid: 65_534, node: path('node') }
    copyFileSync(process.execPath, path('node'), constants.COPYFILE_FICLONE)
  })

  it('runs what was built, also for few eyes only', () => {
    const script = `umask 077; exec ${process.execPath} build.mjs --prepare`
    expect(spawnSync('sh', ['-c', script], { ...QUIET, cwd: place, env: {} }).stderr).toBe('')
    expect(start(as)).toEqual(STARTED)
  })

  it('runs what was built of other sources, and says so', () => {
    prepare()
    write('src-main/app.ts', 'two')
    write('log', '')
    const { status, stdout, stderr } = start(as)
    expect({ status, stdout }).toEqual({ status: 0, stdout: STARTED.stdout })
    expect(stderr).toMatch(/dist\/main could not be built: EACCES.*\nFarebox runs as it was built before\.\n$/)
    expect(builds()).toEqual([])
    expect(existsSync(path('dist/main/sources.sha256'))).toBe(true)
  })
})
