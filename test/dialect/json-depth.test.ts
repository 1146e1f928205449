import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonDepth } from '#dialect/blocks.ts'
import { jsonObjects } from './json-arbitrary.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 20_000 : 500

describe('the depth of JSON text', () => {
  it('is complete for whole objects and for none of their beginnings, one character at a time', () => {
    fc.assert(
      fc.property(jsonObjects, (given) => {
        const text = given.trim()
        const depth = new JsonDepth()
        for (const [index, character] of text.split('').entries()) {
          depth.read(character)
          expect(depth.isComplete).toBe(index === text.length - 1)
        }
      }),
      { numRuns },
    )
  })

  it.each([
    ['{"a":"}"', false],
    ['{"a":"\\"}"', false],
    ['{"a":"\\\\"}', true],
    ['{"a":[{"b":"]"}]}', true],
    ['{"a":[1}', false],
    ['', false],
    ['"text"', false],
    ['null', false],
    ['}{}', true],
    ['{}  ', true],
    ['{}{', false],
  ])('of %s is complete: %s', (text, isComplete) => {
    const whole = new JsonDepth()
    whole.read(text)
    const single = new JsonDepth()
    for (const character of text) single.read(character)
    expect([whole.isComplete, single.isComplete]).toEqual([isComplete, isComplete])
  })
})
