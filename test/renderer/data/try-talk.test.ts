import { describe, expect, it } from 'vitest'
import { goneOn, speedOf, turnsFor, type Draft } from '#renderer/data/try-talk.ts'

const FIRST: Draft = { system: 'Be brief.', prompt: 'One?', image: undefined, earlier: [] }

describe('a test request that goes on', () => {
  it('has for each model what that model answered', () => {
    const next = { ...goneOn(FIRST, FIRST, ['Left.', 'Right.']), prompt: 'Two?' }
    expect(next.system).toBe('Be brief.')
    const saidBy = (column: number) => turnsFor(next, column).map(({ prompt, answer }) => [prompt, answer])
    expect(saidBy(0)).toEqual([
      ['One?', 'Left.'],
      ['Two?', undefined],
    ])
    expect(saidBy(1)).toEqual([
      ['One?', 'Right.'],
      ['Two?', undefined],
    ])
  })

  it('goes on from the first answer for a model that joins later, or did not answer', () => {
    const alone = goneOn(FIRST, FIRST, ['Left.'])
    expect(turnsFor(alone, 1)[0]?.answer).toBe('Left.')
    expect(turnsFor(goneOn(FIRST, FIRST, ['Left.', undefined]), 1)[0]?.answer).toBe('Left.')
  })

  it('keeps what was asked with its answer, and what was typed since as the next question', () => {
    const image = { mediaType: 'image/png', data: 'AA==' }
    const next = goneOn({ ...FIRST, prompt: 'Two?', image }, FIRST, ['Left.'])
    expect(next).toMatchObject({ prompt: 'Two?', image, earlier: [{ prompt: 'One?', image: undefined }] })
    expect(goneOn({ ...FIRST, image }, { ...FIRST, image }, ['Left.'])).toMatchObject({ prompt: '', image: undefined })
  })
})

describe('tokens a second', () => {
  it('count from the first token on', () => {
    expect(speedOf(50, 500, 1500)).toBe(50)
  })

  it('are not known where the answer came whole, at once, or uncounted', () => {
    for (const [tokens, first, end] of [
      [50, undefined, 1500],
      [50, 1500, 1500],
      [50, 500, undefined],
      [null, 500, 1500],
    ] as const) {
      expect(speedOf(tokens, first, end)).toBeUndefined()
    }
  })
})
