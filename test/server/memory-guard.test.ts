import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { MemoryGuard, type MemoryReading } from '#server/memory-guard.ts'

const MIB = 1024 * 1024
const PLENTY: MemoryReading = {
  heapUsed: 50 * MIB,
  heapLimit: 1000 * MIB,
  rss: 100 * MIB,
  limit: 1000 * MIB,
  available: 900 * MIB,
}

/** The answer to a request with some headers. */
function ask(guard: MemoryGuard, headers: Readonly<Record<string, string>>) {
  const response = new EventEmitter()
  return { refusal: guard.take({ headers }, response as never), end: () => response.emit('close') }
}
const ofLength = (bytes: number) => ({ 'content-length': String(bytes) })

describe('the bodies of the calls that are being served', () => {
  it('are refused beyond the budget, with a time to come again, and taken when others have ended', () => {
    const guard = new MemoryGuard(() => PLENTY, 100)
    const first = ask(guard, ofLength(60))
    expect(first.refusal).toBeUndefined()
    expect(ask(guard, ofLength(41)).refusal).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    expect(ask(guard, ofLength(40)).refusal).toBeUndefined()
    first.end()
    expect(guard.bodyBytes).toBe(40)
    expect(ask(guard, ofLength(60)).refusal).toBeUndefined()
  })

  it('count for something also where they do not say how long they are', () => {
    const guard = new MemoryGuard(() => PLENTY, 10 * MIB)
    const chunked = () => ask(guard, { 'transfer-encoding': 'chunked' }).refusal
    expect(Array.from({ length: 10 }, chunked)).toEqual(Array.from({ length: 10 }, () => undefined))
    expect(chunked()).toMatchObject({ code: 'overloaded' })
  })

  it('may together be a quarter of what the process may have, and never less than two of the largest', () => {
    const limits = [1000 * MIB, 100 * MIB] as const
    const [large, small] = limits.map((limit) => new MemoryGuard(() => ({ ...PLENTY, limit })))
    expect(ask(large as MemoryGuard, ofLength(250 * MIB)).refusal).toBeUndefined()
    expect(ask(large as MemoryGuard, ofLength(1)).refusal).toMatchObject({ code: 'overloaded' })
    expect(ask(small as MemoryGuard, ofLength(64 * MIB)).refusal).toBeUndefined()
  })
})

describe('what is left of memory', () => {
  it.each<[string, Partial<MemoryReading>]>([
    ['the heap is nearly full', { heapUsed: 920 * MIB }],
    ['the process has nearly all that it may have', { rss: 900 * MIB }],
    ['the system has nothing more to give', { available: 31 * MIB }],
  ])('refuses every call while %s, and none when it is over', (_, shortage) => {
    let reading = PLENTY
    const guard = new MemoryGuard(() => reading, 100 * MIB)
    reading = { ...PLENTY, ...shortage }
    guard.look()
    expect(guard.isShort).toBe(true)
    expect(ask(guard, {}).refusal).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    reading = PLENTY
    guard.look()
    expect(ask(guard, {}).refusal).toBeUndefined()
  })

  it('is enough where nobody set a limit', () => {
    const guard = new MemoryGuard(() => ({ ...PLENTY, rss: 5000 * MIB, limit: undefined }), MIB)
    guard.look()
    expect(guard.isShort).toBe(false)
  })

  it('is enough on the machine that runs this', () => {
    const guard = new MemoryGuard()
    guard.look()
    expect(guard.isShort).toBe(false)
  })
})
