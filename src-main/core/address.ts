// Where a provider may be. Pure: it judges texts and addresses, and looks nothing up. The address that a name leads to is
// judged once more when a connection is made (provider/guarded-connector.ts), which is what counts; judging a base URL when it
// is entered only says early what would be said then.

import type { Network } from '#core/entities.ts'

export type AddressClass = keyof typeof PLACES

/** What each class of addresses is called in a sentence. */
const PLACES = {
  global: 'the internet',
  loopback: 'this machine',
  private: 'a private network',
  'link-local': 'a link-local address',
  metadata: 'the metadata service of a cloud',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  tunnel: 'an address inside of another one',
  reserved: 'a reserved address',
  unreadable: 'something that is not an address',
} as const

/**
 * The first line that an address fits decides. After the IANA registries of special-purpose IPv4 and IPv6 addresses; the
 * services of cloud machines stand in none. IPv4 is looked at in its IPv4-mapped form, so that both spellings are one.
 */
const RANGES = [
  ['169.254.169.254/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['fd00:ec2::/32', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['fd00:42::42/128', 'metadata'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['0.0.0.0/0', 'global'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  // Teredo, ORCHID and others; what of it can be reached from everywhere is nowhere that a provider would be.
  ['2001::/32', 'tunnel'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['2002::/16', 'tunnel'],
  ['3ffe::/16', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'global'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
] as const satisfies readonly (readonly [string, AddressClass])[]

/** Everything of IPv6 that is in no line: not handed out to anybody, or a form that carries an IPv4 address. */
const OTHERWISE: AddressClass = 'reserved'

/** IPv6-only networks reach the IPv4 internet through addresses that begin like this. */
const NAT64_PREFIX = 0x64_ff9bn << 64n
const MAPPED_PREFIX = 0xffffn
/** The middle of an ISATAP address, whatever network it is in; its last 32 bits are an IPv4 address. */
const ISATAP_MARKS = [0x0000_5efen, 0x0200_5efen]

/** Names that cloud machines resolve to their metadata service. */
const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata.goog'])

const NEEDS_LOCAL = "which needs 'network: local'"

type Range = { readonly first: bigint; readonly hostBits: bigint; readonly kind: AddressClass }

const TABLE: readonly Range[] = RANGES.map(([text, kind]) => {
  const [address = '', length = ''] = text.split('/')
  const hostBits = BigInt((address.includes(':') ? 128 : 32) - Number(length))
  return { first: (parseAddress(address) ?? 0n) >> hostBits, hostBits, kind }
})

/** An IPv4 or IPv6 address in its ordinary spelling, without brackets or zone. */
export function classOfAddress(address: string): AddressClass {
  const value = parseAddress(address)
  if (value === undefined) return 'unreadable'
  if (value >> 32n === NAT64_PREFIX) {
    // The prefix stands for the internet alone, so that nothing nearer can be meant by it.
    return classOf((MAPPED_PREFIX << 32n) | lowBits(value)) === 'global' ? 'global' : 'tunnel'
  }
  return classOf(value)
}

function classOf(value: bigint): AddressClass {
  const isMapped = value >> 32n === MAPPED_PREFIX
  if (!isMapped && ISATAP_MARKS.includes(lowBits(value >> 32n))) return 'tunnel'
  return TABLE.find(({ first, hostBits }) => value >> hostBits === first)?.kind ?? OTHERWISE
}

function lowBits(value: bigint): bigint {
  return value & 0xffff_ffffn
}

/** The address of a server as somebody typed it, or what is wrong with it, to be read after its name. */
export function readUrl(text: string): URL | string {
  const url = URL.parse(text)
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  return url
}

/** Why a provider of this network may not be at an address, to be read after "The base URL "; undefined: it may. */
export function addressProblem(address: string, network: Network): string | undefined {
  const kind = classOfAddress(address)
  if (kind === 'global') return undefined
  if (kind !== 'loopback' && kind !== 'private') return `leads to ${PLACES[kind]}, where no provider may be`
  return network === 'local' ? undefined : `leads to ${PLACES[kind]}, ${NEEDS_LOCAL}`
}

/** The same for a whole base URL, from what can be seen without resolving its name. */
export function baseUrlProblem(url: URL, network: Network): string | undefined {
  const never = hostProblem(url, 'local')
  if (never !== undefined || network === 'local') return never
  if (url.protocol !== 'https:') return `is not https, ${NEEDS_LOCAL}`
  return hostProblem(url, network)
}

function hostProblem(url: URL, network: Network): string | undefined {
  const address = literalAddress(url)
  if (address !== undefined) return addressProblem(address, network)
  if (METADATA_NAMES.has(hostName(url))) return `leads to ${PLACES.metadata}, where no provider may be`
  return network === 'public' && isLocalhost(url) ? `leads to ${PLACES.loopback}, ${NEEDS_LOCAL}` : undefined
}

/** Whether a base URL says in so many words that it leads to this machine. */
export function namesThisMachine(url: URL): boolean {
  const address = literalAddress(url)
  return address === undefined ? isLocalhost(url) : classOfAddress(address) === 'loopback'
}

/** The address that a URL has in place of a name. The URL parser has brought all its spellings into one already. */
export function literalAddress(url: URL): string | undefined {
  const host = hostName(url)
  if (host.startsWith('[')) return host.slice(1, -1)
  return parseAddress(host) === undefined ? undefined : host
}

function isLocalhost(url: URL): boolean {
  return /(^|\.)localhost$/.test(hostName(url))
}

/** The URL parser has made it lower case and ASCII; a dot at its end is the same host to every resolver. */
function hostName(url: URL): string {
  return url.hostname.replace(/(?<!\.)\.+$/, '')
}

/** An address as a number of 128 bits; undefined for what is none in the plain spelling that programs print. */
export function parseAddress(text: string): bigint | undefined {
  if (!text.includes(':')) {
    const value = parseIpv4(text)
    return value === undefined ? undefined : (MAPPED_PREFIX << 32n) | value
  }
  const [head = '', tail, ...more] = withoutIpv4Tail(text)?.split('::') ?? []
  const left = readGroups(head)
  const right = readGroups(tail ?? '')
  if (left === undefined || right === undefined || more.length > 0) return undefined
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...Array.from({ length: missing }, () => 0), ...right]
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  // A zero in front means octal to some programs and nothing to others, so it means nothing here.
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** IPv6 with its last 32 bits spelled as hexadecimal groups, where they were spelled as IPv4. */
function withoutIpv4Tail(text: string): string | undefined {
  const start = text.lastIndexOf(':') + 1
  if (!text.includes('.', start)) return text
  const value = parseIpv4(text.slice(start))
  return value === undefined
    ? undefined
    : `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  return parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined
}
