// What PostgreSQL has of the hours that gateways tell each other, in memory, and gateways' folders with calls in them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageReport } from '#contract/reports.ts'
import { isRefusal } from '#core/refusal.ts'
import { FleetUnreachable, type Connection } from '#fleet/connection.ts'
import { SharedUsage } from '#fleet/shared-usage.ts'
import { attributionIds } from '#ledger/attribution-ids.ts'
import { usageReport, type UsageReportRequest } from '#reports/usage-report.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { ANY_PARTS } from '#store/usage-filter.ts'
import { NO_SUMS, type Sums } from '#store/usage-measures.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { sharedUsage } from '#threads/shared-usage.ts'

type Cell = {
  readonly startedAtMs: number
  readonly parts: string
  readonly sums: Partial<Sums>
  readonly changed: number
}
type Told = { readonly seq: number; readonly cells: ReadonlyMap<string, Cell> }

/** As `tell_usage` and the reading of `usage_hour` are. */
export class Board {
  readonly told = new Map<string, Told>()
  /** The next answer is lost: what was asked is done. */
  losesAnswer = false

  seatOf(gateway: string): ConstructorParameters<typeof SharedUsage>[0] {
    const connection: Pick<Connection, 'usageOf'> = {
      usageOf: async (of, known, place, most) =>
        [...(this.told.get(of)?.cells.values() ?? [])]
          .filter(({ changed }) => changed > known)
          .filter((cell) => compare(cell, place) > 0)
          .toSorted(compare)
          .slice(0, most)
          .map(({ startedAtMs, parts, sums }) => ({ startedAtMs, parts, sums: sums as Record<string, number> })),
    }
    return {
      inTurn: async (work) => work(connection as Connection),
      say: async (name, [known, isAnew, hours]) => {
        if (name !== 'tell_usage') throw new Error(name)
        const seq = this.#tell(gateway, { known: Number(known), isAnew: isAnew === 'true', hours: String(hours) })
        if (!this.losesAnswer) return { seq }
        this.losesAnswer = false
        throw new FleetUnreachable(undefined)
      },
    }
  }

  seqOf(gateway: string): number {
    return this.told.get(gateway)?.seq ?? 0
  }

  get seqs(): Record<string, number> {
    return Object.fromEntries(Array.from(this.told, ([gateway, { seq }]) => [gateway, seq]))
  }

  #tell(gateway: string, { known, isAnew, hours }: { known: number; isAnew: boolean; hours: string }): number {
    const before = this.told.get(gateway)
    const seq = Math.max(before?.seq ?? 0, known) + 1
    const cells = new Map(before?.cells)
    if (isAnew) for (const [name, cell] of cells) cells.set(name, { ...cell, sums: {}, changed: seq })
    for (const [startedAtMs, parts, sums] of JSON.parse(hours) as [number, string, Sums][])
      cells.set(`${startedAtMs} ${parts}`, { startedAtMs, parts, sums, changed: seq })
    this.told.set(gateway, { seq, cells })
    return seq
  }
}

function compare(left: Pick<Cell, 'startedAtMs' | 'parts'>, right: Pick<Cell, 'startedAtMs' | 'parts'>): number {
  if (left.startedAtMs !== right.startedAtMs) return left.startedAtMs - right.startedAtMs
  return left.parts === right.parts ? 0 : left.parts < right.parts ? -1 : 1
}

export type Call = {
  readonly atMs: number
  readonly key: number
  readonly model: number
  readonly charge: number
  readonly project: string
}

/** A gateway's database, with the catalogue that all have. */
export class Folder {
  readonly db: Db
  readonly usage: SharedUsage
  readonly #name: string
  readonly #dataDir: string
  readonly #board: Board
  #zone: string
  #rollups: UsageRollups
  #operations: ReturnType<typeof sharedUsage>['operations']
  #ids = 0

