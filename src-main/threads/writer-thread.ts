// The writer thread: the only connection that writes to the database. It migrates at start, projects the journal into the tables
// and applies changes to the catalogue, each as one durable transaction.

import { statfsSync, statSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { findAdjustment, readLedger, type FirstAdjustment } from '#ledger/entries.ts'
import { chargedAfter, lastEntry, type ChargedSums, type EntryRange } from '#ledger/charged-after.ts'
import type { AdjustmentId } from '#ledger/ledger.ts'
import type { LanSettings } from '#core/lan.ts'
import type { SettingChange } from '#core/setting.ts'
import { NewerForm } from '#ledger/batch-text.ts'
import type { RefusedBurst } from '#core/refused-call.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { StoredLedger } from '#ledger/stored.ts'
import { summariseNext, SUMMARY_STEP } from '#ledger/summary.ts'
import {
  loadAlerts,
  raiseAlerts,
  rearmAlerts,
  writeAlerts,
  type AlertWrite,
  type LoadedAlerts,
  type Raised,
} from '#store/alert-rows.ts'
import {
  applyCatalogChange,
  loadPriceVersions,
  readCatalog,
  type CatalogChange,
  type StoredCatalog,
} from '#store/catalog-rows.ts'
import { keepBalances, type BalanceReading } from '#store/account-balances.ts'
import { keepBillQuestion, type BillQuestion } from '#store/bill-questions.ts'
import { CannotKeep, forgetReports, keepReport, type KeepProblem, type ReportToKeep } from '#store/bill-reports.ts'
import { damageOf, openForWriting } from '#store/database.ts'
import { serveOperations } from '#store/database-thread.ts'
import { keepFleet, keepFleetVersion, loadFleet, type FleetNote } from '#store/fleet-rows.ts'
import { foreignJournal, journalPlace, startJournal } from '#store/journal-open.ts'
import type { JournalPlace } from '#store/journal-writer.ts'
import { chargedByLabel } from '#store/project-rows.ts'
import { loadLan, putLan } from '#store/lan-rows.ts'
import { loadSettings, putSetting } from '#store/setting-rows.ts'
import { saveRefused } from '#store/refused-rows.ts'
import { applyVisitChange, loadVisits, type VisitChange, type VisitState } from '#store/session-rows.ts'
import { countChange, hasTail, noteWith, readTail, tailOf, tailProblems, TailWriter } from '#store/tail.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { chargedSince, type Charged } from '#store/usage-rows.ts'
import { appenderOf, isMisfit, Projector } from '#threads/projector.ts'
import { sharedUsage, type SharedUsageOperations } from '#threads/shared-usage.ts'

type LoadedCatalog = { readonly catalog: StoredCatalog; readonly priceVersions: Map<string, number> }

type Loaded = {
  readonly ledger: StoredLedger
  /** Micro-credits by provider. */
  readonly charged: Charged
  /** By project, on the day and in the month. */
  readonly chargedOfProjects: { readonly daily: Map<string, number>; readonly monthly: Map<string, number> }
  /** By tool, on the day. */
  readonly chargedOfTools: Map<string, number>
  /** undefined where nobody ever set it. */
  readonly lan: LanSettings | undefined
  readonly settings: readonly SettingChange[]
  readonly alerts: LoadedAlerts
  /** Whether the process before this one came to its end, as far as anybody noted. */
  readonly endedWell: boolean
  /** Where appending goes on; undefined where nothing may be appended, because something is missing. */
  readonly journal: JournalPlace | undefined
}

/** What is written with changes of the catalogue; `version` is the one that a shared catalogue has then. */
export type CatalogBatch = LedgerBatch & { readonly version?: number | undefined }

export type WriterOperations = SharedUsageOperations & {
  /** What the gateway is set up with. It comes first, so that the main thread takes it over while the books are looked at. */
  loadCatalog: { input: undefined; output: LoadedCatalog }
  /** Everything else the main thread keeps in memory. `chargedSinceMs`: from when on the charges of providers and members are summed up. */
  load: { input: { chargedSinceMs: number; monthSinceMs: number }; output: Loaded }
  /** undefined where there is none of this id. */
  adjustment: { input: AdjustmentId; output: FirstAdjustment | undefined }
  /** Projects the journal up to a frame. */
  project: { input: number; output: void }
  /** What was appended to the journal before must be projected already. */
  change: { input: { changes: readonly CatalogChange[]; batch: CatalogBatch }; output: void }
  /** Sessions and what belongs to them. */
  loadVisits: { input: undefined; output: VisitState }
  changeVisits: { input: readonly VisitChange[]; output: void }
  changeLan: { input: LanSettings; output: void }
  changeSetting: { input: SettingChange; output: void }
  /** The ids of the alerts that are new. */
  raiseAlerts: { input: Raised; output: readonly string[] }
  writeAlerts: { input: AlertWrite; output: void }
  saveRefused: { input: readonly RefusedBurst[]; output: void }
  /** Keeps the numbers of a provider's report, or says why it cannot. */
  keepBill: { input: ReportToKeep; output: KeepProblem | undefined }
  /** By the id of the provider. */
  forgetBills: { input: string; output: void }
  keepBalances: { input: BalanceReading; output: void }
  keepBillQuestion: { input: BillQuestion; output: void }
  /** What this gateway knows of the books that it shares; undefined where it shares none. */
  loadFleet: { input: undefined; output: FleetNote | undefined }
  keepFleet: { input: FleetNote; output: void }
  /** Charges by entries after one, up to a last one if it is given. What was appended to the journal before must be projected already. */
  chargedAfter: { input: EntryRange; output: ChargedSums }
  lastEntry: { input: undefined; output: number }
  close: { input: undefined; output: void }
}

/** `timeZone`: whose days are summed up; the machine's where it is absent. */
const { dataDir, timeZone } = workerData as { dataDir: string; timeZone?: string }
const isNoteRemoved = !hasTail(dataDir)
const noted = readTail(dataDir)
const db = openForWriting(dataDir)
const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
const rollups = new UsageRollups(db, zone)
const shared = sharedUsage({ db, rollups, timeZone: zone, write: withRoom })
readable(() => {
  if (rollups.open()) shared.refill()
})
const appendRows = appenderOf(db, rollups)
let tail: TailWriter | undefined
const change = db.transaction((changes: readonly CatalogChange[], batch: CatalogBatch) => {
  for (const item of changes) applyCatalogChange(db, item)
  appendRows(batch)
  rearmAlerts(db, batch.balances)
  if (batch.version !== undefined) keepFleetVersion(db, batch.version)
  countChange(db)
})
const changeLan = db.transaction((settings: LanSettings) => {
  putLan(db, settings)
  countChange(db)
})
const changeSetting = db.transaction((setting: SettingChange) => {
  putSetting(db, setting)
  countChange(db)
})
const keepBill = db.transaction((report: ReportToKeep) => {
  keepReport(db, report)
  countChange(db)
})
const keepFleetNote = db.transaction((note: FleetNote) => {
  keepFleet(db, note)
  countChange(db)
})
const forgetBills = db.transaction((providerId: string) => {
  forgetReports(db, providerId)
  countChange(db)
})
const keepReading = db.transaction((reading: BalanceReading) => keepBalances(db, reading))
const changeVisits = db.transaction((changes: readonly VisitChange[]) => {
  for (const item of changes) applyVisitChange(db, item)
})
const raise = db.transaction((raised: Raised) => raiseAlerts(db, raised))
const saveBursts = db.transaction((bursts: readonly RefusedBurst[]) => saveRefused(db, bursts))

const RESTORE = 'Restore a backup: farebox restore FILE'

/** So many entries make the log grow by a megabyte or so. */
const ROOM_CHECK_STEP = 128
let entriesUntilRoomCheck = ROOM_CHECK_STEP

/**
 * The log grows to 16 MB before SQLite folds it back into the database, and folding may need as much room again. On a small or
 * nearly full disk it would take the room that it needs to give room back, so there it is folded in time.
 */
function keepRoom(entries: number): void {
  entriesUntilRoomCheck -= entries
  if (entriesUntilRoomCheck > 0) return
  entriesUntilRoomCheck = ROOM_CHECK_STEP
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const logBytes = statSync(`${db.name}-wal`).size
    if (bavail * bsize < 2 * logBytes) foldLog()
  } catch {
    // Nobody can say how full the disk is, or the log is gone: then it is as it would be without looking.
  }
}

