// The one network on which Farebox is announced: that of the address it is served on.

import { parseAddress } from '#core/address.ts'
import type { Interfaces } from '#lan/places.ts'

export type Link = {
  readonly type: 'udp4' | 'udp6'
  /** The group of mDNS on this network. */
  readonly group: string
  /** What to listen on. The group itself, where the system can: packets to this machine alone then never arrive. */
  readonly listenOn: string
  /** How the system is told which network is meant. */
  readonly via: string
  /** Whether the sender of a packet is on this network. */
  readonly isNear: (address: string) => boolean
}

type Network = { readonly first: bigint; readonly hostBits: bigint }

/** The link-local addresses of IPv6, which stand on every network. */
const LINK_LOCAL: Network = { first: 0xfe80n >> 6n, hostBits: 118n }

/** undefined where no network of this machine has the address. */
export function linkOf(address: string, interfaces: Interfaces, isWindows: boolean): Link | undefined {
  const value = parseAddress(address)
  const all = Object.entries(interfaces)
  // Of 127.0.0.0/8 the whole is this machine; of every other network one address is.
  const found =
    all.find(([, infos = []]) => infos.some((info) => value !== undefined && parseAddress(info.address) === value)) ??
    all.find(([, infos = []]) => infos.some((info) => info.internal && contains(networkOf(info), value)))
  if (value === undefined || found === undefined) return undefined
  const [name, infos = []] = found
  const networks = infos.flatMap((info) => networkOf(info) ?? [])
  if (!address.includes(':')) {
    const group = '224.0.0.251'
    const isNear = (from: string) => networks.some((network) => contains(network, parseAddress(from)))
    return { type: 'udp4', group, listenOn: isWindows ? '0.0.0.0' : group, via: address, isNear }
  }
  const zone = isWindows ? String(infos.find((info) => info.scopeid)?.scopeid ?? 0) : name
  const group = `ff02::fb%${zone}`
  const isNear = (from: string) => isNearIpv6(from, { zone, networks })
  return { type: 'udp6', group, listenOn: isWindows ? '::' : group, via: `::%${zone}`, isNear }
}

function isNearIpv6(from: string, { zone, networks }: { zone: string; networks: readonly Network[] }): boolean {
  const [address = '', fromZone] = from.split('%')
  const value = parseAddress(address)
  if (contains(LINK_LOCAL, value)) return fromZone === zone
  return networks.some((network) => contains(network, value))
}

function networkOf({ cidr, family }: { cidr: string | null; family: string }): Network | undefined {
  const [address = '', length = ''] = cidr?.split('/') ?? []
  const value = parseAddress(address)
  if (value === undefined) return undefined
  const hostBits = BigInt((family === 'IPv6' ? 128 : 32) - Number(length))
  return { first: value >> hostBits, hostBits }
}

function contains(network: Network | undefined, value: bigint | undefined): boolean {
  return network !== undefined && value !== undefined && value >> network.hostBits === network.first
}
