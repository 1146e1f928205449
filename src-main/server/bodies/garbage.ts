// Has V8 collect what is not used any more, at once. It collects by itself where its heap grows, and what lies outside of that counts little.

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
