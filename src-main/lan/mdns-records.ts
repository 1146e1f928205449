// What mDNS is told of Farebox: that there is one, its host name, address and port, and nothing more. Pure: who asks, when and over
// which network is for mdns-responder.ts and mdns-socket.ts.

import { parseAddress } from '#core/address.ts'
import { valueOf, type HeardRecord, type Message, type OwnRecord } from '#lan/mdns-packets.ts'

export type Service = {
  /** One word and `.local`, in lower case. */
  readonly host: string
  readonly address: string
  readonly port: number
}

/** The records of a service, and under which names they stand. */
export type ServiceRecords = {
  readonly host: string
  /** What the service is called in a list of services; named as the host is, so that both are free or neither. */
  readonly instance: string
  readonly all: readonly OwnRecord[]
  /** The one by which the host is claimed. */
  readonly address: OwnRecord
  readonly service: OwnRecord
}

/** Who has the name already. */
export type Conflict = { readonly type: 'host'; readonly address: string } | { readonly type: 'service' }

const SERVICE_TYPE = '_farebox._tcp.local'
/** Under this name one asks which kinds of services there are. RFC 6763, 9. */
const KINDS = '_services._dns-sd._udp.local'
/** Seconds, RFC 6762, 10: what contains an address or a port, and everything else. */
const SHORT_S = 120
const LONG_S = 4500
const TYPE_NUMBERS: Readonly<Record<string, bigint>> = { A: 1n, AAAA: 28n }

export function recordsOf({ host, address, port }: Service): ServiceRecords {
  const instance = `${host.slice(0, -'.local'.length)}.${SERVICE_TYPE}`
  const type = address.includes(':') ? 'AAAA' : 'A'
  const place = { name: host, type, ttl: SHORT_S, flush: true, data: address } as const
  const service = { name: instance, type: 'SRV', ttl: SHORT_S, flush: true, data: { target: host, port } } as const
  const all: OwnRecord[] = [
    { name: SERVICE_TYPE, type: 'PTR', ttl: LONG_S, data: instance },
    service,
    // The version of this form and where calls go; nothing about who runs Farebox or what it can do.
    { name: instance, type: 'TXT', ttl: LONG_S, flush: true, data: ['txtvers=1', 'path=/v1'] },
    place,
    { name: KINDS, type: 'PTR', ttl: LONG_S, data: SERVICE_TYPE },
    // So that nobody waits for records that there are not.
    { name: host, type: 'NSEC', ttl: SHORT_S, flush: true, data: { nextDomain: host, rrtypes: [type] } },
    { name: instance, type: 'NSEC', ttl: LONG_S, flush: true, data: { nextDomain: instance, rrtypes: ['TXT', 'SRV'] } },
  ]
  return { host, instance, all, address: place, service }
}

/** What is said without being asked: all but that there are services of this kind, and what there is not. */
export function announced({ all }: ServiceRecords): readonly OwnRecord[] {
  return all.filter(({ name, type }) => name !== KINDS && type !== 'NSEC')
}

/** What a query is answered with, without what the asker knows well enough. RFC 6762, 7.1. */
export function answersTo({ all }: ServiceRecords, { questions, answers }: Message): readonly OwnRecord[] {
  const asked = new Set(questions.flatMap((question) => answersToOne(all, question)))
  return all.filter((record) => asked.has(record) && !answers.some((known) => isKnown(record, known)))
}

function answersToOne(all: readonly OwnRecord[], { name, type }: Message['questions'][number]): readonly OwnRecord[] {
  const named = all.filter((record) => record.name === name)
  const found = named.filter((record) => record.type === type || (type === 'ANY' && record.type !== 'NSEC'))
  return found.length > 0 ? found : named.filter((record) => record.type === 'NSEC')
}

function isKnown(record: OwnRecord, known: HeardRecord): boolean {
  return known.ttl >= record.ttl / 2 && isSame(record, known)
}

/** What whoever gets these answers asks next. RFC 6763, 12. */
export function additionsTo({ all, host, instance }: ServiceRecords, answers: readonly OwnRecord[]) {
  const names = new Set<string>()
  if (answers.some(({ name }) => name === SERVICE_TYPE)) names.add(instance).add(host)
  if (answers.some(({ type }) => type === 'SRV')) names.add(host)
  return all.filter((record) => names.has(record.name) && record.type !== 'NSEC' && !answers.includes(record))
}

/** Whether somebody took back a record that is still right. */
export function takenBack(records: ServiceRecords, { answers }: Message): readonly OwnRecord[] {
  const gone = answers.filter(({ ttl }) => ttl === 0)
  return announced(records).filter((record) => gone.some((one) => isSame(record, one)))
}

function isSame(record: OwnRecord, { name, type, value }: HeardRecord): boolean {
  const own = valueOf(record)
  return record.name === name && record.type === type && own !== '' && own === value
}

/** An address of this machine is none: another responder on it may have said so, under its host name. */
export function conflictIn(
  { host, instance, service }: ServiceRecords,
  { answers }: Message,
  isOwn: (address: string) => boolean,
): Conflict | undefined {
  for (const { name, type, ttl, value } of answers) {
    if (ttl === 0 || value === '') continue
    if (name === host && type in TYPE_NUMBERS && !isOwn(value)) return { type: 'host', address: value }
    if (name === instance && type === 'SRV' && value !== valueOf(service)) return { type: 'service' }
  }
  return undefined
}

/** Whether another machine that wants the name at this very moment goes first. RFC 6762, 8.2: the later record does. */
export function yieldsTo(
  { host, address }: ServiceRecords,
  { proposed }: Message,
  isOwn: (address: string) => boolean,
): boolean {
  const theirs = proposed.filter(
    ({ name, type, value }) => name === host && type in TYPE_NUMBERS && value !== '' && !isOwn(value),
  )
  if (theirs.length === 0) return false
  const [first = 0n] = theirs.map(({ type, value }) => rankOf(type, value)).toSorted((a, b) => (a < b ? -1 : 1))
  return first > rankOf(address.type, valueOf(address))
}

function rankOf(type: string, address: string): bigint {
  return ((TYPE_NUMBERS[type] ?? 0n) << 128n) | (parseAddress(address) ?? 0n)
}
