// Waits until a client has read what it was sent. One that stops reading is cut after a while instead of holding its upstream for ever.

import type { Writable } from 'node:stream'

/** How long a client may leave a full buffer unread. */
const STUCK_MS = 60_000

type Wait = {
  callback: () => void
  /** Takes the time limit and every listener back. */
  readonly forget: () => void
}

/** What is waited for: that `full` has room again, as long as `open` is not closed. */
type Unread = { readonly full: Writable; readonly open: Writable; readonly callback: () => void }

export class SlowReader {
  readonly stuckMs: number
  readonly #cut: () => void
  #wait: Wait | undefined

  constructor(cut: () => void, stuckMs: number = STUCK_MS) {
    this.#cut = cut
    this.stuckMs = stuckMs
  }

  /** Calls back once; of several callbacks the last. */
  wait({ full, open, callback }: Unread): void {
    // What was full is so still, and the client has had its time since then.
    if (this.#wait !== undefined) this.#wait.callback = callback
    else this.#wait = this.#begin({ full, open, callback })
  }

  /** Nobody is called any more. */
  end(): void {
    this.#wait?.forget()
    this.#wait = undefined
  }

  #begin({ full, open, callback }: Unread): Wait {
    const drained = () => {
      const wait = this.#wait
      this.end()
      wait?.callback()
    }
    const closed = () => this.end()
    const stuck = setTimeout(this.#cut, this.stuckMs).unref()
    full.once('drain', drained)
    open.once('close', closed)
    const forget = () => {
      clearTimeout(stuck)
      full.off('drain', drained)
      open.off('close', closed)
    }
    return { callback, forget }
  }
}
