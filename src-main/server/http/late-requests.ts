// Connections whose time is up. Timers go off before what has arrived is read: a gateway that was busy, or its machine, would end the
// connection of a request that came in time, or answer it with an error. Browsers open more connections than they use at once, and
// send on one of them many seconds later.

import type { Socket } from 'node:net'

/** Calls `end` once what had arrived by now is read, unless that was something. */
export function unlessAsked(socket: Socket, end: () => void): void {
  const { bytesRead } = socket
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) end()
  })
}
