// What answers say that they cost, in the words of each provider that says it.

import { describe, expect, it } from 'vitest'
import type { TokenUsage } from '#core/usage.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import { readMessagesUsage } from '#dialect/messages/usage.ts'
import { mediaUsage } from '#dialect/passed/media-usage.ts'
import { readResponsesUsage } from '#dialect/responses/usage.ts'
import { laterDetails } from '#dialect/usage-details.ts'

const READERS: readonly (readonly [string, (cost: object) => TokenUsage | undefined])[] = [
  ['chat completions', (cost) => readUsage({ prompt_tokens: 1, completion_tokens: 1, ...cost })],
  ['messages', (cost) => readMessagesUsage({ input_tokens: 1, output_tokens: 1, ...cost })],
  ['responses', (cost) => readResponsesUsage({ input_tokens: 1, output_tokens: 1, ...cost })],
  ['images and sound', (cost) => mediaUsage({ input_tokens: 1, output_tokens: 1, ...cost }, undefined)],
]

const AMOUNTS: readonly (readonly [string, object, number | undefined])[] = [
  ['dollars', { cost: 0.95 }, 950_000_000],
  ['parts of a cent', { cost: 0.0000105 }, 10_500],
  ['what no binary number is exactly', { cost: 0.1 + 0.2 }, 300_000_000],
  ['nothing', { cost: 0 }, 0],
  ['finer than a billionth', { cost: 1.4e-9 }, 1],
  ['ticks of xAI', { cost_in_usd_ticks: 37_756_000 }, 3_775_600],
  ['ticks beside another cost', { cost: 5, cost_in_usd_ticks: 10 }, 1],
  ['the most', { cost: 1000 }, 1_000_000_000_000],
  ['more than the most', { cost: 1000.000001 }, undefined],
  ['less than nothing', { cost: -0.01 }, undefined],
  ['no number', { cost: Number.NaN }, undefined],
  ['without an end', { cost: Number.POSITIVE_INFINITY }, undefined],
  ['a text', { cost: '0.95' }, undefined],
  ['parts that nobody sums up', { cost: { total_cost: 0.95 } }, undefined],
  ['null', { cost: null, cost_in_usd_ticks: null }, undefined],
]

describe.each(READERS)('%s', (_, read) => {
  it.each(AMOUNTS)('say %s', (_name, cost, nano) => {
    expect(read(cost)?.details?.billedNano).toBe(nano)
  })
})

describe('counts that come later', () => {
  it('keep what was billed before where they say nothing of it, and replace it where they do', () => {
    expect(laterDetails({ billedNano: 1 }, { tier: 'flex' })).toMatchObject({ billedNano: 1, tier: 'flex' })
    expect(laterDetails({ billedNano: 1 }, { billedNano: 2 })).toMatchObject({ billedNano: 2 })
    expect(laterDetails({ billedNano: 1 }, undefined)).toEqual({ billedNano: 1 })
  })
})
