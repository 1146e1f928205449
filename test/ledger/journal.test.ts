import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyFolder } from '#app/verify-folder.ts'
import { microCredits } from '#core/money.ts'
import { openAccount } from '#ledger/account.ts'
import { Journal, JournalHalted } from '#ledger/journal.ts'
import { batchText } from '#ledger/batch-text.ts'
import { entryRow, type LedgerBatch, type LedgerEntry } from '#ledger/rows.ts'
import { JOURNAL_FILES } from '#store/journal-frames.ts'
import { Books, terms, type SetClock } from './books.ts'

const START = Date.parse('2028-02-14T09:30:00Z')
const MANY = 200

const ENTRY: LedgerEntry = {
  keyId: 'k',
  kind: 'adjustment',
  amountMicro: microCredits(5),
  cycleStartedAtMs: START,
  createdAtMs: START,
  reason: 'test',
  idempotencyId: 'x',
}

let clock: SetClock
let books: Books
let key: string
let batches: LedgerBatch[]
let gate: Promise<void>
let turns = 0

beforeEach(async () => {
  clock = { nowMs: START }
  batches = []
  const turn = (turns += 1)
  gate = Promise.resolve()
  books = await Books.open({
    clock,
    around: (append) => async (batch) => {
      // A journal whose disk refused goes on trying after its test is over.
      if (turn === turns) batches.push(batch)
      await gate
      return append(batch)
    },
  })
  key = await books.addKey(terms('topup', 1_000_000))
  batches = []
})

afterEach(async () => {
  await books.remove()
})

/** Keeps batches on their way to the disk until it is called. */
function closeGate(): () => void {
  let open: () => void = () => undefined
  gate = new Promise((resolve) => {
    open = resolve
  })
  return () => {
    gate = Promise.resolve()
    open()
  }
}

function storedKinds(): string[] {
  return books.rows<{ kind: string }>('SELECT kind FROM ledger_entry ORDER BY seq').map((row) => row.kind)
}

