// How much the bodies of all requests may come to that are being read or served. What counts is what has arrived and not what was
// announced, so that whoever announces much and sends nothing takes nothing from anybody. Where the bound is reached, the largest body
// that is still on its way makes room: a crowd of large ones does not keep a small one out.

const MIB = 1024 * 1024
/** What is longer is large. A share of the budget is kept for what is not. */
const LARGE = MIB
const SHARE_OF_LARGE = 0.75

type OpenBody = { bytes: number; isUnderWay: boolean; readonly giveUp: () => void }

/** What one body takes of the budget. */
export type BodyShare = {
  /** Takes in what has arrived; false where there is no room for it. */
  add(bytes: number): boolean
  /** It is there as a whole, and nobody else's to send away any more. */
  complete(): void
  /** Gives back all of it; may be called again. */
  end(): void
}

export class BodyBudget {
  readonly #most: number
  readonly #mostLarge: number
  readonly #underWay = new Set<OpenBody>()
  #bytes = 0
  #largeBytes = 0

  constructor(most: number) {
    this.#most = most
    this.#mostLarge = most * SHARE_OF_LARGE
  }

  /** What is there at the moment, of all bodies together. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so many bytes would find room now, if nobody makes room for them. */
  hasRoomFor(bytes: number): boolean {
    if (bytes > LARGE && this.#largeBytes + bytes > this.#mostLarge) return false
    return this.#bytes + bytes <= this.#most
  }

  /** `giveUp` is called where this body has to make room. */
  open(giveUp: () => void): BodyShare {
    const entry: OpenBody = { bytes: 0, isUnderWay: true, giveUp }
    this.#underWay.add(entry)
    return {
      add: (bytes) => this.#add(entry, bytes),
      complete: () => {
        entry.isUnderWay = false
        this.#underWay.delete(entry)
      },
      end: () => this.#end(entry),
    }
  }

  #add(entry: OpenBody, bytes: number): boolean {
    const wanted = entry.bytes + bytes
    const isLarge = wanted > LARGE
    const fits = () =>
      this.#bytes + bytes <= this.#most &&
      (!isLarge || this.#largeBytes - largePart(entry.bytes) + wanted <= this.#mostLarge)
    while (!fits()) {
      const largest = this.#largest()
      if (largest === undefined || largest === entry || largest.bytes <= wanted) return false
      this.#end(largest)
      largest.giveUp()
    }
    this.#count(entry, wanted)
    return true
  }

  #largest(): OpenBody | undefined {
    let largest: OpenBody | undefined
    for (const entry of this.#underWay) if (entry.bytes > (largest?.bytes ?? 0)) largest = entry
    return largest
  }

  #end(entry: OpenBody): void {
    this.#underWay.delete(entry)
    this.#count(entry, 0)
  }

  #count(entry: OpenBody, bytes: number): void {
    this.#bytes += bytes - entry.bytes
    this.#largeBytes += largePart(bytes) - largePart(entry.bytes)
    entry.bytes = bytes
  }
}

function largePart(bytes: number): number {
  return bytes > LARGE ? bytes : 0
}
