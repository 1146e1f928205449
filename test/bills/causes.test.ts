// A provider's bill against our books, where it is known what went wrong: each difference gets its true cause, and there is none where
// nothing went wrong.

import { describe, expect, it } from 'vitest'
import { checkBill, type Bill } from '#bills/check.ts'
import { readReport } from '#bills/read.ts'
import type { MoneyDifference } from '#bills/money.ts'
import { CAUSES, type Cause } from '#contract/bill-causes.ts'
import { billOf, pagesOf, type FakeBill, type Style } from './fake-bill.ts'
import { centsOf, percentsOf } from './prices.ts'
import { DAY, HOUR, makeMonth, MONTH, type Extra, type Month } from './traffic.ts'
import { cases, isLong } from '../support/cases.ts'

/** A whole month has some six thousand differences of tokens, and hundreds of money. */
const SEEDS = isLong ? [1, 2, 3, 4, 5] : [1]
const MODELS = cases(1, 3, 20)
/** All in all more than ten thousand days of a model whose money has something beside its tokens. */
const MONEY_MODELS = cases(1, 3, 25)
const LONG_AFTER = MONTH + 60 * DAY

/** The injected faults come in the words of each provider, with keys that are known and with keys that are not. */
const OURS: ReadonlySet<string> = new Set(['ours'])
const PROVIDERS: readonly { name: string; style: Style; accounts: ReadonlySet<string> | undefined; seed: number }[] = [
  { name: 'OpenAI, which counts requests', style: 'openai', accounts: undefined, seed: 100 },
  { name: 'OpenAI, with our keys named', style: 'openai', accounts: OURS, seed: 200 },
  { name: 'Anthropic, with our keys named', style: 'anthropic', accounts: OURS, seed: 300 },
]

function check(month: Month, pages: readonly object[], accounts: ReadonlySet<string> | undefined, madeMs = LONG_AFTER) {
  const read = readReport(JSON.stringify(pages))
  if (read.type === 'problem') throw new Error(read.message)
  return checkBill(read.report, month.side, { accounts, madeMs: () => madeMs })
}

function allPages({ usage, costs }: FakeBill, style: Style, perPage = 168): object[] {
  return [...pagesOf(usage, style, perPage), ...pagesOf(costs, style, Math.min(31, perPage))]
}

function plain(model: string): string {
  return model.replace(/^model-(\d+)[.-]5.*/, 'model-$1.5')
}

/** Each difference in tokens as one line, with the name that our side has for a model. */
function tokensFound({ tokens }: Bill): string[] {
  return tokens.differences.map(
    ({ startMs, model, causes, calls }) => `${startMs} ${plain(model)} ${causes.join()} ${calls.join()}`,
  )
}

type Answer = {
  readonly causes: readonly Cause[]
  readonly calls: readonly string[]
  /** Whether counts of ours that are wrong make up for each other. */
  readonly isEven: boolean
}

/** By the hour and the model. */
function answersOf({ tokens }: Bill): Map<string, Answer> {
  const places = Map.groupBy(tokens.differences, ({ startMs, model }) => `${startMs} ${plain(model)}`)
  return new Map(
    [...places].map(([place, all]) => [
      place,
      {
        causes: inOrder(all.flatMap(({ causes }) => causes)),
        calls: all.flatMap(({ calls }) => calls),
        isEven: all.every(({ ours, theirs }) => ours.output === theirs.output),
      },
    ]),
  )
}

