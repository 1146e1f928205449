import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { JournalHalted } from '#ledger/journal.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import type { HoldAnswer } from '#ledger/hold-request.ts'
import { Books, NEVER, terms, type SetClock } from './books.ts'

const DAY = 86_400_000
const START = Date.parse('2028-02-14T09:30:00Z')
/** Longer than any test that does not wait for it. */
const PATIENCE_MS = 60_000

let clock: SetClock
let books: Books
let key: string
let isDiskFull: boolean

async function open(holdWaitMs: number): Promise<void> {
  await books?.remove()
  isDiskFull = false
  clock = { nowMs: START }
  const around: NonNullable<Parameters<typeof Books.open>[0]['around']> = (append) => (batch) =>
    isDiskFull ? Promise.reject(new Error('disk full')) : append(batch)
  books = await Books.open({ clock, holdWaitMs, around })
  key = await books.addKey(terms('topup', 1000))
}

beforeEach(async () => {
  await open(PATIENCE_MS)
})

afterEach(async () => {
  isDiskFull = false
  await books.ledger.flush()
  await books.remove()
})

/** A call that waits, with the order in which it was answered. */
function call(
  order: string[],
  name: string,
  worstMicro: number,
  cancellation: Cancellation = NEVER,
): Promise<HoldAnswer> {
  return books.hold({ keyId: key, worstMicro: microCredits(worstMicro) }, cancellation).then((answer) => {
    order.push(`${name} ${answer.type}`)
    return answer
  })
}

function cancellable(): { cancellation: Cancellation; cancel: () => void } {
  const callbacks: (() => void)[] = []
  return {
    cancellation: { isCancelled: false, onCancel: (callback) => callbacks.push(callback) },
    cancel: () => callbacks.forEach((callback) => callback()),
  }
}

/** Lets everything that is ready happen. */
async function settle(): Promise<void> {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve))
}

/** Every hold on disk was covered by the entries in front of it. */
function expectCovered(): void {
  let available = 0
  for (const entry of books.rows<{ kind: string; amount_micro: number }>('SELECT * FROM ledger_entry ORDER BY seq')) {
    available += entry.amount_micro
    expect(available).toBeGreaterThanOrEqual(0)
  }
}

describe('a call for which other calls hold everything', () => {
  it('waits, and gets what the next one returns', async () => {
    const first = await books.held(key, 5000)
    const order: string[] = []
    const waiting = call(order, 'second', 300)
    await settle()
    expect(order).toEqual([])
    await books.resolve(first, 400)
    expect(await waiting).toMatchObject({ type: 'held', hold: { amountMicro: 300 } })
    await books.ledger.flush()
    expectCovered()
  })

  it('is served in the order of arrival, also when a later one would fit sooner', async () => {
    const holds = [await books.held(key, 900), await books.held(key, 100)]
    const order: string[] = []
    const waiting = [call(order, 'a', 2000), call(order, 'b', 1), call(order, 'c', 1)]
    await books.resolve(holds[1] ?? expect.fail(), 0)
    await settle()
    expect(order).toEqual([])
    await books.resolve(holds[0] ?? expect.fail(), 0)
    expect(await waiting[0]).toMatchObject({ type: 'held', promisedMicro: 1000 })
    await settle()
    expect(order).toEqual(['a held'])
    await books.topUp(key, 2, 'for two')
    await Promise.all(waiting)
    expect(order).toEqual(['a held', 'b held', 'c held'])
    await books.ledger.flush()
    expectCovered()
    expect(books.verify()).toMatchObject({ ok: true, openHolds: 3 })
  })

  it('does not overtake those who wait, even when something is free by then', async () => {
    const first = await books.held(key, 5000)
    const order: string[] = []
    const waiting = call(order, 'early', 100)
    const late = call(order, 'late', 100)
    await books.resolve(first, 950)
    await Promise.race([waiting, late])
    expect(order).toEqual(['early held'])
  })

  it('is told so when its patience ends', async () => {
    await open(30)
    const first = await books.held(key, 5000)
    const answer = await books.hold({ keyId: key, worstMicro: microCredits(1) })
    expect(answer).toMatchObject({ type: 'held-by-others', balance: { remainingMicro: 1000, heldMicro: 1000 } })
    await books.resolve(first, 0)
    expect(await books.held(key, 1)).toMatchObject({ amountMicro: 1 })
  })

  it('is told so at once when it does not want to wait', async () => {
    await open(0)
    await books.held(key, 5000)
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'held-by-others' })
  })

  it('leaves the queue when its client goes, and those behind it move up', async () => {
    const first = await books.held(key, 5000)
    const order: string[] = []
    const { cancellation, cancel } = cancellable()
    const gone = call(order, 'gone', 1000, cancellation)
    const next = call(order, 'next', 10)
    cancel()
    expect(await gone).toMatchObject({ type: 'held-by-others' })
    await books.resolve(first, 0)
    await next
    expect(order).toEqual(['gone held-by-others', 'next held'])
    cancel()
    expect(books.ledger.openHolds).toBe(1)
  })

  it('does not join the queue when its client is gone already', async () => {
    await books.held(key, 5000)
    expect(await books.hold({ keyId: key }, { isCancelled: true, onCancel: () => undefined })).toMatchObject({
      type: 'held-by-others',
    })
  })

  it('is refused with all the others when the credits are used up', async () => {
    const first = await books.held(key, 5000)
    const order: string[] = []
    const waiting = [call(order, 'a', 1), call(order, 'b', 1), call(order, 'c', 1)]
    await books.resolve(first, 1000)
    expect(await Promise.all(waiting)).toMatchObject([
      { type: 'exhausted' },
      { type: 'exhausted' },
      { type: 'exhausted' },
    ])
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'exhausted', balance: { remainingMicro: 0 } })
  })

  it('is refused after an overrun, and shown a balance of nothing rather than less', async () => {
    const first = await books.held(key, 5000)
    const waiting = books.hold({ keyId: key })
    await books.resolve(first, 1500)
    expect(await waiting).toMatchObject({ type: 'exhausted', balance: { remainingMicro: 0, usedMicro: 1500 } })
  })

  it('gets credits that are topped up meanwhile', async () => {
    await books.held(key, 5000)
    const waiting = books.hold({ keyId: key, worstMicro: microCredits(70) })
    await books.topUp(key, 50, 'too little')
    await books.topUp(key, 20, 'enough')
    expect(await waiting).toMatchObject({ type: 'held', hold: { amountMicro: 70 } })
    await books.ledger.flush()
    expectCovered()
  })

  it('gets credits of the next cycle when that has begun', async () => {
    key = await books.addKey(terms('daily', 1000))
    await books.held(key, 5000)
    const waiting = books.hold({ keyId: key, worstMicro: microCredits(70) })
    clock.nowMs += DAY
    books.ledger.balance(key)
    expect(await waiting).toMatchObject({ type: 'held', hold: { amountMicro: 70 } })
  })

  it('waits at most in a line of 64', async () => {
    const first = await books.held(key, 5000)
    const order: string[] = []
    const waiting = Array.from({ length: 64 }, (_, index) => call(order, String(index), 10))
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'held-by-others' })
    await books.resolve(first, 0)
    const answers = await Promise.all(waiting)
    expect(answers.every((answer) => answer.type === 'held')).toBe(true)
    expect(order).toEqual(Array.from({ length: 64 }, (_, index) => `${index} held`))
  })

  it('does not keep keys of others waiting', async () => {
    const other = await books.addKey(terms('topup', 10))
    await books.held(key, 5000)
    void books.hold({ keyId: key })
    expect(await books.held(other, 5)).toMatchObject({ amountMicro: 5 })
  })
})

