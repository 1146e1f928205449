// A package as electron-builder puts it together around a stand-in for Electron: what is in it, how it is locked, and that the code in
// it serves calls on plain Node.

import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { extractAll, listPackage } from '@electron/asar'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGE_NAMES } from '#renderer/data/languages.ts'
import { buildPackage, runOnDouble, runPackaged, startPackage } from '../support/packaging.ts'
import type { DoubleRun, Package, RunningPackage } from '../support/packaging.ts'
import { prepareUpdate } from '../support/update-feed.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MAX_BYTES = 25 * 1024 * 1024
const SYSTEM = `linux-${process.arch}`

const ENTRIES = [
  'body-thread.js',
  'desktop.js',
  'farebox.js',
  'keychain-process.js',
  'page-thread.js',
  'report-thread.js',
  'scan-thread.js',
  'tokenizer-thread.js',
  'writer-thread.js',
]
const TRAY_STATES = ['error', 'low', 'running', 'stopped']
const TRAY_FILES = ['-16', '-20', '-22', '-24', '-32', '-48', '-64', '', '@2x', 'Template', 'Template@2x'].map(
  (suffix) => `${suffix}.png`,
)
const DATABASE_LIBRARY = [
  'binding database index sqlite-error util',
  'darwin-arm64 darwin-x64 linux-arm64 linux-x64 linuxmusl-arm64 linuxmusl-x64 win32-arm64 win32-x64',
  'methods/aggregate methods/backup methods/explain methods/function methods/inspect methods/pragma',
  'methods/serialize methods/table methods/transaction methods/wrappers',
]
  .flatMap((line) => line.split(' '))
  .map((name) => `lib/${name}.js`)

/** Everything in the archive but the chunks and the dashboard's files, whose names have their contents' hashes. */
const NAMED_FILES = [
  'LICENSE',
  'package.json',
  'resources/presets.json',
  'resources/price-card.json',
  'resources/release.json',
  ...Object.keys(LANGUAGE_NAMES).map((tag) => `resources/tray/${tag}.json`),
  ...TRAY_STATES.flatMap((state) => [...TRAY_FILES, '.ico'].map((suffix) => `resources/icons/tray/${state}${suffix}`)),
  'dist/dashboard/LICENCES.txt',
  'dist/dashboard/index.html',
  'dist/main/LICENCES.txt',
  ...ENTRIES.map((name) => `dist/main/${name}`),
  ...['LICENSE', 'package.json', `prebuilds/${SYSTEM}.node`, ...DATABASE_LIBRARY].map(
    (name) => `node_modules/better-sqlite3/${name}`,
  ),
  ...['LICENSE', 'index.js', 'keytar.js', 'package.json'].map((name) => `node_modules/keytar/${name}`),
  ...['LICENSE.third-party.md', 'package.json', `keyring.${SYSTEM}-gnu.node`].map(
    (name) => `node_modules/@napi-rs/keyring-${SYSTEM}-gnu/${name}`,
  ),
]

let folder: string
let built: Package
let app: string

