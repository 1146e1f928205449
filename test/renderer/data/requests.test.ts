import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { queryOf, verdictOn } from '#renderer/data/request-filter.ts'
import {
  arrived,
  byNewest,
  canContinue,
  caughtUp,
  continuedWith,
  EMPTY_LOG,
  MAX_ROWS,
  MAX_WAITING,
  released,
  startedWith,
  type RequestLog,
} from '#renderer/data/request-log.ts'

const FIRST_MS = Date.parse('2026-11-21T12:00:00Z')

/** Number `index` ends `index` milliseconds after the first. */
function request(index: number, changes: Partial<UsageView> = {}): UsageView {
  return {
    id: `01a1fc79-0000-7000-8000-${String(index).padStart(12, '0')}`,
    created_at: new Date(FIRST_MS + index).toISOString(),
    key: 'ci',
    endpoint: 'chat',
    model: 'gpt-5.5',
    provider: 'openai',
    upstream_model: 'gpt-5.5',
    secret: null,
    stream: true,
    outcome: 'answered',
    status: 200,
    input_tokens: 1,
    cache_read_tokens: null,
    cache_write_tokens: null,
    output_tokens: 1,
    reasoning_tokens: null,
    usage_source: 'reported',
    price_version: 1,
    charge_credits: 0.01,
    held_credits: 0.02,
    overrun: false,
    first_byte_ms: 10,
    duration_ms: 20,
    tool: null,
    project: null,
    tags: [],
    session: null,
    ...changes,
  }
}

/** From `from` down to `to`. */
function requests(from: number, to: number): UsageView[] {
  return Array.from({ length: from - to + 1 }, (_, index) => request(from - index))
}

function page(from: number, to: number, next: string | null = 'more') {
  return { usage: requests(from, to), next }
}

function indexes(rows: readonly UsageView[]): number[] {
  return rows.map((row) => Number(row.id.slice(-12)))
}

describe('a list of requests', () => {
  it('keeps what arrived while its first page was on its way', () => {
    const log = startedWith(page(10, 8), [request(12), request(10)])
    expect(indexes(log.rows)).toEqual([12, 10, 9, 8])
    expect(log.more).toEqual({ type: 'cursor', before: 'more' })
  })

  it('goes on with the cursor of its last page until there is none', () => {
    const log = continuedWith(startedWith(page(10, 8, 'a'), []), page(7, 6, 'b'))
    expect(indexes(log.rows)).toEqual([10, 9, 8, 7, 6])
    expect(log.more).toEqual({ type: 'cursor', before: 'b' })
    expect(canContinue(continuedWith(log, page(5, 5, null)))).toBe(false)
  })

  it('goes on after a page without rows, which the API may give', () => {
    const log = continuedWith(startedWith(page(10, 8), []), { usage: [], next: 'further' })
    expect(log.more).toEqual({ type: 'cursor', before: 'further' })
  })

  it('puts a long call where it belongs, and leaves one to its page that is older than the last row', () => {
    const log = startedWith(page(10, 8), [])
    expect(indexes(arrived(log, [request(9, { id: `${request(9).id.slice(0, -1)}f` })], false).rows)).toHaveLength(4)
    expect(indexes(arrived(log, [request(3)], false).rows)).toEqual([10, 9, 8])
    expect(indexes(arrived(startedWith(page(10, 8, null), []), [request(3)], false).rows)).toEqual([10, 9, 8, 3])
  })

  it('has every request once, however often it is told of it', () => {
    const log = arrived(arrived(startedWith(page(10, 8), []), [request(11)], false), [request(11), request(10)], false)
    expect(indexes(log.rows)).toEqual([11, 10, 9, 8])
  })
})

describe('a list that is held', () => {
  const held = arrived(startedWith(page(10, 8), []), [request(11), request(12), request(10)], true)

  it('does not move, and counts what waits', () => {
    expect(indexes(held.rows)).toEqual([10, 9, 8])
    expect(indexes(held.waiting)).toEqual([12, 11])
  })

  it('shows all of it when it is let go', () => {
    const log = released(held)
    expect(indexes(log.rows)).toEqual([12, 11, 10, 9, 8])
    expect(log.waiting).toEqual([])
  })

  it('keeps the newest where too much waits, and reads on below them instead of hiding that some are missing', () => {
    const many = arrived(held, requests(MAX_WAITING + 100, 11), true)
    expect(many.waiting).toHaveLength(MAX_WAITING)
    expect(many.hasGap).toBe(true)
    const log = released(many)
    expect(indexes(log.rows).at(0)).toBe(MAX_WAITING + 100)
    expect(indexes(log.rows).at(-1)).toBe(101)
    // The instant just after the last one that was kept.
    expect(log.more).toEqual({ type: 'instant', until: new Date(FIRST_MS + 102).toISOString() })
    expect(indexes(continuedWith(log, page(101, 99)).rows).slice(-3)).toEqual([101, 100, 99])
  })
})

