// Holds the bounds for input against what vendors' tokenizers count: with those that the project depends on, and with what the others
// were recorded to count.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPossibleOutput } from '#core/possible-usage.ts'
import { closerTextTokens, mostTokensPerByte } from '#core/token-bounds.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isBeyondCap, mostTokensAt } from '#pipeline/credit-guard.ts'
import { corpus, GROUPS, OUTPUTS } from './corpus.ts'
import { boundsOf, ownTokenizers } from './judge.ts'
import type { Tokenizer } from './tokenizers.ts'

const texts = corpus()
const BOUNDS = { inputTokens: 100, cappedTokens: 0, contextTokens: 1e6, units: 0, echoedBytes: 0 }
const file = join(import.meta.dirname, '..', 'fixtures', 'corpus', 'counts.json')
const recorded = JSON.parse(readFileSync(file, 'utf8')) as { date: string; tokenizers: readonly Tokenizer[] }
const all = [...ownTokenizers(texts), ...recorded.tokenizers]

describe.each(all.map((tokenizer) => [tokenizer.name, tokenizer] as const))('what %s counts', (_, { counts }) => {
  it('was counted for every text of the corpus', () => {
    expect(Object.keys(counts).toSorted()).toEqual([...texts.keys()].toSorted())
  })

  it('is never more than either bound', () => {
    const exceeded = [...texts].filter(([kind, text]) => {
      const { closer, sure } = boundsOf(text)
      return (counts[kind] ?? Infinity) > Math.min(closer, sure)
    })
    expect(exceeded.map(([kind]) => kind)).toEqual([])
  })

  it('ends no stream of a provider that keeps its cap, and is what such a stream is charged', () => {
    for (const [kind, text] of texts) {
      // At the length of a text, and at that of a long answer.
      for (const times of [1, 40]) {
        const tokens = (counts[kind] ?? 0) * times
        const generated = new GeneratedText('utf8')
        const reported = new ReportedUsage(generated)
        reported.limit({ ...BOUNDS, cappedTokens: mostTokensAt(tokens) })
        generated.add(text.repeat(times))
        reported.note({ ...UNKNOWN_USAGE, inputTokens: 19, outputTokens: tokens })
        reported.noteComplete()
        expect([kind, isBeyondCap(generated, tokens)]).toEqual([kind, false])
        expect([kind, reported.isOutputFinal, reported.usage?.outputTokens]).toEqual([kind, true, tokens])
      }
    }
  })

  it('is possible where the provider ignored its cap, whose stream is ended in the end', () => {
    for (const kind of OUTPUTS) {
      const text = texts.get(kind) ?? expect.fail()
      const tokens = counts[kind] ?? expect.fail()
      const generated = new GeneratedText('utf8')
      generated.add(text)
      expect([kind, isPossibleOutput(tokens, generated, { ...BOUNDS, cappedTokens: mostTokensAt(1) })]).toEqual([
        kind,
        true,
      ])
      // No text of the corpus has fewer than one byte for a token, so that this is at most 128 times the cap and 16.
      const cap = Math.ceil(tokens / 10)
      while (!isBeyondCap(generated, cap)) generated.add(text)
      expect(generated.bytes).toBeLessThanOrEqual(128 * (cap + 16) + Buffer.byteLength(text))
    }
  })

  it('is at least a quarter of the closer bound on prose and code', () => {
    for (const kind of [...GROUPS.code, ...GROUPS['Latin prose'], ...GROUPS['JSON, logs']]) {
      expect(counts[kind] ?? 0).toBeGreaterThan(boundsOf(texts.get(kind) ?? '').closer / 4)
    }
  })
})

it('a bound without the corpus would be too low: a third of the bytes is short for most texts', () => {
  const short = [...texts].filter(([kind, text]) => all.some(({ counts }) => (counts[kind] ?? 0) > boundsOf(text).old))
  expect(short.length).toBeGreaterThan(texts.size * 0.8)
})

describe('the closer bound', () => {
  it('of texts is that of each, added up, so that no kind of text hides in another', () => {
    const [german = '', digits = ''] = [texts.get('german'), texts.get('digits')]
    const both = closerTextTokens([german, digits], 264 + 400)
    expect(both).toBeGreaterThanOrEqual(537 + 1_200)
  })

  it('does not rest on long tokens that only our tokenizer has', () => {
    // A row of so many signs is one token to ours and one for each to another.
    expect(closerTextTokens(['%'.repeat(320)], 10)).toBeGreaterThanOrEqual(320)
    expect(closerTextTokens(['UNKNOWN'.repeat(100)], 100)).toBeGreaterThanOrEqual(700)
  })
})

describe('the sure bound', () => {
  it('is wider for characters that grow when they are written in normal form', () => {
    expect(mostTokensPerByte('a', 1)).toBe(2)
    expect(mostTokensPerByte('ü', 2)).toBe(2)
    for (const character of ['\u{1d160}', 'Ⱥ', 'İ', 'ﷺ']) {
      const normal = Buffer.byteLength(character.normalize('NFKC').toLowerCase().normalize('NFC'))
      expect(normal).toBeGreaterThan(Buffer.byteLength(character))
      expect(mostTokensPerByte(character, Buffer.byteLength(character))).toBe(3)
    }
  })
})
