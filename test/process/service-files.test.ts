// The files that put Farebox on a server: the unit of systemd and the recipe of a container. Neither systemd nor a builder of
// containers runs here, so each line is held against a list of what is known, and every path against the repository.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SETTINGS } from '#config/config.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const READ: readonly {
  readonly env: string | undefined
  readonly kind: { read(text: string, paths: typeof posix): unknown }
}[] = Object.values(SETTINGS)
const NODE_OPTIONS = (JSON.parse(read('package.json')) as { scripts: { start: string } }).scripts.start
  .split(' ')
  .slice(1, -2)
const VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap(({ env }) => (env === undefined ? [] : [env]))

afterEach(endProcesses)

/** What keeps the service from everything that it does not need, each as it has to be. */
const HARDENING = {
  DynamicUser: 'yes',
  NoNewPrivileges: 'yes',
  CapabilityBoundingSet: '',
  AmbientCapabilities: '',
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  PrivateUsers: 'yes',
  ProtectProc: 'invisible',
  ProcSubset: 'pid',
  ProtectClock: 'yes',
  ProtectHostname: 'yes',
  ProtectKernelLogs: 'yes',
  ProtectKernelModules: 'yes',
  ProtectKernelTunables: 'yes',
  ProtectControlGroups: 'yes',
  RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  RestrictNamespaces: 'yes',
  RestrictRealtime: 'yes',
  RestrictSUIDSGID: 'yes',
  LockPersonality: 'yes',
  RemoveIPC: 'yes',
  MemoryDenyWriteExecute: 'no',
  SystemCallArchitectures: 'native',
  SystemCallErrorNumber: 'EPERM',
  UMask: '0077',
  LimitCORE: '0',
  StateDirectoryMode: '0700',
  CacheDirectory: 'farebox',
  // What is in it is run.
  CacheDirectoryMode: '0700',
}

/** Every other directive that the unit may have. */
const OTHERS =
  /^(Description|Wants|After|Type|ExecStart|ExecStartPost|Restart|RestartSec|KillSignal|TimeoutStopSec|TimeoutStartSec|Environment|EnvironmentFile|LoadCredential|StateDirectory|LimitNOFILE|MemoryMax|TasksMax|SystemCallFilter|WantedBy)$/

describe('the unit of systemd', () => {
  const lines = read('resources', 'systemd', 'farebox.service').split('\n')
  const directives = lines.flatMap((line) => {
    const [, name, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? ''] as const]
  })
  const all = (name: string) => directives.filter(([one]) => one === name).map(([, value]) => value)
  const settings = new Map(all('Environment').map((text) => [text.replace(/=.*/, ''), text.replace(/^[^=]*=/, '')]))

  it('has only directives that are known here, comments and sections', () => {
    const unknown = lines.filter((line) => !/^(#.*|\[(Unit|Service|Install)\]|[A-Za-z]+=.*|)$/.test(line))
    expect(unknown).toEqual([])
    expect(directives.filter(([name]) => !(name in HARDENING) && !OTHERS.test(name))).toEqual([])
  })

  it.each(Object.entries(HARDENING))('has %s=%s, once', (name, value) => {
    expect(all(name)).toEqual([value])
  })

  it('allows the system calls of services but not those that change the machine', () => {
    expect(all('SystemCallFilter')).toEqual(['@system-service', '~@privileged @resources'])
  })

  it('starts files that are there after an installation, and asks for nothing that needs a display', () => {
    const paths = [...all('ExecStart'), ...all('ExecStartPost')].join(' ').match(/\/opt\/farebox\/\S+/g) ?? []
    expect(paths).toHaveLength(4)
    for (const path of paths) expect(existsSync(path.replace('/opt/farebox', ROOT)), path).toBe(true)
    expect(all('ExecStart')[0]).toMatch(/ start --headless$/)
  })

  it('tells Node what npm start tells it', () => {
    expect(all('ExecStart')[0]?.split(' ').slice(1, -3)).toEqual(NODE_OPTIONS)
  })

  it('uses settings that exist, with values that they take', () => {
    expect([...settings.keys()].filter((name) => !VARIABLES.includes(name))).toEqual([])
    for (const { env, kind } of READ) {
      const value = settings.get(env ?? '')
      if (value !== undefined) expect(kind.read(value, posix), env).toBeDefined()
    }
  })

  it('keeps data and backups in folders of its own, and the key of the vault outside of them', () => {
    expect(all('StateDirectory')).toEqual(['farebox farebox-backups'])
    expect(settings.get('FAREBOX_DATA_DIR')).toBe('%S/farebox')
    expect(settings.get('FAREBOX_BACKUP_DIR')).toBe('%S/farebox-backups')
    expect(settings.get('FAREBOX_SECRETS')).toBe('vault')
    expect(all('LoadCredential')).toEqual(['farebox-key:/etc/farebox/vault.key'])
  })

  it('prints no key into the journal, and waits longer than running answers may take', () => {
    expect(settings.get('FAREBOX_DEMO')).toBe('false')
    const graceMs = Number(settings.get('FAREBOX_SHUTDOWN_GRACE_MS'))
    expect(Number(all('TimeoutStopSec')[0]) * 1000).toBeGreaterThanOrEqual(graceMs + 20_000)
  })

  // Not every machine has the program; where it is there, it knows better than the list above.
  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
    'is understood by systemd, which finds little to object to',
    () => {
      const unit = join(ROOT, 'resources', 'systemd', 'farebox.service')
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => line.includes('farebox') && !/is not executable/.test(line))).toEqual(
        [],
      )
      const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit]
      expect(spawnSync('systemd-analyze', args).status).toBe(0)
    },
  )
})

