// What the attackers of `npm run bench -- --only attacks` do: each kind is one try, which its attackers make again and again until they
// are told to stop.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type AttackTarget = {
  /** Where the machine itself is served, and the LAN. */
  readonly url: string
  readonly lanUrl: string
  readonly certificate: string
  /** A good key, and the headers of an administrator. */
  readonly key: string
  readonly adminHeaders: Readonly<Record<string, string>>
  /** A model whose provider answers with what is expensive to read. */
  readonly hostileModel: string
}

export type AttackKind = {
  readonly name: string
  /** How many go on at a time. */
  readonly attackers: number
  /** One try, which ends by itself or when its attacker is told to stop. Resolves with the status that it was answered, or `ended`. */
  readonly attempt: (target: AttackTarget, stop: AbortSignal) => Promise<string>
}

const MIB = 1024 * 1024
const LARGE = 31 * MIB
/** The LAN bounds the connections of one address, so that the attackers have several. */
const MACHINES = 16

export const ATTACKS: readonly AttackKind[] = [
  { name: 'bodies to unknown paths', attackers: 500, attempt: unknownPath('here') },
  { name: 'the same over the LAN', attackers: 500, attempt: unknownPath('over the LAN') },
  { name: 'heads that do not end', attackers: 1000, attempt: endlessHead },
  { name: 'ten million objects', attackers: 4, attempt: post(bodyOf('{},')) },
  { name: 'a hundred thousand parts', attackers: 4, attempt: post(bodyOf('{},', 99_000)) },
  { name: 'large texts', attackers: 4, attempt: post(textOf('h\u00e4llo world. ')) },
  { name: 'escaped quotes', attackers: 4, attempt: post(textOf('\\"')) },
  { name: 'brackets', attackers: 4, attempt: post(bodyOf('[')) },
  { name: 'white space', attackers: 4, attempt: post(bodyOf(' ')) },
  { name: 'bodies in drops', attackers: 500, attempt: slowBody },
  { name: 'large test requests', attackers: 4, attempt: testRequest },
  { name: 'wrong keys', attackers: 50, attempt: wrongKey },
  { name: 'refused calls of a key', attackers: 16, attempt: refusedCall },
  { name: 'wrong tickets', attackers: 20, attempt: signIn(() => ({ ticket: 'x'.repeat(43) })) },
  {
    name: 'wrong passwords',
    attackers: 20,
    attempt: signIn(() => ({ name: 'ada', password: `wrong ${Math.random()}` })),
  },
  { name: 'idle connections over the LAN', attackers: 1000, attempt: idleTls },
  { name: 'answers of a million levels', attackers: 4, attempt: hostileAnswer },
]

function bodyOf(piece: string, count = Math.floor(LARGE / piece.length)): () => string {
  return () => `{"model":"bench-chat","messages":[${piece.repeat(count - 1)}${piece.replace(',', '')}]}`
}

function textOf(piece: string): () => string {
  const content = piece.repeat(Math.floor(LARGE / Buffer.byteLength(piece)))
  return () => `{"model":"bench-chat","messages":[{"role":"user","content":"${content}"}]}`
}

function post(body: () => string): AttackKind['attempt'] {
  let bytes: Buffer | undefined
  return async ({ url, key }, stop) => {
    bytes ??= Buffer.from(body())
    return ask(`${url}/v1/chat/completions`, { authorization: `Bearer ${key}` }, { bytes, stop })
  }
}

function testRequest({ url, adminHeaders }: AttackTarget, stop: AbortSignal): Promise<string> {
  const request = `{"model":"bench-chat","messages":[{"role":"user","content":"${'x'.repeat(LARGE)}"}]}`
  const bytes = Buffer.from(`{"key":"bench","endpoint":"chat","request":${request}}`)
  return ask(`${url}/api/try`, adminHeaders, { bytes, stop })
}