/** Runs until something holds, which the journal's own retries bring about. */
async function until(holds: () => boolean): Promise<void> {
  for (let count = 0; count < 1000 && !holds(); count++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(holds()).toBe(true)
}

describe('a settlement', () => {
  it('is on disk when it is acknowledged', async () => {
    const hold = await books.held(key, 100)
    await books.resolve(hold, 40)
    expect(storedKinds()).toEqual(['grant', 'hold', 'settle'])
    expect(books.rows('SELECT charge_micro FROM usage_record WHERE id = ?', hold.exchangeId)).toEqual([
      { charge_micro: 40 },
    ])
    expect(books.rows('SELECT available_micro, used_micro FROM balance')).toEqual([
      { available_micro: 999_960, used_micro: 40 },
    ])
  })

  it('is not acknowledged before', async () => {
    const hold = await books.held(key, 100)
    const openGate = closeGate()
    let isDone = false
    const done = books.resolve(hold, 40).then(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isDone).toBe(false)
    expect(storedKinds()).not.toContain('settle')
    openGate()
    await done
  })
})

describe('holds alone', () => {
  it('are written without anybody waiting for them', async () => {
    await books.held(key, 100)
    await until(() => storedKinds().includes('hold'))
  })
})

describe('what is decided while a batch is on its way', () => {
  it('goes together in the next one', async () => {
    const holds = await Promise.all(Array.from({ length: MANY }, () => books.held(key, 10)))
    await books.ledger.flush()
    batches = []
    const openGate = closeGate()
    const done = holds.map((hold) => books.resolve(hold, 5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(batches).toHaveLength(1)
    openGate()
    await Promise.all(done)
    expect(batches).toHaveLength(2)
    expect(batches.reduce((sum, batch) => sum + batch.entries.length, 0)).toBe(MANY)
    expect(batches.reduce((sum, batch) => sum + batch.usage.length, 0)).toBe(MANY)
    expect(batches[1]?.balances).toHaveLength(1)
  })

  it('shares its transactions: many calls at once need few of them', async () => {
    const holds = await Promise.all(Array.from({ length: MANY }, () => books.held(key, 10)))
    batches = []
    await Promise.all(holds.map((hold) => books.resolve(hold, 5)))
    expect(batches.length).toBeLessThan(MANY / 10)
    expect(books.verify().ok).toBe(true)
  })

  it('is written in the order in which it was decided', async () => {
    const decided: string[] = []
    const jobs = Array.from({ length: 20 }, async () => {
      for (let count = 0; count < 10; count++) {
        const hold = await books.held(key, 10)
        decided.push(`hold ${hold.exchangeId}`)
        const done = books.resolve(hold, 1)
        decided.push(`settle ${hold.exchangeId}`)
        await done
      }
    })
    await Promise.all(jobs)
    const stored = books.rows<{ entry: string }>(
      `SELECT kind || ' ' || exchange_id AS entry FROM ledger_entry WHERE exchange_id IS NOT NULL ORDER BY seq`,
    )
    expect(new Set(stored.map((row) => row.entry))).toEqual(new Set(decided))
    for (const { entry } of stored.filter((row) => row.entry.startsWith('settle'))) {
      const hold = stored.findIndex((row) => row.entry === entry.replace('settle', 'hold'))
      expect(hold).toBeLessThan(stored.findIndex((row) => row.entry === entry))
    }
  })
})

describe('while calls come in parallel', () => {
  let sent: LedgerBatch[]
  let journal: Journal
  const account = openAccount('k', terms('topup', 1000), START)[0]

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] })
    sent = []
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  /** A journal at a disk that takes so long for each transaction, after a batch of many calls. */
  async function afterMany(transactionMs: number): Promise<void> {
    journal = new Journal((batch) => {
      sent.push(batch)
      return Promise.resolve(transactionMs)
    })
    for (let count = 0; count < 60; count++) await many()
    sent = []
  }

  /** So many that they are taken for parallel ones: the first of them goes alone, the others together. */
  async function many(): Promise<void> {
    const commits = Array.from({ length: 4 }, () => commit())
    await vi.advanceTimersByTimeAsync(5)
    await Promise.all(commits)
  }

  function commit(): Promise<void> {
    return journal.commit(account, [ENTRY])
  }

  it('a batch gathers for about as long as a transaction takes', async () => {
    await afterMany(1.2)
    void commit()
    await vi.advanceTimersByTimeAsync(0)
    void commit()
    expect(sent).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toHaveLength(1)
  })

  it('a batch gathers for 2 ms at a disk that is slow', async () => {
    await afterMany(500)
    void commit()
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toHaveLength(1)
  })

  it('a batch gathers for one turn of the event loop at a disk that is faster than any timer', async () => {
    await afterMany(0.2)
    void commit()
    void commit()
    await Promise.resolve()
    expect(sent).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toHaveLength(1)
  })

  it('a call that is alone again is sent at once', async () => {
    await afterMany(500)
    await Promise.all([commit(), vi.advanceTimersByTimeAsync(2)])
    sent = []
    void commit()
    expect(sent).toHaveLength(1)
  })
})

describe('a flush', () => {
  it('with nothing to write writes nothing', async () => {
    await books.ledger.flush()
    expect(batches).toEqual([])
  })

  it('waits for what is on its way and for what has gathered', async () => {
    const openGate = closeGate()
    const hold = await books.held(key, 100)
    const done = books.resolve(hold, 1)
    await books.held(key, 100)
    const flushed = books.ledger.flush()
    openGate()
    await flushed
    expect(storedKinds()).toEqual(['grant', 'hold', 'settle', 'hold'])
    await done
  })
})

