// What is on the disk, and its image in memory: the catalogue, the ledger, and the way to the writer.

import { randomFillSync } from 'node:crypto'
import { after } from '#app/after.ts'
import { describeFault } from '#app/faults.ts'
import type { Config } from '#config/config.ts'
import type { SideThreads } from '#threads/side-threads.ts'
import type { CatalogBatch, WriterOperations } from '#threads/writer-operations.ts'
import { Catalog } from '#catalog/catalog.ts'
import { OverdueChanges } from '#catalog/overdue.ts'
import { cycleStart, nextCycleStart, type CycleKind } from '#core/cycle.ts'
import type { Log } from '#core/log.ts'
import { ZERO } from '#core/money.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { uuidV7Generator } from '#core/uuid.ts'
import type { OpenHold } from '#ledger/account.ts'
import { BooksCheck } from '#ledger/books-check.ts'
import { Journal } from '#ledger/journal.ts'
import { Ledger } from '#ledger/ledger.ts'
import type { Settlement } from '#ledger/settlement.ts'
import { Projection } from '#ledger/projection.ts'
import { RecordedCalls } from '#ledger/recorded.ts'
import type { BalanceRow, LedgerBatch } from '#ledger/rows.ts'
import { ledgerOf, type LedgerState } from '#ledger/stored.ts'
import { WriteMeter } from '#ledger/write-meter.ts'
import type { Clock } from '#pipeline/ports.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import { JournalWriter } from '#store/journal-writer.ts'
import { keysOf } from '#store/key-columns.ts'

export const EMPTY_BATCH: LedgerBatch = { entries: [], usage: [], balances: [] }

type LoadedState = WriterOperations['load']['output']

/** Whoever wants to know of them says so after the ledger was made. */
export type ChangedBalances = { listener: ((balances: readonly BalanceRow[]) => void) | undefined }

export type Stores = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly projection: Projection
  /** Nothing is written from now on. What the journal has, the writer thread projects when it ends. */
  readonly close: () => Promise<void>
  readonly recorded: RecordedCalls
  /** Told the balances that changes by hand left. */
  readonly changedBalances: ChangedBalances
  readonly writes: WriteMeter
  readonly overdue: OverdueChanges<CatalogBatch>
  readonly newId: () => string
  readonly timeZone: string
  /** What the disk said when it was read. */
  readonly atStart: Pick<
    LoadedState,
    'lan' | 'settings' | 'endedWell' | 'charged' | 'chargedOfProjects' | 'chargedOfTools' | 'alerts'
  > &
    Pick<LoadedState['ledger'], 'isSummarised'>
}

export type StoresFrom = {
  readonly config: Pick<Config, 'dataDir' | 'holdWaitMs'>
  readonly log: Log
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
}

export async function openStores({ config, log, clock, writer }: StoresFrom): Promise<Stores> {
  const newId = uuidV7Generator(clock.nowMs, pooledRandom())
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [catalog, { ledger: stored, ...loaded }] = await Promise.all([
    writer.call('loadCatalog', undefined).then(catalogOf),
    writer.call('load', {
      day: spanOf('daily', timeZone, clock.nowMs()),
      month: spanOf('monthly', timeZone, clock.nowMs()),
    }),
  ])
  const recorded = new RecordedCalls()
  const writes = new WriteMeter(clock.monotonicMs)
  const projection = openProjection(loaded.journal, { config, clock, writer })
  const overdue = new OverdueChanges<CatalogBatch>(async (changes, batch) => {
    await projection.upToDate()
    await writer.call('change', { changes, batch })
  }, EMPTY_BATCH)
  const journal = journalOf(projection, { recorded, writes, overdue })
  const changedBalances: ChangedBalances = { listener: undefined }
  const onChanged = (balances: readonly BalanceRow[]) => changedBalances.listener?.(balances)
  const ledger = new Ledger({
    journal,
    nowMs: clock.nowMs,
    after,
    get holdWaitMs() {
      return config.holdWaitMs
    },
    onChanged,
  })
  const close = async () => {
    journal.stop()
    await projection.close()
  }
  try {
    await restoreLedger(ledger, catalog, ledgerOf(stored), log)
  } catch (error) {
    await close()
    throw error
  }
  const { lan, settings, endedWell, charged, chargedOfProjects, chargedOfTools, alerts } = loaded
  const atStart = {
    lan,
    settings,
    endedWell,
    charged,
    chargedOfProjects,
    chargedOfTools,
    alerts,
    isSummarised: stored.isSummarised,
  }
  return { catalog, ledger, projection, close, recorded, changedBalances, writes, overdue, newId, timeZone, atStart }
}

