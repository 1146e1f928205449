import { describe, expect, it } from 'vitest'
import { choiceIn, textIn } from '../../../src-renderer/data/search.ts'

describe('search parameters', () => {
  it('take short texts, and numbers as texts', () => {
    expect(textIn({ key: 'ci' }, 'key')).toEqual({ key: 'ci' })
    expect(textIn({ key: 7 }, 'key')).toEqual({ key: '7' })
  })

  it.each([[undefined], [''], [null], [{}], [['a']], [true], ['x'.repeat(201)]])('leave out %j', (key) => {
    expect(textIn({ key }, 'key')).toEqual({})
  })

  it('take only what can be chosen', () => {
    expect(choiceIn({ metric: 'cost' }, 'metric', ['cost', 'tokens'])).toEqual({ metric: 'cost' })
    expect(choiceIn({ metric: 'mood' }, 'metric', ['cost', 'tokens'])).toEqual({})
  })
})
