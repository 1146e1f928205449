// What other machines see of an announcement: real machines on networks of their own, which speak mDNS by themselves.

import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Announcement } from '#lan/announcement.ts'
import { connectMachine, type OtherMachine } from '../support/other-machine.ts'
import { askLan, certificateOf, startLan, type LanFarebox } from './support.ts'

const PROGRAM = join(import.meta.dirname, 'mdns-machine.mjs')
const CONTROL_PORT = 17_459
const LIMIT_MS = 120_000
const TYPES = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 }
const SERVICE = '_farebox._tcp.local'
const INSTANCE = `farebox.${SERVICE}`

const probe = connectMachine(40)
probe?.remove()
const isRefused = probe === undefined

type Packet = {
  readonly from: string
  readonly isResponse: boolean
  readonly records: readonly { name: string; type: number; ttl: number; data?: unknown }[]
  readonly text: string
}

type Listener = OtherMachine & {
  /** All that was said by mDNS where that machine is, but by itself. */
  heard(): Promise<Packet[]>
  forget(): Promise<unknown>
  /** Asks as a program does that is no responder. */
  ask(name: string, type: keyof typeof TYPES): Promise<Packet | null>
  /** Asks as a responder does, which all of the network hear the answer to. */
  call(name: string, type: keyof typeof TYPES): Promise<unknown>
  /** From now on it is that machine's name. */
  claim(name: string): Promise<unknown>
  /** Says so without being asked. */
  say(name: string): Promise<unknown>
}

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function listener(number: number, ipv6 = false): Promise<Listener> {
  const machine = connectMachine(number)
  if (machine === undefined) throw new Error('there is no network namespace any more')
  closing.push(() => machine.remove())
  const zone = ipv6 ? { ZONE: await zoneOf(machine) } : {}
  const ran = machine.run([process.execPath, PROGRAM], {
    PATH: process.env['PATH'] ?? '',
    ADDRESS: machine.address,
    CONTROL_PORT: String(CONTROL_PORT),
    ...zone,
  })
  const tell = teller(machine)
  closing.push(async () => {
    await tell('end')
    await ran
  })
  // It takes a moment until it listens.
  await expect
    .poll(
      () =>
        tell('forget', 200).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true)
  return {
    ...machine,
    heard: async () => (await tell('heard')) as Packet[],
    forget: () => tell('forget'),
    ask: async (name, type) => (await tell(`ask ${name} ${type}`)) as Packet | null,
    call: (name, type) => tell(`call ${name} ${type}`),
    claim: (name) => tell(`claim ${name}`),
    say: (name) => tell(`say ${name}`),
  }
}

async function zoneOf(machine: OtherMachine): Promise<string> {
  const links = await machine.run(['ip', '-o', 'link', 'show', 'type', 'veth'], { PATH: process.env['PATH'] ?? '' })
  return /^\d+: ([^@:]+)/.exec(links)?.[1] ?? ''
}

