// Turning the LAN on and off while the gateway for this machine goes on.

import { connect } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AdminError } from '#cli/client.ts'
import { chatModel, startFarebox } from '../support/farebox.ts'
import { askLan, certificateOf, LAN_ADDRESS, sendBytes, startLan, type LanFarebox } from './support.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function started(...options: Parameters<typeof startLan>): Promise<LanFarebox> {
  const farebox = await startLan(...options)
  opened.push(farebox)
  return farebox
}

async function refusalOf(promise: Promise<unknown>): Promise<AdminError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AdminError)) throw new Error('it was not refused')
  return error
}

describe('the LAN', () => {
  it('is off until somebody turns it on', async () => {
    const { admin } = await started()
    expect(await admin.call('showLan', {})).toMatchObject({ state: 'off', urls: [], settings: null, certificate: null })
    expect(await admin.call('status', {})).toMatchObject({ lan: { state: 'off', urls: [] } })
  })

  it('needs an administrator with a password before it can be turned on', async () => {
    const farebox = await startFarebox()
    opened.push(farebox)
    const { admin } = farebox
    const turnOn = () => admin.call('setLan', { body: { address: LAN_ADDRESS, port: 0 } })
    expect(await refusalOf(turnOn())).toMatchObject({ status: 409 })
    await admin.call('addMember', { body: { name: 'mia', password: 'a password of ten' } })
    await admin.call('addMember', { body: { name: 'ada', role: 'administrator' } })
    expect((await refusalOf(turnOn())).message).toContain('administrator who can sign in with a password')
    await admin.call('editMember', { id: 'mia', body: { role: 'administrator', status: 'suspended' } })
    await refusalOf(turnOn())
    expect(await admin.call('showLan', {})).toMatchObject({ state: 'off' })
    await admin.call('editMember', { id: 'mia', body: { status: 'active' } })
    expect(await turnOn()).toMatchObject({ state: 'on' })
  })

  it('serves while the listener of this machine goes on, and closes again', async () => {
    const farebox = await started()
    const { urls } = await farebox.on()
    const [url = ''] = urls
    const ca = await certificateOf(farebox)
    expect((await askLan(`${url}/health`, { ca })).json()).toEqual({ status: 'ok', name: 'farebox' })
    expect((await fetch(`${farebox.url}/health`)).status).toBe(200)
    expect(await farebox.admin.call('turnLanOff', {})).toMatchObject({ state: 'off', urls: [] })
    await expect(askLan(`${url}/health`, { ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect((await fetch(`${farebox.url}/health`)).status).toBe(200)
    // What was set is remembered.
    const again = await farebox.admin.call('setLan', { body: {} })
    expect(again.urls).toEqual(urls)
    expect((await askLan(`${url}/health`, { ca })).status).toBe(200)
  })

  it('survives a restart with the same certificate', async () => {
    const first = await started()
    const on = await first.on({ names: ['farebox.test'] })
    const ca = await certificateOf(first)
    await first.stop()
    opened.splice(0)
    const second = await started({ dataDir: first.dataDir })
    const shown = await second.admin.call('showLan', {})
    expect(shown).toMatchObject({ state: 'on', urls: on.urls, certificate: on.certificate })
    expect((await askLan(`${on.urls[1]}/health`, { ca })).status).toBe(200)
    await second.admin.call('turnLanOff', {})
    await second.stop()
    opened.splice(0)
    const third = await started({ dataDir: first.dataDir })
    expect(await third.admin.call('showLan', {})).toMatchObject({ state: 'off' })
  })

  it('lets Farebox start where its address is gone, and says so', async () => {
    const first = await started()
    await first.on()
    await first.stop()
    opened.splice(0)
    // Nobody has this one: it is for documentation.
    const { openForWriting } = await import('#store/database.ts')
    const db = openForWriting(first.dataDir)
    db.prepare("UPDATE lan SET address = '192.0.2.7'").run()
    db.close()
    const second = await started({ dataDir: first.dataDir })
    expect((await fetch(`${second.url}/health`)).status).toBe(200)
    const shown = await second.admin.call('showLan', {})
    expect(shown).toMatchObject({ state: 'failed', urls: [] })
    expect(shown.problem).toContain('does not have the address 192.0.2.7')
    expect(second.log.filter((line) => line.includes('192.0.2.7'))).toHaveLength(1)
    expect(await second.admin.call('status', {})).toMatchObject({ lan: { state: 'failed', problem: shown.problem } })
    expect(await second.on()).toMatchObject({ state: 'on', problem: null })
  })

  it('is not opened by a database that came without its certificate, such as a backup', async () => {
    const first = await started()
    await first.on()
    await first.stop()
    opened.splice(0)
    await rm(join(first.dataDir, 'lan-key.pem'))
    const second = await started({ dataDir: first.dataDir })
    const shown = await second.admin.call('showLan', {})
    expect(shown.state).toBe('failed')
    expect(shown.problem).toContain('farebox lan on')
  })

  it('refuses a key that others could have read', async () => {
    const first = await started()
    const on = await first.on()
    const key = join(first.dataDir, 'lan-key.pem')
    expect((await stat(key)).mode & 0o777).toBe(0o600)
    await first.stop()
    opened.splice(0)
    await chmod(key, 0o640)
    const second = await started({ dataDir: first.dataDir })
    expect((await second.admin.call('showLan', {})).problem).toContain('Other users can read')
    expect((await refusalOf(second.on())).message).toContain('Other users can read')
    const renewed = await second.on({ new_certificate: true })
    expect(renewed.certificate?.fingerprint).not.toBe(on.certificate?.fingerprint)
    expect((await stat(key)).mode & 0o777).toBe(0o600)
  })

  it('is only set while no gateway runs, and opens with the next one', async () => {
    const farebox = await started()
    const { openApp } = await import('#app/open.ts')
    const { testConfig } = await import('../support/farebox.ts')
    const { adminClient } = await import('#cli/client.ts')
    await farebox.stop()
    opened.splice(0)
    const app = await openApp(testConfig(farebox.dataDir, {}), () => undefined)
    const admin = adminClient((request) => app.inject(request))
    const set = await admin.call('setLan', { body: { address: LAN_ADDRESS, port: 0 } })
    expect(set).toMatchObject({ state: 'waiting', urls: [] })
    await app.close()
    const second = await started({ dataDir: farebox.dataDir })
    expect(await second.admin.call('showLan', {})).toMatchObject({ state: 'on' })
  })

  it('stays as it was where a change cannot be made', async () => {
    const farebox = await started()
    const before = await farebox.on({ names: ['farebox.test'] })
    const port = Number(new URL(before.urls[1] ?? '').port)
    const taken = await started()
    const other = await taken.on({ address: '127.0.0.3' })
    const takenPort = Number(new URL(other.urls[0] ?? '').port)
    const refusals = [
      farebox.on({ address: '127.0.0.3', port: takenPort }),
      farebox.on({ address: '192.0.2.7', port }),
      farebox.on({ interface: 'no-such-interface' }),
      farebox.on({ certificate_file: '/nowhere/a.pem', key_file: '/nowhere/a.key' }),
    ]
    for (const refusal of refusals) expect([400, 409]).toContain((await refusalOf(refusal)).status)
    const shown = await farebox.admin.call('showLan', {})
    expect(shown).toMatchObject({ state: 'on', urls: before.urls, settings: before.settings, problem: null })
    expect((await askLan(`${before.urls[1]}/health`, { ca: await certificateOf(farebox) })).status).toBe(200)
  })

  it('lets a call over it end when it is turned off, and takes no new one', async () => {
    const farebox = await started({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '5000' } })
    await farebox.admin.call('addDemo', {})
    await farebox.admin.call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 1000 } })
    const key = await farebox.newKey('plenty')
    const [url = ''] = (await farebox.on()).urls
    const ca = await certificateOf(farebox)
    const call = askLan(`${url}/v1/chat/completions`, {
      ca,
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'demo-chat', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
    })
    await expect.poll(() => farebox.admin.call('status', {})).toMatchObject({ open_exchanges: 1 })
    await farebox.admin.call('turnLanOff', {})
    await expect(askLan(`${url}/health`, { ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const answer = await call
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('data: [DONE]')
  })
})

describe('a connection of another machine', () => {
  // Longer than a test takes: whatever ends here does not end because nobody waited any longer.
  const env = { FAREBOX_SHUTDOWN_GRACE_MS: '60000' }

  async function connected(url: string, ca: string): Promise<TLSSocket> {
    const { port } = new URL(url)
    const socket = connectTls({ host: LAN_ADDRESS, port: Number(port), ca, servername: '' })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    return socket
  }
  const headOf = (url: string, first: string, ...lines: string[]) =>
    [`${first} HTTP/1.1`, `host: ${new URL(url).host}`, ...lines, '', ''].join('\r\n')
  const ended = (socket: TLSSocket) => once(socket.resume(), 'close')

  it.each([
    ['changed', (farebox: LanFarebox) => farebox.on({ administration: true })],
    ['turned off', (farebox: LanFarebox) => farebox.admin.call('turnLanOff', {})],
  ])('ends when the LAN is %s and no request is under way, also where there never was one', async (_, change) => {
    const farebox = await started({ env })
    const [url = ''] = (await farebox.on()).urls
    const ca = await certificateOf(farebox)
    const [unused, kept] = [await connected(url, ca), await connected(url, ca)]
    kept.write(headOf(url, 'GET /health'))
    const [answer] = (await once(kept, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /)
    const both = Promise.all([ended(unused), ended(kept)])
    await change(farebox)
    await both
  })

  it('stays until its request has been answered, and ends then', async () => {
    const farebox = await started({ env })
    await farebox.admin.call('addDemo', {})
    await farebox.admin.call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 1000 } })
    const key = await farebox.newKey('plenty')
    const [url = ''] = (await farebox.on()).urls
    const socket = await connected(url, await certificateOf(farebox))
    const body = JSON.stringify({ model: 'demo-chat', stream: true, messages: [{ role: 'user', content: 'Hello' }] })
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', `content-length: ${body.length}`]
    socket.write(headOf(url, 'POST /v1/chat/completions', ...lines) + body)
    const answer = text(socket)
    await expect.poll(() => farebox.admin.call('status', {})).toMatchObject({ open_exchanges: 1 })
    await farebox.on({ administration: true })
    expect(await answer).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
  })
})

