import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Target } from '#core/entities.ts'
import { brokenOutput, UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { Health } from '#pipeline/health.ts'

const TARGET: Target = { providerId: 'p', upstreamModel: 'm', priority: 0, weight: 1 }
const OTHER: Target = { ...TARGET, upstreamModel: 'other' }

function failure(kind: FailureKind, details: { status?: number; retryAfterSeconds?: number } = {}): UpstreamFailure {
  return new UpstreamFailure(kind, 'It failed.', details)
}

const BROKEN = failure('closed')
const SECRET = failure('secret', { status: 401 })
const busy = (retryAfterSeconds?: number) =>
  failure('status', { status: 429, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })

function failTimes(health: Health, times: number, nowMs: number): void {
  for (let count = 0; count < times; count++) health.failed(TARGET, BROKEN, nowMs)
}

/** A target that was left out at 0, and may be tried at 5000. */
function tripped(): Health {
  const health = new Health()
  failTimes(health, 3, 0)
  return health
}

function stateAt(health: Health, nowMs: number): string {
  return health.of(TARGET, nowMs).state
}

describe('a target that fails', () => {
  it('is left out at the third failure in a row, and not before', () => {
    const health = new Health()
    failTimes(health, 2, 0)
    expect([stateAt(health, 0), health.isUsable(TARGET, 0)]).toEqual(['ok', true])
    failTimes(health, 1, 10)
    expect(health.isUsable(TARGET, 10)).toBe(false)
    expect(health.of(TARGET, 10)).toEqual({
      state: 'open',
      failures: 3,
      untilMs: 5010,
      lastFailure: { kind: 'closed', status: undefined, atMs: 10 },
    })
  })

  it('starts again from nothing once it answered in full', () => {
    const health = new Health()
    failTimes(health, 2, 0)
    health.answered(TARGET, 1)
    failTimes(health, 2, 2)
    expect(stateAt(health, 2)).toBe('ok')
  })

  it('does not start again when an answer only began', () => {
    const health = new Health()
    failTimes(health, 2, 0)
    health.answering(TARGET, 0)
    failTimes(health, 1, 2)
    expect(stateAt(health, 2)).toBe('open')
  })

  it('is left out alone: another model of the same provider is not', () => {
    const health = tripped()
    expect(health.isUsable(OTHER, 1)).toBe(true)
    expect(health.of(OTHER, 1)).toEqual({ state: 'ok', failures: 0, untilMs: undefined, lastFailure: undefined })
  })

  it('is left out twice as long each further time, up to a minute', () => {
    const health = tripped()
    const lasted: number[] = []
    let nowMs = health.of(TARGET, 0).untilMs ?? 0
    for (let trip = 0; trip < 6; trip++) {
      expect(health.enter(TARGET, nowMs)).toBe(true)
      failTimes(health, 1, nowMs)
      const { untilMs = 0 } = health.of(TARGET, nowMs)
      lasted.push(untilMs - nowMs)
      nowMs = untilMs
    }
    expect(lasted).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  })

  it('is left out once, however many requests fail together', () => {
    const health = new Health()
    failTimes(health, 200, 0)
    expect(health.of(TARGET, 0)).toMatchObject({ state: 'open', untilMs: 5000, failures: 200 })
    health.enter(TARGET, 5000)
    failTimes(health, 1, 5000)
    expect(health.of(TARGET, 5000).untilMs).toBe(15_000)
  })

  it.each([400, 404, 408, 413, 418, 422, 499])('with %i is never left out for it', (status) => {
    const health = new Health()
    for (let count = 0; count < 10; count++) {
      health.failed(TARGET, failure('status', { status }), 0)
      health.failed(TARGET, failure('reported', { status }), 0)
    }
    expect(health.of(TARGET, 0)).toMatchObject({ state: 'ok', failures: 0 })
  })

  it('because we stopped it has not failed', () => {
    const health = new Health()
    for (let count = 0; count < 10; count++) health.failed(TARGET, failure('aborted'), 0)
    expect(health.of(TARGET, 0)).toEqual({ state: 'ok', failures: 0, untilMs: undefined, lastFailure: undefined })
  })
})

describe('a target that answers others', () => {
  const crashed = (status: number) => failure('status', { status })

  it.each([500, 501])('while it fails at one request with %i is never left out for that', (status) => {
    const health = new Health()
    for (let nowMs = 0; nowMs < 100; nowMs += 10) {
      health.enter(TARGET, nowMs)
      health.answering(TARGET, nowMs + 1)
      health.failed(TARGET, crashed(status), nowMs + 2, { askedAtMs: nowMs })
    }
    expect(health.of(TARGET, 100)).toMatchObject({ state: 'ok', failures: 0 })
  })

  it('before it was asked, or says nothing of when, is left out as any other', () => {
    for (const askedAtMs of [5, undefined]) {
      const health = new Health()
      health.enter(TARGET, 0)
      health.answering(TARGET, 5)
      for (let count = 0; count < 3; count++) health.failed(TARGET, crashed(500), 6, { askedAtMs })
      expect(stateAt(health, 6)).toBe('open')
    }
  })

  it.each([BROKEN, failure('connect'), failure('timeout'), crashed(503), crashed(502)])(
    'is left out all the same for what no request can be guilty of: %o',
    (fault) => {
      const health = new Health()
      health.enter(TARGET, 0)
      health.answering(TARGET, 5)
      for (let count = 0; count < 3; count++) health.failed(TARGET, fault, 6, { askedAtMs: 0 })
      expect(stateAt(health, 6)).toBe('open')
    },
  )
})

describe('what the requests of one key cause', () => {
  const ofRequests = [
    brokenOutput('A call without a name.'),
    new UpstreamFailure('status', 'It failed.', { status: 500, isModelOutput: true }),
    new UpstreamFailure('reported', 'It failed.', { status: 502, isModelOutput: true }),
    failure('too_large'),
    failure('aborted'),
    ...[400, 404, 408, 409, 413, 415, 422].map((status) => failure('status', { status })),
    failure('malformed', { status: 404 }),
    failure('reported', { status: 400 }),
    failure('secret', { status: 403 }),
  ]
  const ofProvider = [
    BROKEN,
    failure('connect'),
    failure('timeout'),
    failure('malformed'),
    failure('status', { status: 503 }),
  ]
  const caused = fc.array(fc.constantFrom(...ofRequests), { minLength: 3, maxLength: 30 })

  it('never keeps another key from a target, before, between or after failures of the provider', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom(...ofProvider), caused, (sick, own, requests) => {
        const [health, untouched] = [new Health(2), new Health(2)]
        const both = [health, untouched]
        let nowMs = 0
        for (let count = 0; count < sick; count++)
          for (const one of both) one.failed(TARGET, own, nowMs, { by: 'good' })
        for (const one of requests) {
          nowMs += 400
          if (!health.isUsable(TARGET, nowMs)) continue
          health.enter(TARGET, nowMs)
          health.failed(TARGET, one, nowMs, { by: 'bad' })
          health.left(TARGET)
        }
        nowMs += 1000
        const seenBy = (one: Health) => [
          one.of(TARGET, nowMs).state,
          one.isUsable(TARGET, nowMs),
          one.restrained(TARGET, nowMs, false, 'good'),
        ]
        expect(seenBy(health)).toEqual(seenBy(untouched))
        for (let count = 0; count < 3; count++) health.failed(TARGET, own, nowMs, { by: 'bad' })
        expect(health.of(TARGET, nowMs).state).toBe('open')
      }),
    )
  })
})

