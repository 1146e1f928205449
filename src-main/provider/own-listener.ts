// Where Farebox itself listens. A provider at that place would send every call back to where it came from, for ever.

import { networkInterfaces } from 'node:os'
import { classOfAddress, parseAddress } from '#core/address.ts'

export class OwnListener {
  readonly #ports = new Set<number>()

  /** The port is known only once it is listened on. */
  listensOn(port: number): void {
    this.#ports.add(port)
  }

  /** Whichever of its addresses the machine is called by, so that no new one is ever forgotten here. */
  readonly isOwn = (address: string, port: number): boolean => this.#ports.has(port) && isThisMachine(address)
}

function isThisMachine(address: string): boolean {
  if (classOfAddress(address) === 'loopback') return true
  const value = parseAddress(address)
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((candidate) => parseAddress(candidate.address) === value)
}