/** Writes; where the disk is full, folds the log back and tries once more. */
function withRoom(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isFull(error)) throw error
    foldLog()
    write()
  }
}

function foldLog(): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // No room for that either; what is to be written is kept and tried again later.
  }
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'SQLITE_FULL' || error.code === 'SQLITE_IOERR_WRITE')
  )
}

const summarise = db.transaction(() => summariseNext(db))
/** At first nobody knows how much an earlier process left to be summarised. */
let entriesUntilSummary = 0
let summaryTimer: NodeJS.Timeout | undefined

/** Summarises after the batch was answered, so that no call waits for it, one step at a time, so that no batch waits long. */
function summariseLater(entries: number): void {
  entriesUntilSummary -= entries
  if (entriesUntilSummary > 0 || summaryTimer !== undefined) return
  summaryTimer = setTimeout(() => {
    summaryTimer = undefined
    entriesUntilSummary = trySummarise()
    if (entriesUntilSummary === 0) summariseLater(0)
  }, 0)
}

function trySummarise(): number {
  try {
    return summarise.immediate()
  } catch {
    // A full disk, or somebody else's lock. Nothing is lost: the entries stay, and it is tried again.
    return SUMMARY_STEP
  }
}

type OpenedBooks = {
  readonly projector: Projector | undefined
  /** What is missing, as sentences. */
  readonly lost: readonly string[]
  /** Whether an earlier process left frames that were not projected. */
  readonly wasLeft: boolean
}

