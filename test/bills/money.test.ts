// Money by day and model against our charges.

import { describe, expect, it } from 'vitest'
import { checkBill, type Bill } from '#bills/check.ts'
import { doubtsOf, type OurHour } from '#bills/ours.ts'
import { amountOf, type BillReport, type CostLine, type UsageLine } from '#bills/report.ts'
import { microCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { HOUR, MONTH } from './traffic.ts'

const DAY = 24 * HOUR
const DAY_SPAN = { startMs: MONTH, endMs: MONTH + DAY }
const LONG_AFTER = MONTH + 60 * DAY
const COUNTS = { input: 1000, cache_read: 0, cache_write: 0, output: 100 }
/** The tokens of the four calls cost one credit. */
const PRICE: Price = {
  version: 1,
  inputMicro: microCredits(600_000_000),
  outputMicro: microCredits(4_000_000_000),
  cacheReadMicro: microCredits(60_000_000),
  cacheWriteMicro: microCredits(750_000_000),
}
const OURS: OurHour = {
  startMs: MONTH + 3 * HOUR,
  model: 'gpt-4o',
  calls: 4,
  counts: COUNTS,
  chargeMicro: 1_000_000,
  price: PRICE,
}
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

const NOTHING_USED = { calls: 0, counts: { input: 0, cache_read: 0, cache_write: 0, output: 0 }, chargeMicro: 0 }
const OURS_ALONE: ReadonlySet<string> = new Set(['ours'])
const SEARCHED = {
  id: 'searched',
  isServed: true,
  upstreamModel: 'gpt-4o',
  outcome: 'answered',
  usageSource: 'reported',
  estimatedClasses: '',
  counts: COUNTS,
  hasUnits: true,
  failedModels: [],
  startMs: MONTH + 3 * HOUR,
  endMs: MONTH + 3 * HOUR,
}

function causes(given: Case, madeMs = LONG_AFTER): string[] {
  const { money } = compared(given, undefined, madeMs)
  return money.differences.map(({ model = 'all', causes: why }) => `${model}: ${why.join()}`)
}

function compared(
  { costs, usage = [USAGE], hours = [OURS] }: Case,
  accounts?: ReadonlySet<string>,
  madeMs = LONG_AFTER,
): Bill {
  const report: BillReport = {
    usage,
    costs,
    usageSpans: usage.length === 0 ? [] : [DAY_SPAN],
    costSpans: [DAY_SPAN],
  }
  return checkBill(report, { hours, doubtful: [] }, { accounts, madeMs: () => madeMs })
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

  // Somebody else's call has a thousand tokens more, which are worth 0.6.
  const OTHERS = [{ ...USAGE, requests: 5, counts: { ...COUNTS, input: 2000 } }]
  const BATCH = { ...PRICE, tiers: { flex: { factorMicro: 500_000 } } }
  const LONG = { ...PRICE, steps: [{ aboveTokens: 900, rates: { ...PRICE, inputMicro: microCredits(1_200_000_000) } }] }
  const CACHED = { ...PRICE, parts: { input_audio: microCredits(100_000_000) } }
  const OF_CALLS = { ...PRICE, units: { request: microCredits(5_000_000_000) } }
  it.each<[what: string, given: Case, said: string[]]>([
    ['exactly', { costs: [cost('1.6')] }, ['not_through_farebox']],
    ['but for rounding', { costs: [cost('1.5999961')] }, ['not_through_farebox']],
    ['at another price', { costs: [cost('1.76')] }, ['not_through_farebox', 'price_differs']],
    [
      'at another price, so that both sides are equal',
      { costs: [cost('1')] },
      ['not_through_farebox', 'price_differs'],
    ],
    ['and nothing of ours', { costs: [] }, ['not_through_farebox', 'price_differs']],
    ['with an amount that no price makes', { costs: [cost('161')] }, ['not_through_farebox', 'unexplained']],
    ['with an amount below nothing', { costs: [cost('-1')] }, ['not_through_farebox', 'unexplained']],
    [
      'with a tool beside it',
      { costs: [cost('1.6'), cost('9', { kind: 'tool', model: undefined })] },
      ['not_through_farebox', 'tool_fees'],
    ],
    [
      'at the tier that costs half',
      { costs: [cost('1.3')], hours: [{ ...OURS, price: BATCH }] },
      ['not_through_farebox'],
    ],
    ['between two tiers', { costs: [cost('1.45')], hours: [{ ...OURS, price: BATCH }] }, ['not_through_farebox']],
    [
      'below each tier',
      { costs: [cost('1.29')], hours: [{ ...OURS, price: BATCH }] },
      ['not_through_farebox', 'price_differs'],
    ],
    ['of a long input', { costs: [cost('2.2')], hours: [{ ...OURS, price: LONG }] }, ['not_through_farebox']],
    [
      'longer than any',
      { costs: [cost('2.21')], hours: [{ ...OURS, price: LONG }] },
      ['not_through_farebox', 'price_differs'],
    ],
    [
      'of a part with a price of its own',
      { costs: [cost('1.1')], hours: [{ ...OURS, price: CACHED }] },
      ['not_through_farebox'],
    ],
    [
      'of calls that cost something each',
      { costs: [cost('1.605')], hours: [{ ...OURS, price: OF_CALLS }] },
      ['not_through_farebox'],
    ],
    [
      'less than calls that cost something each',
      { costs: [cost('1.5')], hours: [{ ...OURS, price: OF_CALLS }] },
      ['not_through_farebox', 'price_differs'],
    ],
    [
      'at the lower of two prices of that day',
      {
        costs: [cost('1.06')],
        hours: [
          OURS,
          { ...OURS, ...NOTHING_USED, price: { ...PRICE, version: 2, inputMicro: microCredits(60_000_000) } },
        ],
      },
      ['not_through_farebox'],
    ],
    [
      'of a model without a price',
      { costs: [cost('1.6')], hours: [{ ...OURS, price: undefined }] },
      ['not_through_farebox', 'price_differs'],
    ],
    ['where no call of ours was charged', { costs: [cost('77')], hours: [] }, ['not_through_farebox']],
  ])('takes the cause of tokens for no more than these are worth: %s', (_, given, said) => {
    const found = causes({ usage: OTHERS, ...given }).flatMap((line) => line.replace(/^.*: /, '').split(','))
    expect(found).toEqual(said)
  })

  it('of which a part is of tokens says which', () => {
    const { money } = compared({ costs: [cost('161')], usage: OTHERS })
    expect(money.differences).toMatchObject([{ tokenParts: 600_000_000_000n, unexplainedParts: 159_400_000_000_000n }])
  })

  it('that others are billed by key has none of their tokens', () => {
    const ours = { account: 'ours' }
    const usage = [
      { ...USAGE, ...ours },
      { ...USAGE, account: 'other', identity: 'other' },
    ]
    const bill = (amount: string) =>
      compared({ costs: [cost(amount, ours), cost('1', { account: 'other', identity: 'other' })], usage }, OURS_ALONE)
    const said = ({ money }: Bill) => money.differences.map(({ causes: all }) => all.join())
    expect(said(bill('1'))).toEqual(['not_through_farebox'])
    expect(said(bill('2')).toSorted()).toEqual(['not_through_farebox', 'price_differs'])
  })

  it.each<[what: string, amount: string, said: string]>([
    ['elsewhere', '0.75', 'tool_fees'],
    ['here', '1', ''],
    ['in part', '0.9', 'tool_fees'],
    ['elsewhere, at another price of tokens', '1.5', 'price_differs,tool_fees'],
    ['elsewhere, at a lower price of tokens', '0.7', 'price_differs,tool_fees'],
  ])('for tools that we charged for is billed %s', (_, amount, said) => {
    const fees = [cost(amount), cost('0.25', { kind: 'tool', model: undefined })]
    const { money } = checkBill(
      { usage: [USAGE], costs: fees, usageSpans: [DAY_SPAN], costSpans: [DAY_SPAN] },
      { hours: [OURS], doubtful: doubtsOf({ ...SEARCHED, unitParts: 250_000_000_000n }) },
      { accounts: undefined, madeMs: () => LONG_AFTER },
    )
    const ofModel = money.differences.filter(({ model }) => model !== undefined)
    expect(ofModel.map(({ causes: all }) => all.join()).join()).toBe(said)
  })

  it('in words that we do not know is for tools where calls of that day used any, and names these', () => {
    const onDay = (id: string, startMs: number) => ({ ...SEARCHED, id, unitParts: 0n, startMs, endMs: startMs })
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
      unitParts: 0n,
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
