// Keeps this process from talking to other machines, whatever it is told to do.

import net from 'node:net'

const LOCAL = new Set(['127.0.0.1', '::1', 'localhost'])
/** Nobody listens there. */
const CLOSED = { host: '127.0.0.1', port: 1 }

type Connect = (this: net.Socket, ...args: unknown[]) => net.Socket

/** From now on connections to other machines are refused, and no name of one is looked up for them. Returns what ends it. */
export function keepLocal(): () => void {
  const connect = net.Socket.prototype.connect as Connect
  const local: Connect = function (...args) {
    // Options come alone, or in a list that Node has made of its arguments.
    const options = Object(args.flat()[0]) as { readonly host?: string; readonly path?: string }
    if (options.path === undefined && !LOCAL.has(options.host ?? 'localhost')) Object.assign(options, CLOSED)
    return connect.apply(this, args)
  }
  Object.assign(net.Socket.prototype, { connect: local })
  return () => void Object.assign(net.Socket.prototype, { connect })
}
