// What is said by mDNS and what is understood of it, without a network.

import fc from 'fast-check'
import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { linkOf } from '#lan/mdns-link.ts'
import { readMessage, writeQuery, writeResponse, type Message } from '#lan/mdns-packets.ts'
import { announced, answersTo, additionsTo, conflictIn, recordsOf, takenBack, yieldsTo } from '#lan/mdns-records.ts'

const SERVICE = { host: 'farebox.local', address: '192.168.1.5', port: 3273 }
const INSTANCE = 'farebox._farebox._tcp.local'
const RECORDS = recordsOf(SERVICE)
const isOwn = (address: string) => address === '192.168.1.5' || address === 'fd00::5'

function message(bytes: Buffer): Message {
  const read = readMessage(bytes)
  if (read === undefined) throw new Error('it was not read')
  return read
}

function asked(name: string, type: string, answers: Parameters<typeof writeResponse>[0]['answers'] = []): Message {
  return { ...message(writeQuery({ questions: [{ name, type }] })), answers: said(answers).answers }
}

function said(answers: Parameters<typeof writeResponse>[0]['answers'] = []): Message {
  return answers.length === 0
    ? { id: 0, isResponse: true, questions: [], answers: [], proposed: [] }
    : message(writeResponse({ answers }))
}

function summary(records: ReturnType<typeof answersTo>): string[] {
  return records.map(({ name, type }) => `${type} ${name}`)
}

describe('what is announced', () => {
  it('is the service, its place, and nothing else', () => {
    const { answers } = decode(writeResponse({ answers: announced(RECORDS) }))
    expect(answers.map(({ name, type, data }) => ({ name, type, data }))).toEqual([
      { name: '_farebox._tcp.local', type: 'PTR', data: INSTANCE },
      { name: INSTANCE, type: 'SRV', data: { priority: 0, weight: 0, port: 3273, target: 'farebox.local' } },
      { name: INSTANCE, type: 'TXT', data: [Buffer.from('txtvers=1'), Buffer.from('path=/v1')] },
      { name: 'farebox.local', type: 'A', data: '192.168.1.5' },
    ])
  })

  it('has the kind of address that the listener has', () => {
    const records = announced(recordsOf({ ...SERVICE, address: 'fd00::5' }))
    expect(summary(records)).toContain('AAAA farebox.local')
    expect(summary(records)).not.toContain('A farebox.local')
  })
})

describe('an answer', () => {
  it.each([
    ['_farebox._tcp.local', 'PTR', ['PTR _farebox._tcp.local']],
    ['_farebox._tcp.local', 'ANY', ['PTR _farebox._tcp.local']],
    [INSTANCE, 'SRV', [`SRV ${INSTANCE}`]],
    [INSTANCE, 'ANY', [`SRV ${INSTANCE}`, `TXT ${INSTANCE}`]],
    ['FareBox.LOCAL', 'A', ['A farebox.local']],
    // That there is none is said too, so that nobody waits for it.
    ['farebox.local', 'AAAA', ['NSEC farebox.local']],
    ['_services._dns-sd._udp.local', 'PTR', ['PTR _services._dns-sd._udp.local']],
  ])('to %s %s says just that', (name, type, expected) => {
    expect(summary(answersTo(RECORDS, asked(name, type)))).toEqual(expected)
  })

  it.each([
    ['other.local', 'A'],
    ['_farebox._tcp.local', 'A'],
    ['_http._tcp.local', 'PTR'],
    ['farebox.local.example', 'A'],
    ['_tcp.local', 'ANY'],
    ['local', 'ANY'],
  ])('to %s %s is none', (name, type) => {
    expect(answersTo(RECORDS, asked(name, type))).toEqual([])
  })

  it('leaves out what the asker knows for at least half of its time', () => {
    const known = (ttl: number, data = INSTANCE) =>
      answersTo(RECORDS, asked('_farebox._tcp.local', 'PTR', [{ name: '_farebox._tcp.local', type: 'PTR', ttl, data }]))
    expect(known(2250)).toEqual([])
    expect(known(2249)).toHaveLength(1)
    expect(known(4500, 'other._farebox._tcp.local')).toHaveLength(1)
  })

  it('brings along what is asked next', () => {
    const answers = answersTo(RECORDS, asked('_farebox._tcp.local', 'PTR'))
    expect(summary(additionsTo(RECORDS, answers))).toEqual([`SRV ${INSTANCE}`, `TXT ${INSTANCE}`, 'A farebox.local'])
  })
})

