// The cache of compiled code, in an installation where what fills it is a stand-in that writes down when it runs.

import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..', 'src-main')
const REAL = ['launch.mjs', 'code-cache.mjs', 'cache-folder.mjs', 'bundled-packages.mjs', 'hosts/desktop-choice.ts']
const QUIET = { encoding: 'utf8', stdio: 'pipe' } as const

let place: string
let log: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'farebox-code-cache-'))
  log = join(place, 'log')
  mkdirSync(join(place, 'src-main', 'hosts'), { recursive: true })
  for (const name of REAL) copyFileSync(join(SOURCES, name), join(place, 'src-main', name))
  mkdirSync(join(place, 'node_modules'))
  writeFileSync(join(place, 'node_modules', '.package-lock.json'), '{}')
  const headless = `export const startHeadless = async () =>
    console.log('started with', from, 'and', getCompileCacheDir() ?? 'no cache')`
  write(
    'hosts/headless.ts',
    `import { getCompileCacheDir } from 'node:module'\nimport { from } from 'yaml'\n${headless}`,
  )
  mkdirSync(join(place, 'node_modules', 'yaml'))
  writeFileSync(join(place, 'node_modules', 'yaml', 'index.js'), "exports.from = 'a package'")
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
    write(
      name,
      `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'\n${note}\nconst step = '${word}'\n${text}\n`,
    )
  }
}

const filled = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])

type As = { readonly env?: Readonly<Record<string, string>>; readonly uid?: number; readonly node?: string }

function launch(argv: readonly string[] = ['start', '--headless'], { env = {}, uid, node }: As = {}) {
  const user = uid === undefined ? {} : { uid, gid: uid }
  const args = [join(place, 'src-main', 'launch.mjs'), ...argv]
  const { stdout, signal } = spawnSync(node ?? process.execPath, args, { ...QUIET, ...user, env })
  return { stdout, signal }
}

const STARTED = expect.stringMatching(/^started with a package and .*node_modules.\.cache.farebox.*\n$/) as string

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

/** What the builder leaves where it is installed. */
const BUNDLES = `if (step === 'bundled') {
  mkdirSync(process.argv[2])
  for (const name of ['fastify', 'typebox', 'typebox-compile', 'undici', 'yaml'])
    writeFileSync(process.argv[2] + '/' + name + '.mjs', "export const from = 'a bundle'")
}`

describe.skipIf(process.platform === 'win32')('the folder of a service', () => {
  const ours = () => join(place, 'of-service')
  const asService = () => ({ env: { CACHE_DIRECTORY: ours() } })
  const inService = () => expect.stringContaining(`a bundle and ${ours()}/code/v`) as string

  beforeEach(() => {
    mkdirSync(ours(), { mode: 0o700 })
    onFilling(BUNDLES)
  })

  it('has the cache of the service, and none beside the packages', () => {
    expect([launch(undefined, asService()).stdout, launch(undefined, asService()).stdout]).toEqual([
      inService(),
      inService(),
    ])
    expect(filled()).toEqual(['bundled', 'compiled'])
    expect(readdirSync(join(place, 'node_modules'))).not.toContain('.cache')
  })

  it('has no bundles where the installation has them', () => {
    launch(['--prepare'])
    expect(launch(undefined, asService()).stdout).toContain(`a bundle and ${ours()}/code/v`)
    expect(filled()).toEqual(['bundled', 'compiled', 'compiled'])
  })

  it('keeps nothing of what was installed before, and everything that is not of the cache', () => {
    launch(undefined, asService())
    const [before = ''] = readdirSync(join(ours(), 'code'))
    writeFileSync(join(ours(), 'code', 'notes'), '')
    writeFileSync(join(place, 'node_modules', '.package-lock.json'), '{ "other": true }')
    launch(undefined, asService())
    const left = readdirSync(join(ours(), 'code'))
    expect(left).toEqual(['notes', expect.stringMatching(/^v/)])
    expect(left).not.toContain(before)
  })

  it.each([
    ['which everybody may write', () => chmodSync(ours(), 0o777)],
    ['which its group may write', () => chmodSync(ours(), 0o770)],
    ['which is no folder', () => (rmSync(ours(), { recursive: true }), writeFileSync(ours(), ''))],
    ['which leads nowhere', () => (rmSync(ours(), { recursive: true }), symlinkSync(ours(), ours()))],
    ['which is not there', () => rmSync(ours(), { recursive: true })],
  ])('is not used for code %s', (_why, spoil) => {
    spoil()
    expect(launch(undefined, asService()).stdout).toMatch(/a bundle and .*node_modules.\.cache.farebox/)
  })
})