describe('a call of a free model', () => {
  it('passes everybody and holds nothing', async () => {
    const first = await books.held(key, 5000)
    const waiting = books.hold({ keyId: key, worstMicro: microCredits(5) })
    expect(await books.hold({ keyId: key, isFree: true })).toMatchObject({ type: 'held', hold: { amountMicro: 0 } })
    await books.resolve(first, 1000)
    expect(await waiting).toMatchObject({ type: 'exhausted' })
    expect(await books.hold({ keyId: key, isFree: true })).toMatchObject({ type: 'held', hold: { amountMicro: 0 } })
  })
})

describe('50 calls at once on a balance that is enough for 10', () => {
  it('are admitted ten at a time', async () => {
    await open(20)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => books.hold({ keyId: key, worstMicro: microCredits(100) })),
    )
    expect(answers.filter((answer) => answer.type === 'held')).toHaveLength(10)
    expect(answers.filter((answer) => answer.type === 'held-by-others')).toHaveLength(40)
    expect(books.ledger.heldMicro).toBe(1000)
    await books.ledger.flush()
    expect(books.verify()).toMatchObject({ ok: true, openHolds: 10 })
  })
})

describe('while the disk refuses entries', () => {
  it('nobody is admitted, neither new calls nor those who wait', async () => {
    const holds = [await books.held(key, 600), await books.held(key, 400)]
    const waiting = books.hold({ keyId: key, worstMicro: microCredits(5) })
    isDiskFull = true
    await expect(books.resolve(holds[0] ?? expect.fail(), 0)).rejects.toThrow(JournalHalted)
    expect(books.ledger.state).toBe('halted')
    expect(await books.hold({ keyId: key })).toEqual({ type: 'halted' })
    await expect(books.resolve(holds[1] ?? expect.fail(), 0)).rejects.toThrow(JournalHalted)
    expect(books.ledger.openHolds).toBe(1)
    // The first resolution, before anybody knew, let the waiting call in.
    expect(await waiting).toMatchObject({ type: 'held' })
    const late = books.ledger.hold(
      {
        exchangeId: 'late',
        keyId: key,
        worstMicro: microCredits(1),
        leastMicro: microCredits(1),
        purses: [],
        isFree: false,
        modelId: 'm',
        priceVersion: 1,
      },
      NEVER,
    )
    expect(await late).toEqual({ type: 'halted' })
  })

  it('those who wait are told so when a place would become free', async () => {
    const holds = [await books.held(key, 600), await books.held(key, 400)]
    const elsewhere = await books.held(await books.addKey(terms('topup', 1000)), 100)
    isDiskFull = true
    await expect(books.resolve(holds[0] ?? expect.fail(), 600)).rejects.toThrow(JournalHalted)
    isDiskFull = false
    await books.ledger.flush()
    const waiting = books.hold({ keyId: key, worstMicro: microCredits(5) })
    isDiskFull = true
    await expect(books.resolve(elsewhere, 0)).rejects.toThrow(JournalHalted)
    await expect(books.resolve(holds[1] ?? expect.fail(), 0)).rejects.toThrow(JournalHalted)
    expect(await waiting).toEqual({ type: 'halted' })
  })
})
