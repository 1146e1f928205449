// The memory of answers: what it finds again and for whom, and that it has bounds in size and in time.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeptAnswer } from '#dialect/dialect.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'

const HOUR_MS = 3_600_000

function answer(name: string, said = 'Good day.'): KeptAnswer {
  const text = JSON.stringify(said)
  const id = `msg_${name}`
  const items = () => [{ id, text }]
  return { id: `resp_${name}`, itemIds: [id], items, length: text.length, asked: '"Hi"', previousId: undefined }
}

/** The item of that id, as a key finds it. */
function itemOf(memory: AnswerMemory, key: string, id: string): string | undefined {
  return memory.of(key)?.withItem(id)?.items()[0]?.text
}

function newMemory(bounds = { perKey: 20_000, inAll: 50_000, perAnswer: 8_000 }, keptMs = HOUR_MS) {
  const now = { ms: 0 }
  return { now, memory: new AnswerMemory({ monotonicMs: () => now.ms, keptMs, bounds }) }
}

describe('an answer that is kept', () => {
  it('is found by its id, and its items by theirs', () => {
    const { memory } = newMemory()
    memory.keep('key', answer('a'))
    expect(memory.of('key')?.answer('resp_a')).toMatchObject({ id: 'resp_a', asked: '"Hi"' })
    expect(itemOf(memory, 'key', 'msg_a')).toBe('"Good day."')
    expect(itemOf(memory, 'key', 'msg_b')).toBeUndefined()
    expect(itemOf(memory, 'key', 'resp_a')).toBeUndefined()
  })

  it('is found by no other key', () => {
    const { memory } = newMemory()
    memory.keep('key', answer('a'))
    expect(memory.of('other')).toBeUndefined()
    memory.keep('other', answer('b'))
    expect(itemOf(memory, 'other', 'msg_a')).toBeUndefined()
    expect(memory.of('other')?.answer('resp_a')).toBeUndefined()
  })

  it('is forgotten when it was not used for as long as it may be kept', () => {
    const { memory, now } = newMemory()
    memory.keep('key', answer('a'))
    memory.keep('key', answer('b'))
    now.ms = HOUR_MS - 1
    expect(itemOf(memory, 'key', 'msg_a')).toBeDefined()
    now.ms = HOUR_MS
    expect(itemOf(memory, 'key', 'msg_b')).toBeUndefined()
    expect(itemOf(memory, 'key', 'msg_a')).toBeDefined()
    now.ms = 2 * HOUR_MS - 1
    memory.keep('other', answer('c'))
    expect(memory.of('key')).toBeDefined()
    now.ms = 2 * HOUR_MS
    expect(memory.of('key')).toBeUndefined()
    expect(memory.of('other')).toBeDefined()
    now.ms = 3 * HOUR_MS
    memory.sweep()
    expect(memory.bytes).toBe(0)
    expect(memory.of('key')).toBeUndefined()
  })

  it('is forgotten with its key, and nobody else is', () => {
    const { memory } = newMemory()
    memory.keep('key', answer('a'))
    memory.keep('other', answer('b'))
    memory.forget('key')
    memory.forget('nobody')
    expect(memory.of('key')).toBeUndefined()
    expect(itemOf(memory, 'other', 'msg_b')).toBeDefined()
  })
})

describe('an id that comes twice', () => {
  it('is that of the later answer, of one provider', () => {
    const { memory } = newMemory()
    memory.keep('key', { ...answer('a', 'One'), providerId: 'p' })
    const { bytes } = memory
    memory.keep('key', { ...answer('a', 'Two'), providerId: 'p' })
    expect(itemOf(memory, 'key', 'msg_a')).toBe('"Two"')
    expect(memory.bytes).toBe(bytes)
    // Another answer with the same item, which is forgotten with the later one alone.
    memory.keep('key', { ...answer('a', 'Three'), id: 'resp_b', providerId: 'p' })
    expect(itemOf(memory, 'key', 'msg_a')).toBe('"Three"')
    memory.forget('key')
    expect(memory.bytes).toBe(0)
  })

  it('stays that of the earlier answer where another provider, or we, gave that', () => {
    const { memory } = newMemory()
    memory.keep('key', answer('a', 'Ours'))
    memory.keep('key', { ...answer('a', 'Theirs'), providerId: 'p' })
    memory.keep('key', { ...answer('a', 'Theirs'), id: 'resp_b', providerId: 'q' })
    expect(itemOf(memory, 'key', 'msg_a')).toBe('"Ours"')
    expect(memory.of('key')?.answer('resp_a')?.providerId).toBeUndefined()
  })
})

