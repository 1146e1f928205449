// A webhook's other end on a free port of this machine: it notes what comes and answers as it is told.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }
export type Reply = (response: ServerResponse) => void

export type Receiver = {
  readonly url: string
  readonly received: readonly Received[]
  /** How the next messages are answered, one after the other; 204 after that. */
  script(...replies: readonly Reply[]): void
  close(): Promise<void>
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => void response.writeHead(code, headers).end()
}

/** Never answers. */
export const silence: Reply = () => undefined

/** What is no HTTP at all. */
export const garbage: Reply = (response) => void response.socket?.end('\u0000\u0001nonsense\r\n\r\n')

/** An answer without an end. */
export const flood: Reply = (response) => {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(1024)));
  }
  response.on('drain', more)
  more()
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const replies: Reply[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      const reply = replies.shift() ?? status(204)
      reply(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    script: (...next) => void replies.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
