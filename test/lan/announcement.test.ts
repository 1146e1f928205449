// Announcing over real sockets, on the network that this machine has with itself.

import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { decode, type Decoded } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { Announcement } from '#lan/announcement.ts'

const GROUP = '224.0.0.251'
const ADDRESS = '127.0.0.2'
const SERVICE = { host: 'farebox.local', address: ADDRESS, port: 3273 }

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Each test has a port of its own. */
let port = 17_450
const log: string[] = []
function announcement(): Announcement {
  const made = new Announcement({ log: (line) => log.push(line), interfaces: networkInterfaces, port })
  closing.push(() => made.stop())
  return made
}

/** What is said on the network. */
async function listen(): Promise<Decoded[]> {
  const heard: Decoded[] = []
  const socket = await bound({ reuseAddr: true })
  socket.addMembership(GROUP, ADDRESS)
  socket.on('message', (bytes) => heard.push(decode(bytes)))
  return heard
}

async function bound({ reuseAddr }: { reuseAddr: boolean }): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr })
  closing.push(() => void socket.close())
  socket.bind(port, GROUP)
  await once(socket, 'listening')
  return socket
}

const kinds = (heard: readonly Decoded[]) =>
  heard.map(({ type, answers }) =>
    `${type} ${answers.map(({ ttl }) => (ttl === 0 ? 'gone' : 'here')).join(' ')}`.trim(),
  )

describe('an announcement', () => {
  it('is made and taken back, and its state says how far it is', async () => {
    port += 1
    const heard = await listen()
    const one = announcement()
    expect(one.state).toBeUndefined()
    one.start(SERVICE)
    expect(one.state).toEqual({ name: 'farebox.local', state: 'checking', problem: undefined })
    await one.settled()
    expect(one.state).toEqual({ name: 'farebox.local', state: 'announced', problem: undefined })
    await expect.poll(() => kinds(heard)).toEqual(['query', 'query', 'query', 'response here here here here'])
    await one.stop()
    expect(one.state).toBeUndefined()
    await expect.poll(() => kinds(heard).at(-1)).toBe('response gone gone gone gone')
  })

  it('says nothing more where it is stopped before the name is known to be free', async () => {
    port += 1
    const heard = await listen()
    const one = announcement()
    one.start(SERVICE)
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    await one.stop()
    await one.settled()
    expect(one.state).toBeUndefined()
    // Were it still at work, this one would find the name taken or see another look at it.
    const other = announcement()
    other.start({ ...SERVICE, port: 3274 })
    await other.settled()
    expect(other.state?.state).toBe('announced')
    const looks = heard.filter(({ authorities }) => authorities.some(({ data }) => hasPort(data, 3273)))
    expect(looks.length).toBeLessThan(3)
  })

  it('is refused to a second one on the network, with another address or only another port, until the first one ends', async () => {
    port += 1
    const first = announcement()
    first.start(SERVICE)
    await first.settled()
    const [second, third] = [announcement(), announcement()]
    second.start({ ...SERVICE, address: '127.0.0.3' })
    third.start({ ...SERVICE, port: 3274 })
    await Promise.all([second.settled(), third.settled()])
    expect(second.state?.problem).toContain('The name farebox.local belongs to 127.0.0.2')
    expect(third.state?.problem).toContain('Another Farebox is farebox.local')
    expect(first.state?.state).toBe('announced')
    await first.stop()
    second.look()
    await second.settled()
    expect(second.state).toEqual({ name: 'farebox.local', state: 'announced', problem: undefined })
  })

  it('says what is wrong where the port is kept by another program, once, and comes when it is free', async () => {
    port += 1
    const one = announcement()
    log.length = 0
    const holder = await bound({ reuseAddr: false })
    for (let time = 0; time < 3; time += 1) {
      if (time === 0) one.start(SERVICE)
      else one.look()
      await one.settled()
      expect(one.state).toMatchObject({ state: 'failed' })
      expect(one.state?.problem).toContain(`UDP ${port}`)
    }
    expect(log).toHaveLength(1)
    closing.pop()
    await new Promise<void>((resolve) => holder.close(() => resolve()))
    one.look()
    await one.settled()
    expect(one.state?.state).toBe('announced')
  })

  it('is not made for an address that no network of this machine has', async () => {
    port += 1
    const one = announcement()
    one.start({ ...SERVICE, address: '192.0.2.77' })
    await one.settled()
    expect(one.state).toMatchObject({ state: 'failed' })
    expect(one.state?.problem).toContain('192.0.2.77')
    await one.stop()
  })

  it('goes on under a flood of packets, of which most are dropped', async () => {
    port += 1
    const one = announcement()
    one.start(SERVICE)
    await one.settled()
    const flood = await sender()
    for (let time = 0; time < 500; time += 1) {
      flood.send(Buffer.concat([Buffer.from('_farebox'), Buffer.alloc(1000, time)]), port, GROUP)
    }
    // Once that second is over questions are answered as before.
    const question = Buffer.from('000000000001000000000000', 'hex')
    const name = Buffer.concat(
      ['_farebox', '_tcp', 'local'].map((word) => Buffer.from([word.length, ...Buffer.from(word)])),
    )
    const answered = once(flood, 'message')
    const asking = setInterval(
      () => flood.send(Buffer.concat([question, name, Buffer.from([0, 0, 12, 0, 1])]), port, GROUP),
      200,
    )
    const [bytes] = (await answered.finally(() => clearInterval(asking))) as [Buffer]
    expect(one.state?.state).toBe('announced')
    expect(decode(bytes).answers).toMatchObject([{ name: '_farebox._tcp.local', type: 'PTR' }])
  })
})

async function sender(): Promise<Socket> {
  const socket = createSocket('udp4')
  closing.push(() => void socket.close())
  socket.bind(0, ADDRESS)
  await once(socket, 'listening')
  socket.setMulticastInterface(ADDRESS)
  return socket
}

function hasPort(data: unknown, wanted: number): boolean {
  return typeof data === 'object' && data !== null && 'port' in data && data.port === wanted
}