describe('the bounds', () => {
  it('make room for a new answer with those of its key that were not used for longest', () => {
    const { memory } = newMemory()
    const long = 'x'.repeat(2000)
    for (const name of ['a', 'b', 'c']) memory.keep('key', answer(name, long))
    itemOf(memory, 'key', 'msg_a')
    memory.keep('key', answer('d', long))
    const found = ['a', 'b', 'c', 'd'].filter((name) => itemOf(memory, 'key', `msg_${name}`) !== undefined)
    expect(found).toEqual(['a', 'c', 'd'])
  })

  it('make room, where the memory is full, among the answers of the key that uses most', () => {
    const { memory } = newMemory({ perKey: 20_000, inAll: 30_000, perAnswer: 8_000 })
    memory.keep('small', answer('s'))
    const long = 'x'.repeat(2000)
    for (let index = 0; index < 20; index += 1)
      for (const key of ['one', 'two']) memory.keep(key, answer(`${key}${index}`, long))
    expect(memory.bytes).toBeGreaterThan(20_000)
    expect(itemOf(memory, 'small', 'msg_s')).toBe('"Good day."')
    memory.keep('new', answer('n', long))
    expect(itemOf(memory, 'new', 'msg_n')).toBeDefined()
    expect(itemOf(memory, 'small', 'msg_s')).toBeDefined()
    // The last that a heavy key was told is still there, its first is not.
    expect([itemOf(memory, 'two', 'msg_two19'), itemOf(memory, 'two', 'msg_two0')]).toEqual([
      JSON.stringify(long),
      undefined,
    ])
  })

  it('leave out what was asked where it is too long, and an answer that is too long itself', () => {
    const { memory } = newMemory()
    memory.keep('key', { ...answer('a'), asked: 'x'.repeat(5000) })
    memory.keep('key', answer('b', 'x'.repeat(5000)))
    expect(memory.of('key')?.answer('resp_a')).toMatchObject({ id: 'resp_a', asked: undefined })
    expect(memory.of('key')?.answer('resp_b')).toBeUndefined()
  })

  it('count the id that an answer went on from, and keep nothing where that is longer than any id', () => {
    const { memory } = newMemory()
    memory.keep('key', answer('a'))
    const { bytes } = memory
    memory.keep('key', { ...answer('a'), previousId: 'x'.repeat(256) })
    expect(memory.bytes).toBe(bytes + 2 * 256)
    memory.keep('key', { ...answer('b'), previousId: 'x'.repeat(257) })
    expect(memory.of('key')?.answer('resp_b')).toBeUndefined()
  })

  it('may be such that nothing is kept', () => {
    const { memory } = newMemory(undefined, 0)
    memory.keep('key', answer('a'))
    expect(memory.of('key')).toBeUndefined()
  })

  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    act: fc.constantFrom('keep', 'keep', 'keep', 'use', 'forget', 'wait'),
    length: fc.integer({ min: 0, max: 4000 }),
  })

  it('hold in every history, and what is forgotten leaves nothing behind', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const bounds = { perKey: 12_000, inAll: 30_000, perAnswer: 7_000 }
        const { memory, now } = newMemory(bounds)
        const sizes = new Map<string, string>()
        for (const [index, { key, act, length }] of steps.entries()) {
          const text = 'y'.repeat(length)
          if (act === 'keep') memory.keep(key, answer(`${key}${index}`, text))
          if (act === 'keep') sizes.set(`msg_${key}${index}`, JSON.stringify(text))
          if (act === 'use') for (const id of [...sizes.keys()].slice(-3)) itemOf(memory, key, id)
          if (act === 'forget') memory.forget(key)
          if (act === 'wait') now.ms += HOUR_MS / 3
          expect(memory.bytes).toBeLessThanOrEqual(bounds.inAll)
          for (const one of ['a', 'b', 'c', 'd']) {
            const own = [...sizes].filter(([id]) => itemOf(memory, one, id) !== undefined)
            // A key finds its own alone, as they were.
            for (const [id, said] of own) expect([id[4], itemOf(memory, one, id)]).toEqual([one, said])
            expect(own.reduce((sum, [, said]) => sum + 2 * said.length, 0)).toBeLessThanOrEqual(bounds.perKey)
          }
        }
        for (const one of ['a', 'b', 'c', 'd']) memory.forget(one)
        expect(memory.bytes).toBe(0)
      }),
    )
  })
})
