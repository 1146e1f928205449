import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleOf } from '#core/sample.ts'

const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)

describe('a sample of texts', () => {
  it('is the texts themselves where they are not too long', () => {
    const texts = ['a'.repeat(50_000), '', 'b'.repeat(50_000)]
    expect(sampleOf(texts, 100_000)).toEqual({ texts, factor: 1 })
  })

  it('is about as long as it may be, however the texts are cut, and says how much longer they are', () => {
    const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(60_000)), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(lengths, (each) => {
        const texts = each.map((count) => 'x'.repeat(count))
        const { texts: pieces, factor } = sampleOf(texts, 65_536)
        const [all, taken] = [length(texts), length(pieces)]
        expect(taken).toBeLessThanOrEqual(Math.max(all, 65_536 + 8_192))
        if (all > 65_536) expect(taken).toBeGreaterThan(65_536 - 2 * 8_192)
        if (all > 0) expect(factor).toBeCloseTo(all / taken, 10)
      }),
      { numRuns: 300 },
    )
  })

  it('comes from all over them', () => {
    const letters = 'abcdefghijklmnop'.split('')
    const { texts } = sampleOf([letters.map((letter) => letter.repeat(65_536)).join('')], 524_288)
    for (const letter of letters) {
      const share = texts.join('').split(letter).length / 524_288
      expect(share).toBeGreaterThan(0.05)
      expect(share).toBeLessThan(0.08)
    }
  })
})