/** Compiles as the recipe says, with another user for its own, and holds a command of that user to what was compiled. */
function expectCompiled(place: string): void {
  const user = { uid: 65_534, gid: 65_534 }
  const node = join(place, 'node')
  copyFileSync(process.execPath, node)
  chmodSync(place, 0o755)
  const cache = join(place, 'node_modules', '.cache')
  mkdirSync(cache)
  chownSync(cache, user.uid, user.gid)
  const run = (argument: string, env: Record<string, string>) => {
    const args = [join(place, 'src-main', 'launch.mjs'), argument]
    return spawnSync(node, args, { ...user, env, encoding: 'utf8', maxBuffer: 64 << 20 })
  }
  expect(run('--prepare', {}).status).toBe(0)
  expect(spawnSync('sh', ['-c', `chown -R 0:0 ${cache} && chmod -R a+rX,go-w ${cache}`]).status).toBe(0)
  const { stderr } = run('help', { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
  expect(stderr.match(/V8 code cache for ESM \S+src-main\S+ was accepted/g)?.length).toBeGreaterThan(20)
  expect(stderr).not.toMatch(/reading cache from \S+ for (ESM|StrippedTypeScript) .*no such file/)
}

describe('the recipe of the container', () => {
  const recipe = read('resources', 'container', 'Containerfile')
  const steps = recipe.replaceAll('\\\n', ' ').split('\n')
  const last = recipe.slice(recipe.lastIndexOf('\nFROM '))
  const compiling = (/^FROM \S+ AS compiled\n([^]*?)\n\n/m.exec(recipe)?.[1] ?? '').split('\n')

  it('copies what is there, and what its ignore file lets through', () => {
    const copied = steps
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1))
      .filter((path) => path !== '.')
    expect(copied.length).toBeGreaterThan(3)
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const allowed = read('resources', 'container', 'Containerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    expect(copied.filter((path) => !allowed.includes(`!${path}`))).toEqual([])
    expect(allowed.filter((path) => !existsSync(join(ROOT, path.slice(1))))).toEqual([])
  })

  it('runs as a user without rights, keeps its data in a volume, and is watched', () => {
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^VOLUME \/var\/lib\/farebox$/m)
    expect(last).toMatch(
      /^HEALTHCHECK .*\\\n +CMD \["node", "\/opt\/farebox\/resources\/server\/probe.mjs", "\/health"\]$/m,
    )
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m)
    const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(last) ?? []
    expect(JSON.parse(entry)).toEqual(['node', ...NODE_OPTIONS, '/opt/farebox/src-main/launch.mjs'])
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('RUN '))
  })

  it('compiles as its user, who may not change afterwards what was compiled', () => {
    expect(compiling.filter((line) => /^(USER|RUN)/.test(line))).toEqual([
      'RUN install -d -o node -g node node_modules/.cache',
      'USER node',
      'RUN node src-main/launch.mjs --prepare',
      'USER root',
      'RUN chown -R 0:0 node_modules/.cache && chmod -R a+rX,go-w node_modules/.cache',
    ])
    // The cache holds for files at the same place only.
    expect(last).toContain('COPY --from=compiled /opt/farebox ./\n')
    expect(last).toMatch(/^WORKDIR \/opt\/farebox$/m)
    expect(compiling[0]).toBe('WORKDIR /opt/farebox')
  })

  it('has only settings that exist, prints no key and holds no secret', () => {
    const variables = [...last.matchAll(/\b(FAREBOX_[A-Z_]+)=/g)].map((match) => match[1] ?? '')
    expect(variables.length).toBeGreaterThan(3)
    expect(variables.filter((name) => !VARIABLES.includes(name))).toEqual([])
    expect(last).toContain('FAREBOX_DEMO=false')
    expect(recipe).not.toMatch(/^ARG|TOKEN|PASSWORD|_KEY/m)
  })

  // It takes the packages from the registry.
  if (process.env['FAREBOX_LONG_TESTS'] !== undefined)
    it(
      'leaves a Farebox that starts and answers, from the packages that it installs',
      { timeout: 900_000 },
      async () => {
        const place = mkdtempSync(join(tmpdir(), 'farebox-container-'))
        try {
          for (const name of ['package.json', 'package-lock.json', 'src-main', 'resources']) {
            cpSync(join(ROOT, name), join(place, name), { recursive: true })
          }
          const [command = ''] = steps.filter((line) => line.includes('--omit=dev')).map((line) => line.slice(4))
          expect(command).toBe('npm ci --omit=dev --ignore-scripts')
          const installed = spawnSync('sh', ['-c', command], { cwd: place, encoding: 'utf8' })
          expect(installed.status, installed.stderr).toBe(0)
          expect(readdirSync(join(place, 'node_modules'))).not.toContain('vitest')
          const launcher = join(place, 'src-main', 'launch.mjs')
          if (process.getuid?.() === 0) expectCompiled(place)
          const dataDir = join(await temporaryFolder(), 'data')
          const program = await startProcess({ dataDir, launcher })
          const body = JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] })
          const headers = { authorization: `Bearer ${program.firstKey}`, 'content-type': 'application/json' }
          const answer = await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body })
          expect(await answer.json()).toMatchObject({ model: 'demo-chat' })
          expect(await program.stop()).toEqual({ code: 0, signal: null })
        } finally {
          rmSync(place, { recursive: true, force: true })
        }
      },
    )
})
