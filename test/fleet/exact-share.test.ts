// What one gateway asks and tells of days that are shared exactly, where PostgreSQL gives everything that it is asked for.

import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { BudgetLimits } from '#core/spending.ts'
import { SharedBudgets } from '#fleet/shared-budgets.ts'

const HOUR_MS = 3_600_000
const CALL = microCredits(100)
const WISH = { worstMicro: CALL, leastMicro: CALL }
const NOBODY = { isCancelled: false, onCancel: () => {} }
/** Ten minutes before midnight in New York, in summer. */
const EVENING = Date.UTC(2026, 6, 2, 3, 50)
const TODAY = Date.UTC(2026, 6, 1, 4)
const TOMORROW = Date.UTC(2026, 6, 2, 4)

type Said = { readonly name: string; readonly values: readonly unknown[] }

function scene(charged: readonly { readonly owner: string; readonly amountMicro: number }[] = []) {
  const at = { nowMs: EVENING, monotonicMs: 0 }
  const limits: { dailyMicro: BudgetLimits['dailyMicro'] } = { dailyMicro: microCredits(1000) }
  const said: Said[] = []
  const say = async (name: string, values: readonly unknown[]) => {
    said.push({ name, values })
    return { got: name === 'take_budget' ? values[6] : [], free: 0, elsewhere: 0, used: 0 }
  }
  const budgets = new SharedBudgets({
    timeZone: 'America/New_York',
    limitsOf: () => limits,
    charged: charged.map((sum) => ({ scope: 'member', cycle: 'daily', ...sum })),
    seat: { version: 3, budgetParts: undefined, say, inTurn: (work) => work(undefined as never) },
    nowMs: () => at.nowMs,
    monotonicMs: () => at.monotonicMs,
    after: () => () => {},
    patienceMs: () => 1000,
    isUnsteady: () => false,
    follow: async () => {},
    ledger: { purseChanged: () => {} },
  })
  const call = async () => {
    const shares = budgets.shares('member', 'ada')
    expect(await budgets.reserve(shares, WISH, NOBODY)).toEqual({ type: 'reserved' })
    return shares
  }
  const last = () => said.splice(0)
  return { at, limits, budgets, call, last }
}

describe('a day that is shared exactly', () => {
  it('is charged for the calls that were let in on it, also where they end on the next one', async () => {
    const { at, budgets, call, last } = scene()
    const evening = await call()
    for (const share of evening) share.hold(CALL)
    expect(last()[0]?.values.slice(0, 4)).toEqual([3, 'member daily ada', TODAY, TOMORROW])
    at.nowMs += HOUR_MS
    const night = await call()
    for (const share of night) share.hold(CALL)
    expect(last()[0]?.values.slice(1, 4)).toEqual(['member daily ada', TOMORROW, TOMORROW + 24 * HOUR_MS])
    for (const share of [...evening, ...night]) share.close(microCredits(70))
    await budgets.ship('end')
    const [{ values } = { values: [] }] = last()
    expect(JSON.parse(String(values[0]))).toEqual([
      ['member daily ada', TODAY, TOMORROW, 70],
      ['member daily ada', TOMORROW, TOMORROW + 24 * HOUR_MS, 70],
    ])
    expect(JSON.parse(String(values[1]))).toEqual([
      ['member daily ada', TODAY, 30],
      ['member daily ada', TOMORROW, 30],
    ])
  })

  it('has what a call was refused with after all, and what it held beyond its charge, for the next one', async () => {
    const { budgets, call, last } = scene()
    budgets.giveUp(await call())
    const shares = await call()
    expect(last()).toHaveLength(1)
    for (const share of shares) {
      share.hold(microCredits(40))
      expect(share).toMatchObject({ availableMicro: 60, heldMicro: 40, ownMicro: 40 })
    }
  })

  it('is leased anew once another bound holds, and gives back what was leased before', async () => {
    const { limits, budgets, call, last } = scene()
    budgets.giveUp(await call())
    limits.dailyMicro = microCredits(500)
    expect(budgets.shares('member', 'ada')[0]?.availableMicro).toBe(0)
    last()
    await call()
    const [{ values } = { values: [] }] = last()
    // The bound, what is given back, and what is needed.
    expect(values.slice(4, 7)).toEqual([500, 100, 100])
  })

  it('is told all that was charged whenever the gateway joins, and never less than PostgreSQL has', async () => {
    const { budgets, call } = scene([{ owner: 'ada', amountMicro: 250 }])
    const sum = (total: number) => ['member daily ada', TODAY, TOMORROW, total]
    expect(budgets.telling).toEqual({ zone: 'America/New_York', told: [sum(250)] })
    await budgets.joined({ leases: [], charged: [['member daily ada', TODAY, 300]] })
    const shares = await call()
    for (const share of shares) share.hold(CALL)
    for (const share of shares) share.close(CALL)
    expect(budgets.telling.told).toEqual([sum(400)])
  })

  it('bounds nobody who has none, and counts what is charged', async () => {
    const { limits, budgets, call } = scene()
    limits.dailyMicro = undefined
    const shares = await call()
    for (const share of shares) {
      expect(share.availableMicro).toBe(Number.POSITIVE_INFINITY)
      share.hold(CALL)
      share.close(CALL)
    }
    expect(budgets.telling.told).toHaveLength(1)
  })
})
