// A line between a gateway and PostgreSQL that can be cut, or that loses what is said in one direction.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** `deaf`: nothing that is asked arrives. `mute`: what is asked is done, and no answer arrives. */
export type LineState = 'whole' | 'cut' | 'deaf' | 'mute'

export type Line = {
  /** The address of the database, by this line. */
  readonly url: string
  set(state: LineState): void
  /** Loses the answers from the next message on that has a text in it; resolves when that was sent. */
  muteAt(text: string): Promise<void>
  /** Loses that message and all after it; resolves when it was sent. */
  deafAt(text: string): Promise<void>
  /** Leads to another server from now on. */
  lead(url: string): void
  close(): Promise<void>
}

export async function breakableLine(url: string): Promise<Line> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let state: LineState = 'whole'
  let awaited: { readonly text: string; readonly becomes: LineState; readonly heard: () => void } | undefined
  const overhear = (bytes: Buffer) => {
    if (awaited === undefined || !bytes.includes(awaited.text)) return
    state = awaited.becomes
    awaited.heard()
    awaited = undefined
  }
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to, lost] of [
      [near, far, 'deaf'],
      [far, near, 'mute'],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (from === near) overhear(bytes)
        if (state !== lost) to.write(bytes)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const breakAt = (text: string, becomes: LineState) =>
    new Promise<void>((heard) => {
      awaited = { text, becomes, heard }
    })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    set(next) {
      // A connection that has lost something is no use any more.
      if (next === 'cut' || state !== 'whole') hangUp()
      state = next
    },
    muteAt: (text) => breakAt(text, 'mute'),
    deafAt: (text) => breakAt(text, 'deaf'),
    lead(other) {
      hangUp()
      target = new URL(other)
    },
    close() {
      hangUp()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}
