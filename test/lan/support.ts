// A real Farebox that serves a LAN: an address of this machine that is not the one on which it serves the machine itself. On Linux all
// of 127.0.0.0/8 is this machine.

import { request, type Agent } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import type { LanChange, LanView } from '#contract/lan.ts'
import { buildServer, type ServerDeps } from '#server/http/server.ts'
import { startFarebox, type Farebox, type FareboxOptions } from '../support/farebox.ts'
import { PASSWORD } from '../support/password.ts'

export const LAN_ADDRESS = '127.0.0.2'

export type LanFarebox = Farebox & {
  /** Turns it on; 0 is the port unless said otherwise. */
  on(change?: LanChange): Promise<LanView>
}

/** With an administrator `ada`, who has a password. */
export async function startLan(options: FareboxOptions = {}): Promise<LanFarebox> {
  const farebox = await startFarebox(options)
  const isNew = options.dataDir === undefined
  if (isNew) {
    await farebox.admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  }
  const on = (change: LanChange = {}) => {
    const place = change.interface === undefined ? { address: LAN_ADDRESS } : {}
    return farebox.admin.call('setLan', { body: { port: 0, ...place, ...change } })
  }
  return { ...farebox, on }
}

export type LanAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  json(): Record<string, unknown>
}

export type LanAsk = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: unknown
  /** The certificates to trust, PEM. */
  readonly ca?: string
  /** Where to connect to, if not to the host of the URL. */
  readonly address?: string
  /** The address of the machine that asks. */
  readonly from?: string
  /** Whose connections are used; one of its own, unless given. */
  readonly agent?: Agent
}

/** Asks over TLS and trusts nothing but `ca`. Rejects with the error of TLS where that does not fit. */
export function askLan(
  url: string,
  { method = 'GET', headers = {}, body, ca, address, from, agent }: LanAsk = {},
): Promise<LanAnswer> {
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: address ?? hostname.replace(/^\[|\]$/g, ''),
        port,
        path: pathname + search,
        method,
        headers: {
          host: new URL(url).host,
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
          ...headers,
        },
        agent: agent ?? false,
        // Not by the Host header, which may be a wrong one.
        checkServerIdentity: (_name, certificate) => checkServerIdentity(hostname, certificate),
        ...(from === undefined ? {} : { localAddress: from }),
        ...(ca === undefined ? {} : { ca }),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** The certificate of the LAN, as whoever has it from the administrator. */
export async function certificateOf(farebox: Pick<Farebox, 'admin'>): Promise<string> {
  return (await farebox.admin.call('showLanCertificate', {})).certificate
}

export type LanVisitor = {
  readonly cookie: string
  readonly token: string
  ask(path: string, options?: Omit<LanAsk, 'ca'>): Promise<LanAnswer>
}

/** Signs in over the LAN: as a member by their name, with the password that they all have, or with a key alone. */
export async function signInOverLan(
  url: string,
  who: string | { readonly key: string },
  ca: string,
): Promise<LanVisitor> {
  const answer = await askLan(`${url}/api/session`, {
    method: 'POST',
    ca,
    headers: { origin: url },
    body: typeof who === 'string' ? { name: who, password: PASSWORD } : who,
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  const cookie = String(answer.headers['set-cookie']?.[0]?.split(';')[0])
  const token = String(answer.json()['token'])
  return {
    cookie,
    token,
    ask: (path, options = {}) =>
      askLan(url + path, {
        ...options,
        ca,
        headers: { origin: url, cookie, 'x-farebox-session': token, ...options.headers },
      }),
  }
}

/** What comes back for bytes that are sent as they are; empty where the connection is closed without a word. */
export async function sendBytes(socket: Socket, bytes: string | Uint8Array): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return Buffer.concat(chunks)
}

/** The routes of the server but those of the admin API, read from what the server prints of them. */
export function gatewayRoutes(): { url: string; method: string }[] {
  const app = buildServer({
    hosts: new Set(),
    sockets: { isOn: false },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
  } as unknown as ServerDeps)
  const path: string[] = []
  return app
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?[├└]── )(\S*)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
      if (indent === '') return []
      path.length = indent.length / 4 - 1
      path.push(part === '(empty' ? '' : part)
      return methods.split(', ').map((method) => ({ url: path.join(''), method }))
    })
    .filter(({ url: found, method }) => method !== '' && method !== 'HEAD' && !found.startsWith('/api'))
}

/** What may be answered to anybody who can reach the LAN: the sign of life, and files of a page that shows nothing. */
export const OPEN_ROUTES: ReadonlySet<string> = new Set(['/health', '/', '/app', '/app/*', '/assets/:name'])