function spanOf(kind: CycleKind, timeZone: string, nowMs: number) {
  return { fromMs: cycleStart(kind, timeZone, nowMs), toMs: nextCycleStart(kind, timeZone, nowMs) }
}

function catalogOf({ catalog, priceVersions }: WriterOperations['loadCatalog']['output']): Catalog {
  return new Catalog({ ...catalog, keys: keysOf(catalog.keys) }, priceVersions)
}

type JournalParts = Pick<Stores, 'recorded' | 'writes' | 'overdue'>

function openProjection(
  place: LoadedState['journal'],
  { config, clock, writer }: Pick<StoresFrom, 'config' | 'clock' | 'writer'>,
): Projection {
  return new Projection({
    journal: place && new JournalWriter(config.dataDir, place),
    project: (frame) => writer.call('project', frame),
    write: (batch) => writer.call('change', { changes: [], batch }),
    monotonicMs: clock.monotonicMs,
  })
}

function journalOf(projection: Projection, { recorded, writes, overdue }: JournalParts): Journal {
  return new Journal(
    writes.measured(({ changes, ...batch }) =>
      changes === undefined ? projection.append(batch) : overdue.write(changes, batch),
    ),
    (records) => recorded.publish(records),
  )
}

/** Takes over what is on disk, resolves what a killed process left open, and stops spending if the books do not add up. */
async function restoreLedger(ledger: Ledger, catalog: Catalog, state: LedgerState, log: Log): Promise<void> {
  ledger.restore({ accounts: state.accounts, holds: state.openHolds, adjustments: state.adjustments })
  if (state.mismatches.length > 0) {
    return stopSpending(ledger, state.mismatches, log)
  }
  const reason = 'its package had changed when Farebox last ended'
  await ledger.changeTermsTogether(
    state.changedTerms.map(({ keyId, terms }) => ({ keyId, terms, reason })),
    [],
  )
  const released = await ledger.releaseOrphans((hold) => orphanSettlement(hold, catalog))
  if (released === 0) return
  const line = `Released ${released} holds of calls that were interrupted when Farebox last ended.`
  log(line, { event: 'holds_released', level: 'warning', fields: { holds: released } })
}

function stopSpending(ledger: Ledger, problems: readonly string[], log: Log): void {
  const text = problems.join('; ')
  ledger.stopSpending(text)
  const line = `The ledger does not add up, so no calls are admitted. ${text}. See: farebox ledger verify`
  log(line, { event: 'ledger_mismatch', level: 'error', fields: { problems: problems.length } })
}

/** Says at the end of the process that a full disk kept `count` changes from being written, which were made at once and were to be written later. */
export function noteLostChanges(log: Log, count: number): void {
  const line = `The disk is full: ${count} keys or members that were blocked will not be blocked at the next start.`
  log(line, { event: 'changes_lost', level: 'error', fields: { count } })
}

/** Reads the older entries of the ledger beside the calls, and stops spending where they do not add up. */
export function booksCheck({ ledger, log, clock, side }: CheckFrom): BooksCheck {
  return new BooksCheck({
    verify: () => side.run((thread) => thread.call('verify', undefined)),
    nowMs: clock.nowMs,
    onProblems(problems) {
      if (ledger.state !== 'mismatch') stopSpending(ledger, problems, log)
    },
    onFailure(error, retryMs) {
      const again = `It is tried again in ${retryMs / 1000} s.`
      const line = `The older entries of the ledger could not be checked. ${again} ${describeFault(error)}`
      log(line, { event: 'ledger_check_failed', level: 'warning', fields: { retry_ms: retryMs } })
    },
  })
}

type CheckFrom = Pick<StoresFrom, 'log' | 'clock'> & { readonly ledger: Ledger; readonly side: SideThreads }

/** A call whose process died: nobody knows what was delivered, and it was not the client's doing, so it is not charged. */
function orphanSettlement(hold: OpenHold, catalog: Catalog): Settlement {
  return {
    packageId: catalog.key(hold.keyId)?.packageId ?? '',
    endpoint: 'unknown',
    providerId: undefined,
    upstreamModel: undefined,
    isStream: false,
    outcome: 'interrupted',
    status: 500,
    ...UNKNOWN_USAGE,
    usageSource: 'none',
    chargeMicro: ZERO,
    createdAtMs: hold.createdAtMs,
    firstByteMs: undefined,
    durationMs: 0,
  }
}

/** Random bytes from a pool that is refilled in large pieces: asking the system for eight bytes at a time is slow. */
function pooledRandom(): (bytes: Uint8Array) => void {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return (bytes) => {
    if (used + bytes.length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    bytes.set(pool.subarray(used, used + bytes.length))
    used += bytes.length
  }
}
