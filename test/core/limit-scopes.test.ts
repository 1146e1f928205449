import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkScopes,
  giveBackScopes,
  nearestStandings,
  takeScopes,
  untakeScopes,
  type Scoped,
} from '#core/limit-scopes.ts'
import type { PackageLimits } from '#core/entities.ts'
import { newLimitState, type LimitState } from '#core/limits.ts'
import { isLong } from '../support/cases.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000
const numRuns = isLong ? 30_000 : 400

function limits(some: Partial<PackageLimits>): PackageLimits {
  return { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined, ...some }
}

function scopes(key: Partial<PackageLimits>, member: Partial<PackageLimits>): [Scoped, Scoped] {
  return [
    { scope: 'key', state: newLimitState(), limits: limits(key) },
    { scope: 'member', state: newLimitState(), limits: limits(member) },
  ]
}

const statesOf = (scoped: readonly Scoped[]) => scoped.map(({ state }) => state)

describe('a request of two scopes', () => {
  it('is refused by either of them, which is named with its limit', () => {
    const scoped = scopes({ concurrentRequests: 3 }, { concurrentRequests: 2 })
    for (const _ of [1, 2]) {
      expect(checkScopes(scoped, 0, START)).toEqual({ type: 'free' })
      takeScopes(statesOf(scoped), 0, START)
    }
    const full = { type: 'full', scope: 'member', limit: 'concurrentRequests', most: 2, waitMs: 1000 }
    expect(checkScopes(scoped, 0, START)).toEqual(full)
    const wide = scopes({ requestsPerMinute: 1 }, { requestsPerMinute: 9 })
    takeScopes(statesOf(wide), 0, START)
    expect(checkScopes(wide, 0, START)).toMatchObject({ scope: 'key', limit: 'requestsPerMinute', most: 1 })
  })

  it('is told of the limit that is full for longest, because before that no other helps', () => {
    const scoped = scopes({ concurrentRequests: 1 }, { requestsPerMinute: 1 })
    takeScopes(statesOf(scoped), 0, START)
    expect(checkScopes(scoped, 0, START)).toMatchObject({ scope: 'member', limit: 'requestsPerMinute', waitMs: 61_000 })
  })

  it('sees in its headers the limit that is used up first', () => {
    const scoped = scopes(
      { requestsPerMinute: 10, tokensPerMinute: 50 },
      { requestsPerMinute: 3, tokensPerMinute: 500 },
    )
    takeScopes(statesOf(scoped), 20, START)
    expect(nearestStandings(scoped, START)).toEqual({
      requests: { limit: 3, remaining: 2, resetMs: 61_000 },
      tokens: { limit: 50, remaining: 30, resetMs: 61_000 },
    })
    expect(nearestStandings(scopes({}, { tokensPerMinute: 5 }), START)).toEqual({
      requests: undefined,
      tokens: { limit: 5, remaining: 5, resetMs: 0 },
    })
  })
})

const limitsOf = fc.record({
  requestsPerMinute: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  tokensPerMinute: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  concurrentRequests: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
})
const KEYS = 3
const tokens = fc.nat(120)
const which = fc.nat()
const steps = fc.array(
  fc.record({
    pauseMs: fc.oneof(
      fc.nat(300),
      fc.integer({ min: 900, max: 1100 }),
      fc.nat(30_000),
      fc.integer({ min: 59_000, max: 62_000 }),
    ),
    act: fc.oneof(
      { weight: 6, arbitrary: fc.record({ type: fc.constant('ask' as const), key: fc.nat(KEYS - 1), tokens }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('end' as const), used: tokens, which }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('take-back' as const), which }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('limit' as const), limits: limitsOf }) },
    ),
  }),
  { minLength: 1, maxLength: 120 },
)
type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never

type Taken = { readonly key: number; readonly atMs: number; readonly tokens: number; requests: number; runs: boolean }

/** What really happened, kept as a plain list. */
class Book {
  readonly taken: Taken[] = []

