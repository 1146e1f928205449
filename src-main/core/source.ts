// Who counts as one stranger. A machine has as many IPv6 addresses as it likes, all of which begin with the same 64 bits. Pure.

import { parseAddress } from '#core/address.ts'
import { isLoopback } from '#core/loopback.ts'

/** The address of this machine, also where it is spelled as the one of IPv6. */
const THIS_MACHINE = '127.0.0.1'

/**
 * The source of an address as a socket tells it: an IPv4 address, in whichever way it is spelled, or the network of an IPv6 address,
 * such as `2001:db8:1:2::/64`.
 */
export function sourceOf(address: string): string {
  const plain = address.replace(/%.*$/s, '')
  const value = parseAddress(plain)
  if (value === undefined) return plain.slice(0, 64)
  return value === 1n ? THIS_MACHINE : (ipv4In(value) ?? networkIn(value, 64n))
}

/**
 * Of whom a source may be one of many: whoever has a network of IPv6 usually has the 48 bits that it begins with, and a program of this
 * machine can come from any of its loopback addresses. Other IPv4 addresses stand for themselves.
 */
export function siteOf(source: string): string {
  if (isLoopback(source)) return '127.0.0.0/8'
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
