import { describe, expect, it } from 'vitest'
import {
  draftRequest,
  firstDraft,
  goneOn,
  speedOf,
  turnsFor,
  withResults,
  type Draft,
} from '#renderer/data/try-talk.ts'

const FIRST: Draft = { ...firstDraft('One?'), system: 'Be brief.' }

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

describe('tools by hand', () => {
  const CALL = { id: 'c1', name: 'get_weather', input: '{"city":"Oslo"}' }
  const said = { text: '', calls: [CALL] }

  it('are given results for the model that called, and the other one keeps its answer', () => {
    const next = withResults(FIRST, [said, { text: 'Warm.', calls: [] }], [['7 degrees'], []])
    expect(next.steps).toEqual([[{ ...said, results: ['7 degrees'] }], []])
    expect(turnsFor(next, 0)[0]?.steps).toHaveLength(1)
    expect(turnsFor(next, 1)[0]?.steps).toEqual([])
    const again = withResults(next, [said, undefined], [['8 degrees'], []])
    expect(again.steps[0]?.map(({ results }) => results)).toEqual([['7 degrees'], ['8 degrees']])
  })

  it('are part of what was said before once the talk goes on', () => {
    const called = withResults(FIRST, [said], [['7 degrees']])
    const next = { ...goneOn(called, called, ['Cold.']), prompt: 'Two?' }
    expect(next.steps).toEqual([])
    expect(turnsFor(next, 0).map(({ steps, answer }) => [steps.length, answer])).toEqual([
      [1, 'Cold.'],
      [0, undefined],
    ])
    const { messages } = draftRequest(next, { format: 'chat', model: 'm', column: 0 }) as {
      messages: { role: string }[]
    }
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
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
