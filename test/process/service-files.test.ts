// The files that put Farebox on a server: the unit of systemd and the recipe of a container. Neither systemd nor a builder of
// containers runs here, so each line is held against a list of what is known, and every path against the repository.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { SETTINGS } from '#config/settings.ts'
import { needs } from '../requirements.ts'
import { build } from '../support/built.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const READ: readonly {
  readonly env: string | undefined
  readonly kind: { read(text: string, paths: typeof posix): unknown }
}[] = Object.values(SETTINGS)
const VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap(({ env }) => (env === undefined ? [] : [env]))

/** Where npm puts the package. */
const INSTALLED = '/opt/farebox/node_modules/farebox'
const PROGRAM = 'dist/main/farebox.js'
const PROBE = 'resources/server/probe.mjs'

/** The files of the package of npm. */
let packed: readonly string[]

beforeAll(() => {
  build('main')
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' })
  const [{ files = [] } = {}] = JSON.parse(stdout) as { readonly files?: readonly { readonly path: string }[] }[]
  packed = files.map(({ path }) => path)
}, 120_000)

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
    expect(all('ExecStart')).toEqual([`/usr/bin/node ${INSTALLED}/${PROGRAM} start --headless`])
    expect(all('ExecStartPost')).toEqual([`/usr/bin/node ${INSTALLED}/${PROBE} /health --wait 60`])
    for (const path of [PROGRAM, PROBE]) expect(packed, path).toContain(path)
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

  // It knows better than the list above.
  it('is understood by systemd, which finds little to object to', needs('systemd'), () => {
    const unit = join(ROOT, 'resources', 'systemd', 'farebox.service')
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    expect(stderr.split('\n').filter((line) => line.includes('farebox') && !/is not executable/.test(line))).toEqual([])
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit]
    expect(spawnSync('systemd-analyze', args).status).toBe(0)
  })
})

describe('the recipe of the container', () => {
  const recipe = read('resources', 'container', 'Containerfile')
  const steps = recipe.replaceAll('\\\n', ' ').split('\n')
  const last = recipe.slice(recipe.lastIndexOf('\nFROM '))

  it('copies what is there, and what its ignore file lets through', () => {
    const copied = steps
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1))
      .filter((path) => path !== '.')
    expect(copied.length).toBeGreaterThan(1)
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
    expect(last).toContain(`\n  CMD ["node", "${INSTALLED}/${PROBE}", "/health"]\n`)
    expect(last).toMatch(/^HEALTHCHECK /m)
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m)
    const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(last) ?? []
    expect(JSON.parse(entry)).toEqual(['node', `${INSTALLED}/${PROGRAM}`])
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('RUN '))
  })

  it('installs the package of npm, and runs no scripts of packages', () => {
    expect(steps.filter((line) => line.startsWith('RUN ') && line.includes('npm'))).toEqual([
      'RUN npm ci --ignore-scripts',
      'RUN node build.mjs && npm pack --ignore-scripts',
      'RUN npm install --ignore-scripts --prefix /opt/farebox /tmp/farebox-*.tgz',
    ])
    expect(last).toContain('COPY --from=installed /opt/farebox/node_modules node_modules\n')
    expect(last).toMatch(/^WORKDIR \/opt\/farebox$/m)
  })

  it('has only settings that exist, prints no key and holds no secret', () => {
    const variables = [...last.matchAll(/\b(FAREBOX_[A-Z_]+)=/g)].map((match) => match[1] ?? '')
    expect(variables.length).toBeGreaterThan(3)
    expect(variables.filter((name) => !VARIABLES.includes(name))).toEqual([])
    expect(last).toContain('FAREBOX_DEMO=false')
    expect(recipe).not.toMatch(/^ARG|TOKEN|PASSWORD|_KEY/m)
  })
})