describe('after a break', () => {
  it('only adds where the newest page reaches down to what is known', () => {
    const log = caughtUp(startedWith(page(10, 8), []), page(12, 10), false)
    expect(indexes(log.rows)).toEqual([12, 11, 10, 9, 8])
  })

  it('begins anew where it does not', () => {
    const log = caughtUp(startedWith(page(10, 8), []), page(50, 40, 'below'), false)
    expect(indexes(log.rows)).toEqual(indexes(requests(50, 40)))
    expect(log.more).toEqual({ type: 'cursor', before: 'below' })
  })

  it('moves nothing while it is held, and remembers that something is missing', () => {
    const log = caughtUp(startedWith(page(10, 8), []), page(50, 40), true)
    expect(indexes(log.rows)).toEqual([10, 9, 8])
    expect(log.hasGap).toBe(true)
    expect(indexes(released(log).rows)).toEqual(indexes(requests(50, 40)))
  })

  it('has everything when there is no more than the newest page', () => {
    expect(indexes(caughtUp(EMPTY_LOG, page(2, 1, null), false).rows)).toEqual([2, 1])
  })
})

describe('the bound', () => {
  it('lets go of the oldest rows, which can be read again', () => {
    const full: RequestLog = { ...EMPTY_LOG, rows: requests(MAX_ROWS, 1) }
    const log = arrived(full, requests(MAX_ROWS + 5, MAX_ROWS + 1), false)
    expect(log.rows).toHaveLength(MAX_ROWS)
    expect(indexes(log.rows).at(-1)).toBe(6)
    expect(log.more).toEqual({ type: 'instant', until: new Date(FIRST_MS + 7).toISOString() })
    expect(canContinue(log)).toBe(false)
  })
})

describe('any sequence of pages and arrivals', () => {
  it('keeps the order and has nothing twice', () => {
    const step = fc.record({ isHeld: fc.boolean(), ids: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let log = startedWith(page(30, 20), [])
        for (const { isHeld, ids } of steps) {
          log = arrived(
            isHeld ? log : released(log),
            ids.map((index) => request(index)),
            isHeld,
          )
        }
        const rows = released(log).rows
        expect(rows).toEqual(rows.toSorted(byNewest))
        expect(new Set(indexes(rows)).size).toBe(rows.length)
      }),
    )
  })
})

describe('the filter', () => {
  it('is asked of the API by the names that it has there', () => {
    expect(queryOf({ min: '0.5', since: '24h', key: 'ci' })).toEqual({ min_credits: '0.5', since: '24h', key: 'ci' })
  })

  const failed = request(1, { status: 502, outcome: 'failed', provider: null, charge_credits: 0 })
  it.each([
    [{}, request(1), 'yes'],
    [{ key: 'ci', model: 'gpt-5.5', provider: 'openai', status: 'ok', min: '0.01' } as const, request(1), 'yes'],
    [{ key: 'other' }, request(1), 'no'],
    [{ model: 'gpt-5' }, request(1), 'no'],
    [{ provider: 'openai' }, failed, 'no'],
    [{ status: 'ok' } as const, failed, 'no'],
    [{ status: 'failed' } as const, failed, 'yes'],
    [{ status: 'failed' } as const, request(1), 'no'],
    [{ min: '0.010001' }, request(1), 'no'],
    [{ until: '2026-11-21T12:00:00Z' }, request(1), 'no'],
    [{ until: '2026-11-22' }, request(1), 'ask'],
    [{ until: '2026-11-21T13:00:00+01:00' }, request(1), 'no'],
    [{ until: '2026-11-21T13:00:01+01:00' }, request(1), 'yes'],
    [{ key: '01a1fc79-d4e6-7000-857c-a4383ac1ac29' }, request(1), 'ask'],
    [{ package: 'team' }, request(1), 'ask'],
    [{ owner: 'ada', status: 'failed' } as const, request(1), 'no'],
  ])('%j of a request that arrives', (filter, arrival, verdict) => {
    expect(verdictOn(filter, arrival)).toBe(verdict)
  })
})
