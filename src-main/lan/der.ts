// Writes values in DER, the encoding of certificates (ITU-T X.690): a tag, a length, the content. Nothing is read here; reading is
// left to node:crypto.

const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** UTCTime has two digits for the year, which RFC 5280 (4.1.2.5) reads as 1950 to 2049. */
const FIRST_LONG_YEAR = 2050

export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

/** A length up to 127 is itself; a longer one follows the number of its bytes. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(TAGS.sequence, ...parts)
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return tagged(TAGS.set, ...parts)
}

/** A number of 0 or more as its bytes, the highest first. */
export function integer(magnitude: Uint8Array): Buffer {
  const start = magnitude.findIndex((byte) => byte !== 0)
  const bytes = start === -1 ? Buffer.from([0]) : Buffer.from(magnitude.subarray(start))
  // The highest bit would make it negative.
  const isHigh = ((bytes[0] ?? 0) & 0x80) !== 0
  return tagged(TAGS.integer, isHigh ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/** Whole bytes: none of the last one's bits is unused. */
export function bitString(bytes: Uint8Array): Buffer {
  return tagged(TAGS.bitString, Buffer.from([0]), bytes)
}

export function octetString(bytes: Uint8Array): Buffer {
  return tagged(TAGS.octetString, bytes)
}

export function trueValue(): Buffer {
  return tagged(TAGS.boolean, Buffer.from([0xff]))
}

export function utf8String(text: string): Buffer {
  return tagged(TAGS.utf8String, Buffer.from(text, 'utf8'))
}

/** Such as `1.2.840.10045.4.3.2`. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return tagged(TAGS.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits in each byte; all but the last have the highest bit set. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

/** UTC milliseconds, cut to the second. */
export function time(atMs: number): Buffer {
  const digits = new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  const isLong = Number(digits.slice(0, 4)) >= FIRST_LONG_YEAR
  return tagged(isLong ? TAGS.generalizedTime : TAGS.utcTime, Buffer.from(isLong ? digits : digits.slice(2), 'latin1'))
}
