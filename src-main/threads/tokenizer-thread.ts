// The tokenizer thread: counts tokens in the encoding o200k_base. Counting is pure computing, and its tables take tens of
// megabytes; here it delays nobody, and most of its memory is given back when the thread ends.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { clearMergeCache, countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { unbrokenPieces } from '#core/unbroken.ts'
import type { CountCall } from '#provider/tokenizer.ts'

/** In a prompt the names of special tokens are text like any other. */
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() }

/**
 * The library remembers words that it had to merge. Its own way of making room for more becomes slow where every word is
 * new, as in base64; so it may remember all, and is told to forget after this many characters.
 */
const MAX_REMEMBERED = 256 * 1024

setMergeCacheSize(Number.MAX_SAFE_INTEGER)
const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')
port.on('message', ({ texts }: CountCall) => {
  port.postMessage(countAll(texts))
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

function countAll(texts: readonly string[]): number {
  let tokens = 0
  let sinceForgotten = 0
  for (const text of texts) {
    for (const piece of unbrokenPieces(text)) {
      tokens += countTokens(piece, NO_SPECIAL_TOKENS)
      sinceForgotten += piece.length
      if (sinceForgotten < MAX_REMEMBERED) continue
      sinceForgotten = 0
      clearMergeCache()
    }
  }
  return tokens
}
