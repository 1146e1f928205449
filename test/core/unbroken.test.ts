import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unbrokenPieces } from '#core/unbroken.ts'

const pieces = (text: string) => [...unbrokenPieces(text)]
const LONG_RUN = /[\p{L}\p{M}]{130,}|[^\s\p{L}\p{N}]{130,}|\s{130,}/u

const unit = fc.constantFrom(
  'a',
  'Z',
  ' ',
  '\n',
  '/',
  '!',
  '7',
  'é',
  '。',
  '漢',
  '\u3000',
  '…',
  '👩',
  '\ud800',
  '\udc00',
)
/** Texts of a few units that are each repeated often. */
const runs = fc
  .array(fc.tuple(unit, fc.integer({ min: 1, max: 400 })), { maxLength: 12 })
  .map((list) => list.map(([text, times]) => text.repeat(times)).join(''))

describe('unbroken pieces', () => {
  it('are the text, without long runs', () => {
    fc.assert(
      fc.property(fc.oneof(runs, fc.string({ unit, maxLength: 2_000 })), (text) => {
        const all = pieces(text)
        expect(all.join('')).toBe(text)
        for (const piece of all) expect(piece).not.toMatch(LONG_RUN)
      }),
    )
  })

  it('never end within a pair of surrogates', () => {
    for (let shift = 0; shift < 4; shift++) {
      for (const piece of pieces('a'.repeat(shift) + '👩'.repeat(40_000))) expect(piece.isWellFormed()).toBe(true)
    }
  })

  it('leave ordinary text as it is', () => {
    const text =
      'Some words, and `code(of, any)` kind; 3.14159.\n\n  ----------------------------------------\n'.repeat(50)
    expect(pieces(text)).toEqual([text])
    expect(pieces('')).toEqual([])
  })

  it('of a long text are short, and end with a word', () => {
    const all = pieces('Every word is followed by another one '.repeat(10_000))
    expect(all.length).toBeGreaterThan(20)
    for (const piece of all.slice(0, -1)) expect(piece).toMatch(/\w$/)
    for (const piece of [...all, ...pieces('1'.repeat(100_000)), ...pieces('a1'.repeat(100_000))]) {
      expect(piece.length).toBeLessThanOrEqual(32_769)
    }
  })
})
