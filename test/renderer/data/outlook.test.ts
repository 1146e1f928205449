import { describe, expect, it } from 'vitest'
import type { KeyView } from '#contract/schemas.ts'
import { byUrgency } from '#contract/urgency.ts'
import { outlookOf } from '#renderer/data/outlook.ts'
import { dayText } from '#renderer/data/times.ts'

const AT = '2027-03-01T12:00:00.000Z'
const RESET = '2027-04-01T00:00:00.000Z'
const SOON = '2027-03-05T00:00:00.000Z'

type Change = {
  readonly remaining?: number | null
  readonly reset?: string | null
  readonly outlook?: KeyView['outlook']
}

function key(name: string, { remaining = 40, reset = null, outlook = null }: Change): KeyView {
  const total = remaining === null ? null : 50
  return {
    id: name,
    name,
    hint: 'abcd',
    package: 'team',
    owner: null,
    status: 'active',
    expires_at: null,
    created_at: AT,
    value_since: AT,
    previous_valid_until: null,
    balance: {
      total_credits: total,
      remaining_credits: remaining,
      used_credits: 10,
      held_credits: 0,
      cycle_started_at: AT,
      next_reset_at: reset,
      total_requests: 1,
      last_used_at: AT,
    },
    outlook,
    tool: null,
    project: null,
    tags: [],
  }
}

describe('what becomes of credits', () => {
  it.each([
    [{ remaining: 0, reset: RESET }, { type: 'used-up' }],
    [
      { reset: RESET, outlook: { left_over_credits: 12, runs_out_at: null } },
      { type: 'left-over', credits: 12 },
    ],
    [
      { reset: RESET, outlook: { left_over_credits: 0, runs_out_at: null } },
      { type: 'left-over', credits: 0 },
    ],
    [
      { reset: RESET, outlook: { left_over_credits: null, runs_out_at: SOON } },
      { type: 'runs-out', atMs: Date.parse(SOON) },
    ],
    [{ outlook: { left_over_credits: null, runs_out_at: SOON } }, { type: 'lasts', untilMs: Date.parse(SOON) }],
    [{ outlook: { left_over_credits: null, runs_out_at: null } }, { type: 'unknown' }],
    [{ reset: RESET }, { type: 'unknown' }],
    [{ remaining: null }, { type: 'unknown' }],
  ] as const)('of %j is %j', (change, becomes) => {
    expect(outlookOf(key('ci', change))).toEqual({
      resetsAtMs: 'reset' in change ? Date.parse(change.reset) : undefined,
      becomes,
    })
  })
})

describe('the order of keys', () => {
  it('is by when they run out, becomes by the part that is left; keys without a limit are in none', () => {
    const keys = [
      key('much', { remaining: 49 }),
      key('free', { remaining: null }),
      key('little', { remaining: 1 }),
      key('soon', { remaining: 45, outlook: { left_over_credits: null, runs_out_at: SOON } }),
    ]
    expect(byUrgency(keys).map(({ name }) => name)).toEqual(['soon', 'little', 'much'])
  })
})

describe('a day to come', () => {
  const now = new Date(2027, 2, 1, 12).getTime()

  it.each([
    [new Date(2027, 2, 1, 23, 59), 'en', 'today'],
    [new Date(2027, 2, 2, 0, 1), 'en', 'tomorrow'],
    [new Date(2027, 2, 4, 9), 'en', 'Thursday'],
    [new Date(2027, 2, 4, 9), 'de', 'Donnerstag'],
    [new Date(2027, 2, 8, 0), 'en', 'Mar 8, 2027'],
    [new Date(2027, 1, 28, 12), 'en', 'Feb 28, 2027'],
  ])('%s in %s is %s', (at, locale, text) => {
    expect(dayText(at.getTime(), now, locale)).toBe(text)
  })
})