describe('a target that is tried again', () => {
  it('is tried by one request at a time', () => {
    const health = tripped()
    expect([health.isUsable(TARGET, 4999), health.isUsable(TARGET, 5000)]).toEqual([false, true])
    expect(stateAt(health, 5000)).toBe('half-open')
    expect(health.enter(TARGET, 5000)).toBe(true)
    expect(health.isUsable(TARGET, 5001)).toBe(false)
    expect(health.enter(TARGET, 5001)).toBe(false)
  })

  it('before its time is not on trial', () => {
    expect(tripped().enter(TARGET, 4999)).toBe(false)
  })

  it('may be tried by the next one when a trial said nothing', () => {
    const health = tripped()
    health.enter(TARGET, 5000)
    health.left(TARGET)
    expect(stateAt(health, 5001)).toBe('half-open')
    expect(health.enter(TARGET, 5001)).toBe(true)
  })

  it('is used as soon as its answer begins, and left out by one more failure', () => {
    const health = tripped()
    health.enter(TARGET, 5000)
    health.answering(TARGET, 0)
    expect([stateAt(health, 5001), health.isUsable(TARGET, 5001)]).toEqual(['ok', true])
    failTimes(health, 1, 5002)
    expect(health.of(TARGET, 5002)).toMatchObject({ state: 'open', untilMs: 15_002 })
  })

  it('is as good as new when its answer is complete', () => {
    const health = tripped()
    health.enter(TARGET, 5000)
    health.answering(TARGET, 0)
    health.answered(TARGET, 5002)
    failTimes(health, 3, 5003)
    expect(health.of(TARGET, 5003).untilMs).toBe(10_003)
  })
})