/** Files below a folder with their paths in it. */
function filesBelow(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(place, name)).isFile(),
  )
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('a package', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'farebox-package-'))
    built = buildPackage(folder)
    app = join(folder, 'app')
    extractAll(join(built.resources, 'app.asar'), app)
  }, 180_000)

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  describe('has in its archive', () => {
    const HASHED = /^dist\/(dashboard\/assets|main)\/[\w.-]+-[\w-]{8}\.(js|css|woff2|svg|png)(\.br|\.gz)?$/

    it('what is needed, and nothing else', () => {
      const files = filesBelow(app)
      expect(files.filter((name) => !HASHED.test(name)).toSorted()).toEqual(NAMED_FILES.toSorted())
      expect(files.filter((name) => HASHED.test(name)).length).toBeGreaterThan(50)
    })

    it('the whole dashboard and the whole code', () => {
      for (const place of ['dist/main', 'dist/dashboard/assets']) {
        const built = filesBelow(join(ROOT, place)).filter((name) => name !== 'sources.sha256')
        expect(filesBelow(join(app, place)).toSorted()).toEqual(built.toSorted())
      }
    })

    it('no word about the machine that built it', () => {
      const code = readdirSync(join(app, 'dist', 'main')).map((name) => join(app, 'dist', 'main', name))
      expect(code.filter((path) => readFileSync(path, 'utf8').includes(ROOT))).toEqual([])
    })

    it('the code as what Electron starts', () => {
      const { main, name, scripts, devDependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
      expect({ main, name, scripts, devDependencies }).toEqual({ main: 'dist/main/desktop.js', name: 'farebox' })
    })

    it('the licence of everything that was built into a file', () => {
      const names = (place: string) => {
        const text = readFileSync(join(app, 'dist', place, 'LICENCES.txt'), 'utf8')
        return [...text.matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm)].map(([, name]) => name)
      }
      for (const name of ['fastify', 'undici', 'gpt-tokenizer', 'yaml', 'typebox']) {
        expect(names('main')).toContain(name)
      }
      for (const name of ['react', '@fontsource-variable/inter']) {
        expect(names('dashboard')).toContain(name)
      }
    })
  })

  it('is at most 25 MB without Electron', () => {
    const bytes = filesBelow(built.resources).reduce((sum, name) => sum + statSync(join(built.resources, name)).size, 0)
    expect(bytes).toBeLessThan(MAX_BYTES)
  })

  it('has beside the archive the binaries of this system, which load from there, and the command line', () => {
    const unpacked = join(built.resources, 'app.asar.unpacked')
    const binaries = [
      `node_modules/@napi-rs/keyring-${SYSTEM}-gnu/keyring.${SYSTEM}-gnu.node`,
      `node_modules/better-sqlite3/prebuilds/${SYSTEM}.node`,
    ]
    expect(filesBelow(built.resources).toSorted()).toEqual([
      'app.asar',
      ...binaries.map((name) => `app.asar.unpacked/${name}`),
      'apparmor-profile',
      'bin/farebox',
    ])
    const require = createRequire(import.meta.url)
    const [keyring, database] = binaries.map((name): unknown => require(join(unpacked, name)))
    expect(keyring).toHaveProperty('AsyncEntry')
    expect(database).toHaveProperty('Database')
    expect(listPackage(join(built.resources, 'app.asar'), { isPack: true })).toContain(`unpack : /${binaries[1]}`)
  })

  it('has the licences of Electron, and the languages of Farebox', () => {
    expect(readdirSync(built.dir)).toEqual(expect.arrayContaining(['LICENSE.electron.txt', 'LICENSES.chromium.html']))
    expect(readdirSync(join(built.dir, 'locales')).toSorted()).toEqual(
      ['de', 'en-US', 'es-419', 'es', 'fr', 'ja', 'pt-BR', 'zh-CN'].map((name) => `${name}.pak`),
    )
  })

  it('has its fuses set: no Node, no debugger, code from the archive alone', async () => {
    const wire = await getCurrentFuseWire(join(built.dir, 'farebox-desktop'))
    const state = (fuse: FuseV1Options) => wire[fuse] === FuseState.ENABLE
    const fuses = {
      runAsNode: state(FuseV1Options.RunAsNode),
      nodeOptions: state(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
      inspect: state(FuseV1Options.EnableNodeCliInspectArguments),
      fileProtocol: state(FuseV1Options.GrantFileProtocolExtraPrivileges),
      cookieEncryption: state(FuseV1Options.EnableCookieEncryption),
      asarIntegrity: state(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
      onlyAsar: state(FuseV1Options.OnlyLoadAppFromAsar),
    }
    expect(fuses).toEqual({
      runAsNode: false,
      nodeOptions: false,
      inspect: false,
      fileProtocol: false,
      cookieEncryption: true,
      asarIntegrity: true,
      onlyAsar: true,
    })
  })

  it('is not made without the binaries of its system', async () => {
    const hook = pathToFileURL(join(ROOT, 'resources', 'packages', 'after-pack.mjs')).href
    const { afterPack } = (await import(hook)) as { afterPack: (context: object) => void }
    const check = (resources: string, arch: number) =>
      afterPack({ appOutDir: '', arch, electronPlatformName: 'linux', packager: { getResourcesDir: () => resources } })
    expect(() => check(built.resources, 1)).not.toThrow()
    expect(() => check(built.resources, 3)).toThrow('no database for linux-arm64')
    const without = join(folder, 'without')
    cpSync(join(built.resources, 'app.asar.unpacked'), join(without, 'app.asar.unpacked'), { recursive: true })
    rmSync(join(without, 'app.asar.unpacked', 'node_modules', '@napi-rs'), { recursive: true })
    expect(() => check(without, 1)).toThrow('no keychain for linux-x64')
  })

  describe('as a deb and an rpm', () => {
    it('puts the command line on the path, the app into the menu, and starts it by its own name', () => {
      expect(built.installers).toHaveLength(2)
      for (const { args, desktopEntry, afterInstall } of built.installers) {
        expect(args).toContain('resources/packages/usr-bin-farebox=/usr/bin/farebox')
        expect(args.find((argument) => argument.endsWith('=/opt/Farebox'))).toBeDefined()
        expect(args.filter((argument) => argument.includes('/usr/share/icons/hicolor/')).length).toBeGreaterThan(5)
        expect(afterInstall).toContain("'/opt/Farebox/farebox-desktop' '/usr/bin/farebox-desktop'")
        expect(desktopEntry).toMatch(/^Exec=\/opt\/Farebox\/farebox-desktop\b/m)
        expect(desktopEntry).toMatch(/^StartupWMClass=farebox-desktop$/m)
        expect(desktopEntry).not.toContain('--no-sandbox')
      }
    })

    it('has a command on the path that runs the one in the package', () => {
      const text = readFileSync(join(ROOT, 'resources', 'packages', 'usr-bin-farebox'), 'utf8')
      expect(text).toContain('exec /opt/Farebox/resources/bin/farebox "$@"')
      for (const name of ['usr-bin-farebox', 'farebox']) {
        expect(statSync(join(ROOT, 'resources', 'packages', name)).mode & 0o111).toBe(0o111)
      }
    })
  })

  describe('runs a command', () => {
    const tools = () => join(folder, 'tools')

    /** Runs the command line of the package; the stand-in prints what Electron would have been given. */
    function words(given: readonly string[], { command, env, user = '1000', system = 'Linux' }: WordsOptions = {}) {
      mkdirSync(tools(), { recursive: true })
      for (const [name, answer] of Object.entries({ id: user, uname: system })) {
        writeFileSync(join(tools(), name), `#!/bin/sh\necho ${answer}\n`, { mode: 0o755 })
      }
      const path = `${tools()}:/usr/bin:/bin`
      const program = command ?? join(built.resources, 'bin', 'farebox')
      const { status, stdout, stderr } = spawnSync(program, given, { env: { PATH: path, ...env }, encoding: 'utf8' })
      return { status, words: stdout.split('\n').slice(0, -1), stderr }
    }
    type WordsOptions = { command?: string; env?: Record<string, string>; user?: string; system?: string }

    const WITHOUT_DISPLAY = ['--ozone-platform=headless', '--log-level=3', '--']

    it('behind dashes, so that neither flags nor addresses mean anything to Electron', () => {
      const given = ['provider', 'add', 'a b', '--base-url', 'https://example.org/v1', '--no-sandbox', '']
      expect(words(given).words).toEqual([...WITHOUT_DISPLAY, ...given])
      expect(words([]).words).toEqual(WITHOUT_DISPLAY)
    })

    it('with a display only where it starts the tray app', () => {
      const env = { DISPLAY: ':0' }
      expect(words(['start', '--hidden'], { env }).words).toEqual(['--', 'start', '--hidden'])
      expect(words(['start'], { env: { WAYLAND_DISPLAY: 'wayland-0' } }).words).toEqual(['--', 'start'])
      expect(words(['start']).words).toEqual([...WITHOUT_DISPLAY, 'start'])
      expect(words(['status'], { env }).words).toEqual([...WITHOUT_DISPLAY, 'status'])
    })

    it('through links, absolute and relative', () => {
      const absolute = join(folder, 'farebox-link')
      symlinkSync(join(built.resources, 'bin', 'farebox'), absolute)
      const relative = join(built.dir, 'link')
      symlinkSync('resources/bin/farebox', relative)
      for (const command of [absolute, relative]) {
        expect(words(['status'], { command }).words).toEqual([...WITHOUT_DISPLAY, 'status'])
      }
      rmSync(relative)
    })

    it('not as root, and says why', () => {
      expect(words(['status'], { user: '0' })).toEqual({
        status: 1,
        words: [],
        stderr:
          'Farebox does not run as root: Chromium has no sandbox there. Use the account that Farebox belongs to.\n',
      })
    })

    it('on macOS from inside the app', () => {
      const contents = join(folder, 'Farebox.app', 'Contents')
      for (const name of ['Resources/bin', 'MacOS']) mkdirSync(join(contents, name), { recursive: true })
      const command = join(contents, 'Resources', 'bin', 'farebox')
      copyFileSync(join(built.resources, 'bin', 'farebox'), command)
      chmodSync(command, 0o755)
      copyFileSync(join(built.dir, 'farebox-desktop'), join(contents, 'MacOS', 'Farebox'))
      expect(words(['status'], { command, system: 'Darwin' }).words).toEqual(['--log-level=3', '--', 'status'])
    })
  })

  describe('on the double of Electron', () => {
    const run = (words: readonly string[], more: Partial<DoubleRun> = {}) => {
      const dataDir = join(folder, 'double')
      mkdirSync(dataDir, { recursive: true })
      return runOnDouble(app, { dataDir, words, ...more })
    }

    it('shows its icon, serves, and ends', () => {
      const script = `
        const label = () => items()[0]?.label ?? ''
        await until(() => label().includes('running at'))
        const url = 'http://' + label().split(' ').at(-1)
        console.log((await fetch(url + '/health')).status, (await fetch(url)).status)
        items().find((item) => item.label === 'Quit Farebox').click()`
      const { status, stdout, stderr } = run(['--data-dir', join(folder, 'double'), '--port', '0', '--hidden'], {
        script,
      })
      expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: '200 200\n' })
    })

    it('carries out commands, with their exit codes', () => {
      const flags = ['--json', '--data-dir', join(folder, 'double')]
      const listed = run(['--ozone-platform=headless', '--', 'model', 'list', ...flags])
      expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status: 0, stderr: '' })
      expect(JSON.parse(listed.stdout)).toEqual([])
      expect(run(['--', 'fly']).status).toBe(2)
    })

    it('replaces an AppImage with one that was signed, and with no other', async () => {
      const update = await prepareUpdate(app, folder)
      for (const [signer, said] of [
        ['somebody', 'An update was offered that the project of Farebox did not sign. It was ignored.\n'],
        ['us', 'installed\n'],
      ] as const) {
        update.publish(signer)
        const words = ['--data-dir', join(folder, 'double'), '--port', '0', '--hidden']
        const { status, stdout, stderr } = run(words, { env: update.env, script: update.script })
        expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: said })
        expect(readFileSync(update.appImage, 'utf8') === 'old').toBe(signer === 'somebody')
      }
    })

    it('asks the keychain in a utility process', () => {
      const add = ['provider', 'add', 'p', '--dialect', 'messages', '--base-url', 'https://a.example', '--secret-stdin']
      // Nobody keeps secrets at that address.
      const env = { FAREBOX_SECRETS: 'keychain', DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/no-bus` }
      const script = `await until(() => world.exits.length > 0); console.log(world.utilities.length)`
      const words = ['--', ...add, '--data-dir', join(folder, 'double')]
      const { status, stdout, stderr } = run(words, { env, input: 'sk-x', script })
      expect(stdout).toBe('1\n')
      expect(stderr).toMatch(/keychain/i)
      expect(stderr).not.toContain('sk-x')
      expect(status).toBe(1)
    })
  })

  describe('on plain Node', () => {
    let dataDir: string
    let running: RunningPackage | undefined

    beforeAll(async () => {
      dataDir = join(folder, 'data')
      running = await startPackage(app, { dataDir, port: 0 })
    }, 60_000)

    afterAll(() => {
      running?.child.kill('SIGKILL')
    })

    const ask = (path: string, body?: object) =>
      fetch(`${String(running?.ready['url'])}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${String(running?.ready['first_key'])}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const command = (...words: string[]) => runPackaged(app, dataDir, words)
    const MESSAGES = [{ role: 'user', content: 'Hello' }]

    it('serves a metered call', async () => {
      const answer = await ask('/v1/chat/completions', { model: 'demo-chat', messages: MESSAGES })
      expect(await answer.json()).toMatchObject({ usage: { total_tokens: 18 } })
      expect(await (await ask('/v1/balance')).json()).toMatchObject({ total_requests: 1, remaining_credits: 9.9931 })
    })

    it('counts on its thread, and reads reports on another', async () => {
      const counted = await ask('/v1/messages/count_tokens', { model: 'demo-chat', messages: MESSAGES })
      expect(await counted.json()).toMatchObject({ input_tokens: expect.any(Number) })
      const usage = command('usage', '--json')
      expect({ status: usage.status, errors: usage.stderr }).toEqual({ status: 0, errors: '' })
      expect(usage.stdout).toContain('demo-chat')
    })

    it('serves the dashboard and its files', async () => {
      const page = await ask('/')
      expect(page.status).toBe(200)
      const scripts = [...(await page.text()).matchAll(/src="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path)
      expect(scripts.length).toBeGreaterThan(0)
      for (const path of scripts) expect((await ask(path)).headers.get('content-type')).toContain('text/javascript')
      expect((await ask('/api')).status).toBeLessThan(500)
    })

    it('loads the library of the keychain', () => {
      const keytar: unknown = createRequire(join(app, 'dist', 'main', 'keychain-process.js'))('keytar/keytar.js')
      expect(keytar).toHaveProperty('getPassword')
    })

    it('reads what it is delivered with', () => {
      expect(command('provider', 'presets').stdout).toContain('OpenAI')
    })

    it('ends with everything written, and its books are in order', async () => {
      running?.child.kill('SIGTERM')
      expect(await running?.exited).toBe(0)
      expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
      const verified = command('ledger', 'verify', '--json')
      expect(verified.status).toBe(0)
      expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true })
    })
  })
})
