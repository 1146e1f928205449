import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after } from '#app/after.ts'
import type { Provider, ProviderLimits } from '#core/entities.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { eachSecret, FIRST_LABEL } from '#core/secret-pool.ts'
import { ProviderGate, type Slot } from '#pipeline/provider-gate.ts'
import type { Full, ProviderWish } from '#pipeline/provider-lane.ts'
import { testProvider } from '../support/provider.ts'
import { FakeClient } from './support.ts'

const NOON = Date.parse('2026-03-10T12:00:00.000Z')
const ONE = wish(1)

let nowMs = NOON
let gate: ProviderGate

beforeEach(() => {
  // Nothing but timers: a formatter of dates that is made meanwhile is remembered, and files share processes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  nowMs = NOON
  gate = gateIn('UTC')
})

afterEach(() => {
  vi.useRealTimers()
})

function gateIn(timeZone: string): ProviderGate {
  return new ProviderGate({ nowMs: () => nowMs, after, timeZone, maxWaitMs: 1000 })
}

/** Of a request that may come to cost so much, and at least that much. */
function wish(worst: number, least = Math.min(1, worst)): ProviderWish {
  return { inputTokens: 0, worstMicro: microCredits(worst), leastMicro: microCredits(least) }
}

function limited(limits: ProviderLimits): Provider {
  return testProvider({ limits })
}

function slotOf(answer: Slot | Full): Slot {
  if ('type' in answer) throw new Error(`full: ${answer.limit}`)
  return answer
}

const SINGLE = limited({ concurrentRequests: 1 })

describe('a provider without limits', () => {
  it('takes whatever comes', () => {
    for (let count = 0; count < 1000; count++) slotOf(gate.take(testProvider(), ONE))
    expect(gate.use('p').concurrent).toBe(1000)
  })

  it('is not kept from anybody by the limits of another', () => {
    slotOf(gate.take(SINGLE, ONE))
    slotOf(gate.take({ ...SINGLE, id: 'another' }, ONE))
    expect(gate.take(SINGLE, ONE)).toMatchObject({ type: 'full' })
  })
})

