import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseHost, type Surroundings } from '#hosts/desktop-choice.ts'
import { findRuntime, runDesktop } from '#hosts/desktop-runtime.ts'

describe('a start', () => {
  const LINUX: Surroundings = { argv: [], env: { DISPLAY: ':0' }, platform: 'linux', isRoot: false }

  it.each<[string, Partial<Surroundings>]>([
    ['Linux with X', {}],
    ['Linux with Wayland', { env: { WAYLAND_DISPLAY: 'wayland-0' } }],
    ['Linux with X over SSH', { env: { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '1' } }],
    ['macOS', { platform: 'darwin', env: {} }],
    ['Windows', { platform: 'win32', env: {} }],
    ['a port', { argv: ['--port', '0'] }],
  ])('shows the tray app on %s', (_name, changes) => {
    expect(chooseHost({ ...LINUX, ...changes })).toEqual({ type: 'desktop' })
  })

  it.each<[string, Partial<Surroundings>, string]>([
    ['Linux without a display', { env: {} }, 'there is no display'],
    ['empty variables', { env: { DISPLAY: '', WAYLAND_DISPLAY: '' } }, 'there is no display'],
    ['root', { isRoot: true }, 'this is root, for whom Electron has no sandbox'],
    ['--json', { argv: ['--json'] }, 'a start with --json has none'],
    ['macOS over SSH', { platform: 'darwin', env: { SSH_CONNECTION: '1' } }, 'this is a session over SSH'],
    ['another system', { platform: 'freebsd' }, 'there is none for freebsd'],
  ])('is without one, and says why, for %s', (_name, changes, why) => {
    expect(chooseHost({ ...LINUX, ...changes })).toEqual({ type: 'headless', why })
  })

  it.each(['linux', 'darwin', 'win32'] as const)(
    'is without one on %s when that was asked for, and does not explain it',
    (platform) => {
      expect(chooseHost({ ...LINUX, platform, argv: ['--port', '0', '--headless'] })).toEqual({
        type: 'headless',
        why: undefined,
      })
    },
  )
})

describe('the runtime', () => {
  let packageDir: string
  const printed: string[] = []

  beforeEach(() => {
    packageDir = mkdtempSync(join(tmpdir(), 'farebox-electron-'))
    printed.length = 0
  })

  afterEach(() => rmSync(packageDir, { recursive: true, force: true }))

  const find = (env: Record<string, string> = {}) =>
    findRuntime({ env, packageDir, print: (line) => printed.push(line) })

  /** A program in the place of Electron. */
  function install(script: string): string {
    mkdirSync(join(packageDir, 'dist'))
    const program = join(packageDir, 'dist', 'electron')
    writeFileSync(program, `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o700)
    writeFileSync(join(packageDir, 'path.txt'), 'electron')
    return program
  }

  it('that is there and runs is used, without a word', async () => {
    const program = install('[ "$ELECTRON_RUN_AS_NODE" = 1 ]')
    expect(await find()).toEqual({ type: 'ready', program })
    expect(printed).toEqual([])
  })

  it('is fetched with one line when it is missing', async () => {
    writeFileSync(
      join(packageDir, 'install.js'),
      `const fs = require('node:fs'); fs.mkdirSync(__dirname + '/dist')
       fs.writeFileSync(__dirname + '/dist/electron', '#!/bin/sh\\n', { mode: 0o700 })
       fs.writeFileSync(__dirname + '/path.txt', 'electron')`,
    )
    writeFileSync(join(packageDir, 'package.json'), '{}')
    expect(await find()).toMatchObject({ type: 'ready' })
    expect(printed).toEqual(['Fetching Electron for the tray icon, once, about 120 MB…'])
  })

  it('that cannot be fetched is done without, in one sentence', async () => {
    writeFileSync(join(packageDir, 'install.js'), `console.error('a long stack'); process.exit(1)`)
    expect(await find()).toEqual({
      type: 'unavailable',
      why: 'Electron could not be fetched. It is tried again with the next start',
    })
    expect(existsSync(join(packageDir, 'dist'))).toBe(false)
  })

  it('whose libraries are missing is done without', async () => {
    install('exit 127')
    expect(await find()).toEqual({ type: 'unavailable', why: 'Electron does not run on this machine' })
  })

  it('of an installation without Electron is done without, and nothing is fetched', async () => {
    expect(await findRuntime({ env: {}, packageDir: undefined, print: (line) => printed.push(line) })).toMatchObject({
      why: 'Electron is not installed here',
    })
    expect(printed).toEqual([])
  })

  it('ends with the code of the shell, and gets its flags', async () => {
    const program = install('[ "$2 $3" = "--port 0" ] && [ -f "$1/package.json" ] && exit 7')
    expect(await runDesktop(program, ['--port', '0'])).toBe(7)
    expect(await runDesktop(join(packageDir, 'missing'), [])).toBe(1)
  })
})
