// Where Farebox itself listens. A provider at that place would send every call back to where it came from, for ever.

import { networkInterfaces } from 'node:os'
import { classOfAddress, parseAddress } from '#core/address.ts'

type Interfaces = ReturnType<typeof networkInterfaces>

export class OwnListener {
  readonly #ports = new Set<number>()
  #lastSeen: Interfaces | undefined

  /** The port is known only once it is listened on. */
  listensOn(port: number): void {
    this.#ports.add(port)
  }

  /** Whichever of its addresses the machine is called by, so that no new one is ever forgotten here. */
  readonly isOwn = (address: string, port: number): boolean => this.#ports.has(port) && this.#isThisMachine(address)

  #isThisMachine(address: string): boolean {
    if (classOfAddress(address) === 'loopback') return true
    const value = parseAddress(address)
    this.#lastSeen = interfaces() ?? this.#lastSeen
    // A place of which nothing is known may be here.
    if (this.#lastSeen === undefined) return true
    const own = Object.values(this.#lastSeen).flatMap((addresses) => addresses ?? [])
    return own.some((candidate) => parseAddress(candidate.address) === value)
  }
}

/** undefined where the system does not tell, as where no file descriptor is left. */
function interfaces(): Interfaces | undefined {
  try {
    return networkInterfaces()
  } catch {
    // An exception here would be thrown inside a DNS callback and could not be caught.
    return undefined
  }
}
