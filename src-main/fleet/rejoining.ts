// Joins the shared books again after the connection was lost, and once more after a pause where that fails.

import { CannotJoin } from '#fleet/membership.ts'

const TRY_AT_FIRST_MS = 50
const TRY_AGAIN_MS = 500

type RejoiningOptions = {
  readonly join: () => Promise<void>
  readonly isJoined: () => boolean
  readonly isClosed: () => boolean
  readonly failed: (error: unknown) => void
}

export class Rejoining {
  readonly #options: RejoiningOptions
  #isUnderWay = false

  constructor(options: RejoiningOptions) {
    this.#options = options
  }

  begin(): void {
    if (this.#isUnderWay || this.#options.isClosed()) return
    this.#isUnderWay = true
    setTimeout(() => this.#try(), TRY_AT_FIRST_MS).unref()
  }

  #try(): void {
    const { join, isJoined, isClosed, failed } = this.#options
    if (isClosed()) return
    join().then(
      () => {
        this.#isUnderWay = false
        // The connection may have been lost again meanwhile.
        if (!isJoined()) this.begin()
      },
      (error: unknown) => {
        failed(error)
        setTimeout(() => this.#try(), error instanceof CannotJoin ? 10 * TRY_AGAIN_MS : TRY_AGAIN_MS).unref()
      },
    )
  }
}