describe('a target that asks for patience', () => {
  it.each([
    [undefined, 5000],
    [1, 1000],
    [20, 20_000],
    [86_400, 60_000],
  ])('with Retry-After %s is left out for %i ms, and then used without a trial', (seconds, ms) => {
    const health = new Health()
    health.failed(TARGET, busy(seconds), 100)
    expect(health.of(TARGET, 100)).toMatchObject({ state: 'cooling', untilMs: 100 + ms, failures: 0 })
    expect(health.isUsable(TARGET, 99 + ms)).toBe(false)
    expect(health.of(TARGET, 100 + ms)).toMatchObject({ state: 'ok', untilMs: undefined })
    expect(health.enter(TARGET, 100 + ms)).toBe(false)
  })

  it('gets it although it still answers what it took before', () => {
    const health = new Health()
    health.failed(TARGET, busy(20), 0)
    health.answering(TARGET, 0)
    health.answered(TARGET, 1)
    expect(health.of(TARGET, 1)).toMatchObject({ state: 'cooling', untilMs: 20_000 })
    health.answered(TARGET, 20_000)
    expect(health.of(TARGET, 20_000).lastFailure).toBeUndefined()
  })

  it('is left out no shorter when it fails meanwhile', () => {
    const health = new Health()
    health.failed(TARGET, busy(30), 0)
    failTimes(health, 3, 1)
    expect(health.of(TARGET, 1)).toMatchObject({ state: 'open', untilMs: 30_000 })
  })

  it('stays open where that lasts longer: being busy is no proof of health', () => {
    const health = tripped()
    health.failed(TARGET, busy(1), 0)
    expect(health.of(TARGET, 0)).toMatchObject({ state: 'open', untilMs: 5000 })
  })

  it('is not left out for a 403, which may be about what one client sent', () => {
    const health = new Health()
    for (let count = 0; count < 5; count++) health.failed(TARGET, failure('secret', { status: 403 }), count)
    expect(health.isUsable(TARGET, 5)).toBe(true)
  })

  it.each([SECRET, failure('secret'), failure('reported', { status: 402 })])(
    'because it refuses the secret is left out for half a minute',
    (refusal) => {
      const health = new Health()
      health.failed(TARGET, refusal, 0)
      expect(health.of(TARGET, 0)).toMatchObject({ state: 'cooling', untilMs: 30_000, failures: 0 })
    },
  )

  it('ends a trial', () => {
    const health = tripped()
    health.enter(TARGET, 5000)
    health.failed(TARGET, busy(1), 5000)
    expect(health.of(TARGET, 5000).state).toBe('cooling')
    expect(health.isUsable(TARGET, 6000)).toBe(true)
  })
})

describe('a failure that is taken back', () => {
  it('reopens what it left out', () => {
    const health = tripped()
    health.forgive(TARGET)
    expect(health.of(TARGET, 1)).toMatchObject({ state: 'ok', failures: 2 })
    failTimes(health, 1, 2)
    expect(health.of(TARGET, 2).untilMs).toBe(5002)
  })

  it('is one of several: the others still count', () => {
    const health = new Health()
    failTimes(health, 4, 0)
    health.forgive(TARGET)
    expect(stateAt(health, 1)).toBe('open')
    health.forgive(TARGET)
    expect(stateAt(health, 1)).toBe('ok')
  })

  it('changes nothing where nothing failed, nor a patience that was asked for', () => {
    const health = new Health()
    health.forgive(TARGET)
    expect(stateAt(health, 0)).toBe('ok')
    failTimes(health, 1, 0)
    health.failed(TARGET, busy(9), 0)
    health.forgive(TARGET)
    expect(health.of(TARGET, 0)).toMatchObject({ state: 'cooling', failures: 0 })
  })
})

describe('the memory of targets', () => {
  it('is bounded: the oldest is forgotten first', () => {
    const health = tripped()
    for (let index = 0; index < 9_999; index++) health.failed({ ...TARGET, upstreamModel: `m${index}` }, BROKEN, 0)
    expect(stateAt(health, 0)).toBe('open')
    health.failed({ ...TARGET, upstreamModel: 'one too many' }, BROKEN, 0)
    expect(health.of(TARGET, 0)).toMatchObject({ state: 'ok', failures: 0 })
    expect(health.of({ ...TARGET, upstreamModel: 'm0' }, 0).failures).toBe(1)
  })
})

it('counts the pieces of a target that belonged to nothing, until it is another target', () => {
  const health = new Health()
  for (const pieces of [0, 2, 3]) health.noteDropped(TARGET, pieces)
  expect([health.dropped(TARGET), health.dropped(OTHER)]).toEqual([5, 0])
  health.forget(TARGET)
  expect(health.dropped(TARGET)).toBe(0)
})

describe('what calls met last', () => {
  it('is known until the target answers in full, however long ago it was', () => {
    const health = new Health()
    health.failed(TARGET, SECRET, 0)
    expect(health.of(TARGET, 3_600_000)).toMatchObject({ state: 'ok', lastFailure: { kind: 'secret', status: 401 } })
    health.answered(TARGET, 3_600_001)
    expect(health.of(TARGET, 3_600_002).lastFailure).toBeUndefined()
  })

  it('is over for one that answers while it asks for patience, once that time is over', () => {
    const health = new Health()
    health.failed(TARGET, busy(10), 0)
    health.answered(TARGET, 5000)
    expect(health.of(TARGET, 6000)).toMatchObject({ state: 'cooling', lastFailure: { status: 429 } })
    expect(health.of(TARGET, 10_000)).toMatchObject({ state: 'ok', lastFailure: undefined })
    health.failed(TARGET, busy(10), 20_000)
    expect(health.of(TARGET, 40_000).lastFailure).toMatchObject({ status: 429 })
  })

  it('is nothing where it was the doing of the request', () => {
    const health = new Health()
    health.failed(TARGET, BROKEN, 0)
    health.forgive(TARGET)
    expect(health.of(TARGET, 1).lastFailure).toBeUndefined()
  })
})
