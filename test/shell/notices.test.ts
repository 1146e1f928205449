import { describe, expect, it } from 'vitest'
import type { AlertView } from '#contract/alerts.ts'
import type { StatusView } from '#contract/status.ts'
import { alertNotices, creditNotices, providerNotices, type ToldLevels } from '#shell/notices.ts'
import { ENGLISH, keyView } from './support.ts'

/** What is told as the share that is left goes through these percents. */
function told(percents: readonly number[], total = 100): string[] {
  let levels: ToldLevels = {}
  return percents.map((percent) => {
    const { notices, told: now } = creditNotices(
      [keyView('ci', { total, remaining: (total * percent) / 100 })],
      levels,
      ENGLISH,
    )
    levels = now
    return notices
      .map(({ title, text }) => (title === 'No credits left' ? '0' : (/has (\d+) %/.exec(text)?.[1] ?? '?')))
      .join()
  })
}

describe('a notice about credits', () => {
  it('comes once at each level', () => {
    expect(told([100, 21, 20, 19, 11, 10, 3, 0.000_1, 0, 0])).toEqual(['', '', '20', '', '', '10', '', '', '0', ''])
  })

  it('comes once where several levels are crossed at once', () => {
    expect(told([50, 5, 5])).toEqual(['', '10', ''])
    expect(told([50, 0])).toEqual(['', '0'])
  })

  it('comes again after a top-up or a new cycle, from the level that was reached', () => {
    expect(told([5, 100, 5])).toEqual(['10', '', '10'])
    expect(told([5, 15, 9])).toEqual(['10', '', '10'])
    expect(told([0, 30, 15])).toEqual(['0', '', '20'])
  })

  it('is not repeated by a start that remembers', () => {
    const keys = [keyView('ci', { total: 100, remaining: 5 })]
    expect(creditNotices(keys, { 'id-ci': 10 }, ENGLISH).notices).toEqual([])
  })

  it('does not come for keys without a bound, without credits ever, or that cannot be used', () => {
    const keys = [
      keyView('unlimited', { total: null, remaining: null }),
      keyView('empty', { total: 0, remaining: 0 }),
      keyView('gone', { remaining: 0 }, { status: 'revoked' }),
    ]
    expect(creditNotices(keys, { 'id-gone': 0, 'id-long-gone': 10 }, ENGLISH)).toEqual({ notices: [], told: {} })
  })

  it('is one for many keys at once', () => {
    const keys = Array.from({ length: 40 }, (_, index) => keyView(`k${index}`, { remaining: 0 }))
    expect(creditNotices(keys, {}, ENGLISH).notices).toEqual([
      { title: 'No credits left', text: '40 keys have few credits left, or none.', page: 'keys' },
    ])
  })

  it('says what to do', () => {
    const [empty] = creditNotices([keyView('ci', { remaining: 0 })], {}, ENGLISH).notices
    expect(empty?.text).toBe("Key 'ci' (starter) is refused from now on. Top it up in Keys.")
  })
})

describe('a notice about a provider', () => {
  type Target = StatusView['targets'][number]
  const target = (
    provider: string,
    state: Target['state'],
    reason = 'connect',
    status: number | null = null,
  ): Target => ({
    provider,
    model: 'm',
    state,
    failures: 5,
    left_out_until: null,
    last_failure: state === 'ok' ? null : { reason, status, at: '2027-01-01T00:00:00.000Z' },
    ignored_cap: null,
  })

  it('comes once, and again only after the provider was well', () => {
    let before: readonly string[] = []
    const after = (...targets: Target[]) => {
      const { notices, told: now } = providerNotices({ targets }, before, ENGLISH)
      before = now
      return notices.length
    }
    expect(after(target('a', 'ok'))).toBe(0)
    expect(after(target('a', 'open'))).toBe(1)
    expect(after(target('a', 'half-open'))).toBe(0)
    expect(after(target('a', 'open'))).toBe(0)
    expect(after(target('a', 'ok'))).toBe(0)
    expect(after(target('a', 'open'))).toBe(1)
  })

  it('does not come while another model of it answers, or while it is only busy', () => {
    expect(providerNotices({ targets: [target('a', 'open'), target('a', 'ok')] }, [], ENGLISH).notices).toEqual([])
    expect(providerNotices({ targets: [target('a', 'cooling')] }, [], ENGLISH).notices).toEqual([])
    expect(providerNotices({ targets: [target('a', 'failing')] }, [], ENGLISH).notices).toEqual([])
    expect(providerNotices({ targets: [target('a', 'refused')] }, [], ENGLISH).notices).toHaveLength(1)
  })

  it('says what happened and where to go', () => {
    expect(providerNotices({ targets: [target('OpenAI', 'open', 'secret', 401)] }, [], ENGLISH).notices[0]?.text).toBe(
      'OpenAI refused our secret (401). Replace it in Providers.',
    )
    expect(providerNotices({ targets: [target('x', 'open')] }, [], ENGLISH).notices[0]?.text).toBe(
      'x does not answer as it should. Look at it in Providers.',
    )
  })
})