  private constructor(name: string, dataDir: string, { board, zone }: { board: Board; zone: string }) {
    this.#name = name
    this.#dataDir = dataDir
    this.#board = board
    this.#zone = zone
    this.db = openForWriting(dataDir)
    // Nothing here is about a power cut, and a busy disk would take minutes.
    this.db.pragma('synchronous = OFF')
    this.db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
      VALUES ('p', 'p', 'topup', 1, 'UTC', '"all"', 1)`)
    for (const key of [0, 1, 2]) {
      this.db
        .prepare(
          `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'p', 'active', 1)`,
        )
        .run(`key ${key}`, `name ${key}`, String(key).repeat(43))
    }
    const { rollups, operations } = this.#open()
    this.#rollups = rollups
    this.#operations = operations
    const ask = () => this.#operations
    const own: ConstructorParameters<typeof SharedUsage>[1] = {
      tell: async (to) => ask().tellUsage(to),
      untold: async (most) => ask().untoldUsage(most),
      told: async (marks, seq) => ask().usageTold({ marks: marks as [number, number, number][], seq }),
      positions: async () => ask().elsewhere(),
      take: async (gateway, hours, upTo) =>
        ask().takeElsewhere({
          gateway,
          upTo,
          hours: hours.map((hour) => ({ ...hour, sums: { ...NO_SUMS, ...hour.sums } })),
        }),
    }
    // However slow the machine is, everything is told and read in one round.
    this.usage = new SharedUsage(board.seatOf(name), own, () => 0)
  }

  static async make(name: string, board: Board, zone = 'UTC'): Promise<Folder> {
    const dataDir = await mkdtemp(join(tmpdir(), 'farebox-told-'))
    return new Folder(name, dataDir, { board, zone })
  }

  join(): Promise<void> {
    return this.usage.joined('books', this.#board.seqOf(this.#name))
  }

  async exchange(): Promise<void> {
    const { [this.#name]: _, ...others } = this.#board.seqs
    this.usage.heard(others)
    await this.usage.exchange()
  }

  record(calls: readonly Call[]): void {
    this.db.transaction(() => this.#rollups.add(calls.map((call) => this.#insert(call))))()
  }

  /** As a start in another time zone does. */
  moveTo(zone: string): void {
    this.#zone = zone
    const { rollups, operations } = this.#open()
    this.#rollups = rollups
    this.#operations = operations
  }

  report(request: Partial<UsageReportRequest>): UsageReport {
    const usual = { from: undefined, to: undefined, rollup: undefined, group: 'none', top: 50, owners: {} } as const
    const wanted = { ...usual, hasPoints: true, heads: {}, parts: ANY_PARTS, nowMs: 0, ...request }
    const answer = usageReport(this.db, wanted)
    if (isRefusal(answer)) throw new Error(answer.message)
    return answer
  }

  async close(): Promise<void> {
    this.db.close()
    await rm(this.#dataDir, { recursive: true, force: true })
  }

  #open() {
    const rollups = new UsageRollups(this.db, this.#zone)
    const { refill, operations } = sharedUsage({ db: this.db, rollups, timeZone: this.#zone, write: (work) => work() })
    if (rollups.open()) refill()
    return { rollups, operations }
  }

  #insert({ atMs, key, model, charge, project }: Call): string {
    const id = `${this.#name} ${(this.#ids += 1)}`
    const [attributionId] = attributionIds(this.db)([null, project, ''])
    this.db
      .prepare(
        `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, is_stream, outcome, status,
           input_tokens, output_tokens, usage_source, hold_micro, charge_micro, is_overrun, created_at_ms, first_byte_ms, duration_ms, attribution_id)
         VALUES (?, ?, 'p', 'chat', ?, 'provider', 1, 'answered', 200, 1, 0, 'reported', 0, ?, 0, ?, 100, 1, ?)`,
      )
      .run(id, `key ${key}`, `model ${model}`, charge, atMs, attributionId)
    return id
  }
}
