// Holds the promises of the ledger against what is in memory and on disk, after every step.

import { expect } from 'vitest'
import type { Books } from './books.ts'
import type { Model, ModelKey } from './model.ts'

type EntryRow = {
  readonly seq: number
  readonly key_id: string
  readonly kind: string
  readonly amount_micro: number
  readonly charge_micro: number | null
  readonly exchange_id: string | null
  readonly cycle_started_at_ms: number
}
type BalanceRow = {
  readonly key_id: string
  readonly cycle_started_at_ms: number
  readonly available_micro: number
  readonly granted_micro: number
  readonly used_micro: number
  readonly request_count: number
  readonly last_used_at_ms: number | null
}
type UsageRow = {
  readonly id: string
  readonly charge_micro: number
  readonly is_overrun: number
}

export class Inspector {
  #before: readonly EntryRow[] = []
  #copied: readonly EntryRow[] = []

  /** `touched` is a key that the step looked at, whose balance may be asked for without changing it. */
  async inspect(model: Model, books: Books, touched: ModelKey | undefined): Promise<void> {
    if (touched !== undefined) shown(model, books, touched)
    await books.ledger.flush()
    const entries = books.rows<EntryRow>('SELECT * FROM ledger_entry ORDER BY seq')
    this.#unchanged(entries)
    balances(model, books, entries)
    holds(model, books, entries)
    usage(model, books)
    covered(entries)
    endedCycles(model, entries)
    expect(books.ledger.state).toBe('ok')
    expect(books.verify()).toMatchObject({ ok: true, problems: [], openHolds: model.holds.length })
  }

  /** A backup was made of what the last step left. */
  backedUp(): void {
    this.#copied = this.#before
  }

  /** From here on the entries of the copy are those that never change. */
  restored(): void {
    this.#before = this.#copied
  }

  /** Entries are only ever added, at the end. */
  #unchanged(entries: readonly EntryRow[]): void {
    expect(entries.slice(0, this.#before.length)).toEqual(this.#before)
    this.#before = entries
  }
}

/** What a key has available is the sum of its entries, and that is what is stored. */
function balances(model: Model, books: Books, entries: readonly EntryRow[]): void {
  const stored = books.rows<BalanceRow>('SELECT * FROM balance ORDER BY rowid')
  expect(stored.map((row) => row.key_id).toSorted()).toEqual(model.keys.map((key) => key.id).toSorted())
  for (const key of model.keys) {
    const sum = sumOf(entries.filter((entry) => entry.key_id === key.id))
    expect(sum).toBe(model.available(key) + model.grown(key))
    expect(stored.find((row) => row.key_id === key.id)).toMatchObject({
      key_id: key.id,
      cycle_started_at_ms: key.cycle,
      available_micro: sum,
      granted_micro: key.granted,
      used_micro: key.used,
      request_count: key.requests,
      last_used_at_ms: key.lastUsed,
      package_type: key.terms.type,
      package_micro: key.terms.credits,
      time_zone: key.terms.zone,
      next_reset_at_ms: Number.isFinite(key.nextReset) ? key.nextReset : null,
    })
  }
}

/** Every admitted call has one hold, which is open or was resolved once; with nothing in flight nothing is held. */
function holds(model: Model, books: Books, entries: readonly EntryRow[]): void {
  const held = idsOf(entries, ['hold'])
  const resolved = idsOf(entries, ['settle', 'release'])
  expect(new Set(held).size).toBe(held.length)
  expect(new Set(resolved).size).toBe(resolved.length)
  expect(new Set(held)).toEqual(new Set([...model.holds.map((hold) => hold.id), ...model.resolved.keys()]))
  expect(new Set(resolved)).toEqual(new Set(model.resolved.keys()))
  expect(books.ledger.openHolds).toBe(model.holds.length)
  expect(books.ledger.heldMicro).toBe(model.holds.reduce((sum, hold) => sum + hold.amount + hold.grown, 0))
}

/** Every call that was resolved has one usage record, with what it was charged. */
function usage(model: Model, books: Books): void {
  const records = books.rows<UsageRow>('SELECT * FROM usage_record')
  expect(new Map(records.map((record) => [record.id, record.charge_micro]))).toEqual(model.resolved)
  const overruns = records.filter((record) => record.is_overrun === 1).map((record) => record.id)
  expect(new Set(overruns)).toEqual(model.overruns)
}

/** Whoever reads the entries in their order never finds a hold of more than what was there. */
function covered(entries: readonly EntryRow[]): void {
  const running = new Map<string, number>()
  for (const entry of entries) {
    const sum = (running.get(entry.key_id) ?? 0) + entry.amount_micro
    running.set(entry.key_id, sum)
    if (entry.kind === 'hold' && entry.amount_micro < 0) expect(sum).toBeGreaterThanOrEqual(0)
  }
}

/** What was left of an ended cycle has lapsed, also what its holds returned later. */
function endedCycles(model: Model, entries: readonly EntryRow[]): void {
  for (const key of model.keys) {
    const own = entries.filter((entry) => entry.key_id === key.id)
    for (const cycle of new Set(own.map((entry) => entry.cycle_started_at_ms))) {
      if (cycle === key.cycle) continue
      expect(sumOf(own.filter((entry) => entry.cycle_started_at_ms === cycle))).toBe(0)
    }
  }
}

/** What clients are shown. */
function shown(model: Model, books: Books, key: ModelKey): void {
  const balance = books.ledger.balance(key.id)
  model.touch(key, books.clock.nowMs)
  const isUnlimited = key.terms.type === 'unlimited'
  expect(balance).toEqual({
    totalMicro: isUnlimited ? null : Math.max(0, key.granted),
    remainingMicro: isUnlimited ? null : Math.max(0, key.granted - key.used),
    usedMicro: isUnlimited ? null : key.used,
    heldMicro: model.held(key),
    cycleStartedAtMs: key.cycle,
    nextResetAtMs: key.nextReset === Infinity ? undefined : key.nextReset,
    requestCount: key.requests,
    lastUsedAtMs: key.lastUsed ?? undefined,
  })
}

function sumOf(entries: readonly EntryRow[]): number {
  return entries.reduce((sum, entry) => sum + entry.amount_micro, 0)
}

function idsOf(entries: readonly EntryRow[], kinds: readonly string[]): string[] {
  return entries.flatMap((entry) =>
    kinds.includes(entry.kind) && entry.exchange_id !== null ? [entry.exchange_id] : [],
  )
}
