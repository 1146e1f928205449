// The control of the listener with a server that answers one word, on networks that come and go.

import { request } from 'node:https'
import type { Server } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { NetworkInterfaceInfo } from 'node:os'
import { tmpdir } from 'node:os'
import type { TLSSocket } from 'node:tls'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LanSettings } from '#core/lan.ts'
import { isRefusal } from '#core/refusal.ts'
import { makeIdentity, readMadeIdentity, saveIdentity, type Identity } from '#lan/identity.ts'
import { Lan, type LanDeps, type LanListener } from '#lan/lan.ts'
import { RENEW_MS } from '#lan/prepare.ts'
import { lanView } from '#lan/view.ts'

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
}

let folder: string
let interfaces: Record<string, NetworkInterfaceInfo[]>
let nowMs: number
let kept: LanSettings | undefined
let lan: Lan
const log: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-lan-'))
  interfaces = { eth0: [info('127.0.0.2')] }
  nowMs = Date.now()
  kept = undefined
  log.length = 0
  lan = lanWith({})
})
afterEach(async () => {
  const closed = lan.close()
  lan.cut()
  await closed
  await rm(folder, { recursive: true })
})

function info(address: string): NetworkInterfaceInfo {
  return {
    address,
    netmask: '255.0.0.0',
    family: 'IPv4',
    mac: '00:00:00:00:00:00',
    internal: false,
    cidr: `${address}/8`,
  }
}

function lanWith(more: Partial<LanDeps>): Lan {
  return new Lan({
    dataDir: folder,
    settings: kept,
    nowMs: () => nowMs,
    log: (line) => log.push(line),
    save: async (settings) => void (kept = settings),
    hasAdministrator: () => true,
    build: serverOf,
    listensOn: () => undefined,
    graceMs: 100,
    interfaces: () => interfaces,
    ...more,
  })
}

function serverOf({ makeServer }: LanListener) {
  const server: Server = makeServer((_request, response) => response.end('hello'), LIMITS)
  return {
    listen: ({ host, port }: { host: string; port: number }) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, resolve)
      }),
    close: async () => undefined,
  }
}

const view = () => lanView(lan.state)

/** The fingerprint that is shown to whoever connects now. */
function shownAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, path: '/', agent: false, rejectUnauthorized: false }
    request(options, (response) => {
      // Node's type says what a socket of TLS has too.
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
      response.resume().once('end', () => resolve(fingerprint256))
    })
      .once('error', reject)
      .end()
  })
}

describe('an interface', () => {
  it('is followed to its new address, and waited for while it has none', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0 })
    expect(view()).toMatchObject({ state: 'on', certificate: { names: ['127.0.0.2'] } })
    interfaces = { eth0: [] }
    await lan.look()
    await lan.look()
    // What is there goes on until there is something better.
    expect(view()).toMatchObject({ state: 'on', problem: "The network interface 'eth0' has no address now." })
    expect(log.filter((line) => line.includes('no address'))).toHaveLength(1)
    interfaces = { eth0: [info('127.0.0.5')] }
    await lan.look()
    const [url = ''] = view().urls
    expect(new URL(url).hostname).toBe('127.0.0.5')
    expect(view()).toMatchObject({ state: 'on', problem: null, certificate: { names: ['127.0.0.5'] } })
    expect(await shownAt(url)).toBe(view().certificate?.fingerprint)
  })

  it('that gets another address keeps the certificate of a host name', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0, names: ['farebox.test'] })
    const before = view().certificate
    interfaces = { eth0: [info('127.0.0.5')] }
    await lan.look()
    expect(view().urls.map((url) => new URL(url).hostname)).toEqual(['farebox.test', '127.0.0.5'])
    expect(view().certificate).toEqual(before)
  })

  it('that is not there at the start is listened on when it is', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0 })
    await lan.close()
    lan = lanWith({})
    interfaces = {}
    await lan.open()
    expect(view()).toMatchObject({ state: 'failed', problem: "The network interface 'eth0' is not there." })
    interfaces = { eth0: [info('127.0.0.2')] }
    await lan.look()
    expect(view()).toMatchObject({ state: 'on', problem: null })
  })
})

