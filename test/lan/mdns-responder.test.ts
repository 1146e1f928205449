// The life of an announcement by the clock, on a network that only writes down what is said.

import { decode, type Decoded } from 'dns-packet'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeQuery, writeResponse, type OwnRecord, type Sender } from '#lan/mdns-packets.ts'
import type { Conflict } from '#lan/mdns-records.ts'
import { Responder } from '#lan/mdns-responder.ts'

const SERVICE = { host: 'farebox.local', address: '192.168.1.5', port: 3273 }
const MDNS = 5353
const NEIGHBOUR: Sender = { address: '192.168.1.9', port: MDNS }
const PROGRAM: Sender = { address: '192.168.1.9', port: 40_000 }
const THEIRS: OwnRecord = { name: 'farebox.local', type: 'A', ttl: 120, flush: true, data: '192.168.1.9' }

type Sent = { readonly atMs: number; readonly packet: Decoded; readonly to: Sender | undefined }

let sent: Sent[]
let conflicts: Conflict[]
let isAnnounced: boolean
let responder: Responder

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  conflicts = []
  isAnnounced = false
  responder = new Responder({
    service: SERVICE,
    port: MDNS,
    isOwn: (address) => address === SERVICE.address,
    send: (bytes, to) => sent.push({ atMs: Date.now(), packet: decode(bytes), to }),
    nowMs: () => Date.now(),
    onAnnounced: () => (isAnnounced = true),
    onConflict: (conflict) => conflicts.push(conflict),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Announced, and quiet for so long that everything may be said again. */
async function announcedLongAgo(): Promise<void> {
  responder.start()
  await vi.advanceTimersByTimeAsync(5000)
  expect(isAnnounced).toBe(true)
  sent.length = 0
}

function ask(name: string, type: string, from = NEIGHBOUR): void {
  responder.hear(writeQuery({ questions: [{ name, type }] }), from)
}

function say(record: OwnRecord, from = NEIGHBOUR): void {
  responder.hear(writeResponse({ answers: [record] }), from)
}

describe('an announcement', () => {
  it('looks three times whether the name is free before anything is announced, then says it twice', async () => {
    responder.start()
    await vi.advanceTimersByTimeAsync(5000)
    expect(sent.map(({ packet }) => packet.type)).toEqual(['query', 'query', 'query', 'response', 'response'])
    const [first, second, third, announced, again] = sent.map(({ atMs }) => atMs)
    expect([second, third, announced].map((at) => (at ?? 0) - (first ?? 0))).toEqual([250, 500, 750])
    expect((again ?? 0) - (announced ?? 0)).toBe(1000)
    const [look] = sent
    expect(look?.packet.questions.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'ANY farebox.local',
      'ANY farebox._farebox._tcp.local',
    ])
    expect(look?.packet.authorities.map(({ type }) => type)).toEqual(['A', 'SRV'])
    expect(sent.every(({ to }) => to === undefined)).toBe(true)
  })

  it('is given up where somebody has the name, without another word', async () => {
    responder.start()
    await vi.advanceTimersByTimeAsync(300)
    sent.length = 0
    say(THEIRS)
    expect(conflicts).toEqual([{ type: 'host', address: '192.168.1.9' }])
    ask('farebox.local', 'A')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isAnnounced).toBe(false)
    expect(sent).toEqual([])
    expect(responder.end()).toBeUndefined()
  })

  it('is given up later too, and takes nothing back that may be theirs', async () => {
    await announcedLongAgo()
    say(THEIRS)
    expect(conflicts).toHaveLength(1)
    expect(responder.end()).toBeUndefined()
    ask('farebox.local', 'A')
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([])
  })

  it('is not given up for what does not come from the port of mDNS', async () => {
    await announcedLongAgo()
    say(THEIRS, PROGRAM)
    expect(conflicts).toEqual([])
  })

  it('lets a later one go first, and looks again after a second', async () => {
    responder.start()
    await vi.advanceTimersByTimeAsync(300)
    const looks = sent.length
    responder.hear(writeQuery({ proposed: [THEIRS] }), NEIGHBOUR)
    await vi.advanceTimersByTimeAsync(999)
    expect(sent).toHaveLength(looks)
    await vi.advanceTimersByTimeAsync(751)
    expect(sent.slice(looks).map(({ packet }) => packet.type)).toEqual(['query', 'query', 'query', 'response'])
  })

  it('goes on before an earlier one', async () => {
    responder.start()
    await vi.advanceTimersByTimeAsync(300)
    responder.hear(writeQuery({ proposed: [{ ...THEIRS, data: '192.168.1.4' } as OwnRecord] }), NEIGHBOUR)
    await vi.advanceTimersByTimeAsync(750)
    expect(isAnnounced).toBe(true)
  })

  it('believes somebody who is always in the way', async () => {
    responder.start()
    for (let time = 0; time < 10 && conflicts.length === 0; time += 1) {
      await vi.advanceTimersByTimeAsync(500)
      responder.hear(writeQuery({ proposed: [THEIRS] }), NEIGHBOUR)
    }
    expect(conflicts).toEqual([{ type: 'host', address: '192.168.1.9' }])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isAnnounced).toBe(false)
  })

  it('is taken back at the end, every record that was said', async () => {
    await announcedLongAgo()
    const goodbye = responder.end()
    const { type, answers } = decode(goodbye ?? Buffer.alloc(0))
    expect(type).toBe('response')
    expect(answers.map((record) => `${record.type} ${record.ttl}`)).toEqual(['PTR 0', 'SRV 0', 'TXT 0', 'A 0'])
    ask('farebox.local', 'A')
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([])
  })

  it('is not taken back where it was never made', async () => {
    responder.start()
    await vi.advanceTimersByTimeAsync(600)
    expect(responder.end()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(5000)
    expect(sent.some(({ packet }) => packet.type === 'response')).toBe(false)
  })
})