describe('a limit of requests at a time', () => {
  it('says so, and is free again when a place is given back', () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    expect(gate.take(SINGLE, ONE)).toEqual({ type: 'full', limit: 'concurrentRequests', waitMs: 1000, isPassing: true })
    gate.leave(slot)
    slotOf(gate.take(SINGLE, ONE))
  })

  it('lets those who wait in, first come first served', async () => {
    let slot = slotOf(gate.take(SINGLE, ONE))
    const order: number[] = []
    const waits = Array.from({ length: 5 }, async (_, index) => {
      const mine = slotOf(await gate.wait(SINGLE, ONE, new FakeClient()))
      order.push(index)
      return mine
    })
    for (const wait of waits) {
      gate.leave(slot)
      slot = await wait
      expect(gate.use('p').concurrent).toBe(1)
    }
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  it('lets nobody pass those who wait', async () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    const wait = gate.wait(SINGLE, ONE, new FakeClient())
    gate.leave(slot)
    expect(gate.take(SINGLE, ONE)).toMatchObject({ type: 'full' })
    gate.leave(slotOf(await wait))
    slotOf(gate.take(SINGLE, ONE))
  })

  it('refuses those whose patience is over, and forgets them', async () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    const wait = gate.wait(SINGLE, ONE, new FakeClient())
    await vi.advanceTimersByTimeAsync(999)
    gate.leave(slot)
    const second = slotOf(await wait)
    const late = gate.wait(SINGLE, ONE, new FakeClient())
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toMatchObject({ type: 'full', limit: 'concurrentRequests' })
    gate.leave(second)
    slotOf(gate.take(SINGLE, ONE))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('makes 256 wait and no more', async () => {
    slotOf(gate.take(SINGLE, ONE))
    const waits = Array.from({ length: 256 }, () => gate.wait(SINGLE, ONE, new FakeClient()))
    expect(await gate.wait(SINGLE, ONE, new FakeClient())).toMatchObject({ type: 'full' })
    expect(vi.getTimerCount()).toBe(256)
    await vi.advanceTimersByTimeAsync(1000)
    const answers = await Promise.all(waits)
    expect(answers.every((answer) => 'type' in answer)).toBe(true)
  })

  it('does not give a place to a client that left while it waited', async () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    const [leaving, staying] = [new FakeClient(), new FakeClient()]
    const first = gate.wait(SINGLE, ONE, leaving)
    const second = gate.wait(SINGLE, ONE, staying)
    leaving.leave()
    expect(await first).toMatchObject({ type: 'full' })
    gate.leave(slot)
    expect(await second).toMatchObject({ providerId: 'p', promisedMicro: 1 })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not make a client wait that has left before', async () => {
    slotOf(gate.take(SINGLE, ONE))
    const client = new FakeClient()
    client.leave()
    expect(await gate.wait(SINGLE, ONE, client)).toMatchObject({ type: 'full' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may leave or time out after it was served, without a second answer', async () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    const client = new FakeClient()
    const wait = gate.wait(SINGLE, ONE, client)
    const behind = gate.wait(SINGLE, ONE, new FakeClient())
    gate.leave(slot)
    const served = slotOf(await wait)
    client.leave()
    expect(gate.use('p').concurrent).toBe(1)
    gate.leave(served)
    slotOf(await behind)
    await vi.advanceTimersByTimeAsync(5000)
    expect(gate.use('p').concurrent).toBe(1)
  })
})

describe('limits that are changed while requests wait', () => {
  it('let those who wait in as soon as the next request knows of it', async () => {
    slotOf(gate.take(SINGLE, ONE))
    const waits = [gate.wait(SINGLE, ONE, new FakeClient()), gate.wait(SINGLE, ONE, new FakeClient())]
    expect(gate.take(limited({ concurrentRequests: 3 }), ONE)).toMatchObject({ type: 'full' })
    for (const wait of waits) slotOf(await wait)
    expect(gate.use('p').concurrent).toBe(3)
  })

  it('let all in when they are gone', async () => {
    slotOf(gate.take(SINGLE, ONE))
    const wait = gate.wait(SINGLE, ONE, new FakeClient())
    slotOf(gate.take(testProvider(), ONE))
    slotOf(await wait)
    expect(gate.use('p').concurrent).toBe(3)
  })

  it('keep those who wait out when they are lower', async () => {
    const two = limited({ concurrentRequests: 2 })
    const slots = [slotOf(gate.take(two, ONE)), slotOf(gate.take(two, ONE))]
    const wait = gate.wait(two, ONE, new FakeClient())
    expect(gate.take(SINGLE, ONE)).toMatchObject({ type: 'full' })
    for (const [index, slot] of slots.entries()) {
      expect(gate.use('p').concurrent).toBe(2 - index)
      gate.leave(slot)
    }
    slotOf(await wait)
    expect(gate.use('p').concurrent).toBe(1)
  })

  it('answer those who wait when a limit comes that nobody waits for', async () => {
    const slot = slotOf(gate.take(SINGLE, ONE))
    const wait = gate.wait(SINGLE, ONE, new FakeClient())
    gate.take(limited({ concurrentRequests: 1, requestsPerMinute: 1 }), ONE)
    gate.leave(slot)
    expect(await wait).toMatchObject({ type: 'full', limit: 'requestsPerMinute' })
  })
})

describe('a limit of requests per minute', () => {
  it('refuses until the minute has passed, and is not waited for', async () => {
    const provider = limited({ requestsPerMinute: 2 })
    for (let count = 0; count < 2; count++) gate.leave(slotOf(gate.take(provider, ONE)))
    const full = await gate.wait(provider, ONE, new FakeClient())
    expect(full).toMatchObject({ type: 'full', limit: 'requestsPerMinute' })
    expect(vi.getTimerCount()).toBe(0)
    nowMs += 'type' in full ? full.waitMs : 0
    gate.leave(slotOf(gate.take(provider, ONE)))
  })
})

describe('a limit of credits per day', () => {
  const TEN = limited({ dailyMicro: microCredits(10) })
  const charge = (worst: number, charged: number, provider = TEN) => {
    const slot = slotOf(gate.take(provider, wish(worst)))
    gate.leave(slot)
    gate.charge(slot, microCredits(charged))
  }

  it('counts what running requests may come to cost', () => {
    const slot = slotOf(gate.take(TEN, wish(10)))
    gate.leave(slot)
    expect(gate.take(TEN, ONE)).toMatchObject({ limit: 'dailyMicro', isPassing: true, waitMs: 5000 })
    gate.charge(slot, microCredits(3))
    expect(gate.use('p').chargedTodayMicro).toBe(3)
    slotOf(gate.take(TEN, ONE))
  })

  it('lets a request that it does not pay for in only where nothing else runs, on what is left', () => {
    const first = slotOf(gate.take(TEN, wish(4)))
    expect(gate.take(TEN, wish(1000))).toMatchObject({ limit: 'dailyMicro', isPassing: true })
    gate.leave(first)
    gate.charge(first, microCredits(3))
    expect(slotOf(gate.take(TEN, wish(1000)))).toMatchObject({ promisedMicro: 7 })
    expect(gate.take(TEN, ONE)).toMatchObject({ limit: 'dailyMicro', isPassing: true })
  })

  it('refuses what the rest of the day does not pay for at all, until the next one', () => {
    charge(10, 3)
    expect(gate.take(TEN, wish(1000, 8))).toMatchObject({ isPassing: false, waitMs: 12 * 3_600_000 })
    slotOf(gate.take(TEN, wish(1000, 7)))
  })

  it('is waited for in order while requests that run hold it', async () => {
    const [one, other] = [slotOf(gate.take(TEN, wish(5))), slotOf(gate.take(TEN, wish(5)))]
    const large = gate.wait(TEN, wish(10), new FakeClient())
    const small = gate.wait(TEN, ONE, new FakeClient())
    for (const slot of [one, other]) {
      gate.leave(slot)
      gate.charge(slot, ZERO)
    }
    const taken = slotOf(await large)
    expect(taken).toMatchObject({ promisedMicro: 10 })
    gate.leave(taken)
    gate.charge(taken, microCredits(2))
    expect(slotOf(await small)).toMatchObject({ promisedMicro: 1 })
  })

  it('lets a running request hold more only as far as it leaves room', () => {
    const slot = slotOf(gate.take(TEN, wish(4)))
    expect(gate.growthLeft(slot)).toBe(6)
    gate.grow(slot, microCredits(6))
    expect([gate.growthLeft(slot), slot.heldMicro]).toEqual([0, 10])
    gate.leave(slot)
    gate.charge(slot, microCredits(10))
    expect(gate.take(TEN, ONE)).toMatchObject({ isPassing: false })
  })

  it('is passed by one request at most, and by nothing once it is reached', () => {
    charge(1000, 9)
    charge(1000, 500)
    expect(gate.take(TEN, wish(0))).toMatchObject({ type: 'full', limit: 'dailyMicro' })
    expect(gate.use('p').chargedTodayMicro).toBe(509)
  })

  it('of nothing takes nothing', () => {
    expect(gate.take(limited({ dailyMicro: ZERO }), wish(0))).toMatchObject({ limit: 'dailyMicro' })
  })

  it('remembers what was charged before this start', () => {
    gate.restore(new Map([['p', 10]]))
    expect(gate.take(TEN, ONE)).toMatchObject({ limit: 'dailyMicro' })
    slotOf(gate.take({ ...TEN, id: 'another' }, ONE))
  })

  // The clocks go forward on 2026-03-29 and back on 2026-10-25, so these days have 23 and 25 hours.
  it.each([
    ['2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['2026-10-25', '2026-10-24T22:00:00.000Z', 25],
  ])('begins anew at midnight of the zone on %s', (_date, start, hours) => {
    gate = gateIn('Europe/Berlin')
    nowMs = Date.parse(start) - 1
    charge(10, 10)
    expect(gate.take(TEN, ONE)).toMatchObject({ limit: 'dailyMicro', waitMs: 1 })
    nowMs += 1
    expect(gate.use('p').chargedTodayMicro).toBe(0)
    charge(10, 10)
    expect(gate.take(TEN, ONE)).toMatchObject({ waitMs: hours * 3_600_000 })
    nowMs += hours * 3_600_000 - 1
    expect(gate.take(TEN, ONE)).toMatchObject({ waitMs: 1 })
    nowMs += 1
    slotOf(gate.take(TEN, ONE))
  })

  it('counts a request on the day on which its charge is known', () => {
    const slot = slotOf(gate.take(TEN, wish(4)))
    nowMs += 12 * 3_600_000
    expect(gate.use('p').chargedTodayMicro).toBe(0)
    gate.leave(slot)
    gate.charge(slot, microCredits(4))
    expect(gate.use('p').chargedTodayMicro).toBe(4)
    charge(1, 6)
    expect(gate.take(TEN, ONE)).toMatchObject({ limit: 'dailyMicro' })
  })
})

describe('room for the worst case of a call', () => {
  const day = { dailyMicro: microCredits(10) }
  const pool = ['a', 'b'].map((label) => ({ label, weight: 1, limits: day, createdAtMs: 0 }))
  const [usedUp, other] = eachSecret(testProvider({ hasSecret: true, pool }))
  const spend = (provider: Provider | undefined) => {
    if (provider === undefined) throw new Error('a pool has a secret')
    const slot = slotOf(gate.take(provider, wish(10)))
    gate.leave(slot)
    gate.charge(slot, microCredits(10))
  }
  const placesOf = (...providers: readonly (Provider | undefined)[]) => {
    const target = {}
    return providers.flatMap((provider) => (provider === undefined ? [] : [{ target, provider }]))
  }

  it('is there as long as one secret of each target has it', () => {
    const places = placesOf(usedUp, other)
    spend(usedUp)
    expect(gate.hasRoomForAll(places, microCredits(10))).toBe(true)
    spend(other)
    expect(gate.hasRoomForAll(places, microCredits(1))).toBe(false)
  })

  it('is not there while one target of several has none', () => {
    const alone = { target: {}, provider: testProvider({ id: 'alone', limits: day }) }
    expect(gate.hasRoomForAll([...placesOf(usedUp, other), alone], microCredits(10))).toBe(true)
    spend(alone.provider)
    expect(gate.hasRoomForAll([...placesOf(usedUp, other), alone], microCredits(10))).toBe(false)
  })
})

describe('what goes with the only secret of a provider', () => {
  const ALONE = testProvider({ hasSecret: true })
  const day = { dailyMicro: microCredits(10) }
  const pool = [FIRST_LABEL, 'second'].map((label) => ({ label, weight: 1, limits: day, createdAtMs: 0 }))
  const [first = ALONE] = eachSecret({ ...ALONE, pool })
  const roomOfFirst = () => [...Array(11).keys()].findLast((amount) => gate.hasRoom(first, microCredits(amount)))

  it('is held of the day of the first one that it becomes, until its charge is known', () => {
    const slot = slotOf(gate.take(ALONE, wish(4)))
    expect(roomOfFirst()).toBe(6)
    gate.grow(slot, microCredits(3))
    expect(roomOfFirst()).toBe(3)
    gate.leave(slot)
    gate.charge(slot, microCredits(2))
    expect([roomOfFirst(), gate.use('p', FIRST_LABEL).chargedTodayMicro]).toEqual([8, 2])
  })

  it('is held of that day also where the provider has had several before', () => {
    expect(roomOfFirst()).toBe(10)
    const slot = slotOf(gate.take(ALONE, wish(4)))
    expect(roomOfFirst()).toBe(6)
    gate.leave(slot)
    gate.charge(slot, microCredits(1))
    expect(roomOfFirst()).toBe(9)
  })
})

describe('the refusal for a provider that is full', () => {
  it.each([
    ['concurrentRequests', 1000, 'concurrent_requests', 1],
    ['requestsPerMinute', 1, 'requests_per_minute', 1],
    ['dailyMicro', 43_200_000, 'credits_per_day', 43_200],
  ] as const)('names the limit of %s and when to come back', (limit, waitMs, name, retryAfterSeconds) => {
    expect(gate.refusal({ type: 'full', limit, waitMs, isPassing: false })).toMatchObject({
      code: 'overloaded',
      retryAfterSeconds,
      limit: { name, scope: 'provider', resetAt: new Date(NOON + waitMs).toISOString() },
    })
  })
})
