import { beforeEach, describe, expect, it } from 'vitest'
import { microCredits, ZERO } from '#core/money.ts'
import { decide } from '#core/spending.ts'
import { Budgets, type Share } from '#pipeline/budgets.ts'

const NOON = Date.parse('2026-03-10T12:00:00.000Z')
const ENDLESS = { availableMicro: Number.POSITIVE_INFINITY, heldMicro: 0 }

let nowMs = NOON
let daily: number | undefined
let changes: string[] = []
let budgets: Budgets

beforeEach(() => {
  nowMs = NOON
  daily = 100
  changes = []
  const limitsOf = () => ({ dailyMicro: daily === undefined ? undefined : microCredits(daily) })
  const changed = (memberId: string) => changes.push(memberId)
  budgets = new Budgets({ scope: 'member', nowMs: () => nowMs, timeZone: 'UTC', limitsOf, changed })
})

/** What a call may come to cost by the day alone, whatever its key has; taken where it may. */
function take(worst: number, least = 1): Share | 'exhausted' | 'held-by-others' {
  const share = budgets.share('m')
  const verdict = decide({ worstMicro: microCredits(worst), leastMicro: microCredits(least) }, ENDLESS, [share])
  if (verdict.type !== 'fits') return verdict.type
  share.hold(verdict.amountMicro)
  return share
}

function taken(worst: number): Share {
  const share = take(worst)
  if (typeof share === 'string') throw new Error(share)
  return share
}

describe('a day of a member', () => {
  it('is held by what running calls may cost, so that they cannot overrun it together', () => {
    expect(taken(60).ownMicro).toBe(60)
    expect(take(60)).toBe('held-by-others')
    expect(taken(40).ownMicro).toBe(40)
    expect(take(1)).toBe('held-by-others')
    expect(budgets.heldMicro('m')).toBe(100)
  })

  it('lets a call in alone on what is left of it, and nobody beside that', () => {
    taken(70).close(microCredits(70))
    expect(taken(60).ownMicro).toBe(30)
    expect(take(1)).toBe('held-by-others')
  })

  it('refuses what all of the rest does not pay for', () => {
    taken(70).close(microCredits(70))
    expect(take(60, 31)).toBe('exhausted')
    expect(taken(60).ownMicro).toBe(30)
  })

  it('is charged what calls cost, and gives back what they held', () => {
    const share = taken(100)
    share.close(microCredits(30))
    expect(budgets.chargedMicro('m', 'daily')).toBe(30)
    expect(changes).toEqual(['m'])
    expect(taken(100).ownMicro).toBe(70)
  })

  it('that is used up refuses until the next one begins, however a call overran it', () => {
    taken(1).close(microCredits(101))
    expect(take(1)).toBe('exhausted')
    nowMs = Date.parse('2026-03-11T00:00:00.000Z')
    expect(taken(100).ownMicro).toBe(100)
  })

  it('leaves room for a running call to hold more, also that of a day that began meanwhile', () => {
    const share = taken(40)
    taken(60).close(microCredits(60))
    expect(share.availableMicro).toBe(0)
    nowMs = Date.parse('2026-03-11T00:00:00.000Z')
    expect(share.availableMicro).toBe(60)
    share.hold(microCredits(60))
    expect([share.ownMicro, share.availableMicro]).toEqual([100, 0])
    share.close(ZERO)
    expect(taken(100).ownMicro).toBe(100)
  })

  it('counts from the first charge on, so that a bound that is set at noon counts the morning', () => {
    daily = undefined
    const share = taken(1000)
    expect([share.ownMicro, budgets.heldMicro('m')]).toEqual([undefined, 1000])
    share.close(microCredits(99))
    daily = 100
    const last = taken(100)
    expect(last.ownMicro).toBe(1)
    last.close(ZERO)
    daily = 99
    expect(take(1)).toBe('exhausted')
    daily = undefined
    expect(take(5)).not.toBeTypeOf('string')
  })

  it('is what was charged before a restart', () => {
    budgets.restore({ daily: new Map([['m', 98]]) })
    expect(taken(100).ownMicro).toBe(2)
  })
})

