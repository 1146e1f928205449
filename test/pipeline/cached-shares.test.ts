import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { cachedTokensOf, CachedShares } from '#pipeline/cached-shares.ts'
import { conversationOf } from '#pipeline/conversation-name.ts'

const TARGET = { providerId: 'p', upstreamModel: 'm', priority: 1, weight: 1 }
const MINUTES = 60_000

function callOf(name: string | undefined) {
  return { keyId: 'k', target: TARGET, conversation: () => name }
}

function usage(cacheReadTokens: number, inputTokens: number) {
  return { ...UNKNOWN_USAGE, inputTokens, cacheReadTokens }
}

describe('the cached share of a conversation', () => {
  it('is what its last call was told, for as long as providers keep it', () => {
    const shares = new CachedShares()
    shares.note(callOf('a'), usage(900, 100), 0)
    shares.note(callOf('b'), usage(1, 9), 0)
    expect(shares.of(callOf('a'), 4 * MINUTES)).toMatchObject({ cachedTokens: 900, inputTokens: 1000 })
    expect(shares.of(callOf('a'), 5 * MINUTES)).toBeUndefined()
    expect(shares.of(callOf('c'), 0)).toBeUndefined()
    expect(shares.of(callOf(undefined), 0)).toBeUndefined()
  })

  it('is taken back by a call of which nothing was cached', () => {
    const shares = new CachedShares()
    shares.note(callOf('a'), usage(900, 100), 0)
    shares.note(callOf('a'), usage(0, 1000), 0)
    expect(shares.of(callOf('a'), 0)).toBeUndefined()
  })

  it('is forgotten with its target', () => {
    const shares = new CachedShares()
    shares.note(callOf('a'), usage(900, 100), 0)
    shares.forget({ ...TARGET, upstreamModel: 'other' })
    expect(shares.of(callOf('a'), 0)).toBeDefined()
    shares.forget(TARGET)
    expect(shares.of(callOf('a'), 0)).toBeUndefined()
  })

  it('is kept of ten thousand conversations, the latest', () => {
    const shares = new CachedShares()
    for (let call = 0; call <= 10_000; call++) shares.note(callOf(`call ${call}`), usage(9, 1), 0)
    expect(shares.of(callOf('call 0'), 0)).toBeUndefined()
    expect(shares.of(callOf('call 1'), 0)).toBeDefined()
    expect(shares.of(callOf('call 10000'), 0)).toBeDefined()
  })

  it.each([
    [900, 1000, 100, 90],
    [900, 1000, 5000, 900],
    [1000, 1000, 7, 7],
    [1, 3, 0, 0],
    [0, 0, 5, 0],
  ])('%i of %i, for an input of %i, is %i', (cachedTokens, inputTokens, input, wanted) => {
    expect(cachedTokensOf({ cachedTokens, inputTokens }, input)).toBe(wanted)
  })
})

describe('a conversation', () => {
  const user = (content: string) => ({ role: 'user', content })
  const answer = { role: 'assistant', content: 'Hi' }
  const system = { role: 'system', content: 'Be kind.' }

  it.each([
    ['chat', { messages: [system, user('A')] }, { messages: [system, user('A'), answer, user('B')] }],
    ['messages', { system: 'x', messages: [user('A')] }, { system: 'x', messages: [user('A'), answer, user('B')] }],
    [
      'responses',
      { instructions: 'x', input: [user('A')] },
      { instructions: 'x', input: [user('A'), answer, user('B')] },
    ],
    [
      'responses at a thread',
      { prompt_cache_key: 's', previous_response_id: 'r1', input: [user('A')] },
      { prompt_cache_key: 's', previous_response_id: 'r2', input: [user('B')] },
    ],
  ])('of %s is known by its beginning as it goes on', (_name, first, next) => {
    expect(conversationOf(first)).toBeDefined()
    expect(conversationOf(next)).toBe(conversationOf(first))
  })

  it.each([
    ['another first word', { messages: [user('A')] }, { messages: [user('B')] }],
    ['other instructions', { system: 'x', messages: [user('A')] }, { system: 'y', messages: [user('A')] }],
    ['another session', { user: 'a', messages: [user('A')] }, { user: 'b', messages: [user('A')] }],
    ['a long text that is longer', { input: 'a'.repeat(10_000) }, { input: 'a'.repeat(10_001) }],
  ])('is another one with %s', (_name, one, other) => {
    expect(conversationOf(one)).not.toBe(conversationOf(other))
  })

  it('is nobody knows which where the provider has its beginning and it has no name', () => {
    expect(conversationOf({ previous_response_id: 'r1', input: 'A' })).toBeUndefined()
  })
})
