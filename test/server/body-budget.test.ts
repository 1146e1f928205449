import { describe, expect, it } from 'vitest'
import { BodyBudget } from '#server/bodies/body-budget.ts'

const MIB = 1024 * 1024

/** Bodies of one budget, by the order in which they came, and which of them had to make room. */
function bodiesOf(most: number) {
  const budget = new BodyBudget(most)
  const gaveUp: number[] = []
  let opened = 0
  const open = () => {
    const index = opened++
    return budget.open(() => gaveUp.push(index))
  }
  return { budget, gaveUp, open }
}

describe('a budget of bodies', () => {
  it('counts what has arrived and not what somebody could still send', () => {
    const { budget, open } = bodiesOf(100)
    const idle = Array.from({ length: 1000 }, open)
    expect(idle).toHaveLength(1000)
    expect(budget.bytes).toBe(0)
    expect(budget.hasRoomFor(100)).toBe(true)
  })

  it('takes its room from the largest one that is still on its way', () => {
    const { budget, gaveUp, open } = bodiesOf(100)
    const [small, large, medium] = [open(), open(), open()]
    expect([small.add(10), large.add(60), medium.add(30)]).toEqual([true, true, true])
    expect(small.add(5)).toBe(true)
    expect(gaveUp).toEqual([1])
    expect(budget.bytes).toBe(45)
  })

  it('refuses the one that would be the largest itself', () => {
    const { budget, gaveUp, open } = bodiesOf(100)
    const [first, second] = [open(), open()]
    expect([first.add(50), second.add(50)]).toEqual([true, true])
    expect(first.add(1)).toBe(false)
    expect(gaveUp).toEqual([])
    expect(budget.bytes).toBe(100)
  })

  it('sends nobody away whose body is there', () => {
    const { gaveUp, open } = bodiesOf(100)
    const large = open()
    expect(large.add(95)).toBe(true)
    large.complete()
    expect(open().add(10)).toBe(false)
    expect(gaveUp).toEqual([])
    large.end()
    expect(open().add(10)).toBe(true)
  })

  it('keeps a share for what is small, however many large ones are being served', () => {
    const { budget, open } = bodiesOf(100 * MIB)
    const large = Array.from({ length: 10 }, open)
    const served = large.map((share) => {
      const hasRoom = share.add(20 * MIB)
      if (hasRoom) share.complete()
      return hasRoom
    })
    expect(served.filter(Boolean)).toHaveLength(3)
    expect(budget.hasRoomFor(20 * MIB)).toBe(false)
    expect(budget.hasRoomFor(MIB)).toBe(true)
    expect(open().add(MIB)).toBe(true)
  })

  it('is given back once, however often it is said', () => {
    const { budget, open } = bodiesOf(100)
    const [one, other] = [open(), open()]
    one.add(40)
    other.add(30)
    one.end()
    one.end()
    expect(budget.bytes).toBe(30)
  })

  it('is exact after any order of bodies', () => {
    const { budget, open } = bodiesOf(50 * MIB)
    const shares = new Map<ReturnType<BodyBudget['open']>, boolean>()
    let seed = 7
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let step = 0; step < 5000; step++) {
      const all = [...shares.keys()]
      const share = all[random(Math.max(1, all.length))]
      if (share === undefined || random(3) === 0) shares.set(open(), true)
      else if (random(2) === 0) share.add(random(4 * MIB))
      else {
        share.end()
        shares.delete(share)
      }
      expect(budget.bytes).toBeLessThanOrEqual(50 * MIB)
    }
    for (const share of shares.keys()) share.end()
    expect(budget.bytes).toBe(0)
    expect(budget.hasRoomFor(37 * MIB)).toBe(true)
  })
})