describe('a conflict', () => {
  const place = { name: 'farebox.local', type: 'A', ttl: 120, flush: true, data: '192.168.1.9' } as const
  const service = { name: INSTANCE, type: 'SRV', ttl: 120, data: { target: 'farebox.local', port: 3274 } } as const

  it('is an address of another machine under the name, also of the other kind', () => {
    const found = { type: 'host', address: '192.168.1.9' }
    expect(conflictIn(RECORDS, said([place]), isOwn)).toEqual(found)
    expect(conflictIn(RECORDS, said([{ ...place, name: 'FAREBOX.local' }]), isOwn)).toEqual(found)
    expect(conflictIn(RECORDS, said([{ ...place, type: 'AAAA', data: 'fd00::9' }]), isOwn)).toEqual({
      type: 'host',
      address: 'fd00::9',
    })
  })

  it('is the same service at another port', () => {
    expect(conflictIn(RECORDS, said([service]), isOwn)).toEqual({ type: 'service' })
  })

  it.each([
    ['what this machine says itself', { ...place, data: '192.168.1.5' }],
    ['another address of this machine', { ...place, type: 'AAAA', data: 'FD00:0::5' }],
    ['what is taken back', { ...place, ttl: 0 }],
    ['another name', { ...place, name: 'other.local' }],
    ['its own service', { ...service, data: { target: 'Farebox.local', port: 3273 } }],
    ['something that is no address', { name: 'farebox.local', type: 'TXT', ttl: 120, data: ['192.168.1.9'] }],
  ] as const)('is not %s', (_name, record) => {
    expect(conflictIn(RECORDS, said([record]), isOwn)).toBeUndefined()
  })

  it.each([
    ['a later address', [{ ...place, data: '192.168.1.6' }], true],
    ['an earlier address', [{ ...place, data: '192.168.1.4' }], false],
    ['the same address', [{ ...place, data: '192.168.1.5' }], false],
    ['IPv6, which is the later type', [{ ...place, type: 'AAAA', data: '::2' }], true],
    ['its earliest address counts', [place, { ...place, data: '10.0.0.1' }], false],
    ['another name', [{ ...place, name: 'other.local' }], false],
  ] as const)('of two that want the name at once is won by %s: %#', (_name, proposed, yields) => {
    expect(yieldsTo(RECORDS, message(writeQuery({ proposed })), isOwn)).toBe(yields)
  })

  it('is none where somebody takes back what is said here too; that is said again', () => {
    const gone = [{ ...place, data: '192.168.1.5', ttl: 0 }]
    expect(summary(takenBack(RECORDS, said(gone)))).toEqual(['A farebox.local'])
    expect(takenBack(RECORDS, said([{ ...place, ttl: 0 }]))).toEqual([])
  })
})