/** Projects what an earlier process left in the journal, and finds out what is missing. */
function openBooks(): OpenedBooks {
  const foreign = foreignJournal(dataDir, db)
  const hadJournal = journalPlace(db) !== undefined
  // The note is what says whether anything is missing. Whoever removes it goes on with what there is.
  if (foreign !== undefined && (hadJournal || !isNoteRemoved)) {
    const lost = tailProblems(dataDir, noted, { ...tailOf(db), frame: 0 })
    return { projector: undefined, lost: lost.length > 0 ? lost : [foreign], wasLeft: false }
  }
  const opened = openProjector()
  const before = opened.projected
  const misfit = projectLeft(opened)
  const frame = opened.projected
  const wasLeft = frame > before
  const highest = opened.highestFrame()
  if (isNoteRemoved && (misfit !== undefined || highest > frame)) {
    return { projector: renewed(opened), lost: [], wasLeft }
  }
  if (misfit !== undefined) return { projector: opened, lost: [misfit], wasLeft }
  const gone = tailProblems(dataDir, noteWith(noted, highest), { ...tailOf(db), frame })
  return { projector: gone.length > 0 ? opened : renewed(opened), lost: gone, wasLeft }
}

/**
 * Goes on under a new name, now that nothing is needed of what was before: a copy of the folder has a journal of the same name, and what
 * was appended there must never be taken for what was appended here.
 */
function renewed(opened: Projector): Projector {
  opened.close()
  try {
    startJournal(dataDir, db, opened.projected)
  } catch {
    // A full disk: it goes on under the name that the database has.
  }
  return openProjector()
}

/** A sentence where the database is an older one than what the journal goes on from. */
function projectLeft(left: Projector): string | undefined {
  try {
    left.upTo(Infinity)
    return undefined
  } catch (error) {
    if (!isMisfit(error)) throw error
    const frame = `frame ${left.projected + 1} of the journal`
    if (error instanceof NewerForm) return `${frame} was written by a newer Farebox, which can go on from it`
    return `${frame} is about something that the database does not have. ${RESTORE}`
  }
}