describe('a folder that cannot be written', () => {
  it('does not keep the LAN closed while there is a certificate that is good', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0 })
    await lan.close()
    lan = lanWith({})
    // Where a file is to be drafted, there is a folder.
    await mkdir(join(folder, 'lan-key.pem.new', 'in the way'), { recursive: true })
    await lan.open()
    expect(view()).toMatchObject({ state: 'on', problem: null })
    // A change that needs another certificate is refused by it, and everything is as it was.
    const before = view()
    await expect(lan.change({ names: ['farebox.test'] })).rejects.toThrow(/lan-key\.pem\.new/)
    expect(view()).toMatchObject({ state: 'on', certificate: before.certificate, settings: before.settings })
    await rm(join(folder, 'lan-key.pem.new'), { recursive: true })
    await lan.change({ names: ['farebox.test'] })
    expect(view()).toMatchObject({ state: 'on', settings: { names: ['farebox.test'] } })
  })

  it('still turns it off', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0 })
    const [url = ''] = view().urls
    await lan.close()
    lan = lanWith({ save: () => Promise.reject(new Error('the disk is full')) })
    await lan.open()
    expect(await shownAt(view().urls[0] ?? '')).not.toBe('')
    await expect(lan.turnOff()).rejects.toThrow('full')
    await expect(shownAt(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('a certificate', () => {
  it('that Farebox made is renewed in time, with the same key and without a new start', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0 })
    const [url = ''] = view().urls
    const before = view().certificate
    const key = await readFile(join(folder, 'lan-key.pem'), 'utf8')
    nowMs = Date.parse(before?.expires_at ?? '') - RENEW_MS - 1
    await lan.look()
    expect(view().certificate).toEqual(before)
    nowMs += 2
    await lan.look()
    const { fingerprint } = view().certificate ?? {}
    expect(fingerprint).not.toBe(before?.fingerprint)
    expect(view().urls).toEqual([url])
    expect(await shownAt(url)).toBe(fingerprint)
    expect(await readFile(join(folder, 'lan-key.pem'), 'utf8')).toBe(key)
    expect((await stat(join(folder, 'lan-key.pem'))).mode & 0o777).toBe(0o600)
    expect(log.some((line) => line.includes(fingerprint ?? '-'))).toBe(true)
  })

  it('from files is taken anew when they change, and kept while they are wrong', async () => {
    const files = { certificate: join(folder, 'own.pem'), key: join(folder, 'own.key') }
    const write = async ({ certificate, key }: Identity) => {
      await writeFile(files.certificate, certificate)
      await writeFile(files.key, key, { mode: 0o600 })
    }
    await write(makeIdentity(['127.0.0.2'], nowMs))
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0, certificate_file: files.certificate, key_file: files.key })
    const [url = ''] = view().urls
    const first = await shownAt(url)
    const next = makeIdentity(['127.0.0.2'], nowMs)
    await write(next)
    await lan.look()
    expect(await shownAt(url)).toBe(next.fingerprint)
    expect(next.fingerprint).not.toBe(first)
    await writeFile(files.key, 'not a key')
    await lan.look()
    expect(view().problem).toContain('not a certificate and a key')
    expect(await shownAt(url)).toBe(next.fingerprint)
    await rm(files.key)
    await lan.look()
    expect(view().problem).toContain('cannot be read (ENOENT)')
  })

  it('is read back as it was written, also one with every kind of name', () => {
    const names = ['10.0.0.1', 'fd00::1', 'a.test', `${'x'.repeat(63)}.${'y'.repeat(63)}.test`]
    const made = makeIdentity(names, nowMs)
    saveIdentity(folder, made)
    const read = readMadeIdentity(folder)
    if (read === undefined || isRefusal(read)) throw new Error('it was not read')
    expect(read).toEqual(made)
    expect(read.names).toHaveLength(names.length)
  })

  it('of after the year 2049 has its times in the long form', () => {
    const lateMs = Date.UTC(2049, 5, 1)
    expect(new Date(makeIdentity(['a.test'], lateMs).expiresAtMs).toISOString()).toBe('2051-06-01T00:00:00.000Z')
  })
})

describe('a host name', () => {
  it('is in the certificate, accepted, and kept under a new address', async () => {
    const hosts: string[] = []
    lan = lanWith({
      build: (listener) => ({
        ...serverOf(listener),
        close: async () => void hosts.splice(0, hosts.length, ...listener.hosts),
      }),
    })
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0, names: ['farebox.test', 'Box.Local'] })
    const before = view()
    const port = Number(new URL(before.urls[0] ?? '').port)
    expect(before.urls.map((url) => new URL(url).hostname)).toEqual(['farebox.test', 'box.local', '127.0.0.2'])
    expect(before.certificate?.names).toEqual(expect.arrayContaining(['box.local', 'farebox.test', '127.0.0.2']))
    interfaces = { eth0: [info('127.0.0.5')] }
    await lan.look()
    expect(hosts).toEqual([`127.0.0.2:${port}`, `farebox.test:${port}`, `box.local:${port}`])
    expect(view().certificate).toEqual(before.certificate)
  })

  it('is remembered while the LAN is off, and forgotten when somebody says so', async () => {
    await lan.open()
    await lan.change({ interface: 'eth0', port: 0, names: ['box.local'] })
    await lan.turnOff()
    expect(view()).toMatchObject({ state: 'off', settings: { names: ['box.local'] } })
    await lan.change({})
    expect(view().urls.map((url) => new URL(url).hostname)).toEqual(['box.local', '127.0.0.2'])
    await lan.change({ names: [] })
    expect(view().urls.map((url) => new URL(url).hostname)).toEqual(['127.0.0.2'])
  })

  it("is refused where the administrator's own certificate is not for it", async () => {
    const { certificate, key } = makeIdentity(['127.0.0.2', 'farebox.test'], nowMs)
    const files = { certificate_file: join(folder, 'own.pem'), key_file: join(folder, 'own.key') }
    await writeFile(files.certificate_file, certificate)
    await writeFile(files.key_file, key, { mode: 0o600 })
    await lan.open()
    const refused = await lan.change({ interface: 'eth0', port: 0, ...files, names: ['farebox.local'] })
    expect(isRefusal(refused) && refused.message).toContain("is not for 'farebox.local'")
    expect(await lan.change({ interface: 'eth0', port: 0, ...files })).toBeUndefined()
    expect(view()).toMatchObject({ state: 'on' })
  })
})
