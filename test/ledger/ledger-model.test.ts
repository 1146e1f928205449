import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Books, type SetClock } from './books.ts'
import { sequences } from './commands.ts'
import { Inspector } from './inspector.ts'
import { MemoryBooks } from './memory-books.ts'
import { Model } from './model.ts'
import { QuickInspector } from './quick-inspector.ts'
import type { Real } from './step.ts'
import { isLong } from '../support/cases.ts'

// Both tests run the same commands against the same model. The first one on disk, with the writer thread, real files for
// backups and the program's own restore; it reads everything back after each step. The second one in memory, where a savepoint
// stands for a backup and going back to it for a restore: it tries what the ledger makes of books from before, by the ten
// thousand, and nothing of files.

/** A day in the middle of a month, in a leap year. */
const START = Date.parse('2028-02-14T09:30:00Z')

const ON_DISK = { runs: isLong ? 1000 : 15, maxCommands: 80 }
const IN_MEMORY = { runs: isLong ? 1_000_000 : 10_000, maxCommands: 16 }

it(
  'the ledger keeps all its promises, whatever happens in whatever order',
  { timeout: isLong ? 3_600_000 : 120_000 },
  async () => {
    let steps = 0
    let restores = 0
    const property = fc.asyncProperty(sequences(ON_DISK.maxCommands), async (commands) => {
      const clock: SetClock = { nowMs: START }
      let books = await Books.open({ clock })
      const inspector = new Inspector()
      const real: Real = {
        books,
        clock,
        priceVersion: 1,
        copiedPriceVersion: 1,
        holds: new Map(),
        async restart() {
          await books.stop()
          books = await Books.open({ dataDir: books.dataDir, clock })
          return books
        },
        async backUp() {
          await books.backUp()
          inspector.backedUp()
        },
        async restore() {
          books = await books.restore()
          inspector.restored()
          restores += 1
          return books
        },
        inspect: (model, touched) => inspector.inspect(model, books, touched),
      }
      try {
        await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
        steps += [...commands].length
        await books.ledger.flush()
        expect(books.rollupProblems()).toEqual([])
      } finally {
        await books.remove()
      }
    })
    await fc.assert(property, { numRuns: ON_DISK.runs })
    expect(steps).toBeGreaterThan(ON_DISK.runs)
    expect(restores).toBeGreaterThan(0)
    console.log(`${steps} steps on disk, ${restores} of them restores`)
  },
)

it(`${IN_MEMORY.runs} short histories keep them too`, { timeout: isLong ? 7_200_000 : 600_000 }, async () => {
  let steps = 0
  let restores = 0
  let histories = 0
  const property = fc.asyncProperty(sequences(IN_MEMORY.maxCommands), async (commands) => {
    const clock: SetClock = { nowMs: START }
    let books = MemoryBooks.open(clock)
    let inspector = new QuickInspector()
    const real: Real = {
      books,
      clock,
      priceVersion: 1,
      copiedPriceVersion: 1,
      holds: new Map(),
      restart: async () => (books = await books.restart()),
      backUp: () => books.backUp(),
      async restore() {
        books = await books.restore()
        inspector = new QuickInspector()
        restores += 1
        return books
      },
      inspect: (model, touched) => inspector.inspect(model, books, touched),
    }
    try {
      await fc.asyncModelRun(() => ({ model: new Model(), real }), commands)
      histories += 1
      steps += [...commands].length
      // The same by the program's own check, from the tables; not each time, because it is slow.
      if (histories % 50 === 0) {
        expect(books.verify()).toMatchObject({ ok: true, problems: [] })
        // What closed databases leave behind is only freed in a turn of the event loop.
        await setImmediate()
      }
    } finally {
      await books.ledger.flush()
      books.close()
    }
  })
  await fc.assert(property, { numRuns: IN_MEMORY.runs })
  expect(steps).toBeGreaterThan(5 * IN_MEMORY.runs)
  expect(restores).toBeGreaterThan(IN_MEMORY.runs / 1000)
  console.log(`${steps} steps in memory, ${restores} of them restores`)
})
