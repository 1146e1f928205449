// The cache of compiled code, in an installation where what fills it is a stand-in that writes down when it runs.

import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..', 'src-main')
const REAL = ['launch.mjs', 'code-cache.mjs', 'cache-folder.mjs', 'bundled-packages.mjs', 'desktop-choice.ts']
const QUIET = { encoding: 'utf8', stdio: 'pipe' } as const

let place: string
let log: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-code-cache-'))
  log = join(place, 'log')
  mkdirSync(join(place, 'src-main'))
  for (const name of REAL) copyFileSync(join(SOURCES, name), join(place, 'src-main', name))
  mkdirSync(join(place, 'node_modules'))
  writeFileSync(join(place, 'node_modules', '.package-lock.json'), '{}')
  const headless = "export const startHeadless = async () => console.log('started', getCompileCacheDir() ?? 'without')"
  write('headless.ts', `import { getCompileCacheDir } from 'node:module'\n${headless}`)
  onFilling('')
})

afterEach(() => {
  rmSync(place, { recursive: true, force: true })
})

function write(name: string, text: string): void {
  writeFileSync(join(place, 'src-main', name), text)
}

/** What happens when the packages are bundled and when the sources are compiled, beside the line in the log. */
function onFilling(text: string): void {
  const steps = { 'bundle-packages.mjs': 'bundled', 'warm-up.ts': 'compiled' }
  for (const [name, word] of Object.entries(steps)) {
    const note = `appendFileSync(${JSON.stringify(log)}, '${word}\\n')`
    write(name, `import { appendFileSync, readFileSync } from 'node:fs'\n${note}\nconst step = '${word}'\n${text}\n`)
  }
}

const filled = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])

function launch(argv: readonly string[] = ['start', '--headless']) {
  const { stdout, signal } = spawnSync(process.execPath, [join(place, 'src-main', 'launch.mjs'), ...argv], {
    ...QUIET,
    env: {},
  })
  return { stdout, signal }
}

const STARTED = expect.stringMatching(/^started .*node_modules.\.cache.farebox.*\n$/) as string

it('is filled at the end of an installation, and only then', () => {
  expect(launch(['--prepare'])).toEqual({ stdout: '', signal: null })
  expect(launch()).toEqual({ stdout: STARTED, signal: null })
  expect(launch(['--prepare'])).toEqual({ stdout: '', signal: null })
  expect(filled()).toEqual(['bundled', 'compiled'])
})

it('is filled by the first start where no installation did', () => {
  expect([launch().stdout, launch().stdout]).toEqual([STARTED, STARTED])
  expect(filled()).toEqual(['bundled', 'compiled'])
})

it('is filled anew once something else is installed', () => {
  launch()
  writeFileSync(join(place, 'node_modules', '.package-lock.json'), '{ "other": true }')
  launch()
  expect(filled()).toEqual(['bundled', 'compiled', 'bundled', 'compiled'])
})

// Windows has no signals, and no parent that a child could ask for.
it.skipIf(process.platform === 'win32').each([
  ['bundled', ['bundled', 'bundled', 'compiled']],
  ['compiled', ['bundled', 'compiled', 'bundled', 'compiled']],
])('is filled by the next start where the installation was killed after "%s"', (step, expected) => {
  onFilling(`if (step === '${step}') process.kill(process.ppid, 'SIGKILL')`)
  expect(launch(['--prepare']).signal).toBe('SIGKILL')
  onFilling('')
  expect([launch().stdout, launch().stdout]).toEqual([STARTED, STARTED])
  expect(filled()).toEqual(expected)
})

it.skipIf(process.platform === 'win32')('is filled by the next installation where what fills it was killed', () => {
  onFilling("process.kill(process.pid, 'SIGKILL')")
  expect(launch()).toEqual({ stdout: STARTED, signal: null })
  onFilling('')
  launch(['--prepare'])
  launch(['--prepare'])
  expect(filled()).toEqual(['bundled', 'compiled', 'bundled', 'compiled'])
})

it('is not filled again and again where that fails', () => {
  onFilling("throw new Error('the disk is full')")
  expect([launch().stdout, launch().stdout]).toEqual([STARTED, STARTED])
  expect(filled()).toEqual(['bundled', 'compiled'])
})

it('is filled by two starts at the same time, of which neither notices', async () => {
  // Each step waits until both starts have come to it.
  const both = `readFileSync(${JSON.stringify(log)}, 'utf8').split(step).length > 2`
  onFilling(`while (!(${both})) await new Promise((resolve) => setTimeout(resolve, 10))`)
  const starts = [0, 1].map(async () => {
    const child = spawn(process.execPath, [join(place, 'src-main', 'launch.mjs'), 'start', '--headless'], { env: {} })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, printed }
  })
  expect(await Promise.all(starts)).toEqual([0, 1].map(() => ({ code: 0, printed: STARTED })))
  expect(launch().stdout).toEqual(STARTED)
  expect(filled().sort()).toEqual(['bundled', 'bundled', 'compiled', 'compiled'])
})
