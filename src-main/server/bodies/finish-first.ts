// Lets whoever sends what is refused in the middle finish for a while, so that the refusal reaches them: most clients read no answer
// while they write. What comes is thrown away.

import type { Readable } from 'node:stream'

const FINISH_MS = 2000

/** Calls back once the rest of a body has come and gone, or has had its time, or is more than it may be. */
export function finishFirst(payload: Readable, mayTake: (bytes: number) => boolean, done: () => void): void {
  const end = () => {
    clearTimeout(timer)
    payload.off('data', drop).off('end', end).off('error', end).off('close', end).pause()
    done()
  }
  const drop = (chunk: Buffer) => {
    if (!mayTake(chunk.length)) end()
  }
  const timer = setTimeout(end, FINISH_MS).unref()
  if (payload.destroyed || payload.readableEnded) return end()
  payload.on('data', drop).once('end', end).once('error', end).once('close', end).resume()
}