function wrongKey({ url }: AttackTarget, stop: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer key_${'x'.repeat(38)}` }
  return ask(`${url}/v1/chat/completions`, headers, { bytes: Buffer.alloc(1000, ' '), stop })
}

let refusals = 0

/** Each for another model that nobody has. */
function refusedCall({ url, key }: AttackTarget, stop: AbortSignal): Promise<string> {
  refusals += 1
  const bytes = Buffer.from(`{"model":"nobody-has-${refusals}","messages":[{"role":"user","content":"x"}]}`)
  return ask(`${url}/v1/chat/completions`, { authorization: `Bearer ${key}` }, { bytes, stop })
}

function signIn(body: () => object): AttackKind['attempt'] {
  return ({ url }, stop) =>
    ask(`${url}/api/session`, { origin: url }, { bytes: Buffer.from(JSON.stringify(body())), stop })
}

function hostileAnswer({ url, key, hostileModel }: AttackTarget, stop: AbortSignal): Promise<string> {
  const bytes = Buffer.from(JSON.stringify({ model: hostileModel, messages: [{ role: 'user', content: 'x' }] }))
  return ask(`${url}/v1/chat/completions`, { authorization: `Bearer ${key}` }, { bytes, stop })
}

type Sent = { readonly bytes: Buffer; readonly stop: AbortSignal }

async function ask(url: string, headers: Readonly<Record<string, string>>, { bytes, stop }: Sent): Promise<string> {
  const body = new Uint8Array(bytes)
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, signal: stop }
  const answer = await fetch(url, init)
  await answer.arrayBuffer()
  return String(answer.status)
}

function unknownPath(listener: 'here' | 'over the LAN'): AttackKind['attempt'] {
  return (target, stop) => {
    const socket = open(target, listener)
    const { host } = new URL(listener === 'here' ? target.url : target.lanUrl)
    socket.write(
      `POST /nothing HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`,
    )
    socket.write(Buffer.alloc(MIB - 1, ' '))
    return closed(socket, stop)
  }
}

function endlessHead(target: AttackTarget, stop: AbortSignal): Promise<string> {
  const socket = open(target, 'here')
  socket.write(`GET /health HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(15_000)}`)
  return closed(socket, stop)
}

function slowBody(target: AttackTarget, stop: AbortSignal): Promise<string> {
  const socket = open(target, 'here')
  const { host } = new URL(target.url)
  const proof = `authorization: Bearer ${target.key}\r\ncontent-type: application/json`
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\n${proof}\r\ncontent-length: ${32 * MIB}\r\n\r\n{`,
  )
  const drops = setInterval(() => socket.write(' '), 1000)
  return closed(socket, stop).finally(() => clearInterval(drops))
}

function idleTls(target: AttackTarget, stop: AbortSignal): Promise<string> {
  return closed(open(target, 'over the LAN'), stop)
}

let machine = 0

function open(target: AttackTarget, listener: 'here' | 'over the LAN'): Socket {
  const { hostname: host, port } = new URL(listener === 'here' ? target.url : target.lanUrl)
  const ignore = () => undefined
  if (listener === 'here') return connect(Number(port), host).on('error', ignore).resume()
  const localAddress = `127.0.1.${(machine++ % MACHINES) + 1}`
  const line = connect({ host, port: Number(port), localAddress }).on('error', ignore)
  const socket = connectTls({ socket: line, ca: target.certificate, checkServerIdentity: ignore })
  return socket.on('error', ignore).resume()
}

/** Resolves when the connection has ended, or is given up because the attack is over. */
async function closed(socket: Socket, stop: AbortSignal): Promise<string> {
  const end = () => socket.destroy()
  let status = 'ended'
  socket.once('data', (head: Buffer) => (status = /^HTTP\/1\.1 (\d+)/.exec(head.toString('latin1'))?.[1] ?? status))
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  await new Promise((resolve) => socket.once('close', resolve))
  stop.removeEventListener('abort', end)
  return status
}
