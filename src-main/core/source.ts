// Who counts as one stranger. A machine has as many IPv6 addresses as it likes, all of which begin with the same 64 bits, and the
// programs of this machine may come from any address of its loopback interface. Pure.

import { classOfAddress, parseAddress } from '#core/address.ts'

/** All programs of this machine. */
const THIS_MACHINE = '127.0.0.1'

/**
 * The source of an address as a socket tells it: an IPv4 address, in whichever way it is spelled; the network of an IPv6 address,
 * such as `2001:db8:1:2::/64`; all of this machine as one.
 */
export function sourceOf(address: string): string {
  const plain = address.replace(/%.*$/s, '')
  const value = parseAddress(plain)
  if (value === undefined) return plain.slice(0, 64)
  const ipv4 = ipv4In(value)
  if (classOfAddress(ipv4 ?? plain) === 'loopback') return THIS_MACHINE
  return ipv4 ?? networkIn(value, 64n)
}

/** Whoever has one network of IPv6 usually has this one: it says that sources may be of one hand. Of an IPv4 address it is the address. */
export function siteOf(source: string): string {
  const value = source.includes(':') ? parseAddress(source.replace('/64', '')) : undefined
  return value === undefined ? source : networkIn(value, 48n)
}

/** Of a connection to a socket for both kinds, and of one that a network has translated. */
function ipv4In(value: bigint): string | undefined {
  const prefix = value >> 32n
  if (prefix !== 0xffffn && prefix !== 0x64_ff9bn << 64n) return undefined
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
}

function networkIn(value: bigint, bits: bigint): string {
  const groups = Array.from({ length: Number(bits / 16n) }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn)
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`
}
