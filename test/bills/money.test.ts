// Money by day and model against our charges.

import { describe, expect, it } from 'vitest'
import { checkBill } from '#bills/check.ts'
import { doubtsOf, type OurHour } from '#bills/ours.ts'
import { amountOf, type BillReport, type CostLine, type UsageLine } from '#bills/report.ts'
import { HOUR, MONTH } from './traffic.ts'

const DAY = 24 * HOUR
const DAY_SPAN = { startMs: MONTH, endMs: MONTH + DAY }
const LONG_AFTER = MONTH + 60 * DAY
const COUNTS = { input: 1000, cache_read: 0, cache_write: 0, output: 100 }
const OURS: OurHour = { startMs: MONTH + 3 * HOUR, model: 'gpt-4o', calls: 4, counts: COUNTS, chargeMicro: 1_000_000 }
const USAGE: UsageLine = { ...DAY_SPAN, model: 'gpt-4o', counts: COUNTS, requests: 4, account: undefined, identity: '' }

function cost(amount: string, more: Partial<CostLine> = {}): CostLine {
  const exact = amountOf(amount)
  if (exact === undefined) throw new Error(`${amount} is no amount`)
  return {
    ...DAY_SPAN,
    model: 'gpt-4o',
    kind: 'tokens',
    currency: 'USD',
    account: undefined,
    amount: exact,
    identity: '',
    ...more,
  }
}

type Case = {
  readonly costs: readonly CostLine[]
  readonly usage?: readonly UsageLine[]
  readonly hours?: readonly OurHour[]
}

function causes({ costs, usage = [USAGE], hours = [OURS] }: Case, madeMs = LONG_AFTER): string[] {
  const report: BillReport = {
    usage,
    costs,
    usageSpans: usage.length === 0 ? [] : [DAY_SPAN],
    costSpans: [DAY_SPAN],
  }
  const { money } = checkBill(report, { hours, doubtful: [] }, { accounts: undefined, madeMs: () => madeMs })
  return money.differences.map(({ model = 'all', causes: why }) => `${model}: ${why.join()}`)
}

describe('money', () => {
  it.each<[what: string, given: Case, said: string[]]>([
    ['equal to the last part', { costs: [cost('1')] }, []],
    ['equal in several lines', { costs: [cost('0.4'), cost('0.6')] }, []],
    ['less by what four calls were rounded up', { costs: [cost('0.9999961')] }, ['gpt-4o: rounding']],
    ['less by more than four calls were rounded up', { costs: [cost('0.9999949')] }, ['gpt-4o: price_differs']],
    ['more by half a cent in cents', { costs: [cost('1.005'), cost('0.00')] }, ['gpt-4o: rounding']],
    ['at another price', { costs: [cost('1.25')] }, ['gpt-4o: price_differs']],
    ['at another price, for all models', { costs: [cost('1.25', { model: undefined })] }, ['all: price_differs']],
    ['for tools', { costs: [cost('1'), cost('0.03', { kind: 'tool', model: undefined })] }, ['all: tool_fees']],
    [
      'for what we do not know',
      { costs: [cost('1'), cost('0.03', { kind: 'other', model: undefined })] },
      ['all: unexplained'],
    ],
    ['in euros', { costs: [cost('1'), cost('2', { currency: 'EUR' })] }, ['gpt-4o: other_currency']],
    [
      'of a model that we never asked for',
      { costs: [cost('1'), cost('2', { model: 'o9' })], usage: [] },
      ['o9: not_through_farebox'],
    ],
    [
      'of a model that neither side counted tokens of',
      { costs: [cost('1'), cost('2', { model: 'gpt-image-9' })] },
      ['gpt-image-9: not_through_farebox'],
    ],
    ['of which no tokens are known', { costs: [cost('2')], usage: [] }, ['gpt-4o: unexplained']],
    ['not there', { costs: [] }, ['gpt-4o: price_differs']],
  ])('%s', (_, given, said) => {
    expect(causes(given)).toEqual(said)
  })

  it('has the causes of its tokens where these differ', () => {
    const usage = [{ ...USAGE, requests: 5, counts: { ...COUNTS, input: 2000 } }]
    expect(causes({ costs: [cost('2')], usage })).toEqual(['gpt-4o: not_through_farebox'])
  })

  it('in words that we do not know is for tools where calls of that day used any, and names these', () => {
    const onDay = (id: string, startMs: number) => ({
      id,
      isServed: true,
      upstreamModel: 'gpt-4o',
      outcome: 'answered',
      usageSource: 'reported',
      estimatedClasses: '',
      counts: COUNTS,
      hasUnits: true,
      failedModels: [],
      startMs,
      endMs: startMs,
    })
    const doubtful = [
      onDay('day-before', MONTH - 1),
      onDay('that-day', MONTH),
      onDay('day-after', MONTH + DAY),
    ].flatMap(doubtsOf)
    const costs = [cost('1'), cost('0.03', { kind: 'other', model: undefined })]
    const report = { usage: [USAGE], usageSpans: [DAY_SPAN], costs, costSpans: [DAY_SPAN] }
    const { money } = checkBill(report, { hours: [OURS], doubtful }, { accounts: undefined, madeMs: () => LONG_AFTER })
    expect(money.differences).toMatchObject([{ causes: ['tool_fees'], calls: ['that-day'] }])
  })

  it('may be late for a day', () => {
    expect(causes({ costs: [cost('0.5')] }, MONTH + 2 * DAY - 1)).toEqual(['gpt-4o: not_reported_yet'])
    expect(causes({ costs: [cost('0.5')] }, MONTH + 2 * DAY)).toEqual(['gpt-4o: price_differs'])
  })

  it('follows a call that the provider counts on the next day', () => {
    const startMs = MONTH + 23 * HOUR
    const record = { id: 'late', isServed: true, upstreamModel: 'gpt-4o', outcome: 'answered', usageSource: 'reported' }
    const times = { startMs: startMs + HOUR - 1000, endMs: startMs + HOUR + 1000 }
    const doubtful = doubtsOf({
      ...record,
      ...times,
      estimatedClasses: '',
      counts: COUNTS,
      hasUnits: false,
      failedModels: [],
    })
    const next = { startMs: MONTH + DAY, endMs: MONTH + 2 * DAY }
    const report = {
      usage: [{ ...USAGE, ...next }],
      usageSpans: [DAY_SPAN, next],
      costs: [cost('1', next)],
      costSpans: [DAY_SPAN, next],
    }
    const side = { hours: [{ ...OURS, startMs, calls: 1 }], doubtful }
    const { tokens, money } = checkBill({ ...report, usage: [{ ...USAGE, ...next, requests: 1 }] }, side, {
      accounts: undefined,
      madeMs: () => LONG_AFTER,
    })
    expect(tokens.differences).toMatchObject([{ ...DAY_SPAN, causes: ['hour_edge'], calls: ['late'] }])
    expect(money.differences).toMatchObject([
      { ...DAY_SPAN, causes: ['hour_edge'] },
      { ...next, causes: ['hour_edge'] },
    ])
  })
})
