// Holds the promises of the ledger against the rows that it wrote, after every step. It looks at each row once and compares
// plain numbers, because it does so millions of times; `inspector.ts` is the one that reads everything from a disk.

import { balanceView } from '#catalog/views.ts'
import { microCredits } from '#core/money.ts'
import { USAGE_COLUMNS, type BalanceRow, type LedgerBatch } from '#ledger/rows.ts'
import type { MemoryBooks } from './memory-books.ts'
import type { Model, ModelKey } from './model.ts'

type Entry = LedgerBatch['entries'][number]

const USAGE = USAGE_COLUMNS.split(', ')
const [CHARGE, IS_OVERRUN] = [USAGE.indexOf('charge_micro'), USAGE.indexOf('is_overrun')]

export class QuickInspector {
  #seen = 0
  readonly #sums = new Map<string, number>()
  readonly #cycles = new Map<string, Map<number, number>>()
  readonly #balances = new Map<string, BalanceRow>()
  readonly #held = new Set<string>()
  readonly #resolved = new Map<string, number>()
  readonly #usage = new Map<string, number>()
  readonly #overruns = new Set<string>()
  readonly #ids = new Set<string>()

  async inspect(model: Model, books: MemoryBooks, touched: ModelKey | undefined): Promise<void> {
    if (touched !== undefined) shown(model, books, touched)
    await books.ledger.flush()
    for (; this.#seen < books.written.length; this.#seen++) this.#read(books.written[this.#seen])
    for (const key of model.keys) this.#key(model, key)
    equal('held', this.#held.size, model.holds.length + model.resolved.size)
    equal('resolved', this.#resolved.size, model.resolved.size)
    equal('usage', this.#usage.size, model.resolved.size)
    for (const [id, charge] of model.resolved) {
      equal('charge', this.#resolved.get(id), charge)
      equal('charge in the usage record', this.#usage.get(id), charge)
    }
    equal('overruns', [...this.#overruns].toSorted().join(), [...model.overruns].toSorted().join())
    equal('open holds', books.ledger.openHolds, model.holds.length)
    equal(
      'all that is held',
      books.ledger.heldMicro,
      model.holds.reduce((sum, hold) => sum + hold.amount + hold.grown, 0),
    )
    equal('state', books.ledger.state, 'ok')
  }

  #read(batch: LedgerBatch | undefined): void {
    for (const entry of batch?.entries ?? []) this.#entry(entry)
    for (const row of batch?.balances ?? []) this.#balances.set(row[0], row)
    for (const row of batch?.usage ?? []) {
      if (this.#usage.has(String(row[0]))) throw new Error('two usage records of one call')
      this.#usage.set(String(row[0]), Number(row[CHARGE]))
      if (row[IS_OVERRUN] === 1) this.#overruns.add(String(row[0]))
    }
  }

  #entry([keyId, kind, amount, charge, exchangeId, cycle, , , , , id]: Entry): void {
    const sum = (this.#sums.get(keyId) ?? 0) + amount
    this.#sums.set(keyId, sum)
    const cycles = this.#cycles.get(keyId) ?? new Map<number, number>()
    this.#cycles.set(keyId, cycles.set(cycle, (cycles.get(cycle) ?? 0) + amount))
    if (kind === 'hold' && amount < 0 && sum < 0) throw new Error('a hold of more than there was')
    if (kind === 'hold' && exchangeId !== null) once(this.#held, exchangeId)
    if (id !== null) once(this.#ids, `${keyId}/${id}`)
    if (charge === null || exchangeId === null) return
    if (this.#resolved.has(exchangeId)) throw new Error('a hold was resolved twice')
    this.#resolved.set(exchangeId, charge)
  }

  /** Available is the sum of the entries, which is what is stored; ended cycles sum to zero. */
  #key(model: Model, key: ModelKey): void {
    const sum = this.#sums.get(key.id) ?? 0
    equal('available', sum, model.available(key) + model.grown(key))
    const expected: BalanceRow = [
      key.id,
      key.cycle,
      sum,
      key.granted,
      key.used,
      key.requests,
      key.lastUsed,
      key.terms.type,
      key.terms.credits,
      key.terms.zone,
      Number.isFinite(key.nextReset) ? key.nextReset : null,
    ]
    const stored = this.#balances.get(key.id)
    expected.forEach((cell, column) => equal(`column ${column} of the balance`, stored?.[column], cell))
    for (const [cycle, rest] of this.#cycles.get(key.id) ?? []) {
      if (cycle !== key.cycle) equal('an ended cycle', rest, 0)
    }
  }
}

/** What clients are shown. */
function shown(model: Model, books: MemoryBooks, key: ModelKey): void {
  const view = balanceView(books.ledger.balance(key.id))
  model.touch(key, books.clock.nowMs)
  const isUnlimited = key.terms.type === 'unlimited'
  const credits = (amount: number) => microCredits(amount) / 1_000_000
  equal('total', view.total_credits, isUnlimited ? null : credits(Math.max(0, key.granted)))
  equal('remaining', view.remaining_credits, isUnlimited ? null : credits(Math.max(0, key.granted - key.used)))
  equal('used', view.used_credits, isUnlimited ? null : credits(key.used))
  equal('held', view.held_credits, credits(model.held(key)))
  equal('requests', view.total_requests, key.requests)
}

function once(ids: Set<string>, id: string): void {
  if (ids.has(id)) throw new Error(`${id} was written twice`)
  ids.add(id)
}

function equal(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} should be ${String(expected)}`)
}
