// What a gateway tells PostgreSQL, without one.

import { expect, it } from 'vitest'
import { FleetUnreachable, type Value } from '#fleet/connection.ts'
import { LeaseBook, type Sum } from '#fleet/lease-book.ts'
import { Shipping } from '#fleet/shipping.ts'

const CHARGE = 10

/** A gateway with entries of one key, of which `inTables` can be told at once. */
function scene({ entries, inTables = entries, leases = 0 }: { entries: number; inTables?: number; leases?: number }) {
  const state = { entries, inTables, isBroken: false, isUnreadable: false, hasWaited: false }
  const batches: { readonly from: Value; readonly upTo: Value; readonly handed: number }[] = []
  const book = new LeaseBook({
    monotonicMs: () => 0,
    cycleOf: () => 1,
    changed: () => {},
    charged: () => {},
  })
  book.leased(Array.from({ length: leases }, (_, index) => [`key ${index}`, 1, 5] as const))
  const charged = (seq: number, most: number) => {
    const upTo = Math.min(state.inTables, seq + most)
    const sums: Sum[] = upTo > seq ? [['paying', 1, (upTo - seq) * CHARGE]] : []
    return { upTo, sums, isAll: upTo === state.inTables }
  }
  const shipping = new Shipping({
    seat: {
      inTurn: (work) => work(undefined as never),
      async say(_name, [from = null, upTo = null, , handed]) {
        if (state.isBroken) throw new FleetUnreachable(undefined)
        batches.push({ from, upTo, handed: (JSON.parse(String(handed)) as unknown[]).length })
        return {}
      },
      lose: () => {},
    },
    own: {
      async chargedAfter({ seq, most }) {
        if (state.isUnreadable) throw new Error('the disk does not answer')
        state.hasWaited = true
        state.inTables = state.entries
        return charged(seq, most)
      },
      chargedLately: async ({ seq, most }) => ({ ...charged(seq, most), isCurrent: state.inTables === state.entries }),
    },
    book,
    queue: { isCountedOn: () => false },
    changed: () => {},
  })
  const join = () => shipping.joined({ lastEntry: 0, shipped: 0, leases: [], version: 1, usageSeq: 0 })
  return { state, batches, book, shipping, join }
}

it('tells what is in the tables without waiting for the rest, and the rest when it is there', async () => {
  const { state, batches, shipping, join } = scene({ entries: 9, inTables: 4 })
  await join()
  await shipping.ship('lately')
  await shipping.ship('lately')
  expect(batches).toEqual([{ from: 0, upTo: 4, handed: 0 }])
  state.inTables = 9
  await shipping.ship('lately')
  await shipping.ship('lately')
  expect(batches.at(-1)).toEqual({ from: 4, upTo: 9, handed: 0 })
  expect([batches.length, state.hasWaited]).toEqual([2, false])
})

it('waits for everything where another gateway does', async () => {
  const { batches, shipping, join } = scene({ entries: 9, inTables: 4 })
  await join()
  await shipping.ship('all')
  expect(batches).toEqual([{ from: 0, upTo: 9, handed: 0 }])
})

it('tells less at once where a batch did not arrive, until batches arrive again', async () => {
  const { state, batches, shipping, join } = scene({ entries: 12_000 })
  await join()
  state.isBroken = true
  for (let times = 0; times < 3; times += 1) await expect(shipping.ship('all')).rejects.toThrow(FleetUnreachable)
  await join()
  state.isBroken = false
  await shipping.ship('all')
  const sizes = batches.map(({ from, upTo }) => Number(upTo) - Number(from))
  expect(sizes[0]).toBeLessThan(100)
  expect(Math.max(...sizes)).toBeGreaterThan(2000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(12_000)
})

it('keeps what it would give back, and what it has to tell, where its own books cannot be read', async () => {
  const { state, batches, book, shipping, join } = scene({ entries: 9, leases: 3 })
  await join()
  book.untold([['paying', 1, 9 * CHARGE]])
  state.isUnreadable = true
  await expect(shipping.ship('end')).rejects.toThrow('the disk does not answer')
  expect(batches).toEqual([])
  state.isUnreadable = false
  await shipping.ship('all')
  expect(batches).toEqual([{ from: 0, upTo: 9, handed: 0 }])
  await shipping.ship('end')
  expect(batches.at(-1)).toEqual({ from: 9, upTo: 9, handed: 3 })
})

it('gives back all of very many leases at its end, a thousand at a time', async () => {
  const { batches, shipping, join } = scene({ entries: 0, leases: 2500 })
  await join()
  await shipping.ship('end')
  expect(batches.map(({ handed }) => handed)).toEqual([1000, 1000, 500])
})
