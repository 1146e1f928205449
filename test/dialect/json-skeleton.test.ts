import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSkeleton } from '#dialect/json-skeleton.ts'
import { jsonObjects } from './json-arbitrary.ts'

/** What is left of a text that arrives cut at these places. */
function read(text: string, cuts: readonly number[] = []): unknown {
  const skeleton = new JsonSkeleton()
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, other) => one - other)
  for (const [index, from] of places.entries()) skeleton.push(bytes.subarray(from, places[index + 1]))
  return skeleton.value()
}

describe('the skeleton of a JSON text', () => {
  it('is all of it where no string is long, wherever it is cut', () => {
    fc.assert(
      fc.property(jsonObjects, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        expect(read(text, cuts)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is the same behind a byte order mark', () => {
    expect(read('\u{feff}{"a":"\u{feff}b"}', [1, 2, 4])).toEqual({ a: '\u{feff}b' })
  })

  it.each([
    ['plain', 'A'.repeat(5000)],
    ['full of quotes', '\\"'.repeat(3000)],
    ['full of backslashes', '\\\\'.repeat(3000)],
    ['that ends in a backslash', `${'A'.repeat(5000)}\\\\`],
    ['of characters of several bytes', '漢字😀'.repeat(1000)],
  ])('has an empty string in place of a long one %s', (_what, inner) => {
    const text = `{"data":[{"b64_json":"${inner}"},{"b64_json":"short"}],"usage":{"input_tokens":3}}`
    const expected = { data: [{ b64_json: '' }, { b64_json: 'short' }], usage: { input_tokens: 3 } }
    expect(read(text)).toEqual(expected)
    expect(read(text, Array.from(Buffer.from(text).keys()))).toEqual(expected)
  })

  it('keeps no more than a part of what passes by, and gives up where that is much', () => {
    const skeleton = new JsonSkeleton()
    const image = Buffer.alloc(64 * 1024, 'A')
    skeleton.push(Buffer.from('{"data":[{"b64_json":"'))
    for (let piece = 0; piece < 2000; piece++) skeleton.push(image)
    skeleton.push(Buffer.from('"}]}'))
    expect(skeleton.value()).toEqual({ data: [{ b64_json: '' }] })
    expect(() => new JsonSkeleton().push(Buffer.from(`{"a":[${'1,'.repeat(200_000)}1]}`))).toThrow(/too many parts/)
  })

  it.each(['', '[]', '"text"', '{"a":1', '{"a":"b', 'no json', '{"a":"\\'])('of %s is nothing', (text) => {
    expect(read(text)).toBeUndefined()
  })
})
