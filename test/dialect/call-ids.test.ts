import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import { CallIds, plainIds } from '#dialect/call-ids.ts'
import { nineCharIds } from '#dialect/chat-completions/short-ids.ts'

const anyIds = fc.array(fc.oneof(fc.constantFrom('', 'a', 'a_2', 'x.y:0', 'x_y_0', 'é'.repeat(99)), fc.string()), {
  maxLength: 40,
})
const rules = [
  ['plain', plainIds(40), /^[a-zA-Z0-9_-]{1,40}$/],
  ['nine letters', nineCharIds, /^[a-zA-Z0-9]{9}$/],
] as const

describe.each(rules)('ids in a request: %s', (_, rule, form) => {
  it('fit the provider, no two alike, and stay the same when the conversation grows', () => {
    fc.assert(
      fc.property(anyIds, anyIds, (before, more) => {
        const short = new CallIds(rule)
        const long = new CallIds(rule)
        const given = before.map((id) => short.call(id))
        const all = [...before, ...more].map((id) => long.call(id))
        expect(all.slice(0, given.length)).toEqual(given)
        expect(new Set(all).size).toBe(all.length)
        for (const id of all) expect(id).toMatch(form)
      }),
    )
  })

  it('are the same for a call and its result', () => {
    fc.assert(
      fc.property(anyIds, (all) => {
        const ids = new CallIds(rule)
        const given = all.map((id) => ids.call(id))
        expect(all.map((id) => ids.result(id))).toEqual(given)
        expect(all.map((id) => ids.result(id))).toEqual(all.map(() => undefined))
      }),
    )
  })
})

it('a result belongs to the last turn that waits for it, there to the first call of its id', () => {
  const ids = new CallIds(plainIds(40))
  expect([ids.call('a'), ids.call('a')]).toEqual(['a', 'a_2'])
  ids.nextTurn()
  expect(ids.call('a')).toBe('a_3')
  expect(['a', 'a', 'a', 'a'].map((id) => ids.result(id))).toEqual(['a_3', 'a', 'a_2', undefined])
})

it('ids that a model has learnt stay where they are taken', () => {
  const ids = new CallIds(plainIds(64, /^functions\.\w+:\d+$/))
  expect([ids.call('functions.sh:0'), ids.call('functions.sh:0'), ids.call('other.sh:0')]).toEqual([
    'functions.sh:0',
    'functions_sh_0_2',
    'other_sh_0',
  ])
})

describe('ids in a translated answer', () => {
  const exchange = '01a1fc79-d4e6-7000-857c-a4383ac1ac29'

  it('are those of the provider where they are new and plain', () => {
    const ids = new AnswerCallIds(exchange, ['call_0'])
    expect(ids.of('toolu_01A')).toBe('toolu_01A')
    for (const id of ['call_0', 'toolu_01A', 'functions.sh:0', '', 'x'.repeat(41)]) {
      expect(ids.of(id)).toMatch(/^call_7000857ca4383ac1ac29[0-9a-z]{4}$/)
    }
  })

  it('are never twice the same, nor known already', () => {
    fc.assert(
      fc.property(anyIds, anyIds, (known, given) => {
        const ids = new AnswerCallIds(exchange, known)
        const all = given.map((id) => ids.of(id))
        expect(new Set([...all, ...known]).size).toBe(all.length + new Set(known).size)
        for (const id of all) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
      }),
    )
  })
})
