// What administrators change about accounts is on disk or did not happen, whatever calls do to the account meanwhile.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { Books, terms, type SetClock } from './books.ts'

const START = Date.parse('2028-02-14T09:30:00Z')

let clock: SetClock
let books: Books
let key: string
/** What becomes of the batches that are sent. */
let disk: { gate: Promise<void>; sent: number; fullFrom: number }

beforeEach(async () => {
  clock = { nowMs: START }
  disk = { gate: Promise.resolve(), sent: 0, fullFrom: Infinity }
  books = await Books.open({
    clock,
    around: (append) => async (batch) => {
      disk.sent += 1
      const isRefused = disk.sent >= disk.fullFrom
      await disk.gate
      if (isRefused) throw new Error('disk full')
      return append(batch)
    },
  })
  key = await books.addKey(terms('topup', 1000))
  disk.sent = 0
})

afterEach(async () => {
  disk.fullFrom = Infinity
  await books.ledger.flush().catch(() => undefined)
  await books.remove()
})

/** Keeps what is sent on its way until it is called. */
function closeGate(): () => void {
  let open: () => void = () => undefined
  disk.gate = new Promise((resolve) => {
    open = resolve
  })
  return () => {
    disk.gate = Promise.resolve()
    open()
  }
}

/** Resolves when so many batches were sent. */
async function sent(count: number): Promise<void> {
  await expect.poll(() => disk.sent, { interval: 2 }).toBe(count)
}

async function expectSound(): Promise<void> {
  await books.ledger.flush()
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
  const { totalMicro, usedMicro, heldMicro } = books.ledger.balance(key)
  const rows = books.rows<{ granted_micro: number; used_micro: number; available_micro: number }>(
    'SELECT granted_micro, used_micro, available_micro FROM balance WHERE key_id = ?',
    key,
  )
  expect(rows).toEqual([
    {
      granted_micro: totalMicro,
      used_micro: usedMicro,
      available_micro: (totalMicro ?? 0) - (usedMicro ?? 0) - heldMicro,
    },
  ])
}

describe('a top-up', () => {
  it('is nobody\u2019s to spend before it is on disk', async () => {
    const open = closeGate()
    const done = books.topUp(key, 500, 'one')
    await sent(1)
    const hold = await books.held(key, 2000)
    expect(hold.amountMicro).toBe(1000)
    open()
    await done
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1500, heldMicro: 1000 })
    await books.resolve(hold, 700)
    await expectSound()
  })

  it('that the disk refuses has not happened, and charges that went with it have', async () => {
    const holds = [await books.held(key, 100), await books.held(key, 100)]
    await books.ledger.flush()
    disk.sent = 0
    disk.fullFrom = 2
    const open = closeGate()
    const [first, second] = holds.map((hold) => books.resolve(hold, 60))
    await sent(1)
    const done = books.topUp(key, 500, 'one')
    open()
    await expect(done).rejects.toThrow('disk full')
    await Promise.allSettled([first, second])
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1000, usedMicro: 120 })
    disk.fullFrom = Infinity
    await expect.poll(() => books.ledger.state, { timeout: 5000 }).toBe('ok')
    await expectSound()
    expect(books.rows(`SELECT 1 FROM ledger_entry WHERE kind = 'adjustment'`)).toEqual([])
  })

  it('that is asked for twice at the same time counts once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => books.topUp(key, 500, 'one')))
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1500 })
    await Promise.all(['two', 'three', 'four'].map((id) => books.topUp(key, 1, id)))
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1503 })
    await expectSound()
  })

  it('lets those go on who wait for credits', async () => {
    const patient = await Books.open({ clock, holdWaitMs: 60_000 })
    try {
      const poor = await patient.addKey(terms('topup', 100))
      const hold = await patient.held(poor, 100)
      const waiting = patient.hold({ keyId: poor, worstMicro: microCredits(50) })
      await patient.topUp(poor, 80, 'one')
      expect(await waiting).toMatchObject({ type: 'held' })
      await patient.resolve(hold, 1)
    } finally {
      await patient.remove()
    }
  })
})

describe('a change of a package', () => {
  it('that the disk refuses has changed neither the accounts nor the catalogue', async () => {
    const other = await books.addKey(terms('topup', 1000))
    disk.fullFrom = 0
    const requests = [key, other].map((keyId) => ({ keyId, terms: terms('topup', 9000), reason: 'test' }))
    const rows = [{ type: 'delete-invite', codeHash: 'none' } as const]
    await expect(books.ledger.changeTermsTogether(requests, rows)).rejects.toThrow('disk full')
    for (const keyId of [key, other]) expect(books.ledger.balance(keyId)).toMatchObject({ totalMicro: 1000 })
    disk.fullFrom = Infinity
    await expectSound()
    expect(books.rows('SELECT count(*) AS count FROM ledger_entry')).toEqual([{ count: 2 }])
  })

  it('that forgets what was used lapses what calls did while it was on its way', async () => {
    const before = await books.held(key, 300)
    await books.ledger.flush()
    disk.sent = 0
    const open = closeGate()
    const done = books.changeTerms(key, terms('topup', 2000), true)
    await sent(1)
    // One call ends and one begins, both in the cycle that ends with the change.
    const resolved = books.resolve(before, 100)
    const during = await books.held(key, 50)
    open()
    await Promise.all([done, resolved])
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 2000, usedMicro: 0, heldMicro: 0 })
    await books.resolve(during, 20)
    await expectSound()
  })

  it('to another kind, while calls begin and end, keeps every cycle whole', async () => {
    for (let round = 0; round < 30; round++) {
      const holds = [await books.held(key, 40), await books.held(key, 70)]
      const type = round % 2 === 0 ? 'daily' : 'topup'
      const done = books.changeTerms(key, terms(type, 1000 + round), round % 3 === 0)
      const [first, second] = holds
      const ended = first === undefined ? undefined : books.resolve(first, round)
      holds.push(await books.held(key, 90))
      await done
      await ended
      if (second !== undefined) await books.resolve(second, 70)
      const last = holds[2]
      if (last !== undefined) await books.resolve(last, 200)
      clock.nowMs += 7_200_000
      await expectSound()
    }
  })
})
