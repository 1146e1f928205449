// Which addresses this machine has, and which of them an interface stands for.

import type { NetworkInterfaceInfo } from 'node:os'
import { classOfAddress } from '#core/address.ts'
import { canonicalAddress, type LanAddress, type LanPlace } from '#core/lan.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

/** As the system gives them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** The addresses under which others could reach this machine, IPv4 first. */
export function lanAddresses(interfaces: Interfaces): LanAddress[] {
  const all = Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos.filter(({ internal }) => !internal).map(({ address }) => ({ name, address: canonicalAddress(address) })),
  )
  const usable = all.filter(({ address }) => !['link-local', 'unreadable'].includes(classOfAddress(address)))
  return usable.toSorted((a, b) => Number(a.address.includes(':')) - Number(b.address.includes(':')))
}

/** Where to listen now. An address is taken at its word: whether this machine has it is seen when it is listened on. */
export function addressOf(place: LanPlace, interfaces: Interfaces): string | Refusal {
  if (place.type === 'address') return place.address
  const found = lanAddresses(interfaces).find(({ name }) => name === place.name)
  if (found !== undefined) return found.address
  const says = place.name in interfaces ? 'has no address now' : 'is not there'
  return refuse('conflict', `The network interface '${place.name}' ${says}.`, { param: 'interface' })
}

/** Whether the internet reaches it too, as far as the address tells. */
export function isPublic(address: string): boolean {
  return classOfAddress(address) === 'global'
}