  of(isMeant: (entry: Taken) => boolean, nowMs: number) {
    const mine = this.taken.filter(isMeant)
    const recent = mine.filter(({ atMs }) => atMs >= nowMs - MINUTE)
    return {
      requests: recent.reduce((sum, entry) => sum + entry.requests, 0),
      tokens: recent.reduce((sum, entry) => sum + entry.tokens, 0),
      running: mine.filter(({ runs }) => runs).length,
    }
  }
}

type House = {
  readonly keys: readonly { readonly state: LimitState; readonly limits: PackageLimits }[]
  readonly member: { readonly state: LimitState; limits: PackageLimits }
}

function ask(house: House, book: Book, { key, tokens: asked, nowMs }: { key: number; tokens: number; nowMs: number }) {
  const own = house.keys[key]
  if (own === undefined) throw new Error('there is no such key')
  const scoped: Scoped[] = [
    { scope: 'key', ...own },
    { scope: 'member', ...house.member },
  ]
  if (checkScopes(scoped, asked, nowMs).type === 'full') return
  const used = [book.of((entry) => entry.key === key, nowMs), book.of(() => true, nowMs)]
  for (const [index, { limits: most }] of scoped.entries()) {
    const { requests = 0, tokens: before = 0, running = 0 } = used[index] ?? {}
    expect(requests + 1).toBeLessThanOrEqual(most.requestsPerMinute ?? Infinity)
    expect(before === 0 || before + asked <= (most.tokensPerMinute ?? Infinity)).toBe(true)
    expect(running + 1).toBeLessThanOrEqual(most.concurrentRequests ?? Infinity)
  }
  takeScopes(statesOf(scoped), asked, nowMs)
  book.taken.push({ key, atMs: nowMs, tokens: asked, requests: 1, runs: true })
}

function end(house: House, book: Book, entry: Taken, { used, nowMs }: { used: number | undefined; nowMs: number }) {
  const states = [house.keys[entry.key]?.state ?? newLimitState(), house.member.state]
  entry.runs = false
  if (used === undefined) {
    untakeScopes(states, entry, nowMs)
    book.taken.splice(book.taken.indexOf(entry), 1)
    return
  }
  giveBackScopes(states, { taken: entry.tokens, used }, nowMs)
  const more = Math.max(0, used - entry.tokens)
  book.taken.push({ key: entry.key, atMs: nowMs, tokens: more, requests: 0, runs: false })
}

function play(keys: readonly PackageLimits[], member: PackageLimits, script: Steps): void {
  const house: House = {
    keys: keys.map((own) => ({ state: newLimitState(), limits: own })),
    member: { state: newLimitState(), limits: member },
  }
  const book = new Book()
  let nowMs = START
  for (const { pauseMs, act } of script) {
    nowMs += pauseMs
    if (act.type === 'limit') house.member.limits = act.limits
    else if (act.type === 'ask') ask(house, book, { ...act, nowMs })
    else {
      const running = book.taken.filter(({ runs }) => runs)
      const entry = running[act.which % Math.max(1, running.length)]
      if (entry !== undefined) end(house, book, entry, { used: act.type === 'end' ? act.used : undefined, nowMs })
    }
  }
  for (const entry of book.taken.filter(({ runs }) => runs)) end(house, book, entry, { used: 0, nowMs })
  expect([house.member, ...house.keys].map(({ state }) => state.concurrent)).toEqual(Array(KEYS + 1).fill(0))
  nowMs += MINUTE + 2000
  const open = limits({ requestsPerMinute: 1, tokensPerMinute: 1, concurrentRequests: 1 })
  for (const { state } of [house.member, ...house.keys]) {
    expect(checkScopes([{ scope: 'key', state, limits: open }], 1, nowMs)).toEqual({ type: 'free' })
  }
}

it('never goes over a limit of a key or of its member, also while the member gets other limits, and gives all of it back', () => {
  const keys = fc.array(limitsOf, { minLength: KEYS, maxLength: KEYS })
  fc.assert(fc.property(keys, limitsOf, steps, play), { numRuns })
})
