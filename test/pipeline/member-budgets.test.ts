import { beforeEach, describe, expect, it } from 'vitest'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import type { OpenHold } from '#ledger/account.ts'
import { MemberBudgets, type Share } from '#pipeline/member-budgets.ts'

const NOON = Date.parse('2026-03-10T12:00:00.000Z')

let nowMs = NOON
let daily: number | undefined
let budgets: MemberBudgets

beforeEach(() => {
  nowMs = NOON
  daily = 100
  const dailyMicroOf = () => (daily === undefined ? undefined : microCredits(daily))
  budgets = new MemberBudgets({ nowMs: () => nowMs, timeZone: 'UTC', dailyMicroOf })
})

function taken(worst: number): Share {
  const share = budgets.take('m', microCredits(worst))
  if (isRefusal(share)) throw new Error(share.message)
  return share
}

describe('a day of a member', () => {
  it('is held by what running calls may cost, so that they cannot overrun it together', () => {
    expect(taken(60).heldMicro).toBe(60)
    expect(taken(60).heldMicro).toBe(40)
    expect(budgets.take('m', microCredits(1))).toMatchObject({
      code: 'credits_held',
      retryAfterSeconds: 5,
      limit: { name: 'credits_per_day', scope: 'member', resetAt: '2026-03-11T00:00:00.000Z' },
    })
    expect(isRefusal(budgets.take('another', microCredits(1)))).toBe(false)
  })

  it('is charged what calls cost, once, and gives back what they held', () => {
    const share = taken(100)
    budgets.close(share, microCredits(30))
    budgets.close(share, microCredits(30))
    expect(budgets.chargedTodayMicro('m')).toBe(30)
    expect(taken(100).heldMicro).toBe(70)
  })

  it('that is used up refuses until the next one begins, however a call overran it', () => {
    budgets.close(taken(1), microCredits(101))
    const refused = { code: 'credits_exhausted', limit: { resetAt: '2026-03-11T00:00:00.000Z' } }
    expect(budgets.take('m', microCredits(1))).toMatchObject(refused)
    expect(budgets.take('m', ZERO)).toMatchObject({ heldMicro: 0 })
    nowMs = Date.parse('2026-03-11T00:00:00.000Z')
    expect(taken(100).heldMicro).toBe(100)
  })

  it('lets the hold of a running call grow only as far as it leaves room, and the ledger gives', () => {
    const grown: number[] = []
    const ledger = { extend: (_: OpenHold, more: MicroCredits) => (grown.push(more), microCredits(Math.min(more, 25))) }
    const share = taken(60)
    const within = budgets.within(share, ledger)
    const hold = {} as OpenHold
    expect([within.extend(hold, microCredits(30)), within.extend(hold, microCredits(30))]).toEqual([25, 15])
    expect(grown).toEqual([30, 15])
    expect(isRefusal(budgets.take('m', microCredits(1)))).toBe(true)
    budgets.close(share, ZERO)
    expect(taken(100).heldMicro).toBe(100)
  })

  it('that begins during a call gives that call its room, and not that of the day before', () => {
    const ledger = { extend: (_: OpenHold, more: MicroCredits) => more }
    const share = taken(40)
    budgets.close(taken(60), microCredits(60))
    const { extend } = budgets.within(share, ledger)
    expect(extend({} as OpenHold, microCredits(100))).toBe(0)
    nowMs = Date.parse('2026-03-11T00:00:00.000Z')
    expect(extend({} as OpenHold, microCredits(100))).toBe(60)
  })

  it('counts from the first charge on, so that a bound that is set at noon counts the morning', () => {
    daily = undefined
    const share = taken(1000)
    expect([share.heldMicro, budgets.isBounded(share)]).toEqual([1000, false])
    budgets.close(share, microCredits(99))
    daily = 100
    expect(taken(100).heldMicro).toBe(1)
    daily = 99
    expect(budgets.take('m', microCredits(1))).toMatchObject({ code: 'credits_exhausted' })
    daily = undefined
    expect(taken(5).heldMicro).toBe(5)
  })

  it('is what was charged before a restart', () => {
    budgets.restore(new Map([['m', 98]]))
    expect(taken(100).heldMicro).toBe(2)
  })
})
