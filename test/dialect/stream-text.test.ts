import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StreamText } from '#dialect/stream-text.ts'

/** Bytes in pieces of these lengths, one after the other. */
function inPieces(bytes: Buffer, lengths: readonly number[]): string {
  const text = new StreamText()
  let read = ''
  let from = 0
  for (let at = 0; from < bytes.length; at++) {
    const to = from + (lengths[at % lengths.length] ?? 1)
    read += text.decode(bytes.subarray(from, to))
    from = to
  }
  // What a cut character left behind shows with the next one.
  return read + text.decode(Buffer.from('.'))
}

function whole(bytes: Buffer): string {
  return new TextDecoder().decode(Buffer.concat([bytes, Buffer.from('.')]))
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

it.each(['plain\n', 'Grüße 東京 🚀\n', '\ufeffmarked\n', 'in \ufeff the middle\n', '🚀', ''])(
  'reads %j however it is cut',
  (text) => {
    const bytes = Buffer.from(text)
    for (let length = 1; length <= Math.max(1, bytes.length); length++) {
      expect(inPieces(bytes, [length])).toBe(whole(bytes))
      expect(inPieces(bytes, [length, 1])).toBe(whole(bytes))
    }
  },
)

it('reads any bytes as they would be read at once, also those that are no UTF-8', () => {
  // Mostly of those that begin, go on with, and mark something.
  const byte = fc.oneof(
    fc.constantFrom(0x0a, 0x41, 0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xf0, 0xf4, 0xff, ...MARK),
    fc.nat(255),
  )
  const bytes = fc.array(byte, { maxLength: 40 }).map((codes) => Buffer.from(codes))
  fc.assert(
    fc.property(bytes, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (given, lengths) => {
      expect(inPieces(given, lengths)).toBe(whole(given))
    }),
    { numRuns: 2000 },
  )
})
