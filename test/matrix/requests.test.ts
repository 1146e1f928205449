// Every request of every client as every provider of another dialect is sent it: as golden files. UPDATE_GOLDEN=1 writes
// them anew, for review.

import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { compactJson } from './compact-json.ts'
import { goldenFile } from './golden.ts'
import { PAIRS, send, TRANSLATED_PAIRS, type Pair } from './pair.ts'
import { REQUESTS } from './requests/all.ts'

for (const pair of TRANSLATED_PAIRS) {
  const cases = REQUESTS[pair.client]
  goldenFile(`requests/${pair.name}.txt`, Object.keys(cases), (name) => show(pair, name))
}

describe('every request', () => {
  it.each(PAIRS.map((pair) => [pair.name, pair] as const))('%s: is the same when it is made again', (_, pair) => {
    for (const name of Object.keys(REQUESTS[pair.client])) expect(show(pair, name)).toBe(show(pair, name))
  })
})

function show(pair: Pair, name: string): string {
  const sent = send(pair, REQUESTS[pair.client][name] ?? {})
  if (isRefusal(sent)) return `refused: ${compactJson(sent)}`
  const { path, dropped } = sent.prepared
  const notes = dropped.length === 0 ? '' : `\ndropped: ${dropped.join(', ')}`
  return `POST ${path}${notes}\n${compactJson(JSON.parse(sent.body))}`
}
