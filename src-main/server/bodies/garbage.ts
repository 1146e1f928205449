// Gives back what is not used any more, at once. V8 collects by itself where its heap grows; of what lies outside of that, which it counts too, some
// megabytes for each large body make it look through all of its heap every few bodies, while everybody waits.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'minor' | 'major'; readonly execution: 'sync' }) => void

let collect: Collect | undefined

/** `minor`: only what is young, which takes about a millisecond. */
export function collectGarbage(type: 'minor' | 'major'): void {
  collect ??= asked()
  collect?.({ type, execution: 'sync' })
}

/** V8 has no other way to be asked. */
function asked(): Collect | undefined {
  setFlagsFromString('--expose-gc')
  const given = runInNewContext('globalThis.gc') as Collect | undefined
  setFlagsFromString('--no-expose-gc')
  return given
}

/** Gives back the memory of bytes of ours that nobody looks at any more. A part of a larger piece of memory stays. */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