describe('a project with a limit for the month', () => {
  it('is held to both limits, the nearer one first, and begins each anew in its time', () => {
    let limits = { dailyMicro: microCredits(60), monthlyMicro: microCredits(100) }
    budgets = new Budgets({
      scope: 'project',
      nowMs: () => nowMs,
      timeZone: 'UTC',
      limitsOf: () => limits,
      changed: () => undefined,
    })
    taken(60).close(microCredits(60))
    expect(take(1)).toBe('exhausted')
    expect(budgets.refusal('m', 'exhausted')).toMatchObject({ limit: { name: 'credits_per_day', scope: 'project' } })
    nowMs = Date.parse('2026-03-11T00:00:00.000Z')
    const running = taken(40)
    expect(take(1)).toBe('held-by-others')
    running.close(microCredits(40))
    expect(take(1)).toBe('exhausted')
    const refusal = budgets.refusal('m', 'exhausted')
    expect(refusal.limit).toEqual({ name: 'credits_per_month', scope: 'project', resetAt: '2026-04-01T00:00:00.000Z' })
    expect(refusal.message).toContain("of the project 'm'")
    nowMs = Date.parse('2026-04-01T00:00:00.000Z')
    taken(60).close(microCredits(0))
    limits = { dailyMicro: microCredits(500), monthlyMicro: microCredits(10) }
    expect(taken(60).ownMicro).toBe(10)
  })

  it('counts what was charged before a start, on the day and in the month', () => {
    const limits = { dailyMicro: undefined, monthlyMicro: microCredits(100) }
    budgets = new Budgets({
      scope: 'project',
      nowMs: () => nowMs,
      timeZone: 'UTC',
      limitsOf: () => limits,
      changed: () => undefined,
    })
    budgets.restore({ daily: new Map([['m', 5]]), monthly: new Map([['m', 98]]) })
    expect([budgets.chargedMicro('m', 'daily'), budgets.chargedMicro('m', 'monthly')]).toEqual([5, 98])
    expect(taken(100).ownMicro).toBe(2)
  })

  it('is forgotten where nobody has set a limit for it and too many are named', () => {
    const limitsOf = (id: string) => ({ dailyMicro: id === 'm' ? microCredits(100) : undefined })
    budgets = new Budgets({ scope: 'project', nowMs: () => nowMs, timeZone: 'UTC', limitsOf, changed: () => undefined })
    taken(40).close(microCredits(40))
    const running = budgets.share('running')
    running.hold(microCredits(7))
    for (let place = 0; place < 10_001; place++) budgets.share(`p${place}`).close(microCredits(1))
    expect(budgets.chargedMicro('m', 'daily')).toBe(40)
    expect(budgets.heldMicro('running')).toBe(7)
    expect(budgets.chargedMicro('p0', 'daily')).toBe(0)
  })
})

describe('a project that is forgotten while a call waits', () => {
  it('is what the call then holds of, and is charged to', () => {
    const limited = new Set<string>()
    const limitsOf = (id: string) => ({ dailyMicro: limited.has(id) ? microCredits(100) : undefined })
    budgets = new Budgets({ scope: 'project', nowMs: () => nowMs, timeZone: 'UTC', limitsOf, changed: () => undefined })
    const waiting = budgets.share('m')
    for (let place = 0; place < 10_001; place++) budgets.share(`p${place}`).close(microCredits(1))
    limited.add('m')
    waiting.hold(microCredits(60))
    expect([budgets.heldMicro('m'), budgets.share('m').availableMicro]).toEqual([60, 40])
    waiting.close(microCredits(50))
    expect([budgets.heldMicro('m'), budgets.chargedMicro('m', 'daily')]).toEqual([0, 50])
    expect(waiting.availableMicro).toBe(50)
  })
})

describe('what a call is told that the day does not carry', () => {
  const limit = { name: 'credits_per_day', scope: 'member', resetAt: '2026-03-11T00:00:00.000Z' }

  it('names the day, and whether waiting helps', () => {
    expect(budgets.refusal('m', 'held-by-others')).toMatchObject({ code: 'credits_held', retryAfterSeconds: 5, limit })
    expect(budgets.refusal('m', 'exhausted')).toMatchObject({ code: 'credits_exhausted', limit })
  })

  it('says what is left where that does not pay for the call', () => {
    expect(budgets.refusal('m', 'exhausted').message).toMatch(/0\.0001 are left, which do not pay/)
    taken(100).close(microCredits(100))
    expect(budgets.refusal('m', 'exhausted').message).toMatch(/nothing is left/)
  })
})
