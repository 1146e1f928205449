import { describe, expect, it } from 'vitest'
import { JsonMeter, type JsonExcess } from '#dialect/json-meter.ts'

const BOUNDS = { depth: 4, pieces: 20, members: 9, outermost: 5, values: 50 }

/** What the meter says of a text that arrives in pieces of a length. */
function measure(text: string, pieceLength = text.length): JsonExcess | undefined {
  const meter = new JsonMeter(BOUNDS)
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += pieceLength) meter.push(bytes.subarray(from, from + pieceLength))
  return meter.push(new Uint8Array())
}

const TEXTS: readonly (readonly [what: string, text: string, expected: JsonExcess | undefined])[] = [
  ['an ordinary body', '{"model":"a","messages":[{"role":"user","content":"x"}]}', undefined],
  ['just deep enough', '[[[[]]]]', undefined],
  ['one level too deep', '[[[[[]]]]]', 'too-deep'],
  ['objects that are too deep', '{"a":{"a":{"a":{"a":{}}}}}', 'too-deep'],
  ['just as many objects as may be', `[${'{},'.repeat(18)}{}]`, undefined],
  ['one object too many', `[${'{},'.repeat(19)}{}]`, 'too-many'],
  ['one list too many', `[${'[],'.repeat(19)}[]]`, 'too-many'],
  ['one text too many', `[${'"",'.repeat(19)}""]`, 'too-many'],
  ['members, whose names are texts', `[${'{"a":"b"},'.repeat(6)}{"a":"b"}]`, 'too-many'],
  [
    'just as many members as may be',
    `[${'{"a":1},'.repeat(8)}{"a":1}]`.replaceAll('{"a":1},{"a":1}', '{"a":1,"b":1}'),
    undefined,
  ],
  ['one member too many', `[{${'"a":1,'.repeat(9)}"a":1}]`, 'too-many'],
  ['just as many outermost members as may be', `{${'"a":1,'.repeat(4)}"a":1}`, undefined],
  ['one outermost member too many', `{${'"a":1,'.repeat(5)}"a":1}`, 'too-many'],
  ['just as many numbers as may be', `[${'1,'.repeat(49)}1]`, undefined],
  ['one number too many', `[${'1,'.repeat(50)}1]`, 'too-many'],
  ['a text that looks like a structure', `["${'[{,'.repeat(100)}"]`, undefined],
  ['a text with quotes in it', `["${'\\"'.repeat(100)}"]`, undefined],
  ['a text that ends in a backslash', `["\\\\",${'{},'.repeat(19)}{}]`, 'too-many'],
  ['escapes of all kinds', `["${'\\u0000\\\\\\"\\n'.repeat(50)}",1]`, undefined],
  ['characters of several bytes', `["${'漢字😀'.repeat(50)}",1]`, undefined],
  ['white space', `[${' '.repeat(1000)}]`, undefined],
  ['what is no JSON', 'x'.repeat(1000), undefined],
  ['brackets that close more than was opened', ']]]]]]', undefined],
  ['a text that never ends', `["${'a'.repeat(1000)}`, undefined],
]

describe('the measure of a text that arrives', () => {
  it.each(TEXTS)('of %s is the same, however it is cut', (_, text, expected) => {
    for (const length of [text.length * 4, 1, 2, 3, 7]) expect(measure(text, length), `${length}`).toBe(expected)
  })

  it('says no again once it has said so', () => {
    const meter = new JsonMeter(BOUNDS)
    expect(meter.push(Buffer.from('[[[[['))).toBe('too-deep')
    expect(meter.push(Buffer.from(']]]]]'))).toBe('too-deep')
  })
})