/** Each place at which the true cause is not said, or another one that nothing there looks like. */
function wrongAnswers(month: Month, bill: Bill, isNamed: boolean): string[] {
  const answers = answersOf(bill)
  const wrong = [...answers].flatMap(([place, { causes }]) =>
    month.faults.has(place) ? [] : [`${place}: ${causes.join()}, and nothing was done`],
  )
  for (const [place, fault] of month.faults) {
    const { causes: said, calls, isEven } = answers.get(place) ?? { causes: [], calls: [], isEven: true }
    const like = new Set(month.lookalikes.get(place))
    // A request too many is somebody else's as well as ours, where nobody says whose keys are whose.
    if (!isNamed && REQUESTS.some((cause) => fault.causes.includes(cause) || like.has(cause)))
      like.add('not_through_farebox')
    // What is in no rule hides what happened beside it, or can look like it.
    const isHidden = said.includes('unexplained') && fault.causes.includes('unexplained')
    const isCovered = (cause: Cause) =>
      isHidden ||
      (isEven && COUNTS.includes(cause) && fault.causes.length > 1) ||
      (cause === 'unexplained' && said.length > 0 && (like.size > 0 || fault.causes.length > 1))
    const isRight =
      fault.causes.every((cause) => said.includes(cause) || isCovered(cause)) &&
      said.every((cause) => fault.causes.includes(cause) || like.has(cause)) &&
      (said.includes('unexplained') || isEven || fault.calls.every((id) => calls.includes(id)))
    if (!isRight) wrong.push(`${place}: ${said.join()}, not ${inOrder(fault.causes).join()} (like ${[...like].join()})`)
  }
  return wrong
}

const COUNTS: readonly Cause[] = ['after_disconnect', 'estimated']
const REQUESTS: readonly Cause[] = ['after_disconnect', 'repeated_attempt']

function inOrder(causes: Iterable<Cause>): Cause[] {
  const all = new Set(causes)
  return CAUSES.filter((cause) => all.has(cause))
}

/** What money has to say of a day and model, and what it may say, by what was done in its hours. */
function moneyCauses(month: Month, startMs: number, model: string, isNamed: boolean) {
  const [must, may]: [Cause[], Cause[]] = [[], []]
  for (let hour = -1; hour < 24; hour++) {
    const place = `${startMs + hour * HOUR} ${model}`
    const { causes = [] } = month.faults.get(place) ?? {}
    // What ran over an hour's end changes the money of a day at its ends alone.
    const counts = (cause: Cause) => (cause === 'hour_edge' ? hour === -1 || hour === 23 : hour !== -1)
    must.push(...causes.filter(counts))
    if (causes.length > 0) may.push(...[...(month.lookalikes.get(place) ?? [])].filter(counts))
  }
  const isDoubtful = !isNamed && REQUESTS.some((cause) => must.includes(cause) || may.includes(cause))
  return {
    must: inOrder(must),
    may: inOrder([...must, ...may, ...(isDoubtful ? (['not_through_farebox'] as const) : [])]),
  }
}

/** What was injected into money, as lines of a time, a model and its causes. */
function injectedCauses({ extras, faults }: Month): { readonly lines: string[]; readonly count: number } {
  // Words that are not known are taken for a tool where one was used on that day.
  const searched = new Set([...extras].flatMap(([place, { type }]) => (type === 'searches' ? [dayOf(place)] : [])))
  const lines = [...extras].flatMap(([place, extra]) => {
    const apart = (cause: Cause) => `${dayOf(place)} all ${cause}`
    if (extra.type === 'plan') return [apart(searched.has(dayOf(place)) ? 'tool_fees' : 'unexplained')]
    if (extra.type === 'searches') return [apart('tool_fees')]
    return extra.type === 'euros' ? [apart('other_currency')] : []
  })
  const rows = new Set([...extras.keys(), ...faults.keys()])
  const ofRows = [...rows].flatMap((place) => {
    const all = inOrder([...ownCauses(extras.get(place)), ...(faults.get(place)?.causes ?? [])])
    return all.length === 0 ? [] : [`${place} ${all.join()}`]
  })
  return { lines: [...lines, ...ofRows], count: extras.size + faults.size }
}

function dayOf(place: string): string {
  return place.split(' ')[0] ?? ''
}

/** Of the money of its model, not of a line of its own. */
function ownCauses(extra: Extra | undefined): readonly Cause[] {
  if (extra?.type === 'repriced') return ['price_differs']
  if (extra?.type === 'surcharge') return ['unexplained']
  return extra?.type === 'searches' && extra.charged > 0 ? ['tool_fees'] : []
}

