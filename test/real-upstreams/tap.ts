// Stands between Farebox and a real server, changes nothing, and keeps what both said, byte for byte and with its timing. Tests
// learn from it what the server reported by itself, and recordings are made of it.

import { once } from 'node:events'
import { createServer, request as requestTo, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TimedBytes } from '../support/recording.ts'

/** How it ended: with the server's last byte, with the client gone before, or with the server gone before. */
export type ExchangeEnd = 'complete' | 'client-left' | 'server-broke'

export type Exchange = {
  readonly method: string
  readonly path: string
  readonly body: Record<string, unknown>
  status: number
  contentType: string
  readonly chunks: TimedBytes[]
  /** Settles once it has ended. */
  readonly ended: Promise<ExchangeEnd>
}

export type Tap = {
  /** Without a path. */
  readonly origin: string
  /** All exchanges since the last time that this was asked. */
  take(): Exchange[]
  /** Those that have not been taken yet. */
  readonly exchanges: readonly Exchange[]
  close(): Promise<void>
}

/** `originOf` says which server has the model that a request names; undefined for a request that names none. */
export async function startTap(originOf: (model: string | undefined) => string): Promise<Tap> {
  let exchanges: Exchange[] = []
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing, originOf).then((exchange) => exchanges.push(exchange))
  })
  // For the same reason it is never this side that closes one.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = exchanges
      exchanges = []
      return taken
    },
    get exchanges() {
      return exchanges
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  originOf: (model: string | undefined) => string,
): Promise<Exchange> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const sent = Buffer.concat(pieces)
  const body = objectIn(sent)
  const { promise: ended, resolve } = Promise.withResolvers<ExchangeEnd>()
  const { method = 'GET', url: path = '/' } = incoming
  const exchange: Exchange = { method, path, body, status: 0, contentType: '', chunks: [], ended }
  const model = typeof body['model'] === 'string' ? body['model'] : undefined
  const { host: _, ...headers } = incoming.headers
  const startedAtMs = performance.now()
  // A connection of its own: one that was kept may be closed by the server in the moment in which it is used again.
  const upstream = requestTo(`${originOf(model)}${path}`, { method, headers, agent: false })
  outgoing.once('close', () => {
    if (outgoing.writableFinished) return
    resolve('client-left')
    upstream.destroy()
  })
  upstream.once('error', () => {
    resolve('server-broke')
    outgoing.destroy()
  })
  upstream.once('response', (answer) => {
    exchange.status = answer.statusCode ?? 0
    exchange.contentType = answer.headers['content-type'] ?? ''
    outgoing.writeHead(exchange.status, answer.headers)
    answer.on('data', (bytes: Buffer) => {
      exchange.chunks.push({ ms: Math.round(performance.now() - startedAtMs), bytes })
      outgoing.write(bytes)
    })
    answer.once('error', () => {
      resolve('server-broke')
      outgoing.destroy()
    })
    answer.once('end', () => {
      outgoing.end()
      resolve('complete')
    })
  })
  upstream.end(sent)
  return exchange
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    // Requests for lists have no body.
    return {}
  }
}

/** What the server sent, as text. */
export function sentText({ chunks }: Exchange): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('utf8')
}
