// OpenRouter's activity, which tells an input as one number, against a month of traffic.

import { describe, expect, it } from 'vitest'
import { checkBill, type Bill } from '#bills/check.ts'
import { INTERFACES } from '#bills/interfaces.ts'
import { readReport } from '#bills/read.ts'
import type { Cause } from '#contract/bill-causes.ts'
import { centsOf } from './prices.ts'
import { DAY, HOUR, makeMonth, MONTH, type Metered, type Month } from './traffic.ts'

const LONG_AFTER = MONTH + 60 * DAY
const MODELS = 4
const WISH = {
  fromMs: MONTH,
  usageToMs: MONTH + 30 * DAY + 5 * HOUR,
  costsToMs: MONTH + 30 * DAY,
  accounts: undefined,
  project: undefined,
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

/** In dollars, as a JSON number. */
function costOf(metered: readonly Metered[], percent: number): number {
  const cents = metered.reduce((sum, { model, prompt, cached, written, completion, percent: tier }) => {
    const rates = centsOf(model)
    const input = (prompt - cached - written) * rates.input + cached * rates.cached + written * rates.written
    return sum + BigInt(input + completion * rates.output) * BigInt(tier)
  }, 0n)
  return Number(cents * BigInt(percent)) / 1e12
}

/** What the provider tells of all whole days: a line for each day and model at each of two endpoints. */
function activity({ metered, extras }: Month): object {
  const groups = Map.groupBy(metered, ({ endMs, model, completion }) => `${dateOf(endMs)} ${model} ${completion % 2}`)
  const data = [...groups].map(([name, requests]) => {
    const [date = '', model = '', endpoint = ''] = name.split(' ')
    const extra = extras.get(`${Date.parse(date)} ${model}`)
    return {
      date,
      model,
      model_permaslug: `${model}-2026-07-18`,
      endpoint_id: endpoint,
      provider_name: 'Somebody',
      usage: costOf(requests, extra?.type === 'repriced' ? 100 + extra.percent : 100),
      byok_usage_inference: 0,
      requests: requests.length,
      prompt_tokens: requests.reduce((sum, { prompt }) => sum + prompt, 0),
      completion_tokens: requests.reduce((sum, { completion }) => sum + completion, 0),
      reasoning_tokens: 0,
    }
  })
  return { data }
}

function asked(page: object, wish: typeof WISH = WISH): object {
  return INTERFACES.openrouter.wishedOf({ ...page, report: 'activity' }, wish)
}

function check(month: Month, pages: readonly object[]): Bill {
  const read = readReport(JSON.stringify(pages))
  if (read.type === 'problem') throw new Error(read.message)
  return checkBill(read.report, month.side, { accounts: undefined, madeMs: () => LONG_AFTER })
}

/** What calls of ours look like in a whole day, where keys are not named, is said beside somebody else's calls. */
const LOOKS: readonly Cause[] = ['after_disconnect', 'repeated_attempt', 'estimated']

function moneyOf({ money }: Bill): string[] {
  const rest = money.differences.filter(({ causes }) => causes.join() !== 'rounding')
  return rest.map(({ startMs, model, causes }) => {
    const said = causes.includes('not_through_farebox') ? causes.filter((cause) => !LOOKS.includes(cause)) : causes
    return `${startMs} ${model?.replace(/-2026.*/, '')} ${said.join()}`
  })
}

describe('the activity of OpenRouter', () => {
  it('agrees where nothing went wrong, whatever was cached', () => {
    const month = makeMonth({ seed: 1, share: 0, models: MODELS })
    const bill = check(month, [asked(activity(month))])
    expect(bill.tokens).toEqual({ compared: MODELS * 30, differences: [] })
    expect(bill.money.compared).toBe(MODELS * 30)
    expect(moneyOf(bill)).toEqual([])
    expect(month.metered.some(({ cached, written }) => cached > 0 && written > 0)).toBe(true)
  })

  it('shows who else used the account, and where a price differs', () => {
    const month = makeMonth({ seed: 2, share: 0, strangers: 0.5, extras: 0.5, models: MODELS - 1 })
    const bill = check(month, [asked(activity(month))])
    expect(bill.tokens.differences.map(({ startMs, model }) => `${startMs} ${model}`).toSorted()).toEqual(
      [...month.faults.keys()].toSorted(),
    )
    const places = new Set([...month.faults.keys(), ...month.extras.keys()])
    const expected = [...places].flatMap((place) => {
      const extra = month.extras.get(place)
      // Searches that were charged are billed elsewhere; nothing else of the extras is in an activity.
      const own = extra?.type === 'repriced' ? ['price_differs'] : extra?.type === 'searches' ? ['tool_fees'] : []
      const isCharged = extra?.type !== 'searches' || extra.charged > 0
      const causes = [...(month.faults.get(place)?.causes ?? []), ...(isCharged ? own : [])]
      return causes.length === 0 ? [] : [`${place} ${causes.join()}`]
    })
    const isClear = (line: string) => !line.includes('not_through_farebox')
    expect(moneyOf(bill).filter(isClear).toSorted()).toEqual(expected.filter(isClear).toSorted())
    // At which price of an input somebody else's tokens were billed is not told, so that the least of another price may hide in them.
    const shared = moneyOf(bill).filter((line) => !isClear(line))
    expect(shared.length).toBe(expected.filter((line) => !isClear(line)).length)
    expect(shared.filter((line) => !expected.includes(line)).length).toBeLessThan(shared.length / 4)
    expect(bill.unexplained).toBe(0)
  })

  it('is of the days that were asked for, also where nothing was used, and of no more than it keeps', () => {
    const line = { date: dateOf(MONTH + 2 * DAY), model: 'm', model_permaslug: 'm', usage: 0, requests: 1 }
    const page = { data: [{ ...line, prompt_tokens: 1, completion_tokens: 1 }] }
    const days = (given: object) => {
      const read = readReport(JSON.stringify([given]))
      return read.type === 'report' ? read.report.costSpans.map(({ startMs }) => (startMs - MONTH) / DAY) : read.message
    }
    expect(days(asked(page, { ...WISH, costsToMs: MONTH + 4 * DAY }))).toEqual([0, 1, 2, 3])
    expect(days(asked(page, { ...WISH, fromMs: MONTH + 3 * DAY, costsToMs: MONTH + 4 * DAY }))).toEqual([3])
    expect(days(asked(page, { ...WISH, fromMs: MONTH - 9 * DAY, costsToMs: MONTH + 25 * DAY }))).toHaveLength(30)
    expect(days(page)).toEqual([2])
    // With the time of midnight, as it was seen as well.
    expect(days({ data: [{ ...page.data[0], date: `${line.date} 00:00:00` }] })).toEqual([2])
    expect(days({ data: [{ ...page.data[0], usage: null }] })).toContain('A line of activity cannot be read')
    expect(days({ data: [{ ...page.data[0], prompt_tokens: -1 }] })).toContain('A line of activity cannot be read')
  })

  it('is asked for key by key where keys are named, and a variant is a model of its own', () => {
    const { requests, nextPageOf } = INTERFACES.openrouter
    expect(requests({ ...WISH, accounts: ['a', 'b'] })).toMatchObject([
      { path: '/api/v1/activity', query: [['api_key_hash', 'a']], account: 'a' },
      { path: '/api/v1/activity', query: [['api_key_hash', 'b']], account: 'b' },
    ])
    expect(requests(WISH)).toMatchObject([{ query: [] }])
    expect([{ data: [] }, { data: {} }, undefined].map((page) => nextPageOf(page).type)).toEqual([
      'last',
      'unclear',
      'unclear',
    ])
    const line = { date: dateOf(MONTH), model: 'a/m:free', model_permaslug: 'a/m', usage: 0.5, requests: 1 }
    const pages = ['a', 'b'].map((account) => ({
      ...asked({ data: [{ ...line, prompt_tokens: 1, completion_tokens: 1 }] }),
      account,
    }))
    const read = readReport(JSON.stringify(pages))
    if (read.type === 'problem') throw new Error(read.message)
    expect(read.report.usage).toMatchObject([
      { model: 'a/m:free', account: 'a' },
      { model: 'a/m:free', account: 'b' },
    ])
  })
})
