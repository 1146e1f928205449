import { describe, expect, it } from 'vitest'
import { MemoryGuard, type MemoryReading } from '#server/bodies/memory-guard.ts'

const MIB = 1024 * 1024
const PLENTY: MemoryReading = {
  heapUsed: 50 * MIB,
  heapLimit: 1000 * MIB,
  external: 10 * MIB,
  rss: 100 * MIB,
  limit: 1000 * MIB,
  available: 900 * MIB,
}

/** A guard whose readings can be changed, and what it did about them. */
function watched(first: MemoryReading, budget = 100 * MIB) {
  const scene = { reading: first, collections: 0, afterCollection: undefined as MemoryReading | undefined }
  const guard = new MemoryGuard({
    read: () => scene.reading,
    budget,
    collect() {
      scene.collections += 1
      scene.reading = scene.afterCollection ?? scene.reading
    },
  })
  guard.look()
  return { guard, scene }
}

describe('the bodies of all requests', () => {
  it('keep a call out by what its head announces, with a time to come again, while there is no room for it', () => {
    const { guard } = watched(PLENTY, 100)
    const share = guard.bodies.open(() => undefined)
    expect(share.add(60)).toBe(true)
    expect(guard.refusal(41)).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    expect(guard.refusal(40)).toBeUndefined()
    expect(guard.bodyBytes).toBe(60)
    share.end()
    expect(guard.bodyBytes).toBe(0)
    expect(guard.refusal(100)).toBeUndefined()
  })

  it.each([
    ['a quarter of what the process may have', { limit: 1000 * MIB, heapLimit: 9000 * MIB }, 250],
    ['never less than two of the largest', { limit: 100 * MIB, heapLimit: 9000 * MIB }, 64],
    ['a twelfth of the heap, where that is less', { limit: 9000 * MIB, heapLimit: 552 * MIB }, 46],
    ['little where the heap is small', { limit: 9000 * MIB, heapLimit: 120 * MIB }, 10],
  ])('may together be %s', (_, sizes, mib) => {
    const guard = new MemoryGuard({ read: () => ({ ...PLENTY, ...sizes }) })
    const small = Array.from({ length: mib }, () => guard.bodies.open(() => undefined).add(MIB))
    expect(small.every((hasRoom) => hasRoom)).toBe(true)
    expect(guard.refusal(1)).toMatchObject({ code: 'overloaded' })
    expect(new MemoryGuard({ read: () => ({ ...PLENTY, ...sizes }) }).refusal(0.7 * mib * MIB)).toBeUndefined()
  })
})

describe('what is left of memory', () => {
  it.each<[string, Partial<MemoryReading>]>([
    ['the heap is nearly full', { heapUsed: 920 * MIB }],
    ['heap and buffers are nearly all that it may have', { external: 850 * MIB, rss: 950 * MIB }],
    ['the system has nothing more to give', { available: 31 * MIB }],
  ])('refuses every call while %s, and none when it is over', (_, shortage) => {
    const { guard, scene } = watched(PLENTY)
    scene.reading = { ...PLENTY, ...shortage }
    guard.look()
    expect(guard.isShort).toBe(true)
    expect(guard.refusal(0)).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    scene.reading = PLENTY
    guard.look()
    expect(guard.refusal(0)).toBeUndefined()
  })

  it.each<[string, Partial<MemoryReading>]>([
    ['and the process has its limit', { rss: 990 * MIB }],
    ['and the system nothing more to give', { rss: 990 * MIB, available: 0 }],
  ])('is enough where what an attack left behind is held but not used, %s', (_, left) => {
    const { guard, scene } = watched(PLENTY)
    scene.reading = { ...PLENTY, ...left }
    guard.look()
    expect(guard.isShort).toBe(false)
    expect(scene.collections).toBe(0)
  })

  it('is enough where collecting finds that most of a full heap is not used any more', () => {
    const { guard, scene } = watched(PLENTY)
    scene.reading = { ...PLENTY, heapUsed: 950 * MIB, rss: 990 * MIB }
    scene.afterCollection = { ...PLENTY, rss: 990 * MIB }
    guard.look()
    expect(guard.isShort).toBe(false)
    expect(scene.collections).toBe(1)
  })

  it('is collected for now and then only while it is short, because that stops everything', () => {
    const { guard, scene } = watched(PLENTY)
    scene.reading = { ...PLENTY, heapUsed: 950 * MIB }
    for (let looks = 0; looks < 10; looks++) guard.look()
    expect(guard.isShort).toBe(true)
    expect(scene.collections).toBe(4)
  })

  it('is enough where nobody set a limit', () => {
    const { guard, scene } = watched({ ...PLENTY, limit: undefined })
    scene.reading = { ...PLENTY, external: 4000 * MIB, rss: 5000 * MIB, limit: undefined }
    guard.look()
    expect(guard.isShort).toBe(false)
  })

  it('is enough on the machine that runs this', () => {
    const guard = new MemoryGuard()
    guard.look()
    expect(guard.isShort).toBe(false)
  })
})