describe('while the disk refuses', () => {
  it('whoever waits is told, nothing is lost, and everything is written when it takes rows again', async () => {
    const holds = await Promise.all(Array.from({ length: 5 }, () => books.held(key, 100)))
    await books.ledger.flush()
    const allowEntries = books.refuseEntries()
    const settled = await Promise.allSettled(holds.slice(0, 3).map((hold) => books.resolve(hold, 10)))
    expect(settled.map((result) => result.status === 'rejected' && result.reason instanceof JournalHalted)).toEqual([
      true,
      true,
      true,
    ])
    expect(books.ledger.state).toBe('halted')

    // What happens meanwhile is decided in memory, kept, and not acknowledged.
    for (const hold of holds.slice(3)) await expect(books.resolve(hold, 20)).rejects.toThrow(JournalHalted)
    // A top-up is not: whoever is told that it failed can rely on that.
    await expect(books.topUp(key, 500, 'late')).rejects.toThrow(JournalHalted)
    expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 70, totalMicro: 1_000_000, heldMicro: 0 })
    expect(storedKinds()).toEqual(['grant', 'hold', 'hold', 'hold', 'hold', 'hold'])
    expect(books.verify()).toMatchObject({ ok: true, openHolds: 5, usageRecords: 0 })

    allowEntries()
    await until(() => books.ledger.state === 'ok')
    await books.ledger.flush()
    expect(storedKinds().slice(6)).toEqual(Array.from({ length: 5 }, () => 'settle'))
    expect(books.verify()).toMatchObject({ ok: true, openHolds: 0, usageRecords: 5 })
    expect(await books.held(key, 100)).toMatchObject({ amountMicro: 100 })
  })

  it('it is tried again and again, and each time those who came meanwhile are told', async () => {
    const hold = await books.held(key, 100)
    await books.ledger.flush()
    const allowEntries = books.refuseEntries()
    await expect(books.resolve(hold, 10)).rejects.toThrow(JournalHalted)
    const tries = batches.length
    await expect(books.ledger.flush()).rejects.toThrow(JournalHalted)
    await until(() => batches.length >= tries + 2)
    expect(books.ledger.state).toBe('halted')
    allowEntries()
    await until(() => books.ledger.state === 'ok')
    await books.ledger.flush()
    expect(storedKinds()).toEqual(['grant', 'hold', 'settle'])
  })

  it('a top-up that was not acknowledged can be repeated, and counts once', async () => {
    const allowEntries = books.refuseEntries()
    for (let count = 0; count < 2; count++) await expect(books.topUp(key, 500, 'one')).rejects.toThrow('no room')
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1_000_000 })
    allowEntries()
    await books.ledger.flush()
    expect(storedKinds()).toEqual(['grant'])
    await books.topUp(key, 500, 'one')
    expect(storedKinds()).toEqual(['grant', 'adjustment'])
    expect(books.ledger.balance(key)).toMatchObject({ totalMicro: 1_000_500 })
  })

  it('a process that ends then leaves nothing half-written behind', async () => {
    const holds = await Promise.all([books.held(key, 100), books.held(key, 100)])
    await books.ledger.flush()
    const allowEntries = books.refuseEntries()
    for (const hold of holds) await expect(books.resolve(hold, 30)).rejects.toThrow(JournalHalted)
    await books.stop()
    allowEntries()
    books = await Books.open({ dataDir: books.dataDir, clock })
    expect([books.mismatches, books.released]).toEqual([[], 2])
    expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 0, heldMicro: 0, requestCount: 2 })
    expect(books.verify()).toMatchObject({ ok: true, openHolds: 0, usageRecords: 2 })
  })
})

it('that is stopped gives up what the disk refuses, and tells whoever waits', async () => {
  const tries: number[] = []
  const journal = new Journal(() => {
    tries.push(1)
    return Promise.reject(new Error('no room'))
  })
  const [account] = openAccount('k', terms('topup', 10), START)
  await expect(journal.commit(account, [ENTRY])).rejects.toThrow(JournalHalted)
  journal.stop()
  await expect(journal.commit(account, [ENTRY])).rejects.toThrow(JournalHalted)
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(tries).toHaveLength(1)
})

it('that cannot write for long takes no new calls, so that what gathers has a bound', async () => {
  const journal = new Journal(() => new Promise(() => undefined))
  const [account] = openAccount('k', terms('topup', 10), START)
  void journal.commit(account, [ENTRY])
  for (let count = 0; count < 20_000; count++) journal.add(account, [ENTRY])
  expect(journal.isHalted).toBe(false)
  journal.add(account, [ENTRY])
  expect(journal.isHalted).toBe(true)
})

