// The socket of mDNS on one network. It drops what comes from elsewhere, what cannot be about Farebox, and what is too much, before
// anything is read.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import type { Link } from '#lan/mdns-link.ts'
import type { Sender } from '#lan/mdns-packets.ts'

export const MDNS_PORT = 5353
/** A packet that has none of these words, nor the first one of the host name, asks for nothing of ours. */
const WORDS = ['_farebox', '_dns-sd']
/** With the bound on what one packet may cost, a stranger can take a quarter of a processor and no more. */
const MOST_PACKETS_PER_SECOND = 40
const SECOND_MS = 1000
/** No router passes it on, and whoever receives it can tell that none did. RFC 6762, 11. */
const HOPS = 255

export type MdnsSocketOptions = {
  readonly link: Link
  readonly port: number
  /** The first word of the host name. */
  readonly label: string
  readonly onPacket: (bytes: Buffer, from: Sender) => void
  /** The socket is closed then. `code` is of the system, such as ENETUNREACH. */
  readonly onFailure: (code: string) => void
}

export class MdnsSocket {
  readonly #options: MdnsSocketOptions
  readonly #socket: Socket
  readonly #words: readonly string[]
  #isClosed = false
  #windowStartMs = 0
  #packets = 0

  constructor(options: MdnsSocketOptions) {
    this.#options = options
    this.#words = [...WORDS, options.label]
    this.#socket = createSocket({ type: options.link.type, reuseAddr: true, ipv6Only: options.link.type === 'udp6' })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('message', (bytes, from) => this.#receive(bytes, from))
  }

  /** Listens on the network. Resolves to false where it failed, which `onFailure` was told. */
  async open(): Promise<boolean> {
    const { link, port } = this.#options
    const isBound = await new Promise<boolean>((resolve) => {
      this.#socket.once('close', () => resolve(false))
      this.#socket.bind({ port, address: link.listenOn }, () => resolve(true))
    })
    if (!isBound || this.#isClosed) return false
    try {
      this.#join()
      this.#socket.setMulticastInterface(link.via)
      this.#socket.setMulticastTTL(HOPS)
      this.#socket.setTTL(HOPS)
      // Programs on this machine ask too, and its other responders must hear what is announced.
      this.#socket.setMulticastLoopback(true)
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  /** Whether the network went away meanwhile, such as that of a VPN: one that came back is another one to the system. */
  hasLeft(): boolean {
    if (this.#isClosed) return true
    try {
      this.#join()
      return true
    } catch (error) {
      return codeOf(error) !== 'EADDRINUSE'
    }
  }

  #join(): void {
    const { group, via } = this.#options.link
    this.#socket.addMembership(group.split('%')[0] ?? '', via)
  }

  /** Sends to everybody on the network, or to one machine on it. */
  send(bytes: Buffer, to?: Sender): void {
    if (this.#isClosed) return
    const { link, port } = this.#options
    const target = to ?? { address: link.group, port }
    this.#socket.send(bytes, target.port, target.address, (error) => {
      // One machine that cannot be reached is no reason to stop.
      if (error !== null && to === undefined) this.#fail(error)
    })
  }

  /** Resolves once all that was sent has left. Never rejects. */
  async close(last?: Buffer): Promise<void> {
    if (this.#isClosed) return
    const { link, port } = this.#options
    // From here on a failure changes nothing any more.
    this.#isClosed = true
    await new Promise<void>((resolve) => {
      const end = () => this.#socket.close(() => resolve())
      if (last === undefined) end()
      else this.#socket.send(last, port, link.group, end)
    })
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    if (this.#isClosed || !this.#options.link.isNear(from.address) || from.port === 0) return
    const text = bytes.toString('latin1').toLowerCase()
    if (!this.#words.some((word) => text.includes(word)) || this.#isTooMuch()) return
    this.#options.onPacket(bytes, from)
  }

  #isTooMuch(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#windowStartMs >= SECOND_MS) {
      this.#windowStartMs = nowMs
      this.#packets = 0
    }
    this.#packets += 1
    return this.#packets > MOST_PACKETS_PER_SECOND
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
    this.#options.onFailure(codeOf(error))
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
