import { describe, expect, it } from 'vitest'
import type { ProviderLimits } from '#core/entities.ts'
import { UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { microCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import { keeperFirst, orderPlaces, Routing, type Place, type RoutingDeps, type Turn } from '#pipeline/routing.ts'
import { testProvider } from '../support/provider.ts'
import { FakeClient, routingDeps } from './support.ts'

const ONE = { worstMicro: microCredits(1), leastMicro: microCredits(1), inputTokens: 0 }

type Wish = { readonly priority?: number; readonly weight?: number; readonly limits?: ProviderLimits }

function placeOf(name: string, { priority = 0, weight = 1, limits = {} }: Wish = {}): Place {
  return {
    target: { providerId: name, upstreamModel: 'm', priority, weight },
    provider: testProvider({ id: name, name, limits }),
  }
}

const A = placeOf('a')
const B = placeOf('b')
const C = placeOf('c')

function failure(kind: FailureKind, details: { status?: number; retryAfterSeconds?: number } = {}): UpstreamFailure {
  return new UpstreamFailure(kind, 'It failed.', details)
}

const GONE = failure('connect')
const BROKEN = failure('closed')
const SLOW = failure('timeout')

/** A target that fails until it is left out. */
function makeSick(deps: RoutingDeps, ...places: readonly Place[]): void {
  for (const { target } of places) {
    for (let count = 0; count < 3; count++) deps.health.failed(target, GONE, deps.monotonicMs())
  }
}

async function take(routing: Routing<Place>, place: Place, client = new FakeClient()): Promise<Turn<Place>> {
  const turn = await routing.take(place, ONE, client)
  if (isRefusal(turn)) throw new Error(turn.message)
  return turn
}

/** Takes a place, fails there and says what follows. */
async function failAt(routing: Routing<Place>, deps: RoutingDeps, place: Place, what: UpstreamFailure) {
  const turn = await take(routing, place)
  const next = routing.failed(turn, what)
  deps.gate.leave(turn.slot)
  deps.gate.charge(turn.slot, microCredits(0))
  return next
}

/** The same numbers for the same seed: a small generator, good enough to draw with. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('the order in which places are tried', () => {
  const DRAWS = 10_000
  const places = [placeOf('a', { weight: 1 }), placeOf('b', { weight: 3 }), placeOf('c', { weight: 6 })]

  it('is by priority first, whatever the weights', () => {
    const last = placeOf('last', { priority: 2, weight: 1000 })
    const all = [last, placeOf('x', { priority: 1 }), placeOf('y', { priority: 1, weight: 50 })]
    const random = seeded(1)
    for (let draw = 0; draw < 200; draw++) {
      const order = orderPlaces(all, undefined, random)
      expect(order).toHaveLength(3)
      expect(order.at(-1)).toBe(last)
    }
  })

  it('begins among equals with the provider that knows what a request names', () => {
    const [a, b, c] = places
    const last = placeOf('last', { priority: 2 })
    expect(keeperFirst([...places, last], 'c')).toEqual([c, a, b, last])
    expect(keeperFirst([...places, last], 'last')).toEqual([...places, last])
    expect(keeperFirst(places, 'gone')).toEqual(places)
    expect(keeperFirst(places, undefined)).toBe(places)
  })

  /** Held to three standard deviations of the binomial distribution. */
  function expectShares(firsts: readonly string[]): void {
    for (const { target, provider } of places) {
      const share = target.weight / 10
      const deviation = Math.sqrt(firsts.length * share * (1 - share))
      const count = firsts.filter((name) => name === provider.id).length
      expect(Math.abs(count - firsts.length * share), `${provider.id}: ${count}`).toBeLessThan(3 * deviation)
    }
  }

  it('is by weight among equals, over 10,000 draws', () => {
    const random = seeded(7)
    expectShares(Array.from({ length: DRAWS }, () => orderPlaces(places, undefined, random)[0]?.provider.id ?? ''))
  })

  it('is by weight among conversations, over 10,000 of them', () => {
    const firsts = Array.from(
      { length: DRAWS },
      (_, index) => orderPlaces(places, `session-${index}`, () => 0)[0]?.provider.id ?? '',
    )
    expectShares(firsts)
  })

  it('is by weight also for who comes second', () => {
    const random = seeded(3)
    const orders = Array.from({ length: DRAWS }, () =>
      orderPlaces(places, undefined, random).map((one) => one.provider.id),
    )
    const behindC = orders.filter(([first]) => first === 'c')
    const share = behindC.filter(([, second]) => second === 'b').length / behindC.length
    expect(Math.abs(share - 0.75)).toBeLessThan(3 * Math.sqrt((0.75 * 0.25) / behindC.length))
  })

  it('is the same for a conversation each time, in whatever order the places are listed', () => {
    for (let index = 0; index < 200; index++) {
      const order = orderPlaces(places, `session-${index}`, Math.random)
      expect(orderPlaces(places.toReversed(), `session-${index}`, Math.random)).toEqual(order)
    }
  })

  it('moves only the conversations that a new target takes, and those of a removed one', () => {
    const added = placeOf('d', { weight: 10 })
    let moved = 0
    for (let index = 0; index < DRAWS; index++) {
      const [before] = orderPlaces(places, `session-${index}`, Math.random)
      const [after] = orderPlaces([...places, added], `session-${index}`, Math.random)
      if (after === before) continue
      expect(after).toBe(added)
      moved += 1
    }
    expect(Math.abs(moved - DRAWS / 2)).toBeLessThan(3 * Math.sqrt(DRAWS / 4))
  })
})

