// A client of responses over a WebSocket, for tests: what it was sent is read one message at a time.

import { once } from 'node:events'
import { WebSocket, type ClientOptions } from 'ws'
import type { Farebox } from '../support/farebox.ts'

export type SocketEvent = { readonly type: string; readonly [member: string]: unknown }

export const UPGRADE_HEADERS = { 'openai-beta': 'responses_websockets=2026-02-06' }

export class Talk {
  readonly webSocket: WebSocket
  readonly #unread: SocketEvent[] = []
  #wake: () => void = () => undefined
  /** The code and the words with which it was closed. */
  readonly closed: Promise<{ readonly code: number; readonly words: string }>
  #isClosed = false

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    webSocket.on('error', () => undefined)
    webSocket.on('message', (data: Buffer) => {
      this.#unread.push(JSON.parse(data.toString('utf8')) as SocketEvent)
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      webSocket.once('close', (code, reason) => {
        this.#isClosed = true
        this.#wake()
        resolve({ code, words: reason.toString() })
      })
    })
  }

  send(message: object | string): void {
    this.webSocket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The next event; throws where the connection ended instead. */
  async next(): Promise<SocketEvent> {
    for (;;) {
      const event = this.#unread.shift()
      if (event !== undefined) return event
      if (this.#isClosed) throw new Error('the connection ended before the next event')
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** All events up to the one that ends an answer. */
  async answer(): Promise<SocketEvent[]> {
    const events: SocketEvent[] = []
    for (;;) {
      const event = await this.next()
      events.push(event)
      if (/^(error|response\.(completed|incomplete|failed))$/.test(event.type)) return events
    }
  }

  /** Asks for an answer and reads it. */
  ask(members: object): Promise<SocketEvent[]> {
    this.send({ type: 'response.create', ...members })
    return this.answer()
  }

  async close(): Promise<void> {
    this.webSocket.close()
    await this.closed
  }
}

export type OpenOptions = Pick<ClientOptions, 'ca' | 'autoPong'> & {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Where it is not this machine's listener. */
  readonly url?: string
}

/** Opens a WebSocket; rejects with the status where it is refused. */
export async function openTalk(farebox: Pick<Farebox, 'url'>, key: string | undefined, options: OpenOptions = {}) {
  const { path = '/v1/responses', headers = {}, url = farebox.url, ...others } = options
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const webSocket = new WebSocket(url.replace(/^http/, 'ws') + path, {
    perMessageDeflate: false,
    headers: { ...UPGRADE_HEADERS, ...authorization, ...headers },
    ...others,
  })
  const refused = new Promise<never>((_resolve, reject) => {
    webSocket.once('unexpected-response', (request, response) => {
      request.destroy()
      reject(new Error(`refused with ${response.statusCode}`))
    })
    webSocket.once('error', reject)
  })
  const talk = new Talk(webSocket)
  await Promise.race([once(webSocket, 'open'), refused])
  return talk
}

/** The response that an event is about. */
export function responseIn(event: SocketEvent | undefined) {
  return (event?.['response'] ?? {}) as {
    readonly id: string
    readonly status: string
    readonly [member: string]: unknown
  }
}

export function errorIn(event: SocketEvent | undefined) {
  return (event?.['error'] ?? {}) as { readonly code?: unknown; readonly message?: string; readonly param?: string }
}

/** A frame as no library writes it. */
export type Frame = {
  readonly opcode: number
  readonly payload?: Buffer | string
  readonly isFinal?: boolean
  readonly isMasked?: boolean
  /** Reserved bits of the first byte. */
  readonly reserved?: number
  /** What is said of the length, where that is not true. */
  readonly length?: bigint
}

export const OPCODE = { continued: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

export function frame({ opcode, payload = '', isFinal = true, isMasked = true, reserved = 0, length }: Frame): Buffer {
  const bytes = Buffer.from(payload)
  const said = length ?? BigInt(bytes.length)
  const size = said < 126n ? Buffer.of(Number(said)) : Buffer.alloc(said < 65_536n ? 3 : 9)
  if (size.length === 3) size.writeUInt16BE(Number(said), 1)
  if (size.length === 9) size.writeBigUInt64BE(said, 1)
  if (size.length > 1) size[0] = size.length === 3 ? 126 : 127
  size[0] = (size[0] ?? 0) | (isMasked ? 0x80 : 0)
  const head = Buffer.of((isFinal ? 0x80 : 0) | reserved | opcode)
  if (!isMasked) return Buffer.concat([head, size, bytes])
  const mask = Buffer.of(1, 2, 3, 4)
  return Buffer.concat([head, size, mask, bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}