describe('what cannot be', () => {
  let farebox: LanFarebox
  beforeAll(async () => {
    farebox = await startLan()
  })
  afterAll(() => farebox.close())

  it.each([
    ['0.0.0.0', 'every network'],
    ['::', 'every network'],
    ['127.0.0.1', 'this machine alone'],
    ['::1', 'this machine alone'],
    ['224.0.0.1', 'single machine'],
    ['169.254.169.254', 'metadata'],
    ['fe80::1', 'interface'],
    ['farebox.test', 'not an address'],
    ['127.0.0.02', 'not an address'],
    ['[::2]', 'not an address'],
  ])('refuses to listen on %s', async (address, words) => {
    expect((await refusalOf(farebox.on({ address }))).message).toContain(words)
  })

  it.each([
    'localhost',
    'a.localhost',
    '127.0.0.2',
    'a..b',
    '-a',
    'a_b',
    '1',
    '0x7f',
    'a/b',
    'a:1',
    'évil.test',
    '*.a',
  ])('refuses %s as a host name', async (name) => {
    expect((await refusalOf(farebox.on({ names: [name] }))).param).toBe('names')
  })

  it.each(['GET / HTTP/1.1\r\nhost: x\r\n\r\n', 'GET /v1/models HTTP/1.0\r\n\r\n', 'x'.repeat(5000)])(
    'answers nothing without TLS to %j',
    async (text) => {
      const { port } = new URL((await farebox.on()).urls[0] ?? '')
      const answer = await sendBytes(connect(Number(port), LAN_ADDRESS), text)
      expect(answer.toString('latin1')).not.toContain('HTTP')
      // At most an alert of TLS.
      expect(answer.length).toBeLessThanOrEqual(7)
    },
  )
})

