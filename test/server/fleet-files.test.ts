// The files that run several gateways: Compose, Kubernetes, and the proxy in front of them. Neither runs here, so every name of ours in them is held against the
// program, and each file against the others.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { SETTINGS } from '#config/settings.ts'
import { ENDPOINTS } from '#dialect/dialects.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = join(ROOT, 'resources', 'container')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap(
  ({ env }: { env: string | undefined }) => env ?? [],
)
/** What the image sets, and where its parts are. */
const IMAGE = read('Containerfile')
const DATA_DIR = '/var/lib/farebox'

type Service = {
  readonly environment?: Readonly<Record<string, string>>
  readonly network_mode?: string
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, unknown>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** Probes are files of the package, and ask what is served. */
function expectProbe(command: readonly string[], path: '/health' | '/ready'): void {
  const script = command.find((word) => word.endsWith('.mjs')) ?? ''
  expect(existsSync(join(ROOT, script.replace('node_modules/farebox/', '')))).toBe(true)
  expect(command.at(-1)).toBe(path)
}

function expectKnown(names: readonly string[]): void {
  expect(names.filter((name) => !VARIABLES.includes(name))).toEqual([])
}

describe.each(['haproxy.cfg', 'kubernetes.yaml'])('the proxy of %s', (file) => {
  const pattern = new RegExp(/acl is_call path_reg (\S+)/.exec(read(file))?.[1] ?? '^$')

  it('lets every call through, however its address was typed', () => {
    const paths = ENDPOINTS.flatMap(([, { paths: own }]) => own)
    expect(paths).toContain('/chat/completions')
    for (const path of [...paths, '/v1/models', '/models', '/v1/balance', '/v1/receipts/x', '/v2/rerank']) {
      expect(path).toMatch(pattern)
      expect(`/${path}`).toMatch(pattern)
    }
  })

  it.each([
    '/',
    '/api/keys',
    '//api/keys',
    '/app',
    '/app/v1/',
    '/metrics',
    '/docs/openapi.json',
    '/v1x',
    '/%61pi/keys',
  ])('keeps %s to itself', (path) => {
    expect(path).not.toMatch(pattern)
  })
})

describe('the compose file', () => {
  const { services, secrets, volumes } = parse(read('compose.yaml'), { merge: true }) as Compose
  const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))

  it('has gateways with settings that there are, and a data folder for each', () => {
    expect(gateways).toHaveLength(2)
    const folders = gateways.flatMap(([, { volumes: own = [] }]) => own)
    expect(new Set(folders).size).toBe(2)
    for (const [, { environment = {}, healthcheck, secrets: used = [] }] of gateways) {
      expectKnown(Object.keys(environment))
      expect(environment.FAREBOX_DATABASE_URL).toMatch(/^postgres:\/\/farebox@postgres\//)
      for (const [name, value] of Object.entries(environment)) {
        if (name.endsWith('_FILE')) expect(used.map((secret) => `/run/secrets/${secret}`)).toContain(value)
      }
      expectProbe(healthcheck?.test ?? [], '/health')
    }
    for (const folder of folders) expect(folder.split(':')[1]).toBe(DATA_DIR)
    expect(IMAGE).toContain(`FAREBOX_DATA_DIR=${DATA_DIR}`)
  })

  it('declares every volume and secret that a service has', () => {
    for (const { volumes: own = [], secrets: used = [] } of Object.values(services)) {
      for (const secret of used) expect(secrets).toHaveProperty([secret])
      for (const volume of own) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('./')) expect(existsSync(join(FOLDER, source))).toBe(true)
        else expect(volumes).toHaveProperty([source])
      }
    }
  })

  it('has a proxy that reaches each gateway where it listens', () => {
    const ports = gateways.map(([, { environment, network_mode: network }]) => {
      expect(network).toBe('service:proxy')
      return `127.0.0.1:${environment?.FAREBOX_PORT}`
    })
    const servers = [...read('haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+)$/gm)]
    expect(servers.map(([, , address]) => address)).toEqual(ports)
    // The name of a server is the Host that it is asked by.
    for (const [, name, address] of servers) expect(name).toBe(address)
  })
})

type Container = {
  readonly name: string
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly livenessProbe?: { readonly exec: { readonly command: readonly string[] } }
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
type Pods = {
  readonly spec: {
    readonly serviceName: string
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[]
  }
}
type Named = { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace: string } }

describe('the manifest for Kubernetes', () => {
  const objects = parseAllDocuments(read('kubernetes.yaml'), { merge: true }).map(
    (document) => document.toJS() as Named & { readonly spec?: { readonly selector?: object } },
  )
  const { spec } = objects.find(({ kind }) => kind === 'StatefulSet') as unknown as Pods
  const { containers, volumes, terminationGracePeriodSeconds: grace } = spec.template.spec
  const gateway = containers.find(({ name }) => name === 'gateway')

  it('has objects of one namespace, and services that find the pods', () => {
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['farebox']))
    const services = objects.filter(({ kind }) => kind === 'Service')
    expect(services.map(({ metadata }) => metadata.name)).toContain(spec.serviceName)
    for (const service of services) expect(service.spec?.selector).toEqual(spec.template.metadata.labels)
  })

  it('has a gateway with settings that there are, and files where it reads them', () => {
    const env = gateway?.env ?? []
    expectKnown(env.map(({ name }) => name))
    const mounts = gateway?.volumeMounts.map(({ mountPath }) => mountPath) ?? []
    expect(mounts).toContain(DATA_DIR)
    for (const { name, value } of env) {
      if (name.endsWith('_FILE')) expect(mounts.some((path) => value.startsWith(`${path}/`))).toBe(true)
    }
    expectProbe(gateway?.livenessProbe?.exec.command ?? [], '/health')
  })

  it('mounts what there is, and gives calls the time to end', () => {
    const there = [...volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name)
    for (const { volumeMounts } of containers) {
      for (const { name } of volumeMounts) expect(there).toContain(name)
    }
    const drained = Number(/FAREBOX_SHUTDOWN_GRACE_MS=(\d+)/.exec(IMAGE)?.[1]) / 1000
    const notice = Number(gateway?.env?.find(({ name }) => name === 'FAREBOX_SHUTDOWN_NOTICE_MS')?.value) / 1000
    expect(grace).toBeGreaterThan(notice + drained + 15)
  })
})