/** Where nobody says whose keys are whose, a request too many is also said to be what calls of its hour look like. */
function withoutLooks(
  { lookalikes }: Month,
  { startMs, model = '', causes }: MoneyDifference,
  isNamed: boolean,
): Cause[] {
  const looks = isNamed ? undefined : lookalikes.get(`${startMs} ${plain(model)}`)
  return causes.filter((cause) => looks === undefined || !looks.has(cause))
}

/** Whether an amount is no less than what others used costs at the lowest tier, and no more than at the highest one. */
function isWithinTiers({ metered }: Month, { startMs, model = '', oursParts, theirsParts }: MoneyDifference): boolean {
  const percents = percentsOf(plain(model))
  const ofOthers = metered.filter(
    (one) => one.key !== 'ours' && one.model === plain(model) && Math.floor(one.endMs / DAY) * DAY === startMs,
  )
  const rates = centsOf(plain(model))
  const standard = ofOthers.reduce((sum, { prompt, cached, written, completion }) => {
    const ofInput = (prompt - cached - written) * rates.input + cached * rates.cached + written * rates.written
    return sum + (ofInput + completion * rates.output) * PARTS_PER_CENT_RATE
  }, 0)
  const [least, most] = [Math.min(...percents), Math.max(...percents)].map((percent) => (standard * percent) / 100)
  const parts = Number(theirsParts - oursParts)
  return percents.length > 1 && parts >= (least ?? 0) - ROUNDED_PARTS && parts <= (most ?? 0) + ROUNDED_PARTS
}

const PARTS_PER_CENT_RATE = 10_000
/** What the lines of a day and its calls are rounded by at most: a hundredth of a cent for each of four, and a micro-credit for each call. */
const ROUNDED_PARTS = 4 * 50_000_000 + 100 * 1_000_000

