// The timers of this process, for rooms that are handed theirs.

import type { After } from '#core/wait-queue.ts'

export const after: After = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}
