// Whether the other end of a connection, or the end that it came to, is this machine.

/** Of an IPv4 connection to a socket for both, and of both kinds. */
const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/** `address` as a socket tells it. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address)
}
