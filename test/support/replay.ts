// A provider that sends again what a real server once sent: the recording that was chosen last, whatever is asked.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bytesOf, type Recording } from './recording.ts'

export type Replay = {
  /** Without a path. */
  readonly origin: string
  /** How often it was asked since the recording was chosen. */
  asked(): number
  play(recording: Recording): void
  close(): Promise<void>
}

export async function startReplay(): Promise<Replay> {
  let current: Recording | undefined
  let asked = 0
  const server = createServer((incoming, outgoing) => {
    incoming.resume()
    incoming.once('end', () => {
      asked += 1
      if (current === undefined) throw new Error('no recording was chosen')
      outgoing.writeHead(current.status, { 'content-type': current.content_type })
      for (const piece of bytesOf(current)) outgoing.write(piece)
      outgoing.end()
    })
  })
  // A kept connection that is closed in the moment in which it is used again would fail a call.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    play(recording) {
      current = recording
      asked = 0
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