describe('where a request goes first', () => {
  it('is the first place that is well', () => {
    const deps = routingDeps()
    makeSick(deps, A)
    expect(new Routing([A, B, C], deps).next()).toEqual({ place: B, delayMs: 0 })
  })

  it('is the one that is due soonest where all are sick', () => {
    let nowMs = 0
    const deps = routingDeps({ monotonicMs: () => nowMs })
    makeSick(deps, B)
    nowMs = 10
    makeSick(deps, A, C)
    const routing = new Routing([A, B, C], deps)
    expect(routing.next()?.place).toBe(B)
    routing.cannotBeAsked(B, undefined)
    expect(routing.next()?.place).toBe(A)
  })

  it('is a sick one where the well ones cannot be asked this', () => {
    const deps = routingDeps()
    makeSick(deps, B)
    const routing = new Routing([A, B], deps)
    routing.cannotBeAsked(A, undefined)
    expect(routing.next()?.place).toBe(B)
    routing.cannotBeAsked(B, undefined)
    expect(routing.next()).toBeUndefined()
  })
})

describe('taking a place', () => {
  const single = { limits: { concurrentRequests: 1 } }

  it('passes over providers that are full', async () => {
    const deps = routingDeps()
    const [a, b] = [placeOf('a', single), placeOf('b', single)]
    expect((await take(new Routing([a, b, C], deps), a)).place).toBe(a)
    expect((await take(new Routing([a, b, C], deps), a)).place).toBe(b)
    expect((await take(new Routing([a, b, C], deps), a)).place).toBe(C)
  })

  it('prefers a well one that stands behind a sick one', async () => {
    const deps = routingDeps()
    const a = placeOf('a', single)
    makeSick(deps, B)
    await take(new Routing([a, B, C], deps), a)
    expect((await take(new Routing([a, B, C], deps), a)).place).toBe(C)
  })

  it('passes over providers that are full also after a failure', async () => {
    const deps = routingDeps()
    const b = placeOf('b', { limits: { requestsPerMinute: 1 } })
    await take(new Routing([b], deps), b)
    const routing = new Routing([A, b, C], deps)
    expect(await failAt(routing, deps, A, BROKEN)).toEqual({ place: b, delayMs: 0 })
    expect((await take(routing, b)).place).toBe(C)
  })

  it('waits for its turn where all are full', async () => {
    const deps = routingDeps()
    const a = placeOf('a', single)
    const { slot } = await take(new Routing([a], deps), a)
    const waiting = take(new Routing([a], deps), a)
    deps.gate.leave(slot)
    expect((await waiting).place).toBe(a)
  })

  it('waits where waiting is of use, not at the first that is full', async () => {
    const deps = routingDeps()
    const [a, b] = [placeOf('a', { limits: { requestsPerMinute: 1 } }), placeOf('b', single)]
    await take(new Routing([a], deps), a)
    const { slot } = await take(new Routing([b], deps), b)
    const waiting = take(new Routing([a, b], deps), a)
    deps.gate.leave(slot)
    expect((await waiting).place).toBe(b)
  })

  it('asks a sick target rather than nobody', async () => {
    const deps = routingDeps()
    const a = placeOf('a', { limits: { requestsPerMinute: 1 } })
    makeSick(deps, B)
    await take(new Routing([a], deps), a)
    expect((await take(new Routing([a, B], deps), a)).place).toBe(B)
  })

  it('is refused where all are full, with the limit that frees up first', async () => {
    const deps = routingDeps()
    const a = placeOf('a', { limits: { dailyMicro: microCredits(0) } })
    const b = placeOf('b', { limits: { requestsPerMinute: 1 } })
    await take(new Routing([b], deps), b)
    expect(await new Routing([a, b], deps).take(a, ONE, new FakeClient())).toMatchObject({
      code: 'overloaded',
      limit: { name: 'requests_per_minute', scope: 'provider' },
    })
  })

  it('takes nothing for a client that left while it waited', async () => {
    const deps = routingDeps()
    const a = placeOf('a', single)
    makeSick(deps, B)
    await take(new Routing([a], deps), a)
    const client = new FakeClient()
    const waiting = new Routing([a, B], deps).take(a, ONE, client)
    client.leave()
    expect(isRefusal(await waiting)).toBe(true)
    expect([deps.gate.use('a').concurrent, deps.gate.use('b').concurrent]).toEqual([1, 0])
  })

  it('leaves a target alone that another request began to try out meanwhile', async () => {
    let nowMs = 0
    const deps = routingDeps({ monotonicMs: () => nowMs })
    makeSick(deps, A)
    nowMs = 5000
    const [one, other] = [new Routing([A, B], deps), new Routing([A, B], deps)]
    expect([one.next()?.place, other.next()?.place]).toEqual([A, A])
    expect(await take(one, A)).toMatchObject({ place: A, isTrial: true })
    expect(await take(other, A)).toMatchObject({ place: B, isTrial: false })
  })
})

