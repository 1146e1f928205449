// Makes the connections to one origin, and only to addresses that its provider may be at. A name is resolved once, its addresses
// are judged, and those very addresses are connected to: a name that means something else a moment later gains nothing.

import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { addressProblem, baseUrlProblem, literalAddress } from '#core/address.ts'
import type { Network } from '#core/entities.ts'
import { buildConnector } from '#provider/undici.ts'

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Whether Farebox itself listens at an address and port: a provider there would be a call that calls itself. */
export type IsOwn = (address: string, port: number) => boolean

export type Guard = {
  readonly network: Network
  readonly isOwn: IsOwn
  /** The system's own, unless given. */
  readonly resolve?: Resolve | undefined
}

/** The base URL leads to where its provider may not be. The message completes "The base URL ". */
export class AddressError extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'AddressError'
  }
}

type Judge = (address: string) => string | undefined

export function guardedConnector(origin: URL, guard: Guard, timeoutMs: number): buildConnector.connector {
  const port = Number(origin.port === '' ? (origin.protocol === 'https:' ? 443 : 80) : origin.port)
  const judge: Judge = (address) =>
    guard.isOwn(address, port)
      ? 'leads to Farebox itself, where no provider may be'
      : addressProblem(address, guard.network)
  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    lookup: guardedLookup(judge, guard.resolve ?? systemLookup),
  })
  const literal = literalAddress(origin)
  return (target, callback) => {
    // An address in place of a name is connected to without being looked up.
    const problem = baseUrlProblem(origin, guard.network) ?? (literal === undefined ? undefined : judge(literal))
    if (problem === undefined) connect(target, callback)
    // Whoever asked for the connection is not ready for an answer yet.
    else process.nextTick(() => callback(new AddressError(problem), null))
  }
}

/** A lookup that gives only the addresses that may be connected to, and fails where none of them may. */
function guardedLookup(judge: Judge, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const [first, ...rest] = addresses.filter(({ address }) => judge(address) === undefined)
      if (first === undefined) {
        const problem = addresses.map(({ address }) => judge(address)).find((said) => said !== undefined)
        return callback(new AddressError(problem ?? 'leads to no address at all'), [])
      }
      if (options.all === true) callback(null, [first, ...rest])
      else callback(null, first.address, first.family)
    })
  }
}
