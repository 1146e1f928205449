import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isWellFormedKey, keyHint, makeKey } from '#core/key-format.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const someKey = () => makeKey(randomBytes(64))

describe('a key', () => {
  it('is well-formed and unlike any other, a hundred thousand times', () => {
    const keys = new Set<string>()
    for (let count = 0; count < 100_000; count++) {
      const key = someKey()
      if (!/^key_[0-9A-Za-z]{38}$/.test(key) || !isWellFormedKey(key)) expect.fail(`not well-formed: ${key}`)
      keys.add(key)
    }
    expect(keys.size).toBe(100_000)
  })

  it('ends in the CRC-32 of its random part, in base 62', () => {
    for (let count = 0; count < 1000; count++) {
      const key = someKey()
      const digits = key.slice(36).split('')
      const value = digits.reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)
      expect(value).toBe(crc32(key.slice(4, 36)))
    }
  })

  it('uses every character equally often: four of the 248 bytes that are used, and none of the rest', () => {
    const bytesOf = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const key = makeKey(new Uint8Array(64).fill(byte))
      expect(new Set(key.slice(4, 36)).size).toBe(1)
      bytesOf.set(key.charAt(4), (bytesOf.get(key.charAt(4)) ?? 0) + 1)
    }
    expect([...bytesOf.keys()].toSorted().join('')).toBe(ALPHABET)
    expect([...bytesOf.values()]).toEqual(Array.from(ALPHABET, () => 4))
    for (let byte = 248; byte < 256; byte++) {
      const skipped = Uint8Array.from([byte, ...new Uint8Array(32).fill(7)])
      expect(makeKey(skipped)).toBe(makeKey(new Uint8Array(32).fill(7)))
    }
  })

  it('takes its characters in the order of the bytes', () => {
    const key = makeKey(Uint8Array.from({ length: 32 }, (_, index) => index))
    expect(key.slice(4, 36)).toBe(ALPHABET.slice(0, 32))
  })

  it('is not made from too few random bytes', () => {
    expect(() => makeKey(new Uint8Array(31))).toThrow(RangeError)
    expect(() => makeKey(new Uint8Array(64).fill(255))).toThrow(RangeError)
  })

  it('shows its last four characters as a hint', () => {
    const key = someKey()
    expect(key.endsWith(keyHint(key))).toBe(true)
    expect(keyHint(key)).toHaveLength(4)
  })
})

describe('a text that is no key', () => {
  it('is refused with any one character changed', () => {
    for (let count = 0; count < 50; count++) {
      const key = someKey()
      for (let index = 4; index < key.length; index++) {
        for (const character of ALPHABET) {
          if (character === key.charAt(index)) continue
          const changed = key.slice(0, index) + character + key.slice(index + 1)
          if (isWellFormedKey(changed)) expect.fail(`accepted ${changed} for ${key}`)
        }
      }
    }
  })

  it('is refused with two neighbours swapped', () => {
    for (let count = 0; count < 500; count++) {
      const key = someKey()
      for (let index = 4; index < key.length - 1; index++) {
        const swapped = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2)
        if (swapped !== key && isWellFormedKey(swapped)) expect.fail(`accepted ${swapped} for ${key}`)
      }
    }
  })

  it.each([
    ['empty', () => ''],
    ['only a prefix', () => 'key_'],
    ['too short', () => someKey().slice(0, -1)],
    ['too long', () => `${someKey()}0`],
    ['with another prefix', () => `sk-_${someKey().slice(4)}`],
    ['with a prefix in capitals', () => `KEY_${someKey().slice(4)}`],
    ['with a space in front', () => ` ${someKey()}`],
    ['with a line end behind', () => `${someKey()}\n`],
    ['with a letter of another script', () => someKey().replace(/.$/, 'о')],
    ['with a sign that is no letter', () => someKey().replace(/.$/, '-')],
    ['of the right form with a made-up checksum', () => `key_${'A'.repeat(38)}`],
  ])('is refused: %s', (_, text) => {
    expect(isWellFormedKey(text())).toBe(false)
  })
})
