// Packets of mDNS (RFC 6762) between bytes and values. What comes in is a stranger's: it is measured before it is read, and of what
// is read only what the answers and the check of the name need is kept.

import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet'
import type { DecodedRecord, EncodableRecord, Question as WireQuestion } from 'dns-packet'
import { parseAddress } from '#core/address.ts'
import { canonicalAddress } from '#core/lan.ts'

/** Of a packet. */
export type Sender = { readonly address: string; readonly port: number }

/** A record that Farebox says. `flush`: nobody else has one of this name and type. */
export type OwnRecord = EncodableRecord

/** A record that somebody said; names are in lower case. `value` is empty for types that nothing here looks at. */
export type HeardRecord = {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly value: string
}

export type Question = { readonly name: string; readonly type: string; readonly asked: WireQuestion }

export type Message = {
  readonly id: number
  readonly isResponse: boolean
  readonly questions: readonly Question[]
  /** Of a query what the asker knows already, of a response all that it says. */
  readonly answers: readonly HeardRecord[]
  /** What somebody who looks whether a name is free would say under it. */
  readonly proposed: readonly HeardRecord[]
}

export type Outgoing = {
  readonly id?: number
  readonly questions?: readonly WireQuestion[]
  readonly answers?: readonly OwnRecord[]
  readonly proposed?: readonly OwnRecord[]
  readonly additionals?: readonly OwnRecord[]
}

const HEADER_BYTES = 12
/** RFC 6762, 17. */
const MOST_BYTES = 9000
/** Each entry can cost 0.1 ms by a name made of many short words, so that a full datagram of them would stop everything for half a second. */
const MOST_ENTRIES = 64
/** Operation and result, which are 0 in all that mDNS knows. */
const OTHER_KINDS = 0x780f

/** undefined for what is no message of mDNS, or too large to be one that matters here. */
export function readMessage(bytes: Buffer): Message | undefined {
  if (!isReadable(bytes)) return undefined
  try {
    const { id, type, questions, answers, authorities, additionals } = decode(bytes)
    const isResponse = type === 'response'
    return {
      id,
      isResponse,
      questions: questions.map((asked) => ({ name: asked.name.toLowerCase(), type: asked.type, asked })),
      answers: (isResponse ? [...answers, ...additionals] : answers).flatMap(heard),
      proposed: isResponse ? [] : authorities.flatMap(heard),
    }
  } catch {
    // Whatever cannot be read says nothing, and nobody waits for an answer to it.
    return undefined
  }
}

function isReadable(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES || bytes.length > MOST_BYTES) return false
  const entries = [4, 6, 8, 10].reduce((sum, at) => sum + bytes.readUInt16BE(at), 0)
  return entries > 0 && entries <= MOST_ENTRIES && (bytes.readUInt16BE(2) & OTHER_KINDS) === 0
}

function heard(record: DecodedRecord): HeardRecord[] {
  const { name, type, ttl = 0 } = record
  return record.class === 'IN' ? [{ name: name.toLowerCase(), type, ttl, value: valueOf(record) }] : []
}

/** What two records of one name and type are compared by; the same for a record as it is said and as it is heard. */
export function valueOf({ type, data }: Pick<DecodedRecord, 'type' | 'data'>): string {
  if (type === 'SRV') return isPlace(data) ? `${data.target.toLowerCase()}:${data.port}` : ''
  if (typeof data !== 'string') return ''
  if (type === 'PTR') return data.toLowerCase()
  const isAddress = (type === 'A' || type === 'AAAA') && parseAddress(data) !== undefined
  return isAddress ? canonicalAddress(data) : ''
}

function isPlace(data: unknown): data is { readonly target: string; readonly port: number } {
  if (typeof data !== 'object' || data === null || !('target' in data) || !('port' in data)) return false
  return typeof data.target === 'string' && typeof data.port === 'number'
}

export function writeQuery({ questions = [], proposed = [] }: Outgoing): Buffer {
  return encode({ type: 'query', questions, authorities: proposed })
}

export function writeResponse({ id = 0, questions = [], answers = [], additionals = [] }: Outgoing): Buffer {
  return encode({ type: 'response', id, flags: AUTHORITATIVE_ANSWER, questions, answers, additionals })
}
