import { describe, expect, it } from 'vitest'
import type { BillDay } from '#contract/bills.ts'
import { reportedSpend } from '#renderer/data/bill-days.ts'

const NOW = Date.parse('2026-11-27T14:20:00Z')
const COUNTS = { input: 1, cache_read: 0, cache_write: 0, output: 1 }

function day(date: string, ours: string | null, theirs = ours ?? '', more: Partial<BillDay> = {}): BillDay {
  return {
    provider: 'openai',
    day: date,
    source: 'reports',
    from: `${date}T00:00:00.000Z`,
    to: `${date}T14:00:00.000Z`,
    made_at: `${date}T14:05:00.000Z`,
    tokens: { ours: COUNTS, theirs: COUNTS },
    money: ours === null ? null : { ours, theirs, difference: '0', of_tokens: '0' },
    state: 'agrees',
    causes: [],
    unexplained: 0,
    unexplained_amount: '0',
    calls: [],
    call_count: 0,
    ...more,
  }
}

describe('what a provider says was spent', () => {
  it('is of its own days of this month, to the last decimal', () => {
    const days = [
      day('2026-11-27', null),
      day('2026-11-26', '0.1', '0.2'),
      day('2026-11-25', '0.000000000001', '-0.3'),
      day('2026-11-24', '900', '900', { provider: 'anthropic' }),
      day('2026-10-31', '800'),
    ]
    expect(reportedSpend(days, 'openai', NOW)).toEqual({
      today: days[0],
      month: {
        ours: '0.100000000001',
        theirs: '-0.1',
        days: 2,
        lastDay: '2026-11-26',
        madeAt: '2026-11-26T14:05:00.000Z',
      },
    })
  })

  it('adds whole amounts of any size', () => {
    const days = [day('2026-11-26', '12345678901234567890', '10'), day('2026-11-25', '1.5', '0')]
    expect(reportedSpend(days, 'openai', NOW).month).toMatchObject({ ours: '12345678901234567891.5', theirs: '10' })
  })

  it('is unknown where no report is of this month, and no money where only tokens are', () => {
    expect(reportedSpend([day('2026-10-27', '1')], 'openai', NOW)).toEqual({ today: undefined, month: undefined })
    expect(reportedSpend([day('2026-11-20', null)], 'openai', NOW)).toEqual({ today: undefined, month: undefined })
  })
})
