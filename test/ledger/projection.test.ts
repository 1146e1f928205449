// When the tables follow the journal: before anybody reads, soon after calls, and never while the disk refuses them in silence.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Projection } from '#ledger/projection.ts'
import type { LedgerBatch } from '#ledger/rows.ts'

const EMPTY: LedgerBatch = { entries: [], usage: [], balances: [] }

let projected: number[]
let written: LedgerBatch[]
let refusal: Error | undefined
let release: (() => void) | undefined
let isSlow: boolean
let journal: FakeJournal
let projection: Projection

/** The journal's files in memory. */
class FakeJournal {
  lastFrame = 0
  projectedFrame = 0
  bytesOfFrame = 1000
  texts: string[] = []
  mostLength = 1000

  get pendingBytes(): number {
    return (this.lastFrame - this.projectedFrame) * this.bytesOfFrame
  }

  fits(text: string): boolean {
    return text.length <= this.mostLength
  }

  append(text: string): Promise<void> {
    this.lastFrame += 1
    this.texts.push(text)
    return Promise.resolve()
  }

  projected(frame: number): void {
    this.projectedFrame = frame
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

async function project(frame: number): Promise<void> {
  if (isSlow) await new Promise<void>((resolve) => (release = resolve))
  if (refusal !== undefined) throw refusal
  projected.push(frame)
}

function write(batch: LedgerBatch): Promise<void> {
  if (refusal !== undefined) return Promise.reject(refusal)
  written.push(batch)
  return Promise.resolve()
}

beforeEach(() => {
  vi.useFakeTimers()
  projected = []
  written = []
  refusal = undefined
  isSlow = false
  journal = new FakeJournal()
  projection = new Projection({ journal, project, write, monotonicMs: () => performance.now() })
})

afterEach(async () => {
  isSlow = false
  release?.()
  await projection.close()
  vi.useRealTimers()
})

async function append(count: number): Promise<void> {
  for (let times = 0; times < count; times++) await projection.append(EMPTY)
}

describe('the tables follow', () => {
  it('a lone call within a tenth of a second, and many within one', async () => {
    await append(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(projected).toEqual([1])
    await append(200)
    await vi.advanceTimersByTimeAsync(100)
    expect(projected).toEqual([1, 201])
    await append(200)
    await vi.advanceTimersByTimeAsync(999)
    expect(projected).toEqual([1, 201])
    await vi.advanceTimersByTimeAsync(1)
    expect(projected).toEqual([1, 201, 401])
  })

  it('at once when the journal is long', async () => {
    journal.bytesOfFrame = 9 * 1024 * 1024
    await append(1)
    await vi.advanceTimersByTimeAsync(0)
    expect(projected).toEqual([1])
  })

  it('before a reader, with everything that was appended when it asked', async () => {
    await append(3)
    await projection.upToDate()
    expect(projected).toEqual([3])
    await projection.upToDate()
    expect(projected).toEqual([3])
  })

  it('a reader who asks while they are being written with what was appended since', async () => {
    isSlow = true
    await append(1)
    const first = projection.upToDate()
    await append(1)
    const second = projection.upToDate()
    isSlow = false
    release?.()
    await first
    await second
    expect(projected).toEqual([1, 2])
  })

  it('many readers in one transaction', async () => {
    await append(5)
    await Promise.all(Array.from({ length: 50 }, () => projection.upToDate()))
    expect(projected).toEqual([5])
  })
})

describe('a batch that is too long for the journal', () => {
  const long: LedgerBatch = { ...EMPTY, entries: Array.from({ length: 300 }, () => [] as never) }

  it('goes straight into the tables, behind everything that was appended before', async () => {
    journal.mostLength = 100
    await append(2)
    await projection.append(long)
    expect(projected).toEqual([2])
    expect(written).toEqual([long])
    expect(journal.texts).toHaveLength(2)
    await append(1)
    await projection.upToDate()
    expect(projected).toEqual([2, 3])
  })

  it('is refused where the tables refuse it, and can be tried again', async () => {
    journal.mostLength = 100
    refusal = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    await expect(projection.append(long)).rejects.toThrow('full')
    refusal = undefined
    await projection.append(long)
    expect(written).toEqual([long])
  })
})

describe('while the disk refuses', () => {
  it('what is in the journal stays, more is refused, and all of it is projected when there is room', async () => {
    await append(2)
    refusal = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    await expect(projection.upToDate()).rejects.toThrow('full')
    await expect(projection.append(EMPTY)).rejects.toThrow('full')
    expect(journal.lastFrame).toBe(2)
    // A reader is shown what there is.
    await projection.settled()
    refusal = undefined
    await append(1)
    await projection.upToDate()
    expect(projected).toEqual([2, 3])
  })

  it('it is tried again each second, also where nobody calls', async () => {
    await append(1)
    refusal = new Error('full')
    await vi.advanceTimersByTimeAsync(3500)
    refusal = undefined
    await vi.advanceTimersByTimeAsync(1000)
    expect(projected).toEqual([1])
  })

  it('nothing is added where the tables are far behind', async () => {
    journal.bytesOfFrame = 65 * 1024 * 1024
    isSlow = true
    await append(1)
    let isDone = false
    const waiting = append(1).then(() => (isDone = true))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isDone).toBe(false)
    isSlow = false
    release?.()
    await waiting
    expect(projected[0]).toBe(1)
  })
})

it('nothing is added once it is closed', async () => {
  await append(1)
  await projection.close()
  await expect(projection.append(EMPTY)).rejects.toThrow('closed')
  expect(journal.lastFrame).toBe(1)
})

it('where something of the ledger is missing, nothing is added to it, and readers are not kept waiting', async () => {
  const stopped = new Projection({ journal: undefined, project, write, monotonicMs: () => 0 })
  await expect(stopped.append(EMPTY)).rejects.toThrow('missing')
  await stopped.upToDate()
  await stopped.close()
  expect(projected).toEqual([])
})