describe.each(PROVIDERS)('the bill of $name', ({ style, accounts, seed }) => {
  it.each(SEEDS)('has the true cause at each injected difference, with its calls (%i)', (number) => {
    const month = makeMonth({ seed: seed + number, share: 0.5, models: MODELS })
    const faults = [...month.faults].filter(([, { causes }]) => causes.length > 0)
    expect(faults.length).toBeGreaterThan(250 * MODELS)
    const bill = check(month, pagesOf(billOf(month, style).usage, style, 168), accounts)
    expect(wrongAnswers(month, bill, accounts !== undefined)).toEqual([])
    expect(bill.tokens.differences.length).toBeGreaterThanOrEqual(faults.length)
  })

  it('agrees where nothing went wrong', () => {
    const month = makeMonth({ seed, share: 0, models: MODELS })
    const bill = check(month, allPages(billOf(month, style), style), accounts)
    expect(bill.tokens).toEqual({ compared: MODELS * 30 * 24, differences: [] })
    expect(bill.money.compared).toBe(MODELS * 30)
    expect(bill.money.differences.filter(({ causes }) => causes.join() !== 'rounding')).toEqual([])
    expect(bill.unexplained).toBe(0)
  })

  it.each(SEEDS.flatMap((number) => [0, 1].map((strangers) => ({ number, strangers }))))(
    'names what its days of money have beside tokens, also where others use the account (%o)',
    ({ number, strangers }) => {
      const month = makeMonth({ seed: seed + 50 + number, share: 0, extras: 1, strangers, models: MONEY_MODELS })
      const { money } = check(month, allPages(billOf(month, style), style), accounts)
      const injected = injectedCauses(month)
      expect(injected.count).toBe(MONEY_MODELS * 30 * (1 + strangers))
      const found = money.differences.filter(({ causes }) => causes.join() !== 'rounding')
      const expected = new Set(injected.lines)
      const lineOf = (one: MoneyDifference) =>
        `${one.startMs} ${plain(one.model ?? 'all')} ${withoutLooks(month, one, accounts !== undefined).join()}`
      // Of a model with tiers nobody knows at which of them somebody else used it: so much of its money may hide another cause.
      const hidden = found.filter(
        (one) =>
          !expected.has(lineOf(one)) && lineOf(one).endsWith(' not_through_farebox') && isWithinTiers(month, one),
      )
      const places = new Set(hidden.map(({ startMs, model = 'all' }) => `${startMs} ${plain(model)}`))
      const isSeen = (line: string) => !places.has(line.split(' ').slice(0, 2).join(' '))
      expect(found.map(lineOf).filter(isSeen).toSorted()).toEqual(injected.lines.filter(isSeen).toSorted())
      expect(hidden.length).toBeLessThan(strangers === 0 ? 1 : injected.count / 20)
    },
  )

  it('has nothing else in its money where others use the account', () => {
    const month = makeMonth({ seed: seed + 80, share: 0, strangers: 0.5, models: MODELS })
    const bill = check(month, allPages(billOf(month, style), style), accounts)
    const rest = bill.money.differences.filter(({ causes }) => causes.join() !== 'rounding')
    expect(rest.map(({ startMs, model = '' }) => `${startMs} ${plain(model)}`).toSorted()).toEqual(
      [...month.faults.keys()].toSorted(),
    )
    const said = rest.map((one) => withoutLooks(month, one, accounts !== undefined).join())
    expect(new Set(said)).toEqual(new Set(['not_through_farebox']))
    // As much of each amount as the tokens of others are worth, and nothing of it without a cause.
    expect(rest.filter(({ unexplainedParts }) => unexplainedParts !== 0n)).toEqual([])
    expect(bill.unexplained).toBe(0)
  })

  it('has in its money the causes of its tokens, and no others', () => {
    const month = makeMonth({ seed: seed + 60, share: 0.03, models: MODELS })
    const { money, tokens } = check(month, allPages(billOf(month, style), style), accounts)
    const wrong = money.differences.flatMap(({ startMs, model = '', causes }) => {
      const { must, may } = moneyCauses(month, startMs, plain(model), accounts !== undefined)
      const isRight =
        must.every((cause) => causes.includes(cause) || cause === 'unexplained') &&
        causes.every((cause) => may.includes(cause)) &&
        causes.length > 0
      return isRight || causes.join() === 'rounding' ? [] : [`${causes.join()}, not ${must.join()} (${may.join()})`]
    })
    expect(wrong).toEqual([])
    expect(money.differences.filter(({ causes }) => causes.join() !== 'rounding').length).toBeGreaterThan(7 * MODELS)
    expect(tokens.differences.length).toBeGreaterThan(10 * MODELS)
  })

  it('says both causes where two things went wrong in one hour', () => {
    const month = makeMonth({ seed: seed + 70, share: 0.3, pairs: 1, models: Math.ceil(MODELS / 2.5) })
    const bill = check(month, pagesOf(billOf(month, style).usage, style, 168), accounts)
    expect(wrongAnswers(month, bill, accounts !== undefined)).toEqual([])
  })

  it('is the same whichever way its pages come', () => {
    const month = makeMonth({ seed: seed + 20, share: 0.4, models: 2 })
    const bill = billOf(month, style)
    const all = allPages(bill, style, 31)
    const found = tokensFound(check(month, all, accounts))
    expect(tokensFound(check(month, all.toReversed(), accounts))).toEqual(found)
    expect(tokensFound(check(month, [...all, ...all, ...allPages(bill, style, 7)], accounts))).toEqual(found)
  })

  it('is not reported yet in its last hours', () => {
    const month = makeMonth({ seed: seed + 30, share: 0, models: 3 })
    const lastMs = MONTH + (30 * 24 - 1) * HOUR
    const early = { ...month, metered: month.metered.filter(({ endMs }) => endMs < lastMs) }
    const pages = pagesOf(billOf(early, style).usage, style, 168)
    const causesAt = (madeMs: number) =>
      check(month, pages, accounts, madeMs).tokens.differences.map(({ startMs, causes }) => [startMs, ...causes])
    expect(causesAt(lastMs + 3 * HOUR - 1)).toEqual(Array.from({ length: 3 }, () => [lastMs, 'not_reported_yet']))
    expect(causesAt(lastMs + 3 * HOUR)).toEqual(Array.from({ length: 3 }, () => [lastMs, 'unexplained']))
  })
})