function teller({ address }: OtherMachine) {
  return (words: string, limitMs = 10_000): Promise<unknown> => {
    const socket = createSocket('udp4')
    return new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${words}`)), limitMs)
      socket.on('error', reject)
      socket.on('message', (bytes) => {
        clearTimeout(timer)
        resolve((JSON.parse(bytes.toString()) as { answer: unknown }).answer)
      })
      socket.send(words, CONTROL_PORT, address)
    }).finally(() => socket.close())
  }
}

async function started(): Promise<LanFarebox> {
  const farebox = await startLan()
  closing.push(() => farebox.close())
  return farebox
}

function recordsOf(packets: readonly Packet[]) {
  return packets.filter(({ isResponse }) => isResponse).flatMap(({ records }) => records)
}

const described = isRefused ? describe.skip : describe

described('an announcement', { timeout: LIMIT_MS }, () => {
  it('is found by another machine, which reaches the gateway by it and learns nothing else', async () => {
    const farebox = await started()
    await farebox.admin.call('addDemo', {})
    await farebox.admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
    const { key } = await farebox.admin.call('createKey', { body: { name: 'laptop', package: 'team' } })
    const [near, elsewhere] = [await listener(41), await listener(42)]
    const on = await farebox.on({ interface: near.interface, announce: 'farebox.local' })
    expect(on.announcement).toEqual({ name: 'farebox.local', state: 'announced', problem: null })
    expect(on.certificate?.names).toContain('farebox.local')
    await elsewhere.call(SERVICE, 'PTR')
    const answer = await near.ask(SERVICE, 'PTR')
    const { port } = new URL(on.urls[0] ?? '')
    expect(Object.fromEntries((answer?.records ?? []).map(({ type, name, data }) => [type, { name, data }]))).toEqual({
      [TYPES.PTR]: { name: SERVICE, data: INSTANCE },
      [TYPES.SRV]: { name: INSTANCE, data: `farebox.local:${port}` },
      [TYPES.TXT]: { name: INSTANCE, data: ['txtvers=1', 'path=/v1'] },
      [TYPES.A]: { name: 'farebox.local', data: near.ownAddress },
    })
    const ca = await certificateOf(farebox)
    const reached = await askLan(`https://farebox.local:${port}/v1/models`, {
      ca,
      address: near.ownAddress,
      headers: { authorization: `Bearer ${key}` },
    })
    expect(reached.status).toBe(200)
    const { version } = await farebox.admin.call('status', {})
    const heard = await near.heard()
    expect(heard.length).toBeGreaterThanOrEqual(4)
    for (const { text, from } of heard) {
      expect(from).toBe(near.ownAddress)
      for (const secret of ['key_', 'demo', 'ada', 'team', 'laptop', version]) expect(text).not.toContain(secret)
    }
    // It was asked there before, and the other one has its answer.
    expect(await elsewhere.heard()).toEqual([])
  })

  it('is taken back when it is turned off, when the LAN is, and when Farebox ends', async () => {
    const farebox = await started()
    const near = await listener(43)
    const goodbyes = async () => recordsOf(await near.heard()).filter(({ ttl }) => ttl === 0)
    const turnOn = async () => {
      await farebox.on({ interface: near.interface, announce: 'farebox.local' })
      await near.forget()
    }
    const endings = [
      () => farebox.on({ interface: near.interface, announce: null }),
      () => farebox.admin.call('turnLanOff', {}),
      () => farebox.stop(),
    ]
    for (const end of endings) {
      await turnOn()
      await end()
      await expect.poll(goodbyes).toEqual(
        expect.arrayContaining([
          { name: SERVICE, type: TYPES.PTR, ttl: 0, data: INSTANCE },
          { name: 'farebox.local', type: TYPES.A, ttl: 0, data: near.ownAddress },
        ]),
      )
    }
  })

  it('is not made, and nobody is answered, where nobody asked for one', async () => {
    const farebox = await started()
    const near = await listener(44)
    const on = await farebox.on({ interface: near.interface, names: ['farebox.local'] })
    expect(on).toMatchObject({ state: 'on', announcement: null, settings: { announce: null } })
    expect(await near.ask(SERVICE, 'PTR')).toBeNull()
    expect(await near.ask('farebox.local', 'A')).toBeNull()
    await farebox.admin.call('turnLanOff', {})
    await farebox.stop()
    expect(await near.heard()).toEqual([])
  })

  it('is given up and said so where another machine has the name, and the LAN goes on', async () => {
    const farebox = await started()
    const near = await listener(45)
    await near.claim('farebox.local')
    const on = await farebox.on({ interface: near.interface, announce: 'farebox.local' })
    expect(on.announcement).toMatchObject({ state: 'failed' })
    expect(on.announcement?.problem).toContain(near.address)
    expect(on).toMatchObject({ state: 'on', problem: null })
    expect(on.urls.map((url) => new URL(url).hostname)).toEqual([near.ownAddress])
    expect(recordsOf(await near.heard())).toEqual([])
    expect((await farebox.admin.call('status', {})).lan.announcement_problem).toBe(on.announcement?.problem)
    const { attention } = await farebox.admin.call('overview', {})
    expect(attention.map(({ text }) => text)).toContain(`The LAN is not announced. ${on.announcement?.problem}`)
    const health = await askLan(`${on.urls[0]}/health`, { ca: await certificateOf(farebox) })
    expect(health.status).toBe(200)
    const renamed = await farebox.on({ interface: near.interface, announce: 'box.local' })
    expect(renamed.announcement).toEqual({ name: 'box.local', state: 'announced', problem: null })
    // Whoever comes later and takes that one is believed, too.
    await near.say('box.local')
    await expect
      .poll(async () => (await farebox.admin.call('showLan', {})).announcement)
      .toMatchObject({ name: 'box.local', state: 'failed' })
  })

  it('comes back with its network', async () => {
    const first = connectMachine(47)
    const place = { host: 'farebox.local', address: first?.ownAddress ?? '', port: 3273 }
    const announcement = new Announcement({ log: () => undefined, interfaces: networkInterfaces })
    closing.push(() => announcement.stop())
    announcement.start(place)
    await announcement.settled()
    expect(announcement.state?.state).toBe('announced')
    // A network goes and comes some time after it was said.
    const seen = async () => {
      announcement.look()
      await announcement.settled()
      return announcement.state?.state
    }
    first?.remove()
    await expect.poll(seen).toBe('failed')
    const near = await listener(47)
    await expect.poll(seen).toBe('announced')
    expect((await near.ask('farebox.local', 'A'))?.records).toMatchObject([{ data: near.ownAddress }])
    // Nothing is begun anew while it stays.
    await near.forget()
    announcement.look()
    expect(announcement.state?.state).toBe('announced')
  })

  it('is made over IPv6 where the listener is there', async () => {
    const farebox = await started()
    const near = await listener(46, true)
    const added = spawnSync('ip', ['addr', 'add', 'fd77:46::1/64', 'dev', near.interface, 'nodad'])
    expect(added.status).toBe(0)
    const turnOn = () => farebox.on({ address: 'fd77:46::1', announce: 'farebox.local' })
    // Until the address of the link has been checked by the system nothing can be sent.
    await expect.poll(async () => (await turnOn()).announcement?.state, { timeout: 20_000 }).toBe('announced')
    await near.call(SERVICE, 'PTR')
    const wanted = { name: 'farebox.local', type: TYPES.AAAA, ttl: 120, data: 'fd770046000000000000000000000001' }
    await expect.poll(async () => recordsOf(await near.heard())).toContainEqual(wanted)
    expect(recordsOf(await near.heard()).filter(({ type }) => type === TYPES.A)).toEqual([])
  })
})

if (isRefused)
  it('cannot be tried on this machine, which lets nobody make a network: it needs Linux, root and iproute2', () => {
    expect(isRefused).toBe(true)
  })
