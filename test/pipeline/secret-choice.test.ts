// Which secret of a pool a request goes with: a model of what must hold, in random pools and histories.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { after } from '#app/after.ts'
import { OUT_OF_QUOTA, UpstreamFailure } from '#core/failure.ts'
import { microCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import { eachSecret } from '#core/secret-pool.ts'
import { Health } from '#pipeline/health.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import { orderPlaces, Routing, type Place, type RoutingDeps } from '#pipeline/routing.ts'
import { SecretHealth } from '#pipeline/secret-health.ts'
import { testProvider } from '../support/provider.ts'
import { FakeClient } from './support.ts'

const WISH = { worstMicro: microCredits(1), leastMicro: microCredits(1), inputTokens: 0 }
const TARGET = { providerId: 'p', upstreamModel: 'm', priority: 0, weight: 1 }
const REFUSED = new UpstreamFailure('secret', 'no', { status: 401 })
const FORBIDDEN = new UpstreamFailure('secret', 'no', { status: 403 })
const BUSY = new UpstreamFailure('status', 'wait', { status: 429, retryAfterSeconds: 20 })
const EMPTY = new UpstreamFailure('status', 'no quota', { status: 429, code: OUT_OF_QUOTA })
const GONE = new UpstreamFailure('connect', 'gone')

let nowMs = 0

function newDeps(): RoutingDeps {
  nowMs = 1_000_000
  return {
    health: new Health(2),
    secrets: new SecretHealth(),
    gate: new ProviderGate({ nowMs: () => nowMs, after, timeZone: 'UTC', maxWaitMs: 1000 }),
    monotonicMs: () => nowMs,
    random: () => 0.5,
    retryDelayMs: 10,
  }
}

/** The places of one target whose provider has secrets of these weights, called `s0`, `s1` and so on. */
function poolOf(weights: readonly number[]): readonly Place[] {
  const pool = weights.map((weight, index) => ({ label: `s${index}`, weight, limits: {}, createdAtMs: 0 }))
  return eachSecret(testProvider({ hasSecret: true, pool })).map((provider) => ({ target: TARGET, provider }))
}

const labelOf = (place: Place | undefined) => place?.provider.chosen?.label ?? ''

/** Lets a request make its attempts: what each secret answers is said by its label. Returns the labels in their order. */
async function attempts(
  places: readonly Place[],
  deps: RoutingDeps,
  answers: Readonly<Record<string, UpstreamFailure>>,
): Promise<string[]> {
  const routing = new Routing(places, deps)
  const tried: string[] = []
  let next = routing.next()
  while (next !== undefined && tried.length < 20) {
    const turn = await routing.take(next.place, WISH, new FakeClient())
    if (isRefusal(turn)) break
    tried.push(labelOf(turn.place))
    const failure = answers[labelOf(turn.place)]
    deps.gate.leave(turn.slot)
    deps.gate.charge(turn.slot, microCredits(0))
    if (failure === undefined) {
      routing.answered(turn)
      break
    }
    next = routing.failed(turn, failure)
  }
  return tried
}

describe('the order of secrets', () => {
  it('follows their weights, for conversations and for single calls', () => {
    const places = poolOf([1, 2, 5])
    const draws = 20_000
    let state = 7
    const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    for (const affinityOf of [(index: number) => `conversation ${index}`, () => undefined]) {
      const counts = new Map<string, number>()
      for (let index = 0; index < draws; index++) {
        const first = labelOf(orderPlaces(places, affinityOf(index), random)[0])
        counts.set(first, (counts.get(first) ?? 0) + 1)
      }
      for (const [label, share] of [
        ['s0', 1 / 8],
        ['s1', 2 / 8],
        ['s2', 5 / 8],
      ] as const) {
        expect((counts.get(label) ?? 0) / draws).toBeGreaterThan(share - 0.02)
        expect((counts.get(label) ?? 0) / draws).toBeLessThan(share + 0.02)
      }
    }
  })

  it('keeps a conversation where it is, whatever becomes of secrets that it does not use', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 8 }),
        fc.string(),
        (weights, name) => {
          const places = poolOf(weights)
          const [first] = orderPlaces(places, name, Math.random)
          const others = places.filter((place) => place !== first)
          for (const gone of others) {
            const left = places.filter((place) => place !== gone)
            expect(orderPlaces(left, name, Math.random)[0]).toBe(first)
          }
        },
      ),
    )
  })

  it('keeps the secrets of one target beside each other', () => {
    const other = { target: { ...TARGET, providerId: 'q' }, provider: testProvider({ id: 'q' }) }
    const places = [...poolOf([1, 1, 1]), other]
    for (let index = 0; index < 100; index++) {
      const at = orderPlaces(places, `conversation ${index}`, Math.random).indexOf(other)
      expect([0, 3]).toContain(at)
    }
  })
})

