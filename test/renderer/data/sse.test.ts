import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventReader } from '../../../src-renderer/data/sse.ts'

const TEXT = 'id: 7\nevent: usage\ndata: {"a":1}\n\n: still here\n\ndata: one\r\ndata: two\r\n\r\n'

describe('eventReader', () => {
  it('reads the same events however the text is cut', () => {
    const whole = eventReader()(TEXT)
    expect(whole).toEqual([
      { id: '7', event: 'usage', data: '{"a":1}' },
      { id: undefined, event: 'message', data: 'one\ntwo' },
    ])
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(TEXT.length)), (cuts) => {
        const read = eventReader()
        const bounds = [0, ...cuts.toSorted((left, right) => left - right), TEXT.length]
        const pieces = bounds.slice(1).map((end, index) => TEXT.slice(bounds[index], end))
        expect(pieces.flatMap((piece) => read(piece))).toEqual(whole)
      }),
    )
  })

  it('refuses an event without an end', () => {
    const read = eventReader()
    expect(() => {
      for (let count = 0; count < 2000; count += 1) read('x'.repeat(1000))
    }).toThrow(RangeError)
  })
})
