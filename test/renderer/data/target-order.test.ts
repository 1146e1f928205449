import { describe, expect, it } from 'vitest'
import {
  changed,
  moved,
  orderOf,
  partsOf,
  placesOf,
  targetsBody,
  withAnother,
  without,
} from '#renderer/data/target-order.ts'

const ORDER = orderOf([
  { provider: 'c', model: 'm', priority: 9, weight: 1 },
  { provider: 'a', model: 'm', priority: 0, weight: 3 },
  { provider: 'b', model: 'm', priority: 0, weight: 1 },
])
const namesOf = (order: typeof ORDER) => order.map(({ provider }) => provider).join('')

describe('the order of targets', () => {
  it('is that of their priorities, and equal ones share a place', () => {
    expect(namesOf(ORDER)).toBe('abc')
    expect(placesOf(ORDER)).toEqual([0, 0, 1])
    expect(partsOf(ORDER)).toEqual([0.75, 0.25, 1])
  })

  it('gives a target that is moved to the end a place of its own', () => {
    const order = moved(ORDER, 0, 2)
    expect(namesOf(order)).toBe('bca')
    expect(placesOf(order)).toEqual([0, 1, 2])
  })

  it('lets a target that is moved among sharing ones share their place', () => {
    const order = moved(ORDER, 2, 1)
    expect(namesOf(order)).toBe('acb')
    expect(placesOf(order)).toEqual([0, 0, 0])
  })

  it('keeps what shared a place together when its first target goes', () => {
    expect(placesOf(without(ORDER, 0))).toEqual([0, 1])
  })

  it('ignores a move to nowhere', () => {
    expect(moved(ORDER, 0, 7)).toBe(ORDER)
    expect(moved(ORDER, -1, 0)).toBe(ORDER)
  })
})

describe('what is sent', () => {
  it('numbers the places from 0', () => {
    expect(targetsBody(ORDER)?.map(({ priority }) => priority)).toEqual([0, 0, 1])
  })

  it('is nothing while a target has no model or no weight', () => {
    expect(targetsBody(withAnother(ORDER, 'new', 'a'))).toBeUndefined()
    for (const weight of ['', '0', '1001', '1.5']) expect(targetsBody(changed(ORDER, 't0', { weight }))).toBeUndefined()
    expect(targetsBody([])).toBeUndefined()
  })
})