describe('a batch', () => {
  it('that is appended again changes nothing', async () => {
    const hold = await books.held(key, 100)
    await books.resolve(hold, 40)
    await books.topUp(key, 5, 'x')
    const before = books.rows('SELECT * FROM ledger_entry, balance')
    for (const batch of batches) await books.append(batch)
    const after = books.rows('SELECT * FROM ledger_entry, balance')
    expect(after.length).toBe(before.length)
    // An older batch brings back an older projection; the newest one brings back the present.
    expect(after).toEqual(before)
    expect(books.verify().ok).toBe(true)
  })

  it('with one row that does not fit is not passed over: nothing more is spent, also after a start', async () => {
    const sound: LedgerEntry = {
      keyId: key,
      kind: 'adjustment',
      amountMicro: microCredits(5),
      cycleStartedAtMs: START,
      createdAtMs: START,
      reason: 'test',
      idempotencyId: 'x',
    }
    const entries = [entryRow(sound), entryRow({ ...sound, keyId: 'nobody' })]
    await books.append({ entries, usage: [], balances: [] })
    await expect(books.append({ entries: [], usage: [], balances: [] })).rejects.toThrow('FOREIGN KEY')
    expect(storedKinds()).toEqual(['grant'])
    await books.stop()
    books = await Books.open({ dataDir: books.dataDir, clock })
    expect(books.mismatches.join()).toContain(
      'frame 1 of the journal is about something that the database does not have',
    )
    expect(books.ledger.state).toBe('mismatch')
    expect(storedKinds()).toEqual(['grant'])
  })

  const sound = (amountMicro: number): LedgerEntry => ({
    keyId: key,
    kind: 'adjustment',
    amountMicro: microCredits(amountMicro),
    cycleStartedAtMs: START,
    createdAtMs: START,
    reason: 'test',
    idempotencyId: String(amountMicro),
  })
  const textOf = (entry: LedgerEntry) => batchText({ entries: [entryRow(entry)], usage: [], balances: [] })
  const reopened = async () => (books = await Books.open({ dataDir: books.dataDir, clock }))

  it('that does not fit is named by its own number, and those before it are not lost for it', async () => {
    const bad = textOf({ ...sound(7), keyId: 'nobody' })
    const frame = await books.stopWith([textOf(sound(5)), textOf(sound(6)), bad, textOf(sound(8))])
    await reopened()
    expect(books.mismatches.join()).toContain(`frame ${frame + 3} of the journal is about something`)
    expect(storedKinds()).toEqual(['grant', 'adjustment', 'adjustment'])
  })

  it('of a version whose texts had no number is read', async () => {
    await books.resolve(await books.held(key, 100), 40)
    const [balance] = batches.flatMap(({ balances }) => balances).slice(-1)
    const [keyId, cycle, available, granted, ...rest] = balance ?? expect.fail('there is no balance')
    const balances = [[keyId, cycle, available + 5, granted + 5, ...rest]]
    await books.stopWith([JSON.stringify([[entryRow(sound(5))], [], balances])])
    await reopened()
    expect(books.mismatches).toEqual([])
    expect(storedKinds().at(-1)).toBe('adjustment')
  })

  it('of a copy of the folder is not taken for its own', async () => {
    await books.stop()
    const copy = `${books.dataDir}-copy`
    cpSync(books.dataDir, copy, { recursive: true })
    const twin = await Books.open({ dataDir: copy, clock })
    const frame = await twin.stopWith([textOf(sound(5))])
    expect(await books.stopWith([])).toBe(frame)
    for (const name of JOURNAL_FILES) cpSync(join(copy, name), join(books.dataDir, name))
    rmSync(copy, { recursive: true })
    await reopened()
    expect(books.mismatches.join()).toContain('are of another database than the one beside them')
    expect(storedKinds()).toEqual(['grant'])
  })

  it('behind a gap is missed by the check too, also where a power cut left the note behind', async () => {
    const frame = await books.stopWith([textOf(sound(5)), textOf(sound(6)), textOf(sound(8))])
    const note = readFileSync(join(books.dataDir, 'farebox.tail'))
    writeFileSync(join(books.dataDir, 'farebox.tail'), note.subarray(0, 96))
    const [file] = JOURNAL_FILES
    const bytes = readFileSync(join(books.dataDir, file))
    bytes.write('#', bytes.indexOf('"6"'))
    writeFileSync(join(books.dataDir, file), bytes)
    const says = `frames ${frame + 2} to ${frame + 3} of the journal had been written and are gone`
    expect(verifyFolder(books.dataDir)?.problems.join()).toContain(says)
    await reopened()
    expect(books.mismatches.join()).toContain(says)
  })

  it('of a newer version is left to that one', async () => {
    const newer = JSON.stringify([4, { entries: [] }])
    const frame = await books.stopWith([newer])
    for (let start = 0; start < 2; start++) {
      await reopened()
      expect(books.mismatches).toEqual([
        `frame ${frame + 1} of the journal was written by a newer Farebox, which can go on from it`,
      ])
      await books.stop()
    }
  })
})
