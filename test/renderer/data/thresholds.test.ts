import { describe, expect, it } from 'vitest'
import { thresholdsOf, thresholdsText } from '#renderer/data/thresholds.ts'

describe('thresholds as they are typed', () => {
  it.each([
    ['50, 80,95 ,100', [50, 80, 95, 100]],
    ['80 %, 50%; 80', [50, 80]],
    ['', []],
    ['0', undefined],
    ['101', undefined],
    ['5.5', undefined],
    ['-5', undefined],
    ['half', undefined],
    ['1,2,3,4,5,6,7,8,9,10,11', undefined],
  ])('%j are %j', (text, percents) => {
    expect(thresholdsOf(text)).toEqual(percents)
  })

  it('are written as they can be typed again', () => {
    expect(thresholdsOf(thresholdsText([1, 50, 100]))).toEqual([1, 50, 100])
  })
})
