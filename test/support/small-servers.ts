// Servers on port 0 of 127.0.0.1 for tests of what Farebox makes of them: HTTP with a function for every answer, HTTPS with a
// certificate of the fixtures, or bare TCP. `closeServers()` ends all of them, and every connection.

import { readFileSync } from 'node:fs'
import { createServer as createHttp, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createTcp, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** What a server answers: a JSON value, or a text as it is; `undefined` never answers. */
export type Reply = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}
export type Answering = (asked: Asked) => Reply | undefined

export type SmallServer = { readonly port: number; readonly asked: readonly Asked[] }

const TLS_FOLDER = join(import.meta.dirname, '..', 'fixtures', 'tls')
const open = new Set<{ readonly server: Server; readonly sockets: Set<Socket> }>()

export function certificate(name: string): string {
  return readFileSync(join(TLS_FOLDER, `${name}.pem`), 'utf8')
}

export async function serveHttp(answering: Answering): Promise<SmallServer> {
  const asked: Asked[] = []
  return { port: await listen(createHttp(listener(answering, asked))), asked }
}

export async function serveHttps(certificateName: string, answering: Answering): Promise<SmallServer> {
  const asked: Asked[] = []
  const identity = { key: certificate('key'), cert: certificate(certificateName) }
  return { port: await listen(createHttps(identity, listener(answering, asked))), asked }
}

/** A server that does something to each connection and speaks nothing. */
export async function serveTcp(onConnection: (socket: Socket) => void): Promise<number> {
  return listen(
    createTcp((socket) => {
      socket.on('error', () => undefined)
      onConnection(socket)
    }),
  )
}

/** A port at which nothing listens: it was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createTcp()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)))
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function closeServers(): Promise<void> {
  const ends = [...open].map(({ server, sockets }) => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  open.clear()
  await Promise.all(ends)
}

function listener(answering: Answering, asked: Asked[]): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const question = { method, path, headers, text: Buffer.concat(chunks).toString('utf8') }
      asked.push(question)
      const reply = answering(question)
      if (reply === undefined) return
      const isText = reply.text !== undefined
      response.writeHead(reply.status ?? 200, {
        'content-type': isText ? 'text/plain' : 'application/json',
        ...reply.headers,
      })
      response.end(isText ? reply.text : JSON.stringify(reply.json ?? {}))
    })
  }
}

function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  open.add({ server, sockets })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  return address.port
}
