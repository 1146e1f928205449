import { describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { newestOf, usageIn } from '#renderer/data/live.ts'

describe('live usage', () => {
  it('is read from events of its kind only', () => {
    const data = JSON.stringify(usage('b', 2))
    expect(usageIn({ id: 'b', event: 'usage', data })).toEqual(usage('b', 2))
    expect(usageIn({ id: undefined, event: 'status', data })).toBeUndefined()
  })

  it('is nothing where the data is cut or is something else', () => {
    for (const data of ['', '{"id":"b"', 'null', '[]', '{}', '{"id":7,"created_at":"x"}', '{"id":"b"}']) {
      expect(usageIn({ id: 'b', event: 'usage', data }), data).toBeUndefined()
    }
  })

  it('is put before what was known, newest first, each once, and no more than asked for', () => {
    const known = [usage('c', 3), usage('b', 2), usage('a', 1)]
    expect(idsOf(newestOf([usage('e', 5), usage('c', 3), usage('d', 4)], known, 4))).toEqual(['e', 'd', 'c', 'b'])
    expect(idsOf(newestOf([], known, 5))).toEqual(['c', 'b', 'a'])
  })

  it('is ordered by its ids within a millisecond', () => {
    expect(idsOf(newestOf([usage('x2', 1)], [usage('x1', 1), usage('x3', 1)], 5))).toEqual(['x3', 'x2', 'x1'])
  })
})

function idsOf(list: readonly UsageView[]): string[] {
  return list.map(({ id }) => id)
}

function usage(id: string, second: number): UsageView {
  return {
    id,
    created_at: `2026-11-21T12:00:0${second}.000Z`,
    key: 'ci',
    endpoint: 'chat',
    model: 'demo-chat',
    provider: 'demo',
    upstream_model: 'demo-chat',
    secret: null,
    stream: false,
    outcome: 'answered',
    status: 200,
    input_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 2,
    reasoning_tokens: 0,
    usage_source: 'reported',
    price_version: 1,
    charge_credits: 0.0009,
    held_credits: 0.01,
    overrun: false,
    first_byte_ms: 3,
    duration_ms: 9,
    tool: null,
    project: null,
    tags: [],
    session: null,
  }
}
