// The one way out of the program: whoever sends something to a provider sends it through a pool of this file, so that no
// connection is made to an address that the provider may not be at, no redirect is followed and no proxy of the environment
// used. Pools differ by origin, network and time limits; one that no provider needs any more is closed.

import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { Network, Provider, ProviderTimeLimits } from '#core/entities.ts'
import { HOP_HEADER } from '#core/provider-headers.ts'
import type { Hops } from '#pipeline/hops.ts'
import { guardedConnector, type IsOwn, type Resolve } from '#provider/guarded-connector.ts'
import { Pool, type buildConnector } from '#provider/undici.ts'

/** What a connection depends on. It need not be a provider that is set up. */
export type Destination = Pick<Provider, 'baseUrl' | 'network' | 'timeLimits'>

export type ConnectionsOptions = {
  /** What holds where a provider says nothing else. */
  readonly timeLimits: Required<ProviderTimeLimits>
  readonly isOwn: IsOwn
  readonly hops: Pick<Hops, 'newMark'>
  /** How names are resolved; as the system does it, unless given. */
  readonly resolve?: Resolve | undefined
  /** Connections to all origins together, from which on idle ones are closed. */
  readonly most?: number
}

/** A stream holds a connection for as long as it runs, so this bounds the answers from one origin at a time. */
const MAX_CONNECTIONS = 1024
const IDLE_CONNECTION_MS = 30_000

/** Says in each of its requests that it comes through this gateway. */
class MarkingPool extends Pool {
  readonly #mark: string

  constructor(origin: URL, mark: string, options: Pool.Options) {
    super(origin, options)
    this.#mark = mark
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const headers = options.headers as Readonly<Record<string, string>> | undefined
    const earlier = headers?.[HOP_HEADER]
    const marks = earlier === undefined ? this.#mark : `${earlier}, ${this.#mark}`
    return super.dispatch({ ...options, headers: { ...headers, [HOP_HEADER]: marks } }, handler)
  }
}

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #pools = new Map<string, Pool>()
  /** Not used for new requests any more; their last answers are under way. */
  readonly #closing = new Set<Pool>()
  readonly #most: number
  /** Connections of all pools. */
  #open = 0

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#most = options.most ?? Number.POSITIVE_INFINITY
  }

  /** Good for a request that is sent now; ask again for a later one, because a pool may be closed in between. */
  pool(destination: Destination): Pool {
    const { key, limits, origin } = this.#place(destination)
    const known = this.#pools.get(key)
    if (this.#open >= this.#most) this.#closeIdle(known)
    if (known !== undefined) return known
    const { isOwn, resolve } = this.#options
    const pool = new MarkingPool(origin, this.#options.hops.newMark(), {
      connections: Math.min(MAX_CONNECTIONS, this.#most),
      pipelining: 1,
      allowH2: false,
      connect: this.#counting(
        guardedConnector(origin, { network: destination.network, isOwn, resolve }, limits.connectMs),
      ),
      headersTimeout: limits.firstByteMs,
      bodyTimeout: limits.silenceMs,
      keepAliveTimeout: IDLE_CONNECTION_MS,
    })
    this.#pools.set(key, pool)
    return pool
  }

  /**
   * A connection for something else than HTTP, to where a provider of this network might be, and not encrypted yet. `place` is
   * spelled as an address of the web. It belongs to whoever asked.
   */
  async socket(place: URL, network: Network): Promise<Socket> {
    const { isOwn, resolve, timeLimits } = this.#options
    const connect = guardedConnector(place, { network, isOwn, resolve }, timeLimits.connectMs)
    const hostname = place.hostname.replace(/^\[|\]$/g, '')
    const target = { protocol: 'http:', hostname, port: place.port === '' ? '443' : place.port }
    return new Promise((done, fail) => {
      connect(target, (...[error, socket]) => (error === null ? done(socket) : fail(error)))
    })
  }

  /** Closes what none of these destinations needs. Answers that are under way come to their end. */
  retain(destinations: readonly Destination[]): void {
    if (this.#pools.size === 0) return
    const needed = new Set(destinations.map((destination) => this.#place(destination).key))
    for (const [key, pool] of this.#pools) {
      if (!needed.has(key)) this.#close(key, pool)
    }
  }

  /** Closes idle connections and breaks the others. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools.values(), ...this.#closing].map((pool) => pool.destroy()))
  }

  /** Its idle connections end now, the others behind their answers. */
  #close(key: string, pool: Pool): void {
    this.#pools.delete(key)
    this.#closing.add(pool)
    // It fails only where it was destroyed meanwhile, which leaves nothing to be closed.
    const closed = pool.close().catch(() => undefined)
    void closed.then(() => this.#closing.delete(pool))
  }

  #counting(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null)
        this.#open += 1
        socket.once('close', () => (this.#open -= 1))
        callback(null, socket)
      })
  }

  /** Replaces the pools that keep idle connections, but for the one that is asked for. */
  #closeIdle(asked: Pool | undefined): void {
    for (const [key, pool] of this.#pools) if (pool !== asked && pool.stats.free > 0) this.#close(key, pool)
  }

  #place(destination: Destination): { key: string; limits: Required<ProviderTimeLimits>; origin: URL } {
    const origin = new URL(new URL(destination.baseUrl).origin)
    const limits = { ...this.#options.timeLimits, ...destination.timeLimits }
    const { connectMs, firstByteMs, silenceMs } = limits
    return { key: [origin.href, destination.network, connectMs, firstByteMs, silenceMs].join(' '), limits, origin }
  }
}
