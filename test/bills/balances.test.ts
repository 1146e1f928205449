// What providers say is left on an account, and how long that lasts.

import { describe, expect, it } from 'vitest'
import { BALANCES } from '#bills/balances.ts'
import { daysLeft } from '#core/account-balance.ts'

const HOUR = 3_600_000
const ORIGIN = 'https://api.example.com'

describe('an answer about a balance', () => {
  it.each([
    [
      'deepseek',
      {
        is_available: true,
        balance_infos: [
          { currency: 'CNY', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' },
          { currency: 'USD', total_balance: '0.05', granted_balance: '0.00', topped_up_balance: '0.05' },
        ],
      },
      [
        { currency: 'CNY', amount: '110' },
        { currency: 'USD', amount: '0.05' },
      ],
    ],
    [
      'moonshot',
      {
        code: 0,
        data: { available_balance: 49.58894, voucher_balance: 46.58893, cash_balance: 3.00001 },
        status: true,
      },
      [{ currency: 'USD', amount: '49.58894' }],
    ],
    [
      'openrouter',
      { data: { total_credits: 100.3, total_usage: 25.75419 } },
      [{ currency: 'USD', amount: '74.54581' }],
    ],
    ['openrouter', { data: { total_credits: 1, total_usage: 1.5e-7 } }, [{ currency: 'USD', amount: '0.99999985' }]],
    ['openrouter', { data: { total_credits: 5, total_usage: 7.25 } }, [{ currency: 'USD', amount: '-2.25' }]],
  ] as const)('of %s is read to the last digit', (kind, answer, balances) => {
    expect(BALANCES[kind].read(answer, ORIGIN)).toEqual(balances)
  })

  it.each([
    ['deepseek', { is_available: false, balance_infos: [] }, 'It says that what is left does not suffice for calls.'],
    ['deepseek', { is_available: true, balance_infos: [] }, undefined],
    ['moonshot', { data: { available_balance: 5, cash_balance: -3.5 } }, 'It says that 3.5 are owed.'],
    ['moonshot', { data: { available_balance: 5, cash_balance: 0 } }, undefined],
    ['openrouter', { data: { total_credits: 1, total_usage: 2 } }, undefined],
  ] as const)('of %s warns of what it says beside amounts', (kind, answer, says) => {
    expect(BALANCES[kind].warning?.(answer)).toBe(says)
  })

  it('of the Chinese site of Moonshot is in yuan', () => {
    const answer = { data: { available_balance: 1 } }
    expect(BALANCES.moonshot.read(answer, 'https://api.moonshot.cn')).toEqual([{ currency: 'CNY', amount: '1' }])
  })

  it.each([
    ['deepseek', {}],
    ['deepseek', { balance_infos: [] }],
    ['deepseek', { balance_infos: 'none' }],
    ['deepseek', { balance_infos: [{ currency: 'CNY', total_balance: '1' }, { currency: 'USD' }] }],
    [
      'deepseek',
      {
        balance_infos: [
          { currency: 'CNY', total_balance: '1' },
          { currency: 'cny', total_balance: '2' },
        ],
      },
    ],
    ['deepseek', { balance_infos: [{ currency: 'a lot of text', total_balance: '1' }] }],
    ['deepseek', { balance_infos: Array.from({ length: 9 }, () => ({ currency: 'CNY', total_balance: '1' })) }],
    ['moonshot', null],
    ['moonshot', { data: { available_balance: null } }],
    ['moonshot', { data: { available_balance: Number.NaN } }],
    ['moonshot', [{ data: { available_balance: 1 } }]],
    ['openrouter', { data: { total_credits: 5 } }],
    ['openrouter', { data: { total_credits: '5 dollars', total_usage: 1 } }],
    ['openrouter', { data: { total_credits: 1e300, total_usage: 1 } }],
  ] as const)('of %s that is none, or half of one, says nothing: %j', (kind, answer) => {
    expect(BALANCES[kind].read(answer, ORIGIN)).toBeUndefined()
  })
})

describe('how long it lasts', () => {
  const readings = (...amounts: readonly (readonly [hours: number, amount: string])[]) =>
    amounts.map(([hours, amount]) => ({ atMs: hours * HOUR, amount }))

  it('is taken from what was used in the last seven days', () => {
    expect(daysLeft(readings([0, '100'], [24, '90'], [48, '80']))).toBe(8)
    // Older ones count no more: 10 a day were used in the last week, and 1000 before it.
    const old = readings([0, '2000'], [24, '1000'], [25, '170'], [25 + 168, '100'])
    expect(daysLeft(old)).toBe(10)
  })

  it('does not take what is paid in between for a gain', () => {
    expect(daysLeft(readings([0, '20'], [24, '10'], [25, '110'], [48, '100']))).toBe(10)
  })

  it('is not known without use, or before six hours of it', () => {
    expect(daysLeft([])).toBeUndefined()
    expect(daysLeft(readings([0, '10']))).toBeUndefined()
    expect(daysLeft(readings([0, '10'], [5, '5']))).toBeUndefined()
    expect(daysLeft(readings([0, '10'], [48, '10']))).toBeUndefined()
  })

  it('is over where nothing is left', () => {
    expect(daysLeft(readings([0, '10'], [24, '-1']))).toBe(0)
  })
})