function openProjector(): Projector {
  return new Projector({ dataDir, db, rollups, write: withRoom, onProjected })
}

function onProjected(entries: number): void {
  tail?.note({ hasChanged: false })
  setImmediate(keepRoom, entries)
  summariseLater(entries)
}

/** Projects up to a frame that is on disk. */
function project(upTo: number): void {
  if (projector === undefined) throw new Error('the journal was not opened')
  projector.upTo(upTo)
  if (projector.projected < upTo) throw new Error(`frame ${projector.projected + 1} of the journal is gone`)
}

/** The last chance to project. Where the disk does not take it, the next start does. */
function closeProjector(): boolean {
  try {
    projector?.upTo(Infinity)
    return true
  } catch {
    return false
  } finally {
    projector?.close()
  }
}

/** Says it in words where the file turns out to be damaged. */
function readable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw damageOf(error, db.name)
  }
}

function loadBooks(): StoredLedger {
  const state = readLedger(db)
  return { ...state, mismatches: [...lost, ...state.mismatches] }
}

const { projector, lost, wasLeft } = readable(openBooks)
// What is lost is said at each start, until somebody has decided about it.
if (lost.length === 0) tail = new TailWriter(dataDir, db)

serveOperations<WriterOperations>({
  loadCatalog: () => readable(() => ({ catalog: readCatalog(db), priceVersions: loadPriceVersions(db) })),
  load: ({ chargedSinceMs, monthSinceMs }) =>
    readable(() => ({
      ledger: loadBooks(),
      endedWell: noted === undefined || (noted.isClosed && !wasLeft),
      charged: chargedSince(db, chargedSinceMs),
      chargedOfProjects: {
        daily: chargedByLabel(db, 'project', chargedSinceMs),
        monthly: chargedByLabel(db, 'project', monthSinceMs),
      },
      chargedOfTools: chargedByLabel(db, 'tool', chargedSinceMs),
      lan: loadLan(db),
      settings: loadSettings(db),
      alerts: loadAlerts(db),
      journal: lost.length === 0 ? journalPlace(db) : undefined,
    })),
  adjustment: (id) => findAdjustment(db, id),
  project,
  change: ({ changes, batch }) => {
    withRoom(() => change.immediate(changes, batch))
    tail?.note({ hasChanged: true })
  },
  loadVisits: () => loadVisits(db),
  changeVisits: (changes) => withRoom(() => changeVisits.immediate(changes)),
  raiseAlerts: (raised) => raise.immediate(raised),
  writeAlerts: (write) => withRoom(() => writeAlerts(db, write)),
  saveRefused: (bursts) => saveBursts.immediate(bursts),
  changeLan: (settings) => {
    withRoom(() => changeLan.immediate(settings))
    tail?.note({ hasChanged: true })
  },
  changeSetting: (setting) => {
    withRoom(() => changeSetting.immediate(setting))
    tail?.note({ hasChanged: true })
  },
  keepBill: (report) => {
    try {
      withRoom(() => keepBill.immediate(report))
    } catch (error) {
      if (error instanceof CannotKeep) return error.problem
      throw error
    }
    tail?.note({ hasChanged: true })
    return undefined
  },
  keepBalances: (reading) => withRoom(() => keepReading.immediate(reading)),
  keepBillQuestion: (question) => withRoom(() => keepBillQuestion(db, question)),
  forgetBills: (providerId) => {
    withRoom(() => forgetBills.immediate(providerId))
    tail?.note({ hasChanged: true })
  },
  loadFleet: () => loadFleet(db),
  keepFleet: (note) => {
    withRoom(() => keepFleetNote.immediate(note))
    tail?.note({ hasChanged: true })
  },
  chargedAfter: (range) => chargedAfter(db, range),
  lastEntry: () => lastEntry(db),
  ...shared.operations,
  close: () => {
    const isWhole = closeProjector()
    clearTimeout(summaryTimer)
    const last = tailOf(db)
    db.close()
    if (isWhole) tail?.close(last)
  },
})
