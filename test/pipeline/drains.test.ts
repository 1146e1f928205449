import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Drains } from '#pipeline/drains.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('answers that are read on without their clients', () => {
  it('are given up after a minute', () => {
    const giveUp = vi.fn()
    new Drains().begin(giveUp)
    vi.advanceTimersByTime(59_999)
    expect(giveUp).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(giveUp).toHaveBeenCalledOnce()
  })

  it('may read 16 MiB and not a byte more', () => {
    const drain = new Drains().begin(() => {})
    expect(drain?.take(16 * 1024 * 1024)).toBe(true)
    expect(drain?.take(1)).toBe(false)
  })

  it('are no more than 16 at a time; one that ends makes room', () => {
    const drains = new Drains()
    const begun = Array.from({ length: 16 }, () => drains.begin(() => {}))
    expect(begun).not.toContain(undefined)
    expect(drains.begin(() => {})).toBeUndefined()
    begun[3]?.close()
    expect(drains.size).toBe(15)
    expect(drains.begin(() => {})).toBeDefined()
  })

  it('leave no timer behind when they end in time', () => {
    const giveUp = vi.fn()
    new Drains().begin(giveUp)?.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('all end with the program, and none begins any more', () => {
    const drains = new Drains()
    const giveUps = [vi.fn(), vi.fn()]
    for (const giveUp of giveUps) drains.begin(giveUp)
    drains.close()
    for (const giveUp of giveUps) expect(giveUp).toHaveBeenCalledOnce()
    expect(drains.begin(() => {})).toBeUndefined()
  })
})