describe('after a failure', () => {
  it.each([
    ['a refused connection', GONE],
    ['a broken one', BROKEN],
    ['a time-out', SLOW],
    ['503', failure('status', { status: 503, retryAfterSeconds: 60 })],
    ['429', failure('status', { status: 429 })],
    ['a refused secret', failure('secret', { status: 401 })],
    ['a redirect', failure('status', { status: 307 })],
  ])('of %s another target is asked at once', async (_name, what) => {
    const deps = routingDeps()
    expect(await failAt(new Routing([A, B], deps), deps, A, what)).toEqual({ place: B, delayMs: 0 })
  })

  it.each([
    ['a time-out', SLOW],
    ['429 that does not say how long', failure('status', { status: 429 })],
    ['503 that wants more than five seconds', failure('status', { status: 503, retryAfterSeconds: 6 })],
    ['a refused secret', failure('secret', { status: 401 })],
  ])('of %s the same target is not asked again', async (_name, what) => {
    const deps = routingDeps()
    expect(await failAt(new Routing([A], deps), deps, A, what)).toBeUndefined()
  })

  it('that judges the request nobody is asked', async () => {
    const deps = routingDeps()
    const routing = new Routing([A, B], deps)
    expect(await failAt(routing, deps, A, failure('reported', { status: 400 }))).toBeUndefined()
    expect(deps.health.of(A.target, 0).failures).toBe(0)
  })

  it('the only target is asked again twice, after a wait that doubles', async () => {
    const deps = routingDeps({ random: () => 0.5, retryDelayMs: 100 })
    const routing = new Routing([A], deps)
    expect(await failAt(routing, deps, A, GONE)).toEqual({ place: A, delayMs: 75 })
    expect(await failAt(routing, deps, A, GONE)).toEqual({ place: A, delayMs: 150 })
    expect(await failAt(routing, deps, A, GONE)).toBeUndefined()
  })

  it('Retry-After is waited for where nobody else is left', async () => {
    const deps = routingDeps({ random: () => 0, retryDelayMs: 100 })
    const routing = new Routing([A, B], deps)
    await failAt(routing, deps, A, failure('status', { status: 503, retryAfterSeconds: 3 }))
    expect(await failAt(routing, deps, B, failure('status', { status: 503, retryAfterSeconds: 2 }))).toEqual({
      place: B,
      delayMs: 2050,
    })
  })

  it('everywhere, a sick target is asked before the request is given up', async () => {
    const deps = routingDeps()
    makeSick(deps, B)
    const routing = new Routing([A, B], deps)
    expect(await failAt(routing, deps, A, SLOW)).toEqual({ place: B, delayMs: 0 })
    expect(await failAt(routing, deps, B, SLOW)).toBeUndefined()
  })

  it('a target that was asked for too much at once is not asked before its time, and others are', async () => {
    const deps = routingDeps()
    await failAt(new Routing([A, B], deps), deps, A, failure('status', { status: 429, retryAfterSeconds: 9 }))
    expect(new Routing([A, B], deps).next()?.place).toBe(B)
  })
})

