import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWrappedSeal, unwrapSeal, wrapSeal, type SealOrigin } from '#dialect/seal.ts'

const ORIGINS: readonly SealOrigin[] = ['messages', 'messages-redacted', 'responses', 'gemini', 'chat-completions']
const origin = fc.constantFrom(...ORIGINS)
const value = fc.oneof(
  fc.base64String({ minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('farebox1.', 'farebox1.gemini.x', 'farebox1.nobody.x', '.', 'a.b'),
)

describe('a seal', () => {
  it('comes back from a client of any format as it was, whatever its value', () => {
    fc.assert(
      fc.property(origin, origin, value, (from, native, text) => {
        const sealed = { origin: from, value: text }
        expect(unwrapSeal(wrapSeal(sealed, native), native)).toEqual(sealed)
      }),
    )
  })

  it('comes back through several of us, one behind the other', () => {
    fc.assert(
      fc.property(origin, origin, fc.base64String({ minLength: 1 }), (from, native, text) => {
        const inner = wrapSeal({ origin: from, value: text }, native)
        const outer = { origin: native, value: inner }
        expect(unwrapSeal(wrapSeal(outer, native), native)).toEqual(outer)
      }),
    )
  })

  it('is left as it is for a client of its own kind', () => {
    expect(wrapSeal({ origin: 'messages', value: 'c2ln' }, 'messages')).toBe('c2ln')
    expect(isWrappedSeal('c2ln')).toBe(false)
    expect(unwrapSeal('c2ln', 'messages')).toEqual({ origin: 'messages', value: 'c2ln' })
  })

  it('of another kind can be told from what a provider gave', () => {
    for (const from of ORIGINS.filter((one) => one !== 'messages')) {
      expect(isWrappedSeal(wrapSeal({ origin: from, value: 'x' }, 'messages'))).toBe(true)
    }
  })

  it('is told apart from one whose origin begins alike', () => {
    const sealed = { origin: 'messages-redacted', value: 'x' } as const
    expect(unwrapSeal(wrapSeal(sealed, 'messages'), 'messages')).toEqual(sealed)
  })
})

describe('a damaged seal', () => {
  it.each([
    '',
    'farebox1.',
    'farebox1.gemini',
    'farebox1.gemini.',
    'farebox1.geminix',
    'farebox1.Gemini.x',
    'farebox1. gemini.x',
    'farebox1..x',
    'farebox1.nobody.x',
    'farebox1.__proto__.x',
    'farebox1.toString.x',
  ])('is nothing: %j', (text) => {
    expect(unwrapSeal(text, 'messages')).toBeUndefined()
  })

  it('never gives a provider a seal of another kind, however it was cut', () => {
    const whole = wrapSeal({ origin: 'gemini', value: 'abcdef' }, 'messages')
    for (let length = 0; length < whole.length; length++) {
      const found = unwrapSeal(whole.slice(0, length), 'messages')
      if (length < 'farebox1.'.length) continue
      expect(found === undefined || found.origin === 'gemini', whole.slice(0, length)).toBe(true)
    }
  })

  it('may be very long', () => {
    expect(unwrapSeal(`farebox1.${'x'.repeat(5_000_000)}`, 'messages')).toBeUndefined()
    expect(unwrapSeal(`farebox1.gemini${'.'.repeat(5_000_000)}`, 'messages')?.value).toHaveLength(4_999_999)
  })
})
