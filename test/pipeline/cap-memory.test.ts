import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { CapMemory, IGNORED_CAP_KEPT_MS } from '#pipeline/cap-memory.ts'
import { mostTokensAt } from '#pipeline/credit-guard.ts'
import { modelOf, providerOf } from './support.ts'

const provider = providerOf('chat-completions')
const [target] = modelOf('chat-completions').targets
if (target === undefined) throw new Error('a model has no target')
const places = [{ provider, target }]

let monotonicMs: number
let wallMs: number
let caps: CapMemory

beforeEach(() => {
  monotonicMs = 0
  wallMs = Date.UTC(2027, 0, 1)
  caps = new CapMemory({ nowMs: () => wallMs, monotonicMs: () => monotonicMs })
})

describe('a target that answered beyond its cap', () => {
  beforeEach(() => caps.note(target, { cap: 50, outputTokens: 4000 }))

  it('is known with its longest answer, and when it is forgotten', () => {
    caps.note(target, { cap: 50, outputTokens: 100 })
    expect(caps.of(target)).toEqual({ cap: 50, outputTokens: 4000, atMs: wallMs })
    expect(caps.longest(places)).toMatchObject({ outputTokens: 4000, forgottenAtMs: wallMs + IGNORED_CAP_KEPT_MS })
    expect(caps.ignoring(target)).toEqual({ bytesPerToken: 0 })
  })

  it('is forgotten by time alone, also where the clock was wrong when it was noted', () => {
    wallMs += 365 * 86_400_000
    caps.note(target, { cap: 50, outputTokens: 4000 })
    wallMs -= 365 * 86_400_000
    monotonicMs += IGNORED_CAP_KEPT_MS - 1
    expect(caps.ignoring(target)).toBeDefined()
    monotonicMs += 1
    expect([caps.of(target), caps.ignoring(target), caps.longest(places)]).toEqual([undefined, undefined, undefined])
  })

  it.each([50, 51, mostTokensAt(50)])(
    'is forgotten after 20 answers that met their cap with %d tokens',
    (outputTokens) => {
      for (let answers = 1; answers < 20; answers++) caps.note(target, { cap: 50, outputTokens })
      expect(caps.of(target)).toBeDefined()
      caps.note(target, { cap: 50, outputTokens })
      expect(caps.of(target)).toBeUndefined()
    },
  )

  it('is not forgotten for answers that are shorter than their cap, which say nothing', () => {
    for (let answers = 0; answers < 100; answers++) caps.note(target, { cap: 50, outputTokens: 49 })
    expect(caps.of(target)).toBeDefined()
  })

  it('goes by the most bytes that it reported a token for', () => {
    caps.noteCount(target, { textBytes: 1600, outputTokens: 100 })
    caps.noteCount(target, { textBytes: 400, outputTokens: 100 })
    caps.noteCount(target, { textBytes: 4000, outputTokens: 1 })
    expect(caps.ignoring(target)).toEqual({ bytesPerToken: 16 })
  })
})

it('a target that counts a little beyond its cap is held for as much, and is not taken to ignore it', () => {
  caps.note(target, { cap: 100, outputTokens: mostTokensAt(100) })
  expect([caps.longest(places)?.outputTokens, caps.ignoring(target)]).toEqual([mostTokensAt(100), undefined])
})

it('whatever happened, a target is forgotten when it has not gone beyond its cap for a while', () => {
  const answers = fc.array(fc.record({ cap: fc.integer({ min: 1, max: 1e4 }), outputTokens: fc.nat(1e5) }), {
    maxLength: 50,
  })
  fc.assert(
    fc.property(answers, fc.nat(1e9), (all, jumpMs) => {
      for (const answer of all) caps.note(target, answer)
      wallMs += jumpMs
      monotonicMs += IGNORED_CAP_KEPT_MS
      expect(caps.longest(places)).toBeUndefined()
    }),
  )
})
