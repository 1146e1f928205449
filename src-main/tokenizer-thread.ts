// The tokenizer thread: counts tokens in the encoding o200k_base. Counting is pure computing, and its tables take tens of
// megabytes; here it delays nobody, and most of its memory is given back when the thread ends.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { clearMergeCache, countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { unbrokenPieces } from '#core/unbroken.ts'
import type { CountCall, Rest } from '#provider/tokenizer.ts'

/** How many characters are counted between two looks at the clock. */
const STRIDE = 16_384
/** In a prompt the names of special tokens are text like any other. */
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() }

/**
 * The library remembers words that it had to merge. Its own way of making room for more becomes slow where every word is
 * new, as in base64; so it may remember all, and is told to forget after this many looks at the clock.
 */
const STRIDES_TO_REMEMBER = 16

setMergeCacheSize(Number.MAX_SAFE_INTEGER)
const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')
port.on('message', ({ texts, budgetMs, rest }: CountCall) => {
  port.postMessage(countAll(texts, performance.now() + budgetMs, rest))
  // The cache holds words of the texts. They must not stay behind.
  clearMergeCache()
  giveBack()
})

let hasGivenBack = false

/**
 * Collects once what loading the tables left behind, a third of the thread's heap, and returns its pages to the system. V8 would not
 * look for it before the thread has grown by as much again, and has no other way to be asked.
 */
function giveBack(): void {
  if (hasGivenBack) return
  hasGivenBack = true
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined
  setFlagsFromString('--no-expose-gc')
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** No character has more bytes for each of its units in UTF-16. */
const BYTES_PER_UNIT = 3

/**
 * When the time is over, the rest is taken to have as many tokens for its length as what was counted, or, for a bound, a token for
 * each byte.
 */
function countAll(texts: readonly string[], endMs: number, rest: Rest): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  let tokens = 0
  let done = 0
  let lookAt = STRIDE
  let looks = 0
  for (const text of texts) {
    for (const piece of unbrokenPieces(text)) {
      tokens += countTokens(piece, NO_SPECIAL_TOKENS)
      done += piece.length
      if (done < lookAt) continue
      if (performance.now() > endMs) {
        return rest === 'most' ? tokens + (length - done) * BYTES_PER_UNIT : Math.ceil((tokens * length) / done)
      }
      lookAt = done + STRIDE
      looks += 1
      if (looks % STRIDES_TO_REMEMBER === 0) clearMergeCache()
    }
  }
  return tokens
}