describe('a packet', () => {
  const good = writeQuery({ questions: [{ name: 'farebox.local', type: 'A' }] })

  it('is never a reason to fail, whatever is in it', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      // A good packet with some of its bytes changed, or cut.
      fc
        .record({
          changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }),
          length: fc.nat(600),
        })
        .map(({ changes, length }) => {
          const bytes = Buffer.from(
            writeResponse({ answers: RECORDS.all, questions: [{ name: 'x.local', type: 'ANY' }] }),
          )
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
          return bytes.subarray(0, length)
        }),
    )
    fc.assert(
      fc.property(anything, (bytes) => {
        const read = readMessage(Buffer.from(bytes))
        if (read === undefined) return
        conflictIn(RECORDS, read, isOwn)
        yieldsTo(RECORDS, read, isOwn)
        takenBack(RECORDS, read)
        const answers = answersTo(RECORDS, read)
        writeResponse({ questions: read.questions.map(({ asked: one }) => one), answers })
      }),
      { numRuns: 3000 },
    )
  })

  it('of many costly names is not read at all', () => {
    const bytes = Buffer.alloc(9000)
    let at = 12
    for (let label = 0; label < 126; label += 1) at = bytes.writeUInt16BE(0x0161, at)
    at += 5
    let questions = 1
    for (; at + 6 <= bytes.length; at += 6) {
      bytes.writeUInt16BE(0xc00c, at)
      questions += 1
    }
    bytes.writeUInt16BE(questions, 4)
    // The library would: it is what has to be kept from doing so.
    expect(decode(bytes).questions).toHaveLength(questions)
    expect(readMessage(bytes)).toBeUndefined()
    bytes.writeUInt16BE(64, 4)
    expect(readMessage(bytes)?.questions).toHaveLength(64)
    bytes.writeUInt16BE(65, 4)
    expect(readMessage(bytes)).toBeUndefined()
  })

  it.each([
    ['too short', good.subarray(0, 11)],
    ['too long', Buffer.concat([good, Buffer.alloc(9000)])],
    ['of another operation', changed(2, 0x28)],
    ['of a failure', changed(3, 0x03)],
    ['cut', good.subarray(0, -1)],
    ['without anything', changed(5, 0)],
  ])('is not read where it is %s', (_name, bytes) => {
    expect(readMessage(bytes)).toBeUndefined()
  })

  function changed(at: number, value: number): Buffer {
    const bytes = Buffer.from(good)
    bytes[at] = value
    return bytes
  }

  it('is read where it asks for an answer to the asker alone, which is not how it is answered', () => {
    const bytes = Buffer.from(good)
    bytes.writeUInt16BE(0x8001, bytes.length - 2)
    expect(message(bytes).questions).toMatchObject([{ name: 'farebox.local', type: 'A' }])
  })
})

describe('the network', () => {
  const info = (address: string, cidr: string, scopeid = 0) =>
    address.includes(':')
      ? ({ address, cidr, family: 'IPv6', netmask: '', mac: '', internal: false, scopeid } as const)
      : ({ address, cidr, family: 'IPv4', netmask: '', mac: '', internal: false } as const)
  const interfaces = {
    lo: [info('127.0.0.1', '127.0.0.1/8')],
    eth0: [info('192.168.1.5', '192.168.1.5/24'), info('fd00::5', 'fd00::5/64'), info('fe80::5', 'fe80::5/64', 7)],
    eth1: [info('10.0.0.5', '10.0.0.5/8')],
  }

  it('is that of the address, and whoever is not on it is not heard', () => {
    const link = linkOf('192.168.1.5', interfaces, false)
    expect(link).toMatchObject({ type: 'udp4', group: '224.0.0.251', listenOn: '224.0.0.251', via: '192.168.1.5' })
    for (const near of ['192.168.1.5', '192.168.1.200']) expect(link?.isNear(near), near).toBe(true)
    for (const far of ['192.168.2.1', '10.0.0.9', '8.8.8.8', '127.0.0.1', '', 'x']) {
      expect(link?.isNear(far), far).toBe(false)
    }
  })

  it('is named where addresses do not say which one is meant', () => {
    const link = linkOf('fd00::5', interfaces, false)
    expect(link).toMatchObject({ type: 'udp6', group: 'ff02::fb%eth0', listenOn: 'ff02::fb%eth0', via: '::%eth0' })
    for (const near of ['fd00::9', 'fe80::9%eth0']) expect(link?.isNear(near), near).toBe(true)
    for (const far of ['fd00:1::9', 'fe80::9%eth1', 'fe80::9', '2001:4860::8']) {
      expect(link?.isNear(far), far).toBe(false)
    }
  })

  it('is numbered on Windows, which cannot listen on a group', () => {
    expect(linkOf('192.168.1.5', interfaces, true)).toMatchObject({ listenOn: '0.0.0.0', via: '192.168.1.5' })
    expect(linkOf('fd00::5', interfaces, true)).toMatchObject({ listenOn: '::', group: 'ff02::fb%7', via: '::%7' })
  })

  it('is not there for an address that no network has', () => {
    expect(linkOf('192.168.1.6', interfaces, false)).toBeUndefined()
    expect(linkOf('192.0.2.1', {}, false)).toBeUndefined()
  })
})
