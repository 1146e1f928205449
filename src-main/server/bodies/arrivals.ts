// Uploads on their way in, and which of them gives its place up where there is none for another: whoever sends next to nothing holds
// up nobody who sends.

/** Of those who are slower than this for so long the slowest gives way, and nobody where there is room. */
const MIN_BYTES_PER_SECOND = 8 * 1024
const PATIENCE_MS = 5000
/** How far back is looked at, once and up to twice. */
const WINDOW_MS = 10_000

export class Arrivals {
  readonly #coming = new Set<Arrival>()
  readonly #monotonicMs: () => number

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  begin(keyId: string): Arrival {
    const arrival = new Arrival(keyId, this.#monotonicMs, () => this.#coming.delete(arrival))
    this.#coming.add(arrival)
    return arrival
  }

  /** Ends the slowest of those that are too slow, of one key where that is said, and resolves when its place is free. False: there is none. */
  async displace(keyId?: string): Promise<boolean> {
    const nowMs = this.#monotonicMs()
    let slowest: { readonly arrival: Arrival; readonly pace: number } | undefined
    for (const arrival of this.#coming) {
      if (keyId !== undefined && arrival.keyId !== keyId) continue
      const pace = arrival.paceAt(nowMs)
      if (pace < MIN_BYTES_PER_SECOND && pace < (slowest?.pace ?? Infinity)) slowest = { arrival, pace }
    }
    if (slowest === undefined) return false
    await slowest.arrival.giveWay()
    return true
  }
}

/** One of them. */
export class Arrival {
  readonly keyId: string
  readonly #monotonicMs: () => number
  readonly #leave: () => void
  readonly #placeIsFree = Promise.withResolvers<void>()
  #windowFromMs: number
  #bytes = 0
  /** Of the window before; undefined in the first one. */
  #bytesBefore: number | undefined
  #hasGivenWay = false
  /** Ends the present wait. */
  #stop: () => void = () => undefined

  constructor(keyId: string, monotonicMs: () => number, leave: () => void) {
    this.keyId = keyId
    this.#monotonicMs = monotonicMs
    this.#leave = leave
    this.#windowFromMs = monotonicMs()
  }

  /** What comes next, or that another one needs its place. A race of promises would keep everything that came. */
  orGaveWay<Next>(next: Promise<Next>): Promise<Next | 'gave-way'> {
    if (this.#hasGivenWay) return Promise.resolve('gave-way')
    return new Promise((resolve, reject) => {
      this.#stop = () => resolve('gave-way')
      next.then(resolve, reject)
    })
  }

  note(bytes: number): void {
    const nowMs = this.#monotonicMs()
    const agedMs = nowMs - this.#windowFromMs
    if (agedMs >= WINDOW_MS) {
      this.#bytesBefore = agedMs < 2 * WINDOW_MS ? this.#bytes : 0
      this.#bytes = 0
      this.#windowFromMs = nowMs
    }
    this.#bytes += bytes
  }

  /** In bytes a second of late; Infinity for one that has just begun. */
  paceAt(nowMs: number): number {
    const seenMs = nowMs - this.#windowFromMs + (this.#bytesBefore === undefined ? 0 : WINDOW_MS)
    if (seenMs < PATIENCE_MS) return Infinity
    return ((this.#bytes + (this.#bytesBefore ?? 0)) * 1000) / seenMs
  }

  /** Resolves when its place is free. */
  giveWay(): Promise<void> {
    this.#leave()
    this.#hasGivenWay = true
    this.#stop()
    return this.#placeIsFree.promise
  }

  /** All of it is there: it is as fast as whoever it is sent on to. */
  arrived(): void {
    this.#leave()
  }

  /** Its place is free. */
  end(): void {
    this.#leave()
    this.#placeIsFree.resolve()
  }
}
