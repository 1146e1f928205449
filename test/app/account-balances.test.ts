// When providers are asked what is left on their accounts without anybody pressing a button.

import { describe, expect, it } from 'vitest'
import { AccountBalances } from '#app/account-balances.ts'
import type { Period } from '#core/polling.ts'
import type { BalanceAnswer } from '#provider/account-balance.ts'
import type { BalanceReading } from '#store/account-balances.ts'
import { testProvider } from '../support/provider.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function house(every: Period) {
  const state = { nowMs: 1_000 * HOUR, every, askedMs: [] as number[], kept: [] as BalanceReading[] }
  const left: { answer: BalanceAnswer } = { answer: balance('10') }
  const provider = testProvider({ preset: 'deepseek', baseUrl: 'https://api.deepseek.com', hasSecret: true })
  const make = () =>
    new AccountBalances({
      providers: () => [provider],
      ask: async () => {
        state.askedMs.push(state.nowMs)
        return left.answer
      },
      keep: async (reading) => void state.kept.push(reading),
      stored: async () => ({ readings: [], questions: state.kept.slice(-1) }),
      every: () => state.every,
      nowMs: () => state.nowMs,
    })
  return { state, left, make }
}

function balance(amount: string): BalanceAnswer {
  const body = { balance_infos: [{ currency: 'USD', total_balance: amount }] }
  return { type: 'answer', body, origin: 'https://api.deepseek.com' }
}

const broken = (waitMs = 0): BalanceAnswer => ({ type: 'problem', says: 'It answers 500.', waitMs })

/** Looks each minute for so many hours; after how many minutes of it somebody was asked. */
async function lookFor(
  hours: number,
  { state }: ReturnType<typeof house>,
  balances: AccountBalances,
): Promise<number[]> {
  const fromMs = state.nowMs
  state.askedMs = []
  for (let minute = 0; minute < hours * 60; minute++) {
    await balances.look()
    state.nowMs += MINUTE
  }
  return state.askedMs.map((atMs) => (atMs - fromMs) / MINUTE)
}

describe('on a schedule', () => {
  it('nobody is asked unless that is turned on, and at once when it is', async () => {
    const inside = house('never')
    const balances = inside.make()
    expect(await lookFor(5, inside, balances)).toEqual([])
    inside.state.every = 'hourly'
    expect(await lookFor(3, inside, balances)).toEqual([0, 60, 120])
    inside.state.every = 'never'
    expect(await lookFor(3, inside, balances)).toEqual([])
  })

  it('a day is a day, also over a restart', async () => {
    const inside = house('daily')
    expect(await lookFor(30, inside, inside.make())).toEqual([0, 1440])
    expect(await lookFor(30, inside, inside.make())).toEqual([1080])
  })

  it('a provider that fails is asked more and more seldom, once a day at least, and as before once it answers', async () => {
    const inside = house('hourly')
    const balances = inside.make()
    inside.left.answer = broken()
    expect(await lookFor(80, inside, balances)).toEqual([0, 1, 3, 7, 15, 31, 55, 79].map((hour) => hour * 60))
    inside.left.answer = balance('5')
    expect((await lookFor(26, inside, balances)).length).toBeGreaterThanOrEqual(3)
    expect(await lookFor(2, inside, balances)).toHaveLength(2)
  })

  it('one that wants to be left alone is, also over a restart and by the button', async () => {
    const inside = house('hourly')
    inside.left.answer = broken(5 * HOUR)
    expect(await lookFor(2, inside, inside.make())).toEqual([0])
    await inside.make().askNow(undefined)
    expect(inside.state.askedMs).toHaveLength(1)
    expect(await lookFor(4, inside, inside.make())).toEqual([180])
  })

  it('a failure is remembered over a restart', async () => {
    const inside = house('hourly')
    inside.left.answer = broken()
    expect(await lookFor(4, inside, inside.make())).toEqual([0, 60, 180])
    expect(await lookFor(8, inside, inside.make())).toEqual([180])
  })

  it('a clock that is set back keeps nobody from being asked again', async () => {
    const inside = house('hourly')
    const balances = inside.make()
    await balances.look()
    inside.state.nowMs -= 48 * HOUR
    expect((await lookFor(2, inside, balances)).length).toBeGreaterThan(0)
  })

  it('nobody is asked after the end', async () => {
    const inside = house('hourly')
    const balances = inside.make()
    balances.start()
    await balances.close()
    expect(await lookFor(2, inside, balances)).toEqual([])
  })
})