describe('a notice about a budget', () => {
  const alert = (id: string, changes: Partial<AlertView> = {}): AlertView => ({
    id,
    at: '2027-03-04T10:00:00.000Z',
    scope: 'project',
    name: 'website',
    threshold: 80,
    used_credits: 4.1,
    total_credits: 5,
    cycle_started_at: '2027-03-04T00:00:00.000Z',
    next_reset_at: '2027-03-05T00:00:00.000Z',
    ...changes,
  })

  it('comes once, also over a start that remembers, and not for what was reached before the first look', () => {
    const first = alertNotices([alert('a1')], undefined, ENGLISH)
    expect(first).toEqual({ notices: [], told: 'a1' })
    const second = alertNotices([alert('a2', { threshold: 95 }), alert('a1')], first.told, ENGLISH)
    expect(second.told).toBe('a2')
    expect(second.notices).toEqual([
      {
        title: 'A budget is being used up',
        text: "The day of project 'website' is used up to 95 % (4.1 of 5 credits).",
        page: 'overview',
      },
    ])
    expect(alertNotices([alert('a2'), alert('a1')], second.told, ENGLISH)).toEqual({ notices: [], told: 'a2' })
  })

  it('comes for the first alert ever where there was none at the first look', () => {
    const { told: before } = alertNotices([], undefined, ENGLISH)
    expect(alertNotices([alert('a1', { scope: 'provider' })], before, ENGLISH).notices).toMatchObject([
      { page: 'providers' },
    ])
  })

  it('of a bill leads to the page of bills', () => {
    const bill = alert('a2', { scope: 'bill', name: 'openai', cycle_started_at: '2026-11-26T00:00:00.000Z' })
    expect(alertNotices([bill], 'a1', ENGLISH).notices).toEqual([
      {
        title: 'A bill does not agree',
        text: "The bill of 'openai' for 2026-11-26 has differences that nothing explains.",
        page: 'bills',
      },
    ])
  })

  it('leaves keys to their levels, and what is gone or unknown tells nothing again', () => {
    expect(alertNotices([alert('a2', { scope: 'key' })], 'a1', ENGLISH)).toEqual({ notices: [], told: 'a2' })
    expect(alertNotices([alert('a1')], 'a2', ENGLISH)).toEqual({ notices: [], told: 'a2' })
    expect(alertNotices([], 'a2', ENGLISH)).toEqual({ notices: [], told: 'a2' })
  })

  it('is one for many at once', () => {
    const many = Array.from({ length: 4 }, (_, index) => alert(`a${9 - index}`))
    expect(alertNotices(many, 'a1', ENGLISH).notices).toMatchObject([{ text: '4 budgets have reached a threshold.' }])
  })

  it('of many at once says bills where they are bills, and budgets where they are budgets', () => {
    const of = (scope: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        alert(`b${scope}${index}`, { scope, name: 'openai', cycle_started_at: '2026-11-26T00:00:00.000Z' }),
      )
    const said = (...alerts: AlertView[]) => alertNotices(alerts, 'a1', ENGLISH).notices
    const bills = {
      title: 'A bill does not agree',
      text: '4 daily bills have differences that nothing explains.',
      page: 'bills',
    }
    expect(said(...of('bill', 4))).toEqual([bills])
    expect(said(...of('member', 2), ...of('bill', 4))).toMatchObject([
      { text: '2 budgets have reached a threshold.', page: 'overview' },
      bills,
    ])
    expect(said(...of('member', 3), ...of('bill', 1))).toMatchObject([
      { text: '3 budgets have reached a threshold.' },
      { text: "The bill of 'openai' for 2026-11-26 has differences that nothing explains.", page: 'bills' },
    ])
  })
})
