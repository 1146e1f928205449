// Serves a built dashboard as strictly as Farebox does, with canned answers in place of the admin API, so that a page can be looked
// at by itself.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.html': 'text/html; charset=utf-8',
}

/** Answers by `METHOD /path`; what is not there is 404. A number is a status without a body. */
export type Answers = Readonly<Record<string, unknown>>

export async function serveDashboard(folder: string, answers: Answers) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path.startsWith('/api/')) answer(response, answers[`${request.method} ${path}`])
    else void sendFile(response, folder, path)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, body: unknown): void {
  const status = typeof body === 'number' ? body : body === undefined ? 404 : 200
  const refusal = { error: { message: `The answer of this test is ${status}.`, code: status } }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status === 200 ? body : refusal))
}

async function sendFile(response: ServerResponse, folder: string, path: string): Promise<void> {
  const isAsset = path.startsWith('/assets/')
  const file = join(folder, isAsset ? normalize(path) : 'index.html')
  const nonce = randomBytes(16).toString('base64')
  try {
    const bytes = await readFile(file)
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy(nonce),
      'x-content-type-options': 'nosniff',
    })
    response.end(isAsset ? bytes : bytes.toString('utf8').replace('__NONCE__', nonce))
  } catch {
    // There is no such file.
    response.writeHead(404).end()
  }
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
