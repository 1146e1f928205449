// How much the bodies of all requests may come to that are being read or served. What counts is what has arrived and not what was
// announced, so that whoever announces much and sends nothing takes nothing from anybody. Where the bound is reached, the largest body
// that is still on its way makes room: a crowd of large ones does not keep a small one out.

import { CurrentList, type Place } from '#core/current-list.ts'

const MIB = 1024 * 1024
/** What is longer is large. A share of the budget is kept for what is not. */
const LARGE = MIB
const SHARE_OF_LARGE = 0.75

/** What one body takes of the budget. */
export class BodyShare {
  readonly #budget: BodyBudget
  readonly giveUp: () => void
  /** What has arrived of it. */
  bytes = 0
  /** Among those that are under way, until it is there as a whole. */
  place: Place<BodyShare> | undefined

  /** `giveUp` is called where this body has to make room. */
  constructor(budget: BodyBudget, giveUp: () => void) {
    this.#budget = budget
    this.giveUp = giveUp
  }

  /** Takes in what has arrived; false where there is no room for it. */
  add(bytes: number): boolean {
    return this.#budget.add(this, bytes)
  }

  /** It is there as a whole, and nobody else's to send away any more. */
  complete(): void {
    this.#budget.complete(this)
  }

  /** Gives back all of it; may be called again. */
  end(): void {
    this.#budget.end(this)
  }
}

/** Shares are asked for with `open`, and change by their own methods. */
export class BodyBudget {
  readonly #most: number
  readonly #mostLarge: number
  readonly #underWay = new CurrentList<BodyShare>()
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

  open(giveUp: () => void): BodyShare {
    const share = new BodyShare(this, giveUp)
    share.place = this.#underWay.add(share)
    return share
  }

  add(share: BodyShare, bytes: number): boolean {
    const wanted = share.bytes + bytes
    while (!this.#fits(share, wanted)) {
      const largest = this.#largest()
      if (largest === undefined || largest === share || largest.bytes <= wanted) return false
      this.end(largest)
      largest.giveUp()
    }
    this.#count(share, wanted)
    return true
  }

  complete({ place }: BodyShare): void {
    place?.leave()
  }

  end(share: BodyShare): void {
    this.complete(share)
    this.#count(share, 0)
  }

  #fits({ bytes }: BodyShare, wanted: number): boolean {
    if (this.#bytes - bytes + wanted > this.#most) return false
    return wanted <= LARGE || this.#largeBytes - largePart(bytes) + wanted <= this.#mostLarge
  }

  #largest(): BodyShare | undefined {
    let largest: BodyShare | undefined
    for (const share of this.#underWay) if (share.bytes > (largest?.bytes ?? 0)) largest = share
    return largest
  }

  #count(share: BodyShare, bytes: number): void {
    this.#bytes += bytes - share.bytes
    this.#largeBytes += largePart(bytes) - largePart(share.bytes)
    share.bytes = bytes
  }
}

function largePart(bytes: number): number {
  return bytes > LARGE ? bytes : 0
}
