// A gateway that follows others, on a database in memory, and histories of changes that others make.

import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import { after } from '#app/after.ts'
import { Catalog } from '#catalog/catalog.ts'
import { followShared, type FollowedChange } from '#catalog/follow.ts'
import { NO_CHANGE, type SharedChange } from '#catalog/shared.ts'
import type { Key, Package } from '#core/entities.ts'
import { NO_LIMITS, type Member } from '#core/member.ts'
import { microCredits } from '#core/money.ts'
import { UNLIMITED } from '#core/spending.ts'
import { ledgerAppender, readLedger } from '#ledger/entries.ts'
import { ledgerOf } from '#ledger/stored.ts'
import { Journal } from '#ledger/journal.ts'
import { Ledger } from '#ledger/ledger.ts'
import type { BalanceRow, LedgerBatch } from '#ledger/rows.ts'
import { applyCatalogChange, loadCatalog, loadPriceVersions, type CatalogChange } from '#store/catalog-rows.ts'
import { applyMigrations, type Db } from '#store/database.ts'
import { keepFleet, keepFleetVersion, loadFleet } from '#store/fleet-rows.ts'
import { keyOf, modelAt, packageOf, terms } from '../ledger/books.ts'
import { providerOf } from '../pipeline/support.ts'

const NOW_MS = 1_760_000_000_000
const EMPTY: LedgerBatch = { entries: [], usage: [], balances: [] }

/** Thrown where the process dies. */
export class Killed extends Error {}

/** To be copied: migrating takes longer than a history. */
let emptyDisk: Buffer | undefined

function makeDisk(): Buffer {
  const db = new Database(':memory:')
  applyMigrations(db)
  keepFleet(db, { gatewayId: 'g', booksId: 'b', version: 0, mark: undefined })
  return db.serialize()
}

/** At a transaction: the process dies before it, after it, or not. */
export type Strike = () => 'before' | 'after' | undefined

export class Following {
  readonly told = { blocked: new Set<string>(), members: new Set<string>(), projects: new Set<string>(), targets: 0 }
  transactions = 0
  #isDead = false
  readonly #db: Db
  readonly #strike: Strike
  readonly #append: ReturnType<typeof ledgerAppender>
  readonly #catalog: Catalog
  readonly #ledger: Ledger

