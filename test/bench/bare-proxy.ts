// The yardstick: the plain forwarder anyone would write with undici, no parsing, no keys, no books. A process of its own.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { announce } from './child-side.ts'

const pool = new Pool(process.argv[2] ?? '')

announce(
  createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  }),
)

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { statusCode, headers, body } = await pool.request({
    path: request.url ?? '/',
    method: request.method ?? 'GET',
    headers: endToEnd(request.headers),
    body: request,
  })
  response.writeHead(statusCode, endToEnd(headers))
  body.pipe(response)
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { host: _host, connection: _connection, 'keep-alive': _keep, 'transfer-encoding': _coding, ...rest } = headers
  return rest
}
