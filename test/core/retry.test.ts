import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { isPassing, isSickness, mayBeRequest, retryDelayMs, retryOf, type Retry } from '#core/retry.ts'

type Details = { readonly status?: number; readonly retryAfterSeconds?: number }

function failure(kind: FailureKind, details: Details = {}): UpstreamFailure {
  return new UpstreamFailure(kind, 'It failed.', details)
}

const BUSY = failure('status', { status: 503 })

describe('what may be done about a failure', () => {
  it.each<[FailureKind, Details, Retry]>([
    ['connect', {}, 'here'],
    ['closed', {}, 'here'],
    ['timeout', {}, 'elsewhere'],
    ['malformed', {}, 'elsewhere'],
    ['secret', { status: 401 }, 'elsewhere'],
    ['secret', {}, 'elsewhere'],
    ['aborted', {}, 'nowhere'],
    ['too_large', {}, 'nowhere'],
    ['status', { status: 500 }, 'here'],
    ['status', { status: 529 }, 'here'],
    ['status', { status: 599 }, 'here'],
    ['status', { status: 408 }, 'here'],
    ['status', { status: 429 }, 'elsewhere'],
    ['status', { status: 429, retryAfterSeconds: 1 }, 'here'],
    ['status', { status: 307 }, 'elsewhere'],
    ['status', { status: 418 }, 'elsewhere'],
    ['reported', { status: 500 }, 'here'],
    ['reported', { status: 529 }, 'here'],
    ['reported', { status: 429 }, 'elsewhere'],
    ['reported', { status: 429, retryAfterSeconds: 2 }, 'here'],
    ['reported', { status: 400 }, 'nowhere'],
    ['reported', { status: 404 }, 'nowhere'],
    ['reported', { status: 401 }, 'elsewhere'],
    ['reported', { status: 402 }, 'elsewhere'],
    ['reported', {}, 'elsewhere'],
  ])('%s %j is tried again %s', (kind, details, expected) => {
    expect(retryOf(failure(kind, details))).toBe(expected)
  })
})

describe('the wait before the same target is asked again', () => {
  const wait = (what: UpstreamFailure, retries: number, random: number) =>
    retryDelayMs(what, { retries, baseMs: 500, random })

  it('is between half and the whole of a time that doubles', () => {
    expect([0, 1, 2].map((retries) => wait(BUSY, retries, 0))).toEqual([250, 500, 1000])
    expect([0, 1, 2].map((retries) => wait(BUSY, retries, 0.999999))).toEqual([
      expect.closeTo(500, 1),
      expect.closeTo(1000, 1),
      expect.closeTo(2000, 1),
    ])
  })

  it('is never shorter than the provider asks for, and differs between those who were told the same', () => {
    const asked = failure('status', { status: 503, retryAfterSeconds: 2 })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(5), (random, retries) => {
        expect(wait(asked, retries, random)).toBeGreaterThan(2000)
      }),
    )
    expect(wait(asked, 0, 0)).not.toBe(wait(asked, 0, 0.5))
  })

  it('is taken up to five seconds, and not beyond', () => {
    expect(wait(failure('status', { status: 429, retryAfterSeconds: 5 }), 0, 0)).toBe(5250)
    expect(wait(failure('status', { status: 429, retryAfterSeconds: 6 }), 0, 0)).toBeUndefined()
    expect(wait(failure('status', { status: 503, retryAfterSeconds: 86_400 }), 0, 0)).toBeUndefined()
  })
})

describe('a sign of a sick target', () => {
  it.each<[FailureKind, Details]>([
    ['connect', {}],
    ['closed', {}],
    ['timeout', {}],
    ['malformed', {}],
    ['status', { status: 500 }],
    ['status', { status: 503, retryAfterSeconds: 1 }],
    ['reported', { status: 529 }],
    ['reported', {}],
  ])('is %s %j', (kind, details) => {
    expect(isSickness(failure(kind, details))).toBe(true)
    expect(isPassing(failure(kind, details))).toBe(true)
  })

  it.each<[FailureKind, Details]>([
    ['secret', { status: 401 }],
    ['secret', {}],
    ['aborted', {}],
    ['too_large', {}],
    ['status', { status: 418 }],
    ['status', { status: 307 }],
    ['reported', { status: 400 }],
    ['reported', { status: 403 }],
  ])('is not %s %j', (kind, details) => {
    expect(isSickness(failure(kind, details))).toBe(false)
    expect(isPassing(failure(kind, details))).toBe(false)
  })

  it('is never a status of the 4xx family', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 499 }), fc.constantFrom('status', 'reported'), (status, kind) => {
        expect(isSickness(failure(kind as FailureKind, { status }))).toBe(false)
      }),
    )
  })

  it('is not being busy, which passes all the same', () => {
    const busy = failure('status', { status: 429 })
    expect([isSickness(busy), isPassing(busy)]).toEqual([false, true])
  })
})

describe('a failure that repeats elsewhere', () => {
  it.each<FailureKind>(['closed', 'timeout', 'malformed', 'status', 'reported', 'too_large'])(
    'may be the doing of the request when it is %s',
    (kind) => expect(mayBeRequest(failure(kind))).toBe(true),
  )

  it.each<FailureKind>(['connect', 'secret'])('is never the doing of the request when it is %s', (kind) =>
    expect(mayBeRequest(failure(kind))).toBe(false),
  )
})