  constructor(db: Db, strike: Strike = () => undefined) {
    this.#db = db
    this.#strike = strike
    this.#append = ledgerAppender(db)
    this.#catalog = new Catalog(loadCatalog(db), loadPriceVersions(db))
    const journal = new Journal(async ({ changes = [], ...batch }) => this.#write(changes, batch))
    this.#ledger = new Ledger({ journal, nowMs: () => NOW_MS, after, holdWaitMs: 1 })
    const { accounts, adjustments } = ledgerOf(readLedger(db))
    this.#ledger.restore({ accounts, holds: [], adjustments })
  }

  /** On a disk that has nothing. */
  static newDisk(): Db {
    emptyDisk ??= makeDisk()
    return new Database(emptyDisk)
  }

  /** What the next process finds. */
  restarted(): Following {
    return new Following(this.#db)
  }

  follow(changes: readonly FollowedChange[]): Promise<void> {
    const context = {
      catalog: this.#catalog,
      ledger: this.#ledger,
      nowMs: () => NOW_MS,
      write: async (rows: readonly CatalogChange[], batch?: LedgerBatch, version?: number) =>
        this.#write(rows, batch, version),
      keyBlocked: (id: string) => void this.told.blocked.add(id),
      memberLimitsChanged: (id: string) => void this.told.members.add(id),
      projectLimitsChanged: (id: string) => void this.told.projects.add(id),
      targetsChanged: () => void (this.told.targets += 1),
    }
    return followShared(context, changes, async (version) => {
      this.#transaction(() => keepFleetVersion(this.#db, version))
    })
  }

  /** As far as it came. */
  get version(): number {
    return loadFleet(this.#db)?.version ?? 0
  }

  /** Everything that is in memory of catalogue and balances. */
  get inMemory() {
    const { members, providers, models, packages, keys, invites, projects } = this.#catalog
    const balances = keys.map(({ id }) => this.#ledger.rowOf(id))
    return JSON.parse(JSON.stringify({ members, providers, models, packages, keys, invites, projects, balances }))
  }

  get onDisk() {
    const rows = (sql: string) => this.#db.prepare<[], Record<string, unknown>>(sql).all()
    return {
      catalog: loadCatalog(this.#db),
      // Those of each key in their order; among keys there is none.
      entries: rows('SELECT * FROM ledger_entry ORDER BY key_id, seq').map((entry) => ({ ...entry, seq: undefined })),
      balances: rows('SELECT * FROM balance ORDER BY key_id'),
      mismatches: ledgerOf(readLedger(this.#db)).mismatches,
      version: this.version,
    }
  }

  #write(rows: readonly CatalogChange[], batch: LedgerBatch = EMPTY, version?: number): void {
    this.#transaction(() => {
      for (const row of rows) applyCatalogChange(this.#db, row)
      this.#append(batch)
      if (version !== undefined) keepFleetVersion(this.#db, version)
    })
  }

  #transaction(work: () => void): void {
    const when = this.#isDead ? 'before' : this.#strike()
    this.#isDead = when !== undefined
    if (when === 'before') throw new Killed()
    this.#db.transaction(work)()
    this.transactions += 1
    if (when === 'after') throw new Killed()
  }
}

/** What others did, each change by chance, the first one a whole catalogue. All of it can be made, in this order alone. */
export function historyOf(random: () => number, length: number): FollowedChange[] {
  const others = new Others(random)
  // As it comes from PostgreSQL.
  const whole = JSON.parse(JSON.stringify([others.whole(), ...Array.from({ length }, () => others.next())]))
  return (whole as SharedChange[]).map((change, index) => ({ version: index + 1, change }))
}

class Others {
  readonly #random: () => number
  readonly #packages: Package[] = []
  readonly #keys = new Map<string, Key>()
  readonly #members: Member[] = []
  #ids = 0

  constructor(random: () => number) {
    this.#random = random
  }

  whole(): SharedChange {
    const packages = ['topup', 'daily', 'unlimited'].map((type) =>
      packageOf(type, terms(type as Package['type'], 1000)),
    )
    this.#packages.push(...packages)
    const made = [this.#newMember(), this.#newMember()]
    const keys = Array.from({ length: 5 }, () => this.#newKey())
    return {
      ...NO_CHANGE,
      rows: [
        ...made.flatMap(({ rows }) => rows),
        { type: 'put-provider', provider: providerOf('chat-completions') },
        { type: 'put-model', model: modelAt(1), changedAtMs: 1 },
        ...packages.map((entity) => ({ type: 'put-package', package: entity }) as const),
        ...keys.flatMap(({ rows }) => rows),
      ],
      openings: keys.flatMap(({ openings }) => openings),
    }
  }

  next(): SharedChange {
    const kinds = [
      () => this.#newKey(),
      () => this.#newKey(),
      () => this.#editKey(),
      () => this.#editKey(),
      () => this.#topUp(),
      () => this.#packageChange(),
      () => this.#newMember(),
      () => this.#memberChange(),
      () => this.#rest(),
    ]
    return this.#one(kinds)()
  }

  #newKey(): SharedChange {
    const id = this.#newId('key')
    const { id: packageId, type, creditsMicro } = this.#one(this.#packages)
    const hashed = hash('sha256', id, 'base64url')
    const key = { ...keyOf(id, hashed, NOW_MS), packageId, memberId: this.#oneOrNone(this.#members)?.id }
    this.#keys.set(id, key)
    const next = type === 'daily' ? NOW_MS + 1000 : null
    const credits = type === 'unlimited' ? 0 : creditsMicro
    const opening: BalanceRow = [id, NOW_MS - 1000, credits, credits, 0, 0, null, type, creditsMicro, 'UTC', next]
    return { ...NO_CHANGE, rows: [{ type: 'put-key', key }], openings: [opening] }
  }

  /** Another name, such as one that a revoked key had, another member, another value or state. */
  #editKey(): SharedChange {
    const keys = [...this.#keys.values()]
    const before = this.#oneOrNone(keys.filter(({ storedStatus }) => storedStatus !== 'revoked'))
    if (before === undefined) return this.#newKey()
    const names = new Set(keys.filter(({ storedStatus }) => storedStatus !== 'revoked').map(({ name }) => name))
    const freed = keys.map(({ name }) => name).find((name) => !names.has(name))
    const edits = [
      () => ({ name: freed ?? this.#newId('name') }),
      () => ({ memberId: this.#oneOrNone(this.#members)?.id }),
      () => ({ hash: hash('sha256', this.#newId('value'), 'base64url') }),
      () => ({ storedStatus: this.#one(['active', 'suspended', 'revoked'] as const) }),
    ]
    const key = { ...before, ...this.#one<() => Partial<Key>>(edits)() }
    this.#keys.set(key.id, key)
    return { ...NO_CHANGE, rows: [{ type: 'put-key', key }] }
  }

  #topUp(): SharedChange {
    const counted = [...this.#keys.values()].filter(({ packageId }) => packageId !== 'unlimited')
    const key = this.#oneOrNone(counted)
    if (key === undefined) return this.#newKey()
    const amountMicro = Math.floor(this.#random() * 2000) - 800
    return { ...NO_CHANGE, adjustments: [{ keyId: key.id, amountMicro, reason: 'r', id: this.#newId('id') }] }
  }

  #packageChange(): SharedChange {
    const place = Math.floor(this.#random() * 2)
    const before = this.#packages[place] ?? this.#one(this.#packages)
    const changed = { ...before, creditsMicro: microCredits(500 + Math.floor(this.#random() * 1000)) }
    this.#packages[place] = changed
    const followed = { packageType: changed.type, creditsMicro: changed.creditsMicro, timeZone: changed.timeZone }
    const keys = [...this.#keys.values()].filter(({ packageId }) => packageId === changed.id)
    return {
      ...NO_CHANGE,
      rows: [{ type: 'put-package', package: changed }],
      terms: keys.map(({ id }) => ({ keyId: id, terms: followed, reason: 'r' })),
    }
  }

  #newMember(): SharedChange {
    const id = this.#newId('member')
    const more = { role: 'member', status: 'active', packages: 'all', passwordHash: undefined } as const
    const member: Member = { id, name: id, ...more, limits: NO_LIMITS, createdAtMs: NOW_MS }
    this.#members.push(member)
    return { ...NO_CHANGE, rows: [{ type: 'put-member', member }] }
  }

  #memberChange(): SharedChange {
    const place = Math.floor(this.#random() * this.#members.length)
    const before = this.#members[place]
    if (before === undefined) return this.#newMember()
    const member = { ...before, status: this.#one(['active', 'suspended'] as const) }
    this.#members[place] = member
    return { ...NO_CHANGE, rows: [{ type: 'put-member', member }] }
  }

  #rest(): SharedChange {
    const version = 1 + Math.floor(this.#random() * 4)
    const project = { id: this.#one(['one', 'two']), limits: UNLIMITED, createdAtMs: NOW_MS }
    const rows: CatalogChange[] = [
      { type: 'put-model', model: modelAt(version), changedAtMs: 1 },
      { type: 'put-provider', provider: { ...providerOf('chat-completions'), baseUrl: `http://127.0.0.1/${version}` } },
      { type: 'put-project', project },
    ]
    return { ...NO_CHANGE, rows: [this.#one(rows)] }
  }

  #newId(kind: string): string {
    this.#ids += 1
    return `${kind} ${this.#ids}`
  }

  #one<Item>(items: readonly Item[]): Item {
    const found = this.#oneOrNone(items)
    if (found === undefined) throw new Error('there is nothing to choose from')
    return found
  }

  #oneOrNone<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)]
  }
}
