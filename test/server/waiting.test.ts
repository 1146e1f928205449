// What is shown of many calls that wait and run, and what only some of them are.

import { describe, expect, it } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import type { Key } from '#core/entities.ts'
import { NO_LIMITS, type Member, type Viewer } from '#core/member.ts'
import type { WaitingCall } from '#core/waiting.ts'
import { countWaiting, waitingView, type WaitingDeps } from '#server/gateway/waiting.ts'

const MIA: Member = {
  id: 'm',
  name: 'Mia',
  role: 'member',
  status: 'active',
  packages: 'all',
  passwordHash: undefined,
  limits: NO_LIMITS,
  createdAtMs: 1,
}

function key(id: string, memberId?: string): Key {
  return { id, name: `name of ${id}`, memberId, owner: undefined, hash: id, previous: undefined } as Key
}

function call(index: number, more: Partial<WaitingCall> = {}): WaitingCall {
  return {
    exchangeId: `call ${index}`,
    keyId: 'other',
    modelId: 'chat',
    reason: { type: 'credits' },
    place: 1,
    sinceMs: 1000 - index,
    expectedAtMs: undefined,
    untilMs: undefined,
    ...more,
  }
}

function depsOf(calls: readonly WaitingCall[], running: readonly string[] = []): WaitingDeps {
  const keys = [key('mine', 'm'), key('other'), ...Array.from({ length: 210 }, (_, index) => key(`key ${index}`))]
  const none = { waiting: 0, waitingCalls: () => [] }
  return {
    catalog: new Catalog(
      { providers: [], models: [], packages: [], keys, members: [MIA], invites: [], projects: [] },
      new Map(),
    ),
    gate: { waiting: calls.length, waitingCalls: () => [...calls] },
    ledger: none,
    routing: { gate: none },
    open: {
      calls: () => running.map((keyId, index) => ({ exchangeId: 'e', keyId, modelId: 'chat', createdAtMs: index })),
      retryingCalls: () => [],
    },
  }
}

const OWNER: Viewer = { type: 'owner', name: 'owner' }
const MEMBER: Viewer = { type: 'member', member: MIA }

describe('of many calls', () => {
  it('those that wait longest are shown, 200 of them, and how many there are', () => {
    const view = waitingView(depsOf(Array.from({ length: 210 }, (_, index) => call(index))), OWNER)
    expect([view.waiting.length, view.waiting_calls]).toEqual([200, 210])
    expect([view.waiting[0]?.id, view.waiting.at(-1)?.id]).toEqual(['call 209', 'call 10'])
  })

  it('the keys with the most that run are shown, 200 of them, with their oldest', () => {
    const running = [...Array.from({ length: 210 }, (_, index) => `key ${index}`), 'other', 'other']
    const view = waitingView(depsOf([], running), OWNER)
    expect([view.running.length, view.running_calls]).toEqual([200, 212])
    const oldest_at = new Date(210).toISOString()
    expect(view.running[0]).toEqual({ key: 'name of other', member: null, calls: 2, oldest_at })
  })
})

describe('a member', () => {
  it('is shown their own, however many there are of others', () => {
    const calls = [...Array.from({ length: 300 }, (_, index) => call(index)), call(-1, { keyId: 'mine' })]
    const view = waitingView(depsOf(calls, ['other', 'mine']), MEMBER)
    expect(view).toMatchObject({ waiting: [{ id: 'call -1', member: 'Mia' }], waiting_calls: 1, running_calls: 1 })
    expect(countWaiting(depsOf(calls), new Set(['mine']))).toBe(1)
    expect(countWaiting(depsOf(calls), 'all')).toBe(301)
  })
})

it.each([
  [{ type: 'limit', scope: 'key', limit: 'tokensPerMinute' }, ['key_limit', 'tokens_per_minute', null]],
  [{ type: 'limit', scope: 'member', limit: 'requestsPerMinute' }, ['member_limit', 'requests_per_minute', null]],
  [{ type: 'provider', providerId: 'gone' }, ['provider', 'concurrent_requests', 'gone']],
  [{ type: 'credits' }, ['credits', null, null]],
  [{ type: 'retry' }, ['retry', null, null]],
] as const)('says why: %j', (reason, said) => {
  const [row] = waitingView(depsOf([call(1, { reason })]), OWNER).waiting
  expect([row?.reason, row?.limit, row?.provider]).toEqual(said)
})