describe('a certificate', () => {
  it('names what was enabled, and is made anew when it would not', async () => {
    const farebox = await started()
    const first = await farebox.on({ names: ['farebox.test', 'Box.Local'] })
    expect(first.urls.map((url) => new URL(url).hostname)).toEqual(['farebox.test', 'box.local', LAN_ADDRESS])
    const pem = await certificateOf(farebox)
    const certificate = new X509Certificate(pem)
    expect(certificate.subjectAltName?.split(', ').sort()).toEqual(
      ['DNS:box.local', 'DNS:farebox.test', `IP Address:${LAN_ADDRESS}`].sort(),
    )
    expect(certificate.ca).toBe(false)
    // Clients with BoringSSL look for another issuer where this is not so, and can never be told to trust it.
    expect(certificate.checkIssued(certificate)).toBe(true)
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect(first.certificate).toMatchObject({ fingerprint: certificate.fingerprint256, source: 'farebox' })
    const same = await farebox.on({ names: ['farebox.test'] })
    expect(same.certificate).toEqual(first.certificate)
    const more = await farebox.on({ names: ['farebox.test', 'other.test'] })
    expect(more.certificate?.fingerprint).not.toBe(first.certificate?.fingerprint)
    expect(more.certificate?.names).toContain('other.test')
    // The key stays until somebody asks for a new one.
    const key = (text: string) => new X509Certificate(text).publicKey.export({ type: 'spki', format: 'pem' })
    expect(key(await certificateOf(farebox))).toBe(key(pem))
    await farebox.on({ new_certificate: true })
    expect(key(await certificateOf(farebox))).not.toBe(key(pem))
  })

  it('is renewed before it ends, while connections go on', async () => {
    const clock = { now: Date.now() }
    const farebox = await started({ clock: { nowMs: () => clock.now, monotonicMs: () => performance.now() } })
    const first = await farebox.on()
    const expires = Date.parse(first.certificate?.expires_at ?? '')
    await farebox.stop()
    opened.splice(0)
    clock.now = expires - 31 * 86_400_000
    const early = await started({
      dataDir: farebox.dataDir,
      clock: { nowMs: () => clock.now, monotonicMs: () => performance.now() },
    })
    expect((await early.admin.call('showLan', {})).certificate).toEqual(first.certificate)
    await early.stop()
    opened.splice(0)
    clock.now = expires - 29 * 86_400_000
    const late = await started({
      dataDir: farebox.dataDir,
      clock: { nowMs: () => clock.now, monotonicMs: () => performance.now() },
    })
    const renewed = (await late.admin.call('showLan', {})).certificate
    expect(renewed?.fingerprint).not.toBe(first.certificate?.fingerprint)
    expect(Date.parse(renewed?.expires_at ?? '')).toBeGreaterThan(expires)
  })

  it('can be of the administrator, if it is for every name and its key fits', async () => {
    const maker = await started()
    await maker.on({ names: ['farebox.test'] })
    const place = (name: string) => join(maker.dataDir, name)
    const [certificate, key] = [place('own.pem'), place('own.key')]
    await writeFile(certificate, await readFile(place('lan-certificate.pem')))
    await writeFile(key, await readFile(place('lan-key.pem')), { mode: 0o600 })
    const farebox = await started()
    const files = { certificate_file: certificate, key_file: key }
    expect((await refusalOf(farebox.on({ ...files, names: ['other.test'] }))).message).toContain("not for 'other.test'")
    expect((await refusalOf(farebox.on({ certificate_file: certificate }))).message).toContain('belong together')
    expect((await refusalOf(farebox.on({ certificate_file: 'own.pem', key_file: key }))).message).toContain('absolute')
    const on = await farebox.on({ ...files, names: ['farebox.test'] })
    expect(on.certificate).toMatchObject({
      source: 'files',
      fingerprint: new X509Certificate(await readFile(certificate)).fingerprint256,
    })
    expect((await askLan(`${on.urls[1]}/health`, { ca: await readFile(certificate, 'utf8') })).status).toBe(200)
    await chmod(key, 0o644)
    expect((await refusalOf(farebox.on({ names: ['farebox.test'] }))).message).toContain('Everybody')
    await chmod(key, 0o600)
    await maker.on({ names: ['farebox.test'], new_certificate: true })
    await writeFile(key, await readFile(place('lan-key.pem')))
    expect((await refusalOf(farebox.on({ names: ['farebox.test'] }))).message).toContain('not that of the certificate')
    await writeFile(key, 'no key at all')
    const refusal = await refusalOf(farebox.on({ names: ['farebox.test'] }))
    expect(refusal.message).toContain('not a certificate and a key')
    expect(await farebox.admin.call('showLan', {})).toMatchObject({ state: 'on', certificate: on.certificate })
  })

  it('that is another one is refused by a client that pinned it', async () => {
    const [one, other] = [await started(), await started()]
    const [url = ''] = (await one.on()).urls
    await other.on({ address: '127.0.0.3' })
    await expect(askLan(`${url}/health`, { ca: await certificateOf(other) })).rejects.toThrow(/self-signed|verif/i)
    await expect(askLan(`${url}/health`)).rejects.toThrow(/self-signed|verif/i)
    // The right one, under a name that it is not for.
    const ca = await certificateOf(one)
    const wrongName = url.replace(LAN_ADDRESS, 'farebox.test')
    await expect(askLan(`${wrongName}/health`, { ca, address: LAN_ADDRESS })).rejects.toThrow(
      /does not match|altnames/i,
    )
  })
})

it('never has a provider that leads to itself', async () => {
  const farebox = await started()
  const [url = ''] = (await farebox.on()).urls
  const body = {
    name: 'loop',
    dialect: 'chat-completions' as const,
    base_url: `${url}/v1`,
    network: 'local' as const,
    secret: 'x',
  }
  await farebox.admin.call('addProvider', { body })
  await farebox.admin.call('addModel', { body: chatModel('loop', { targets: [{ provider: 'loop', model: 'x' }] }) })
  expect(await farebox.admin.call('testProvider', { id: 'loop' })).toMatchObject({ ok: false })
})
