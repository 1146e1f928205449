import { beforeEach, describe, expect, it } from 'vitest'
import { WaitQueue, type Cancellation, type Look } from '#core/wait-queue.ts'
import type { CallNote } from '#core/waiting.ts'

const PATIENCE_MS = 1000
const STAYS: Cancellation = { isCancelled: false, onCancel: () => undefined }

type Wish = CallNote & { readonly amount: number; readonly blocks: 'key' | 'line' }
type Timer = { readonly atMs: number; readonly callback: () => void }

let nowMs: number
let timers: Set<Timer>
let patienceMs: number
let free: number
/** When more is free by itself. */
let overAtMs: number | undefined
let looks: number
let order: string[]
let queue: WaitQueue<Wish, string, string>
let calls: number

beforeEach(() => {
  nowMs = 0
  timers = new Set()
  patienceMs = PATIENCE_MS
  free = 0
  overAtMs = undefined
  looks = 0
  order = []
  calls = 0
  queue = new WaitQueue({
    nowMs: () => nowMs,
    after: (ms, callback) => {
      const timer = { atMs: nowMs + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    get patienceMs() {
      return patienceMs
    },
    maxOfKey: 64,
    look,
    refuse: (_, hindrance) => `refused: ${hindrance}`,
    reasonOf: (hindrance) => ({ type: 'provider', providerId: hindrance }),
  })
})

function look({ amount, blocks }: Wish): Look<string, string> {
  looks += 1
  if (amount > free) return { type: 'wait', blocks, hindrance: `${amount} of ${free}`, overAtMs }
  free -= amount
  return { type: 'answer', answer: 'in' }
}

/** A call in the line `line`; its answer is noted in the order in which the answers come. */
function join(amount: number, { keyId = 'one', blocks = 'line', cancellation = STAYS }: Partial<Joining> = {}) {
  calls += 1
  const exchangeId = `call ${calls}`
  const wish: Wish = { exchangeId, keyId, modelId: 'm', amount, blocks }
  return queue.join(wish, 'line', cancellation).then((answer) => order.push(`${exchangeId} ${answer}`))
}
type Joining = { keyId: string; blocks: Wish['blocks']; cancellation: Cancellation }

/** Moves the clock, and calls every timer that is due meanwhile. */
function pass(ms: number): void {
  const untilMs = nowMs + ms
  for (;;) {
    const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).toSorted((one, other) => one.atMs - other.atMs)
    if (next === undefined) break
    timers.delete(next)
    nowMs = next.atMs
    next.callback()
  }
  nowMs = untilMs
}

async function told(): Promise<readonly string[]> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  return order
}

function give(amount: number): void {
  free += amount
  queue.serveLine('line')
}

/** A client that can go. */
function leaving() {
  const callbacks: (() => void)[] = []
  const cancellation = { isCancelled: false, onCancel: (callback: () => void) => void callbacks.push(callback) }
  return { cancellation, leave: () => callbacks.forEach((callback) => callback()) }
}

describe('those who wait', () => {
  it('do not wait where there is enough', async () => {
    free = 5
    void join(5)
    expect(await told()).toEqual(['call 1 in'])
    expect([queue.length, queue.hasLine('line'), timers.size]).toEqual([0, false, 0])
  })

  it('go on in the order in which they came, a small call not before a large one', async () => {
    for (const amount of [10, 1, 2]) void join(amount)
    give(9)
    expect(await told()).toEqual([])
    give(2)
    expect(await told()).toEqual(['call 1 in', 'call 2 in'])
    give(2)
    expect(await told()).toEqual(['call 1 in', 'call 2 in', 'call 3 in'])
    expect([queue.length, timers.size]).toEqual([0, 0])
  })

  it('let the other keys pass where their own key alone is what holds them up, and not its own calls', async () => {
    void join(10, { blocks: 'key' })
    void join(1, { keyId: 'two' })
    void join(1)
    give(5)
    expect(await told()).toEqual(['call 2 in'])
    expect(queue.length).toBe(2)
  })

  it('are looked at no further than somebody who lets nobody pass', async () => {
    for (const amount of [10, 1, 1, 1]) void join(amount)
    looks = 0
    give(1)
    expect(looks).toBe(1)
  })

  it('are looked at when something came back to their key, in whichever lines they wait', async () => {
    void join(3)
    const wish = { exchangeId: 'other', keyId: 'one', modelId: 'm', amount: 2, blocks: 'line' } as const
    void queue.join(wish, 'another line', STAYS).then((answer) => order.push(`other ${answer}`))
    free = 5
    queue.serveSource('two')
    expect(await told()).toEqual([])
    queue.serveSource('one')
    expect(await told()).toEqual(['call 1 in', 'other in'])
  })
})