const isRefused = process.platform === 'win32' || process.getuid?.() !== 0

if (!isRefused)
  describe('a user who may not write where Farebox was installed', { timeout: 60_000 }, () => {
    const NOBODY = 65_534
    let as: As

    beforeEach(() => {
      onFilling(BUNDLES)
      chmodSync(place, 0o755)
      writeFileSync(log, '')
      chmodSync(log, 0o666)
      // The folder of this one may be closed to others.
      as = { uid: NOBODY, node: join(place, 'node') }
      copyFileSync(process.execPath, join(place, 'node'), constants.COPYFILE_FICLONE)
    })

    it.each([
      ['by an installation', '--prepare'],
      ['by the first start', 'start --headless'],
    ])('uses what was made %s for few eyes only, and tries to write nothing', (_by, argv) => {
      const script = `umask 077; exec ${process.execPath} ${join(place, 'src-main', 'launch.mjs')} ${argv}`
      expect(spawnSync('sh', ['-c', script], { ...QUIET, env: {} }).stderr).toBe('')
      const started = 'started with a bundle and no cache\n'
      expect([launch(undefined, as).stdout, launch(undefined, as).stdout]).toEqual([started, started])
      expect(filled()).toEqual(['bundled', 'compiled'])
    })

    it('has a cache in the folder of its service, but in nobody else’s', () => {
      launch(['--prepare'])
      const [own, others] = [join(place, 'own'), join(place, 'others')]
      for (const folder of [own, others]) mkdirSync(folder, { mode: 0o755 })
      chownSync(own, NOBODY, NOBODY)
      const start = (folder: string) => launch(undefined, { ...as, env: { CACHE_DIRECTORY: folder } }).stdout
      expect([start(own), start(own)]).toEqual([0, 1].map(() => expect.stringContaining(`${own}/code`) as string))
      expect(start(others)).toBe('started with a bundle and no cache\n')
      expect(filled()).toEqual(['bundled', 'compiled', 'compiled'])
    })

    it('has its own beside that of who installed Farebox, where it may', () => {
      launch(['--prepare'])
      const cache = join(place, 'node_modules', '.cache', 'farebox')
      const folder = join(cache, readdirSync(cache)[0] ?? '')
      chmodSync(folder, 0o777)
      expect([launch(undefined, as).stdout, launch(undefined, as).stdout]).toEqual(
        [0, 1].map(() => expect.stringContaining(`a bundle and ${folder}`) as string),
      )
      expect(filled()).toEqual(['bundled', 'compiled', 'compiled'])
    })

    it('uses what was compiled in its name, without being able to change it', () => {
      // As the recipe of the container does.
      const cache = join(place, 'node_modules', '.cache')
      mkdirSync(cache)
      chownSync(cache, NOBODY, NOBODY)
      launch(['--prepare'], as)
      expect(filled()).toEqual(['bundled', 'compiled'])
      const shut = `chown -R 0:0 ${cache} && chmod -R a+rX,go-w ${cache}`
      expect(spawnSync('sh', ['-c', shut]).status).toBe(0)
      expect([launch(undefined, as).stdout, launch(undefined, as).stdout]).toEqual(
        [0, 1].map(() => expect.stringContaining(`a bundle and ${cache}/farebox/v`) as string),
      )
      expect(filled()).toEqual(['bundled', 'compiled'])
    })
  })

if (isRefused)
  it('cannot be tried as another user on this machine: that needs root', () => {
    expect(isRefused).toBe(true)
  })
