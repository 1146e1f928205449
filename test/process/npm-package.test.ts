// The package that npm installs, in an empty folder of somebody with an empty home: nothing of this clone can help it. What it depends
// on comes from npm's cache, else from the registry.

import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build } from '../support/built.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MAX_PACKED_BYTES = 5_000_000
const MAX_FIRST_ANSWER_MS = 30_000
/** A registry is somebody else's machine. */
const INSTALL_LIMIT_MS = 180_000
/** npm goes on asking a registry that it cannot reach for a quarter of an hour. It is ended before its test, to say what it was at. */
const NPM_LIMIT_MS = INSTALL_LIMIT_MS - 20_000

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly dependencies: object
}

type Packed = {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

let folder: string
let file: string
let packed: Packed
let env: NodeJS.ProcessEnv

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-npm-'))
  for (const part of ['main', 'dashboard'] as const) build(part)
  const [registry, cache, cafile] = ['registry', 'cache', 'cafile'].map((name) =>
    npm(['config', 'get', name], process.env).trim(),
  )
  const [answer] = JSON.parse(
    npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], process.env),
  ) as Packed[]
  if (answer === undefined) throw new Error('npm packed nothing')
  packed = answer
  file = join(folder, packed.filename)
  const home = join(folder, 'home')
  mkdirSync(home)
  // A network may need certificates or a proxy to be named. Nobody's own Farebox is configured here, no test runner, and nothing of what
  // npm tells the scripts of a clone: its rules are for this project, and not for who installs a package.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(FAREBOX_|NODE_ENV$|NODE_COMPILE_CACHE$|VITEST|npm_|INIT_CWD$)/i.test(name),
  )
  env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    FAREBOX_SECRETS: 'vault',
    npm_config_registry: registry,
    npm_config_cache: cache,
    // Where a network has certificates of its own, npm's settings for the machine may name them, and another Node finds others.
    ...(cafile !== 'null' && { npm_config_cafile: cafile }),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}, INSTALL_LIMIT_MS)

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function npm(args: readonly string[], as: NodeJS.ProcessEnv, cwd = ROOT): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env: as, encoding: 'utf8', timeout: NPM_LIMIT_MS })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

function emptyFolder(name: string): string {
  const place = join(folder, name)
  mkdirSync(place)
  return place
}

describe('the package of npm', () => {
  it('has the code, the dashboard, their licences and what a server needs, and nothing of the tray app or the sources', () => {
    const names = packed.files.map(({ path }) => path)
    const isHashed = (name: string) => /^dist\/(main|dashboard\/assets)\/[\w.-]+-[\w-]{8}\./.test(name)
    const threads = ['body-thread', 'page-thread', 'report-thread', 'scan-thread', 'tokenizer-thread', 'writer-thread']
    const entries = ['farebox', 'keychain-process', ...threads]
    expect(names.filter((name) => !isHashed(name)).toSorted()).toEqual(
      [
        'LICENSE',
        'README.md',
        'package.json',
        'dist/main/LICENCES.txt',
        'dist/dashboard/LICENCES.txt',
        'dist/dashboard/index.html',
        // npm always packs what `main` names. Without its chunks nothing loads it.
        'dist/main/desktop.js',
        ...entries.map((name) => `dist/main/${name}.js`),
        ...['presets.json', 'price-card.json', 'release.json'].map((name) => `resources/${name}`),
        'resources/server/probe.mjs',
        'resources/systemd/farebox.service',
      ].toSorted(),
    )
    expect(names.filter((name) => name.includes('/tray-'))).toEqual([])
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES)
  })

  it('depends on what is compiled for a system, and on nothing else', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3', 'keytar'])
  })

  it(
    'answers and meters a call within half a minute of npx, in an empty folder with an empty home',
    { timeout: INSTALL_LIMIT_MS },
    async () => {
      const place = emptyFolder('npx')
      copyFileSync(file, join(place, packed.filename))
      const startedAtMs = performance.now()
      const flags = ['start', '--headless', '--json', '--port', '0']
      const child = spawn('npx', ['--yes', `./${packed.filename}`, ...flags], {
        cwd: place,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: NPM_LIMIT_MS,
      })
      const exited = new Promise((resolve) => child.once('exit', resolve))
      const line = await new Promise<string>((resolve, reject) => {
        createInterface(child.stdout).once('line', resolve)
        child.once('exit', (code) => reject(new Error(`npx ended with ${code}`)))
      })
      const { url, first_key: key, pid } = JSON.parse(line) as { url: string; first_key: string; pid: number }
      try {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] })
        const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
        expect(await answer.json()).toMatchObject({ usage: { total_tokens: 18 } })
        const balance = await fetch(`${url}/v1/balance`, { headers })
        expect(await balance.json()).toMatchObject({ total_requests: 1, remaining_credits: 9.9931 })
        const tookMs = performance.now() - startedAtMs
        console.info(`npx to a metered answer: ${(tookMs / 1000).toFixed(1)} s`)
        expect(tookMs).toBeLessThan(MAX_FIRST_ANSWER_MS)
        expect((await fetch(`${url}/`)).status).toBe(200)
        expect(readdirSync(place)).toEqual([packed.filename])
      } finally {
        process.kill(pid, 'SIGTERM')
      }
      expect(await exited).toBe(0)
    },
  )

  it(
    'is installed for everybody of a machine, runs no scripts and says its version',
    { timeout: INSTALL_LIMIT_MS },
    () => {
      const prefix = emptyFolder('global')
      npm(['install', '--global', '--ignore-scripts', '--prefix', prefix, file], env, prefix)
      const command = process.platform === 'win32' ? join(prefix, 'farebox.cmd') : join(prefix, 'bin', 'farebox')
      const { stdout } = spawnSync(command, ['--version'], {
        env,
        encoding: 'utf8',
        shell: process.platform === 'win32',
      })
      expect(stdout).toBe(`farebox ${manifest.version}\n`)
      const modules = process.platform === 'win32' ? 'node_modules' : join('lib', 'node_modules')
      const own = join(prefix, modules, 'farebox', 'node_modules')
      expect(readdirSync(own).filter((name) => !name.startsWith('.'))).toEqual(
        expect.arrayContaining(['better-sqlite3', 'keytar']),
      )
      const files = readdirSync(join(prefix, modules), { recursive: true, encoding: 'utf8' })
      const bytes = files.reduce((sum, name) => sum + statSync(join(prefix, modules, name)).size, 0)
      console.info(`installed: ${(bytes / 1e6).toFixed(1)} MB`)
    },
  )
})