describe('whoever gives up', () => {
  it('does so when the patience is over, after a last look', async () => {
    void join(4)
    pass(PATIENCE_MS - 1)
    expect(await told()).toEqual([])
    void join(4)
    free = 4
    pass(1)
    expect(await told()).toEqual(['call 1 in'])
    free = 3
    pass(PATIENCE_MS)
    expect(await told()).toEqual(['call 1 in', 'call 2 refused: 4 of 3'])
    expect(timers.size).toBe(0)
  })

  it('lets those behind it go on', async () => {
    const { cancellation, leave } = leaving()
    void join(10, { cancellation })
    void join(1)
    give(5)
    leave()
    expect(await told()).toEqual(['call 1 refused: 10 of 5', 'call 2 in'])
    leave()
    pass(PATIENCE_MS)
    expect(await told()).toHaveLength(2)
  })

  it('never waits where it has gone before', async () => {
    void join(10, { cancellation: { isCancelled: true, onCancel: () => undefined } })
    expect(await told()).toEqual(['call 1 refused: 10 of 0'])
    expect([queue.length, timers.size]).toEqual([0, 0])
  })
})

describe('a line', () => {
  it('holds 64 calls of a key where that is its bound', async () => {
    for (let count = 0; count < 65; count++) void join(1)
    expect(await told()).toEqual(['call 65 refused: 1 of 0'])
    expect(queue.length).toBe(64)
  })

  it('holds 256 calls of all keys', async () => {
    for (let count = 0; count < 257; count++) void join(1, { keyId: `key ${count}` })
    expect(await told()).toEqual(['call 257 refused: 1 of 0'])
    expect(queue.length).toBe(256)
  })

  it('is looked at again at the moment at which something is over by itself', async () => {
    overAtMs = 300
    void join(2)
    pass(100)
    void join(1)
    expect(timers.size).toBe(3)
    free = 3
    overAtMs = undefined
    pass(199)
    expect(await told()).toEqual([])
    pass(1)
    expect(await told()).toEqual(['call 1 in', 'call 2 in'])
    expect(timers.size).toBe(0)
  })

  it('says who waits for what, since when and until when, and when the first goes on where that is known', () => {
    overAtMs = 700
    void join(10, { blocks: 'key' })
    pass(100)
    void join(10, { keyId: 'two', blocks: 'key' })
    void join(1)
    const reason = { type: 'provider', providerId: '10 of 0' }
    const call = { exchangeId: 'call 1', keyId: 'one', modelId: 'm', reason }
    expect(queue.waitingCalls()).toEqual([
      { ...call, place: 1, sinceMs: 0, expectedAtMs: 700, untilMs: 1000 },
      { ...call, exchangeId: 'call 2', keyId: 'two', place: 1, sinceMs: 100, expectedAtMs: 700, untilMs: 1100 },
      { ...call, exchangeId: 'call 3', place: 2, sinceMs: 100, expectedAtMs: undefined, untilMs: 1100 },
    ])
  })

  it('is for as long as the patience was when it came', async () => {
    void join(1)
    patienceMs = 100
    void join(1, { keyId: 'two' })
    expect(queue.waitingCalls().map(({ untilMs }) => untilMs)).toEqual([PATIENCE_MS, 100])
    pass(999)
    expect(await told()).toEqual(['call 2 refused: 1 of 0'])
    pass(1)
    expect(await told()).toEqual(['call 2 refused: 1 of 0', 'call 1 refused: 1 of 0'])
  })
})
