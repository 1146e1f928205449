// What PostgreSQL is asked again for as long as it cannot be reached, within a bound.

import type { After } from '#core/wait-queue.ts'
import { FleetUnreachable } from '#fleet/connection.ts'

type Bound = { readonly forMs: number; readonly everyMs: number; readonly after: After }

/** Resolves when the work is done, or the time is over; work that hangs is left alone then. Rejects as the work does otherwise. */
export async function tryFor({ forMs, everyMs, after }: Bound, work: () => Promise<void>): Promise<void> {
  let isOver = false
  const trying = async () => {
    while (!isOver) {
      try {
        await work()
        return
      } catch (error) {
        if (!(error instanceof FleetUnreachable)) throw error
        await new Promise<void>((resolve) => void after(everyMs, resolve))
      }
    }
  }
  let cancel: (() => void) | undefined
  const over = new Promise<void>((resolve) => (cancel = after(forMs, resolve)))
  await Promise.race([trying(), over]).finally(() => {
    isOver = true
    cancel?.()
  })
}