describe('a random pool in which some secrets are refused', () => {
  it('asks each that is well until one answers, and none that is left out before its time', async () => {
    const kinds = fc.constantFrom('well', 'refused', 'forbidden', 'busy', 'empty')
    const failures = { refused: REFUSED, forbidden: FORBIDDEN, busy: BUSY, empty: EMPTY } as const
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 6 }), async (said) => {
        const deps = newDeps()
        const places = poolOf(said.map(() => 1))
        const answers: Record<string, UpstreamFailure> = {}
        for (const [index, kind] of said.entries()) if (kind !== 'well') answers[`s${index}`] = failures[kind]
        const wellAt = said.indexOf('well')
        const tried = await attempts(places, deps, answers)
        if (wellAt === -1) return
        expect(tried).toEqual(said.slice(0, wellAt + 1).map((_, index) => `s${index}`))
        // Everything that was refused is left out, and the target is not.
        expect(deps.health.of(TARGET, nowMs).state).toBe('ok')
        expect(await attempts(places, deps, answers)).toEqual([`s${wellAt}`])
        // It is tried again by itself, and used when it answers.
        nowMs += 60_000
        expect((await attempts(places, deps, {}))[0]).toBe('s0')
        expect(await attempts(places, deps, {})).toEqual(['s0'])
      }),
    )
  })
})

describe('a secret that is refused', () => {
  it('is left out for longer each time, and tried by one request at a time', async () => {
    const deps = newDeps()
    const places = poolOf([1, 1])
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      expect(await attempts(places, deps, { s0: REFUSED })).toEqual(['s0', 's1'])
      nowMs += seconds * 1000 - 1
      expect(await attempts(places, deps, { s0: REFUSED })).toEqual(['s1'])
      nowMs += 1
    }
    const first = new Routing(places, deps)
    const turn = await first.take(places[0] ?? fail(), WISH, new FakeClient())
    expect(isRefusal(turn)).toBe(false)
    expect(labelOf(new Routing(places, deps).next()?.place)).toBe('s1')
  })

  it('is the matter of its target when there is no other one, for as long as the one that is back first', async () => {
    const deps = newDeps()
    const places = poolOf([1, 1])
    expect(await attempts(places, deps, { s0: BUSY, s1: REFUSED })).toEqual(['s0', 's1'])
    expect(deps.health.of(TARGET, nowMs)).toMatchObject({ state: 'cooling', untilMs: nowMs + 20_000 })
    nowMs += 20_000
    expect(await attempts(places, deps, {})).toEqual(['s0'])
  })

  it('says nothing of the others where the provider is down', async () => {
    const deps = newDeps()
    expect(new Set(await attempts(poolOf([1, 1, 1]), deps, { s0: GONE, s1: GONE, s2: GONE })).size).toBe(1)
  })
})

describe('a request that a target cannot be asked', () => {
  const nextAfter = (keeperId: string | undefined) => {
    const [first = fail(), ...others] = poolOf([1, 1, 1])
    const elsewhere = { target: { ...TARGET, upstreamModel: 'other' }, provider: testProvider({ id: 'q' }) }
    const routing = new Routing([first, ...others, elsewhere], newDeps())
    routing.cannotBeAsked(first, keeperId)
    return routing.next()?.place.target.upstreamModel
  }

  it('is not made ready once more for each of its secrets', () => {
    expect(nextAfter(undefined)).toBe('other')
  })

  it('is asked with the next secret where it names what one account knows', () => {
    expect(nextAfter('p')).toBe('m')
  })
})

function fail(): never {
  throw new Error('a pool has a place')
}
