import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CurrentList, type Place } from '#core/current-list.ts'

describe('a list of what is under way', () => {
  it('has the same items in the same order as a set, whatever comes and goes', () => {
    const step = fc.record({ isNew: fc.boolean(), which: fc.nat(20) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new CurrentList<number>()
        const set = new Set<number>()
        const places: Place<number>[] = []
        for (const [item, { isNew, which }] of steps.entries()) {
          if (isNew || places.length === 0) {
            places.push(list.add(item))
            set.add(item)
          } else {
            const place = places[which % places.length]
            // Also one that left before, which changes nothing.
            if (place?.item !== undefined) set.delete(place.item)
            place?.leave()
          }
          expect([...list]).toEqual([...set])
          expect([list.size, list.first]).toEqual([set.size, [...set][0]])
        }
      }),
    )
  })

  it('goes on with what is left when an item leaves while it is gone through', () => {
    const list = new CurrentList<string>()
    const places = ['a', 'b', 'c', 'd'].map((item) => list.add(item))
    const seen: string[] = []
    for (const item of list) {
      seen.push(item)
      if (item === 'a') for (const place of places.slice(0, 2)) place.leave()
    }
    expect(seen).toEqual(['a', 'c', 'd'])
  })

  it('leads to nothing from a place that was left', () => {
    const list = new CurrentList<string>()
    const [, place] = ['a', 'b', 'c'].map((item) => list.add(item))
    place?.leave()
    expect([place?.item, place?.before, place?.after]).toEqual([undefined, undefined, undefined])
  })
})
