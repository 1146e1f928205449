import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cycleStart } from '#core/cycle.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { CycleCount } from '#pipeline/cycle-count.ts'

const DAY = 86_400_000
const START = Date.parse('2028-02-14T12:00:00Z')

it.each(['daily', 'monthly'] as const)(
  'a %s count is that of before once a clock that was wrong is right again',
  (cycle) => {
    let nowMs = START
    const count = new CycleCount({ nowMs: () => nowMs, timeZone: 'Europe/Berlin' }, cycle)
    count.close(ZERO, microCredits(7))
    const { endsAtMs } = count
    for (const wrongMs of [31 * DAY, 365 * DAY, -400 * DAY, 10 * 365 * DAY]) {
      nowMs = START + wrongMs
      count.close(ZERO, microCredits(wrongMs > 0 ? 5 : 0))
      nowMs = START + 2000
      expect(count).toMatchObject({ chargedMicro: 7, takenMicro: 7, endsAtMs })
    }
    nowMs = endsAtMs
    expect(count.chargedMicro).toBe(cycle === 'monthly' ? 5 : 0)
  },
)

it('whatever the clock does, a day that was charged never counts less than what it was charged, and ends when its time is over', () => {
  const steps = fc.array(
    fc.record({
      byMs: fc.oneof(
        fc.constantFrom(1000, -1000, DAY, -DAY, 365 * DAY, -365 * DAY),
        fc.integer({ min: -3 * DAY, max: 3 * DAY }),
      ),
      chargedMicro: fc.nat(100),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(steps, fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'), (all, timeZone) => {
      let nowMs = START
      const count = new CycleCount({ nowMs: () => nowMs, timeZone })
      for (const { byMs, chargedMicro } of all) {
        nowMs += byMs
        const beforeMicro = count.chargedMicro
        count.close(ZERO, microCredits(chargedMicro))
        const dayMs = cycleStart('daily', timeZone, nowMs)
        expect(count.chargedMicro).toBe(beforeMicro + chargedMicro)
        expect(count.endsAtMs > nowMs && cycleStart('daily', timeZone, count.endsAtMs - 1) === dayMs).toBe(true)
        // Away by a moment, into another day, and back.
        nowMs += 400 * DAY
        count.close(ZERO, microCredits(1))
        nowMs -= 400 * DAY
        expect(count.chargedMicro).toBe(beforeMicro + chargedMicro)
      }
    }),
    { numRuns: 300 },
  )
})
