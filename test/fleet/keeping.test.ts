// When an answer may end whose charge has to be in PostgreSQL, and when a call waits for a connection that is being made anew. Without a PostgreSQL.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after } from '#app/after.ts'
import { microCredits } from '#core/money.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { Keeping } from '#fleet/keeping.ts'
import { LeaseBook } from '#fleet/lease-book.ts'
import { holderOf, LeaseQueue, type TakeAnswer } from '#fleet/lease-queue.ts'

const PATIENCE_MS = 5000
const monotonicMs = () => performance.now()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an answer whose charge has to be in PostgreSQL', () => {
  function scene() {
    const state = { isReachable: true, tellings: 0 }
    const under: PromiseWithResolvers<void>[] = []
    const keeping = new Keeping({
      tell() {
        state.tellings += 1
        if (!state.isReachable) return Promise.reject(new FleetUnreachable(undefined))
        const telling = Promise.withResolvers<void>()
        under.push(telling)
        return telling.promise
      },
      isReachable: () => state.isReachable,
      failed: () => {},
      monotonicMs,
      after,
      patienceMs: () => PATIENCE_MS,
    })
    const said: string[] = []
    const end = (name: string) => void keeping.isKept().then((is) => said.push(`${name} ${is ? 'kept' : 'not kept'}`))
    /** The batch that is under way arrives. */
    const arrive = async () => {
      under.shift()?.resolve()
      await vi.advanceTimersByTimeAsync(0)
    }
    return { state, keeping, said, end, arrive }
  }

  it('ends with the batch that was read after it was charged, together with all others that wait', async () => {
    const { state, said, end, arrive } = scene()
    end('a')
    end('b')
    end('c')
    expect([state.tellings, said]).toEqual([1, []])
    await arrive()
    // What the batch of `a` had read is not known of the others.
    expect([state.tellings, said]).toEqual([2, ['a kept']])
    await arrive()
    expect([state.tellings, said]).toEqual([2, ['a kept', 'b kept', 'c kept']])
    end('d')
    await arrive()
    expect([state.tellings, said.at(-1)]).toEqual([3, 'd kept'])
  })

  it('waits for PostgreSQL to be back, and for a bounded time', async () => {
    const { state, said, end, arrive } = scene()
    state.isReachable = false
    end('a')
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1000)
    end('b')
    expect(said).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(said).toEqual(['a not kept'])
    state.isReachable = true
    await vi.advanceTimersByTimeAsync(100)
    await arrive()
    expect(said).toEqual(['a not kept', 'b kept'])
  })

  it('waits no longer for a batch that nobody hears of', async () => {
    const { said, end } = scene()
    end('a')
    await vi.advanceTimersByTimeAsync(PATIENCE_MS + 100)
    expect(said).toEqual(['a not kept'])
  })

  it('is looked at before it is charged: at once where PostgreSQL can be asked, else when it is back', async () => {
    const { state, keeping } = scene()
    expect(keeping.canKeep()).toBe(true)
    state.isReachable = false
    const [never, later] = [vi.fn(), vi.fn()]
    void Promise.resolve(keeping.canKeep()).then(never)
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 100)
    void Promise.resolve(keeping.canKeep()).then(later)
    await vi.advanceTimersByTimeAsync(200)
    expect([never.mock.calls, later.mock.calls]).toEqual([[[false]], []])
    state.isReachable = true
    await vi.advanceTimersByTimeAsync(100)
    expect(later.mock.calls).toEqual([[true]])
  })
})

describe('a call that needs a lease', () => {
  const HOLD = microCredits(100)
  const REQUEST = {
    exchangeId: 'call',
    keyId: 'key',
    worstMicro: HOLD,
    leastMicro: HOLD,
    purses: [],
    isFree: false,
    modelId: 'm',
    priceVersion: 1,
  }

  /** A queue whose connection was lost and can be asked again after a while. */
  function scene({ backAfterMs, isUnsteady }: { backAfterMs: number; isUnsteady: boolean }) {
    const book = new LeaseBook({ monotonicMs, cycleOf: () => 1, changed: () => {}, charged: () => {} })
    const held = { type: 'held', promisedMicro: HOLD } as never
    const backAtMs = monotonicMs() + backAfterMs
    const queue = new LeaseQueue({
      book,
      holder: holderOf({
        balance: () => ({}) as never,
        holdAtOnce: () => (book.present('key').leasedMicro >= HOLD ? held : undefined),
        hold: () => Promise.resolve(held),
      }),
      async take(): Promise<TakeAnswer> {
        if (monotonicMs() < backAtMs) return { type: 'unavailable' }
        book.leased([['key', 1, HOLD]])
        return { type: 'asked', gotMicro: HOLD, freeMicro: 0, elsewhereMicro: 0 }
      },
      monotonicMs,
      after,
      patienceMs: () => PATIENCE_MS,
      isUnsteady: () => isUnsteady,
    })
    const answers: string[] = []
    void queue.hold(REQUEST, { isCancelled: false, onCancel: () => {} }).then(({ type }) => answers.push(type))
    return answers
  }

  it('waits while the connection is being made anew', async () => {
    const answers = scene({ backAfterMs: 700, isUnsteady: true })
    await vi.advanceTimersByTimeAsync(600)
    expect(answers).toEqual([])
    await vi.advanceTimersByTimeAsync(400)
    expect(answers).toEqual(['held'])
  })

  it('is refused at once where PostgreSQL is gone, and where its patience is over', async () => {
    const gone = scene({ backAfterMs: 700, isUnsteady: false })
    await vi.advanceTimersByTimeAsync(1)
    expect(gone).toEqual(['unavailable'])
    const never = scene({ backAfterMs: 10 * PATIENCE_MS, isUnsteady: true })
    await vi.advanceTimersByTimeAsync(PATIENCE_MS + 400)
    expect(never).toEqual(['unavailable'])
  })
})