describe('a failure that repeats elsewhere', () => {
  it('counts against the request: nobody is left out for it', async () => {
    const deps = routingDeps()
    for (let request = 0; request < 10; request++) {
      const routing = new Routing([A, B, C], deps)
      for (const place of [A, B, C, A, B, C, A, B, C]) await failAt(routing, deps, place, BROKEN)
    }
    expect([A, B, C].map(({ target }) => deps.health.of(target, 0))).toMatchObject(
      [A, B, C].map(() => ({ state: 'ok', failures: 0 })),
    )
  })

  it('takes back no more than this request was blamed for', async () => {
    const deps = routingDeps()
    for (let count = 0; count < 2; count++) deps.health.failed(A.target, BROKEN, 0)
    const routing = new Routing([A, B], deps)
    await failAt(routing, deps, A, BROKEN)
    expect(deps.health.of(A.target, 0)).toMatchObject({ state: 'open', failures: 3 })
    await failAt(routing, deps, B, BROKEN)
    expect(deps.health.of(A.target, 0)).toMatchObject({ state: 'ok', failures: 2 })
    expect(deps.health.of(B.target, 0).failures).toBe(0)
  })

  it.each([
    ['that is another one', BROKEN, SLOW],
    ['with another status', failure('status', { status: 500 }), failure('status', { status: 503 })],
    ['of a server that is not there', GONE, GONE],
  ])('%s counts against both', async (_name, first, second) => {
    const deps = routingDeps()
    const routing = new Routing([A, B], deps)
    await failAt(routing, deps, A, first)
    await failAt(routing, deps, B, second)
    expect([A, B].map(({ target }) => deps.health.of(target, 0).failures)).toEqual([1, 1])
  })

  it('ends the trial of a target that was left out', async () => {
    let nowMs = 0
    const deps = routingDeps({ monotonicMs: () => nowMs })
    makeSick(deps, B)
    nowMs = 5000
    const routing = new Routing([A, B], deps)
    await failAt(routing, deps, A, BROKEN)
    await failAt(routing, deps, B, BROKEN)
    expect(deps.health.isUsable(B.target, nowMs)).toBe(true)
  })
})

describe('a target that does not know the model', () => {
  it('is not asked again, is not sick, and others are asked', async () => {
    const deps = routingDeps()
    const routing = new Routing([A, B], deps)
    expect(routing.unknownAt(await take(routing, A))).toEqual({ place: B, delayMs: 0 })
    expect(routing.unknownAt(await take(routing, B))).toBeUndefined()
    expect(deps.health.of(A.target, 0)).toMatchObject({ state: 'ok', failures: 0 })
  })

  it('leaves the one that failed before to be asked again', async () => {
    const deps = routingDeps({ random: () => 0, retryDelayMs: 100 })
    const routing = new Routing([A, B], deps)
    await failAt(routing, deps, A, BROKEN)
    expect(routing.unknownAt(await take(routing, B))).toEqual({ place: A, delayMs: 50 })
  })
})