describe('an answer', () => {
  beforeEach(announcedLongAgo)

  it('about what only Farebox has is given at once, about what others may have too after a while', async () => {
    ask('farebox.local', 'A')
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toHaveLength(1)
    ask('_services._dns-sd._udp.local', 'PTR')
    await vi.advanceTimersByTimeAsync(19)
    expect(sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(102)
    expect(sent).toHaveLength(2)
  })

  it('is said to everybody once in a second, however many ask', async () => {
    for (let time = 0; time < 30; time += 1) {
      ask('farebox.local', 'A')
      ask('_farebox._tcp.local', 'PTR')
      await vi.advanceTimersByTimeAsync(100)
    }
    const places = sent.filter(({ packet }) => packet.answers.some(({ type }) => type === 'A'))
    expect(places.length).toBeGreaterThanOrEqual(2)
    expect(places.length).toBeLessThanOrEqual(3)
    expect(sent.length).toBeLessThanOrEqual(6)
  })

  it('defends the name against who looks whether it is free, sooner again', async () => {
    const look = writeQuery({ questions: [{ name: 'farebox.local', type: 'ANY' }], proposed: [THEIRS] })
    for (let time = 0; time < 3; time += 1) {
      responder.hear(look, NEIGHBOUR)
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(sent).toHaveLength(3)
    expect(sent[0]?.packet.answers).toMatchObject([{ type: 'A', data: '192.168.1.5', flush: true }])
    expect(conflicts).toEqual([])
  })

  it('goes to a program that is no responder alone: with its number and question, briefly, and not often', async () => {
    const query = writeQuery({ questions: [{ name: 'FareBox.local', type: 'A' }] })
    query.writeUInt16BE(0x1234, 0)
    for (let time = 0; time < 50; time += 1) responder.hear(query, PROGRAM)
    expect(sent).toHaveLength(10)
    const [one] = sent
    expect(one?.to).toEqual(PROGRAM)
    expect(one?.packet).toMatchObject({
      id: 0x1234,
      questions: [{ name: 'FareBox.local', type: 'A' }],
      answers: [{ name: 'farebox.local', type: 'A', ttl: 10, flush: false, data: '192.168.1.5' }],
    })
    await vi.advanceTimersByTimeAsync(1000)
    responder.hear(query, PROGRAM)
    expect(sent).toHaveLength(11)
  })

  it('is none to what is not about Farebox, or is no packet', async () => {
    ask('other.local', 'A')
    ask('_http._tcp.local', 'PTR', PROGRAM)
    responder.hear(Buffer.from('farebox'), NEIGHBOUR)
    say({ ...THEIRS, name: 'other.local' } as OwnRecord)
    await vi.advanceTimersByTimeAsync(2000)
    expect(sent).toEqual([])
  })

  it('is said again where another responder of this machine took the address back', async () => {
    say({ ...THEIRS, data: '192.168.1.5', ttl: 0 } as OwnRecord)
    await vi.advanceTimersByTimeAsync(0)
    expect(sent[0]?.packet.answers).toMatchObject([{ type: 'A', ttl: 120 }])
  })
})
