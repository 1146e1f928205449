// A provider below HTTP: a socket server whose script writes what it likes, for what Node's own server would never send. It
// must leave nothing behind: close() ends every socket and every wait.

import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestBody } from './upstream-format.ts'

export type RawScript = {
  /** Told of every new connection, before anything is read from it. */
  readonly connected?: (socket: Socket) => void
  /** Told of every request once all of it is there. What it throws when the peer is gone is an ordinary end. */
  readonly asked?: (exchange: RawExchange) => Promise<void>
}

export type RawExchange = {
  readonly path: string
  readonly body: RequestBody
  /** Which request of its connection this is, from 1 on. */
  readonly number: number
  readonly write: (data: string | Buffer) => Promise<void>
  /** Closes the connection behind what was written. */
  readonly end: () => void
  readonly reset: () => Promise<void>
  /** Throws when the connection ends before. */
  readonly wait: (ms: number) => Promise<void>
}

export type RawUpstream = {
  /** Without a path. */
  readonly origin: string
  openSockets(): number
  /** Connections that are open and whose script has not come to its end. */
  busySockets(): number
  close(): Promise<void>
}

/** A reset discards what the peer's kernel has not yet handed over; this gives it the time to read. */
const SETTLE_BEFORE_RESET_MS = 20

export async function startRawUpstream(script: RawScript): Promise<RawUpstream> {
  const open = new Set<Socket>()
  const busy = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      busy.delete(socket)
    })
    // A connection that breaks is what these servers are for.
    socket.on('error', () => {})
    script.connected?.(socket)
    if (script.asked !== undefined) serve({ socket, asked: script.asked, busy })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    openSockets: () => open.size,
    busySockets: () => busy.size,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** An origin on this machine that refuses every connection: a free port of the usual kind may be somebody's in a moment. */
export const REFUSED_ORIGIN = 'http://127.0.0.1:1'

type Serving = {
  readonly socket: Socket
  readonly asked: (exchange: RawExchange) => Promise<void>
  readonly busy: Set<Socket>
}

function serve({ socket, asked, busy }: Serving): void {
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  let text = ''
  let number = 0
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
    for (let request = takeRequest(text); request !== undefined; request = takeRequest(text)) {
      text = request.rest
      number += 1
      busy.add(socket)
      asked(exchangeOf({ ...request, socket, number, gone: gone.signal })).then(
        () => busy.delete(socket),
        (error: unknown) => {
          const isGone = gone.signal.aborted || socket.destroyed
          socket.destroy()
          if (!isGone) throw error
        },
      )
    }
  })
}

type Request = Pick<RawExchange, 'path' | 'body'>

/** The first whole request of a text, and what follows it; undefined while it is not whole. */
function takeRequest(text: string): (Request & { readonly rest: string }) | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0)
  const bodyEnd = headEnd + 4 + length
  if (text.length < bodyEnd) return undefined
  const body = JSON.parse(Buffer.from(text.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8')) as RequestBody
  return { path: text.split(' ', 2)[1] ?? '', body, rest: text.slice(bodyEnd) }
}

type Connection = Request & { readonly socket: Socket; readonly number: number; readonly gone: AbortSignal }

function exchangeOf({ path, body, socket, number, gone }: Connection): RawExchange {
  const wait = (ms: number) => sleep(ms, undefined, { signal: gone })
  return {
    path,
    body,
    number,
    wait,
    end: () => void socket.end(),
    async write(data) {
      gone.throwIfAborted()
      // Without a turn of the loop two writes could leave in one packet.
      if (!socket.write(data)) await Promise.race([once(socket, 'drain'), once(gone, 'abort')])
      await wait(1)
    },
    async reset() {
      await wait(SETTLE_BEFORE_RESET_MS)
      socket.resetAndDestroy()
    },
  }
}
