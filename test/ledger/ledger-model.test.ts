import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Books, type SetClock } from './books.ts'
import { sequences, type Real } from './commands.ts'
import { Inspector } from './inspector.ts'
import { MemoryBooks } from './memory-books.ts'
import { Model } from './model.ts'
import { QuickInspector } from './quick-inspector.ts'

const isLong = process.env['FAREBOX_LONG_TESTS'] !== undefined
/** A day in the middle of a month, in a leap year. */
const START = Date.parse('2028-02-14T09:30:00Z')

const ON_DISK = { runs: isLong ? 1000 : 25, maxCommands: 80 }
const IN_MEMORY = { runs: isLong ? 2_000_000 : 100_000, maxCommands: 16 }

it(
  'the ledger keeps all its promises, whatever happens in whatever order',
  { timeout: isLong ? 3_600_000 : 120_000 },
  async () => {
    let steps = 0
    const property = fc.asyncProperty(sequences(ON_DISK.maxCommands), async (commands) => {
      const clock: SetClock = { nowMs: START }
      let books = await Books.open({ clock })
      const inspector = new Inspector()
      const real: Real = {
        books,
        clock,
        priceVersion: 1,
        holds: new Map(),
        async restart() {
          await books.stop()
          books = await Books.open({ dataDir: books.dataDir, clock })
          return books
        },
        inspect: (model, touched) => inspector.inspect(model, books, touched),
      }
      try {
        await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
        steps += [...commands].length
      } finally {
        await books.remove()
      }
    })
    await fc.assert(property, { numRuns: ON_DISK.runs })
    expect(steps).toBeGreaterThan(ON_DISK.runs)
  },
)

it('a hundred thousand short histories keep them too', { timeout: isLong ? 7_200_000 : 600_000 }, async () => {
  let steps = 0
  let histories = 0
  const property = fc.asyncProperty(sequences(IN_MEMORY.maxCommands), async (commands) => {
    const clock: SetClock = { nowMs: START }
    let books = MemoryBooks.open(clock)
    const inspector = new QuickInspector()
    const real: Real = {
      books,
      clock,
      priceVersion: 1,
      holds: new Map(),
      restart: async () => (books = await books.restart()),
      inspect: (model, touched) => inspector.inspect(model, books, touched),
    }
    try {
      await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
      histories += 1
      steps += [...commands].length
      // The same by the program's own check, from the tables; not each time, because it is slow.
      if (histories % 50 === 0) expect(books.verify()).toMatchObject({ ok: true, problems: [] })
    } finally {
      await books.ledger.flush()
      books.close()
    }
  })
  await fc.assert(property, { numRuns: IN_MEMORY.runs })
  expect(steps).toBeGreaterThan(5 * IN_MEMORY.runs)
})
