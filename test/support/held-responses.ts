// Node gives up an answer whose Response nobody holds any more: its body is cancelled when it is collected as garbage, which ends the
// call in the middle at a time that no test chose. A test that only looked at the status of a stream means it to go on, so that here
// every answer that was not read is held until its file ends.

import { afterAll } from 'vitest'

/** From how many on those that were read are let go; twice what is left then, so that not each answer looks at all others. */
const PRUNED_AT = 1_000

let pruneAt = PRUNED_AT
const unread = new Set<Response>()
const { fetch } = globalThis

globalThis.fetch = async (...args) => {
  const response = await fetch(...args)
  if (unread.size >= pruneAt) prune()
  unread.add(response)
  return response
}

function prune(): void {
  for (const other of unread) if (other.bodyUsed) unread.delete(other)
  pruneAt = Math.max(PRUNED_AT, 2 * unread.size)
}

// The next file of the process begins with what this one found.
afterAll(() => {
  globalThis.fetch = fetch
  unread.clear()
})
