import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HUE_COUNT, hueColour, huesFor, withNames } from '../../../src-renderer/data/hues.ts'
import { rowsOf, withColours } from '../../../src-renderer/data/series.ts'

const names = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 30 })

describe('withNames', () => {
  it('keeps the hue of a name whatever comes after it', () => {
    fc.assert(
      fc.property(names, names, (first, later) => {
        const before = withNames({}, first)
        expect(withNames(before, later)).toMatchObject(before)
      }),
    )
  })

  it('gives eight names eight hues', () => {
    const hues = withNames({}, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    expect(new Set(Object.values(hues)).size).toBe(HUE_COUNT)
  })

  it('ignores hues that do not exist', () => {
    expect(withNames({ a: 9, b: 0, c: 2.5, d: 3 }, [])).toEqual({ d: 3 })
  })
})

describe('huesFor', () => {
  it('never gives two of up to eight names in one chart the same hue', () => {
    fc.assert(
      fc.property(names, names, (known, shown) => {
        const chart = shown.slice(0, HUE_COUNT)
        expect(new Set(Object.values(huesFor(withNames({}, known), chart))).size).toBe(chart.length)
      }),
    )
  })
})

describe('series', () => {
  it('have the colours of their names, and the rest is grey', () => {
    const drawn = withColours(
      [
        { id: 'gpt-5.5', label: 'GPT-5.5', values: [1, undefined] },
        { id: 'other', label: 'Other', isOther: true, values: [2, 3] },
      ],
      { 'gpt-5.5': 4 },
    )
    expect(drawn.map(({ colour }) => colour)).toEqual([hueColour(4), hueColour(undefined)])
    expect(rowsOf([10, 20], drawn)).toEqual([
      { at: 10, s0: 1, s1: 2 },
      { at: 20, s0: undefined, s1: 3 },
    ])
  })
})
