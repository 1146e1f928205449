import { expect, it } from 'vitest'
import { RecentCalls } from '#fleet/recent-calls.ts'

function scene() {
  const clock = { ms: 5_000_000 }
  return { clock, recent: new RecentCalls(() => clock.ms) }
}

it('says nothing of times before there was a call', () => {
  expect(scene().recent.figures).toEqual({ calls: 0, p50: null, p95: null })
})

it('counts the calls of the last minute, with the times of those that got a first byte', () => {
  const { clock, recent } = scene()
  recent.recorded([{ firstByteMs: 1000 }])
  clock.ms += 30_000
  for (let second = 0; second < 20; second += 1) {
    recent.recorded([{ firstByteMs: second === 0 ? 400 : 100 }, {}])
    clock.ms += 1000
  }
  expect(recent.figures.calls).toBe(41)
  // Classes of times are 5 % wide.
  expect(recent.figures.p50).toBeGreaterThan(97)
  expect(recent.figures.p50).toBeLessThan(103)
  expect(recent.figures.p95).toBeGreaterThan(390)
  clock.ms += 10_000
  // What was a minute ago does not count any more.
  expect(recent.figures.calls).toBe(40)
  clock.ms += 60_000
  expect(recent.figures).toEqual({ calls: 0, p50: null, p95: null })
})
