// At which tier a call may be served, by what its client wrote and by whom it may go to: a hold must never be for a cheaper one.

import { describe, expect, it } from 'vitest'
import type { Provider } from '#core/entities.ts'
import { microCredits } from '#core/money.ts'
import { worstPriceOf } from '#core/pricing.ts'
import { tierAsked } from '#dialect/asked-extras.ts'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import { answerTier } from '#dialect/usage-details.ts'

const at = (...dialects: Provider['dialect'][]) => dialects.map((dialect) => ({ dialect }) as Provider)
const { chat, messages, responses, gemini } = CLIENT_DIALECTS

describe('the tier that is held for', () => {
  it('is the fast one where any place is asked for it', () => {
    expect(tierAsked(messages, { speed: 'fast' }, at('messages', 'chat-completions'))).toBe('fast')
    expect(tierAsked(messages, { speed: 'fast' }, at('messages'))).toBe('fast')
  })

  it('is told by the member of the client itself, not by one that its provider passes over', () => {
    expect(tierAsked(chat, { speed: 'fast', service_tier: 'priority' }, at('responses'))).toBe('priority')
    expect(tierAsked(responses, { speed: 'fast' }, at('chat-completions'))).toBeUndefined()
    expect(tierAsked(chat, { serviceTier: 'standard' }, at('chat-completions'))).toBeUndefined()
    expect(tierAsked(gemini, { service_tier: 'priority' }, at('gemini'))).toBe('priority')
  })

  it('is reached by no other than is held for, where one place is fast and another is not', () => {
    const price = {
      version: 1,
      inputMicro: microCredits(5_000_000),
      outputMicro: microCredits(25_000_000),
      cacheReadMicro: microCredits(500_000),
      cacheWriteMicro: microCredits(5_000_000),
      tiers: { fast: { factorMicro: microCredits(2_000_000) }, priority: { factorMicro: microCredits(6_000_000) } },
    }
    const at = (tier: string | undefined) => worstPriceOf({ inputTokens: 10_000, outputTokens: 4000, tier }, price)
    expect(at('standard')).toBe(150_000)
    expect([at('fast'), at(undefined), at('priority')]).toEqual([900_000, 900_000, 900_000])
  })
})

it('reads both names of one tier of OpenAI alike', () => {
  expect(['fast', 'priority', 'default'].map((tier) => answerTier({ service_tier: tier }))).toEqual([
    'priority',
    'priority',
    'standard',
  ])
})
