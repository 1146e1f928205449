// The writer thread: the only connection that writes to the database. It migrates at start, projects the journal into the tables
// and applies changes to the catalogue, each as one durable transaction.

import { statfsSync, statSync } from 'node:fs'
import { findAdjustment, readLedger } from '#ledger/entries.ts'
import { chargedAfter, lastEntry } from '#ledger/charged-after.ts'
import type { LanSettings } from '#core/lan.ts'
import type { SettingChange } from '#core/setting.ts'
import { NewerForm } from '#ledger/batch-text.ts'
import type { RefusedBurst } from '#core/refused-call.ts'
import type { StoredLedger } from '#ledger/stored.ts'
import { summariseNext, SUMMARY_STEP } from '#ledger/summary.ts'
import { loadAlerts, raiseAlerts, rearmAlerts, writeAlerts, type Raised } from '#store/alert-rows.ts'
import { applyCatalogChange, loadPriceVersions, readCatalog } from '#store/catalog-rows.ts'
import { keepBalances, type BalanceReading } from '#store/account-balances.ts'
import { keepBillQuestion } from '#store/bill-questions.ts'
import { CannotKeep, forgetReports, keepReport, type ReportToKeep } from '#store/bill-reports.ts'
import { damageOf, openForWriting } from '#store/database.ts'
import { beginning, serveOperations } from '#store/database-thread.ts'
import {
  keepFleet,
  keepFleetVersion,
  keepSightings,
  loadFleet,
  loadSightings,
  type FleetNote,
  type SightingRow,
} from '#store/fleet-rows.ts'
import { foreignJournal, journalPlace, startJournal } from '#store/journal-open.ts'
import { chargedByLabel } from '#store/project-rows.ts'
import { loadLan, putLan } from '#store/lan-rows.ts'
import { loadSettings, putSetting } from '#store/setting-rows.ts'
import { saveRefused } from '#store/refused-rows.ts'
import { applyVisitChange, loadVisits, type VisitChange } from '#store/session-rows.ts'
import { countChange, hasTail, noteWith, readTail, tailOf, tailProblems, TailWriter } from '#store/tail.ts'
import { UsageRollups } from '#store/usage-rollups.ts'
import { chargedBetween } from '#store/usage-rows.ts'
import { appenderOf, isMisfit, Projector } from '#threads/projector.ts'
import { sharedUsage } from '#threads/shared-usage.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

/** `timeZone`: whose days are summed up; the machine's where it is absent. */
const { dataDir, timeZone } = beginning() as { dataDir: string; timeZone?: string }
const isNoteRemoved = !hasTail(dataDir)
const noted = readTail(dataDir)
const db = openForWriting(dataDir)
const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
const rollups = new UsageRollups(db, zone)
/** Whether a look at the room on the disk is under way. */
let isRoomLookedAt = false
const shared = sharedUsage({ db, rollups, timeZone: zone, write: withRoom })
readable(() => {
  if (rollups.open()) shared.refill()
})
const appendRows = appenderOf(db, rollups)
let tail: TailWriter | undefined
const change = counted(({ changes, batch }: WriterOperations['change']['input']) => {
  for (const item of changes) applyCatalogChange(db, item)
  appendRows(batch)
  rearmAlerts(db, batch.balances)
  if (batch.version !== undefined) keepFleetVersion(db, batch.version)
})
const changeLan = counted((settings: LanSettings) => putLan(db, settings))
const changeSetting = counted((setting: SettingChange) => putSetting(db, setting))
const keepBill = counted((report: ReportToKeep) => keepReport(db, report))
const keepFleetNote = counted((note: FleetNote) => keepFleet(db, note))
const keepSightingsRows = db.transaction((rows: readonly SightingRow[]) => keepSightings(db, rows))
const forgetBills = counted((providerId: string) => forgetReports(db, providerId))
const keepReading = db.transaction((reading: BalanceReading) => keepBalances(db, reading))
const changeVisits = db.transaction((changes: readonly VisitChange[]) => {
  for (const item of changes) applyVisitChange(db, item)
})
const raise = db.transaction((raised: Raised) => raiseAlerts(db, raised))
const saveBursts = db.transaction((bursts: readonly RefusedBurst[]) => saveRefused(db, bursts))

/** A transaction that the note beside the database counts. */
function counted<Input>(write: (input: Input) => void): (input: Input) => void {
  const transaction = db.transaction((input: Input) => {
    write(input)
    countChange(db)
  })
  return (input) => {
    withRoom(() => transaction.immediate(input))
    tail?.note({ hasChanged: true })
  }
}

const RESTORE = 'Restore a backup: farebox restore FILE'

/**
 * The log grows to 16 MB before SQLite folds it back into the database, and folding may need as much room again. On a small or
 * nearly full disk it would take the room that it needs to give room back, so there it is folded in time.
 */
function keepRoom(): void {
  isRoomLookedAt = false
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const logBytes = statSync(`${db.name}-wal`).size
    if (bavail * bsize < 2 * logBytes) foldLog()
  } catch {
    // Nobody can say how full the disk is, or the log is gone: then it is as it would be without looking.
  }
}

/**
 * Writes; where the disk is full, folds the log back and tries once more. How much a transaction adds to the log does not follow from how much it
 * says: one of a single call takes as many pages as one of ten. So each is followed by a look at the room.
 */
function withRoom(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isFull(error)) throw error
    foldLog()
    write()
  }
  if (!isRoomLookedAt) setImmediate(keepRoom)
  isRoomLookedAt = true
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
  load: ({ day, month }) =>
    readable(() => ({
      ledger: loadBooks(),
      endedWell: noted === undefined || (noted.isClosed && !wasLeft),
      charged: chargedBetween(db, day.fromMs, day.toMs),
      chargedOfProjects: {
        daily: chargedByLabel(db, 'project', day),
        monthly: chargedByLabel(db, 'project', month),
      },
      chargedOfTools: chargedByLabel(db, 'tool', day),
      lan: loadLan(db),
      settings: loadSettings(db),
      alerts: loadAlerts(db),
      journal: lost.length === 0 ? journalPlace(db) : undefined,
    })),
  adjustment: (id) => findAdjustment(db, id),
  project,
  change,
  loadVisits: () => loadVisits(db),
  changeVisits: (changes) => withRoom(() => changeVisits.immediate(changes)),
  raiseAlerts: (raised) => raise.immediate(raised),
  writeAlerts: (write) => withRoom(() => writeAlerts(db, write)),
  saveRefused: (bursts) => saveBursts.immediate(bursts),
  changeLan,
  changeSetting,
  keepBill: (report) => {
    try {
      keepBill(report)
    } catch (error) {
      if (error instanceof CannotKeep) return error.problem
      throw error
    }
    return undefined
  },
  keepBalances: (reading) => withRoom(() => keepReading.immediate(reading)),
  keepBillQuestion: (question) => withRoom(() => keepBillQuestion(db, question)),
  forgetBills,
  loadFleet: () => loadFleet(db),
  keepFleet: keepFleetNote,
  loadSightings: () => loadSightings(db),
  keepSightings: (rows) => keepSightingsRows(rows),
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
