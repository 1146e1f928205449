// Bills without anybody looking: who is asked when, what is compared, and what is told.

import { beforeEach, describe, expect, it } from 'vitest'
import { BillWatch, type BillAlert } from '#app/bill-watch.ts'
import type { BillDay, BillDays } from '#contract/bills.ts'
import type { Period } from '#core/polling.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'
import type { BillQuestion } from '#store/bill-questions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOON = Date.parse('2026-11-27T12:00:00Z')

let nowMs: number
let every: Period
let asked: [provider: string, days: number][]
let told: BillAlert[]
let compared: number
let answer: Refusal | undefined
let days: BillDays
let stored: BillQuestion[]
let hasReports: boolean
let isFull: boolean
let standing: BillStanding

beforeEach(() => {
  nowMs = NOON
  every = 'hourly'
  asked = []
  told = []
  compared = 0
  answer = undefined
  days = { days: [], agreed_until: '2026-11-27T00:00:00.000Z', unexplained: 0, unexplained_amount: '0' }
  stored = []
  hasReports = false
  isFull = false
  standing = { latest: undefined }
})

function watch(): BillWatch {
  return new BillWatch({
    providers: () => [
      { id: 'p1', name: 'openai' },
      { id: 'p2', name: 'other' },
    ],
    askable: async () => ['openai'],
    ask: async (provider, count) => {
      asked.push([provider, count])
      hasReports ||= answer === undefined
      return answer
    },
    compare: async () => {
      compared += 1
      return days
    },
    stored: async () => ({ questions: stored, hasReports }),
    keep: async (question) => {
      if (isFull) throw new Error('full')
      stored = [...stored.filter(({ providerId }) => providerId !== question.providerId), question]
    },
    tell: async (alerts) => void told.push(...alerts),
    standing,
    every: () => every,
    nowMs: () => nowMs,
  })
}

/** Looks each minute, as the program does. */
async function pass(bills: BillWatch, ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; nowMs += MINUTE) await bills.look()
}

const day = (state: BillDay['state'], money: BillDay['money'], amount = '0'): BillDay => ({
  provider: 'openai',
  day: '2026-11-26',
  source: 'reports',
  from: '2026-11-26T00:00:00.000Z',
  to: '2026-11-27T00:00:00.000Z',
  made_at: '2026-11-27T11:00:00.000Z',
  tokens: null,
  money,
  state,
  causes: ['unexplained'],
  unexplained: state === 'unexplained' ? 1 : 0,
  unexplained_amount: amount,
  calls: [],
  call_count: 0,
})

describe('a provider', () => {
  it('is not asked unless somebody wants that, and is then asked at once', async () => {
    every = 'never'
    const bills = watch()
    await pass(bills, 2 * DAY)
    expect(asked).toEqual([])
    every = 'daily'
    await pass(bills, MINUTE)
    expect(asked).toEqual([['openai', 7]])
  })

  it('is asked each hour, once a day about a week', async () => {
    await pass(watch(), 14 * HOUR)
    const counts = asked.map(([, count]) => count)
    // Where another provider has no secret the keychain is looked into every ten minutes.
    expect(counts.length).toBeGreaterThanOrEqual(12)
    expect(counts.length).toBeLessThanOrEqual(14)
    expect(counts.filter((count) => count === 7)).toHaveLength(2)
    expect(new Set(asked.map(([provider]) => provider))).toEqual(new Set(['openai']))
  })

  it('that fails is asked more and more seldom, also by the next process and while the disk is full', async () => {
    answer = refuse('upstream_error', 'It answers 500.')
    await pass(watch(), 4 * HOUR)
    const first = asked.length
    expect(first).toBeLessThanOrEqual(3)
    await pass(watch(), 3 * DAY)
    // After 1, 2, 4, 8, 16 and then each 24 hours.
    expect(asked.length).toBeLessThanOrEqual(8)
    expect(stored).toMatchObject([{ problem: 'It answers 500.' }])
    isFull = true
    stored = []
    const before = asked.length
    await pass(watch(), 2 * HOUR)
    expect(asked.length - before).toBeLessThanOrEqual(2)
  })

  it('that wants to be left alone is, for a day at most', async () => {
    answer = refuse('upstream_error', 'It answers 429.', { retryAfterSeconds: 6 * 3600 })
    await pass(watch(), 6 * HOUR)
    expect(asked).toHaveLength(1)
    await pass(watch(), HOUR)
    expect(asked).toHaveLength(2)
    answer = refuse('upstream_error', 'It answers 429.', { retryAfterSeconds: 10 ** 9 })
    await pass(watch(), 7 * HOUR)
    const before = asked.length
    await pass(watch(), DAY + 20 * MINUTE)
    expect(asked.length).toBe(before + 1)
  })

  it('is asked again after somebody set the clock back', async () => {
    const bills = watch()
    await pass(bills, MINUTE)
    nowMs -= 10 * DAY
    await pass(bills, 11 * MINUTE)
    expect(asked).toHaveLength(2)
  })

  it('is not asked any more after the end', async () => {
    const bills = watch()
    bills.close()
    await pass(bills, DAY)
    expect(asked).toEqual([])
  })
})

describe('what is kept', () => {
  it('is compared each hour and after each change, and not at all where there is nothing', async () => {
    every = 'never'
    const bills = watch()
    await pass(bills, 3 * HOUR)
    expect(compared).toBe(0)
    hasReports = true
    await pass(bills, 3 * HOUR)
    expect(compared).toBe(3)
    expect(standing.latest).toMatchObject({ agreedUntil: '2026-11-27T00:00:00.000Z', unexplained: 0, amount: '0' })
    bills.changed()
    await pass(bills, MINUTE)
    expect(compared).toBe(4)
  })

  it('and is unexplained is told with the money in question, day by day', async () => {
    every = 'never'
    hasReports = true
    const money = { ours: '1.5', theirs: '4', difference: '2.5', of_tokens: '0' }
    days = {
      days: [day('unexplained', money, '2.25'), day('unexplained', null), day('explained', money), day('open', money)],
      agreed_until: null,
      unexplained: 2,
      unexplained_amount: '2.25',
    }
    await pass(watch(), MINUTE)
    const same = { scope: 'bill', subjectId: 'p1', name: 'openai', threshold: 1, nextResetAtMs: undefined }
    expect(told).toEqual([
      { ...same, cycleStartedAtMs: Date.parse('2026-11-26'), usedMicro: 2_250_000, totalMicro: 4_000_000 },
      { ...same, cycleStartedAtMs: Date.parse('2026-11-26'), usedMicro: 0, totalMicro: 1 },
    ])
    expect(standing.latest).toMatchObject({ agreedUntil: undefined, unexplained: 2, amount: '2.25' })
  })
})
