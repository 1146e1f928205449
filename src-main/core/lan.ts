// How other machines reach Farebox, as it is set. Whether it works is for lan/ to say.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { classOfAddress, parseAddress } from '#core/address.ts'

/** An address of this machine, or a network interface whose address is looked up at each start. */
export type LanPlace =
  { readonly type: 'address'; readonly address: string } | { readonly type: 'interface'; readonly name: string }

/** Absolute paths of PEM files on this machine. */
export type CertificateFiles = { readonly certificate: string; readonly key: string }

export type LanSettings = {
  readonly isOn: boolean
  readonly place: LanPlace
  readonly port: number
  /** Host names in lower case under which other machines may address this one, beside the address itself. */
  readonly names: readonly string[]
  /** Whether administrators may administer over the LAN. */
  readonly isAdministered: boolean
  /** undefined: the certificate that Farebox makes. */
  readonly files: CertificateFiles | undefined
}

/** One address of this machine. */
export type LanAddress = { readonly name: string; readonly address: string }

/** Kinds of addresses on which nobody is served, and what is said of them. */
const NO_PLACES: Readonly<Record<string, string>> = {
  unspecified: 'would open every network of this machine. Choose one of its addresses',
  multicast: 'is no address of a single machine',
  metadata: 'belongs to the metadata service of a cloud',
  tunnel: 'is an address inside of another one',
  unreadable: 'is not an address',
}

/** An address to listen on, spelled as browsers do in a Host header; a refusal for one that no machine could reach. */
export function readLanAddress(text: string): string | Refusal {
  const problem = (says: string) => refuse('invalid_request', `'${text}' ${says}.`, { param: 'address' })
  const kind = classOfAddress(text)
  const never = NO_PLACES[kind]
  if (never !== undefined) return problem(never)
  const address = canonicalAddress(text)
  if (address === '127.0.0.1' || address === '::1')
    return problem('is where this machine alone reaches Farebox already')
  if (kind === 'link-local' && address.includes(':')) return problem('needs the name of an interface to be reached')
  return address
}

/** IPv6 has many spellings; the URL parser makes them one. */
export function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

const MAX_NAME_LETTERS = 253
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Host names as browsers send them, each once; a refusal for what is none. */
export function readLanNames(texts: readonly string[]): readonly string[] | Refusal {
  const names = texts.map(readName)
  return names.find(isRefusal) ?? [...new Set(names.filter((name) => typeof name === 'string'))]
}

function readName(text: string): string | Refusal {
  const name = text.toLowerCase()
  const labels = name.split('.')
  const isName = name.length <= MAX_NAME_LETTERS && labels.every((label) => LABEL.test(label))
  // Browsers read a last label of digits as part of an address.
  const looksLikeAddress = parseAddress(name) !== undefined || /^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')
  const isLocal = labels.at(-1) === 'localhost'
  if (isName && !looksLikeAddress && !isLocal) return name
  return refuse('invalid_request', `'names': '${text}' is not a host name that other machines can use.`, {
    param: 'names',
  })
}

/** The address or name with a port as it stands in a URL and in a Host header; without the port where it is that of https. */
export function hostOf(name: string, port: number): string {
  const host = name.includes(':') ? `[${name}]` : name
  return port === 443 ? host : `${host}:${port}`
}
