import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Books, type SetClock } from './books.ts'
import { sequences, type Real } from './commands.ts'
import { Inspector } from './inspector.ts'
import { Model } from './model.ts'

const isLong = process.env['FAREBOX_LONG_TESTS'] !== undefined
const NUM_RUNS = isLong ? 1000 : 25
/** A day in the middle of a month, in a leap year. */
const START = Date.parse('2028-02-14T09:30:00Z')

it(
  'the ledger keeps all its promises, whatever happens in whatever order',
  { timeout: isLong ? 3_600_000 : 120_000 },
  async () => {
    let steps = 0
    await fc.assert(
      fc.asyncProperty(sequences, async (commands) => {
        const clock: SetClock = { nowMs: START }
        const real: Real = { books: await Books.open({ clock }), clock, inspector: new Inspector(), holds: new Map() }
        try {
          await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
          steps += [...commands].length
        } finally {
          await real.books.remove()
        }
      }),
      { numRuns: NUM_RUNS },
    )
    expect(steps).toBeGreaterThan(NUM_RUNS)
  },
)
