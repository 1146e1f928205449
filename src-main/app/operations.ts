// What operators ask of a gateway that runs without anybody in front of it: readiness, figures, a line for each request, backups on
// a schedule. What was not asked for costs nothing.

import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION, type Config } from '#config/config.ts'
import type { Parts } from '#app/parts.ts'
import type { SideThreads } from '#threads/side-threads.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import type { StatusView } from '#contract/status.ts'
import type { DescriptorShares } from '#core/descriptor-shares.ts'
import type { Log } from '#core/log.ts'
import { DenseBodies } from '#server/bodies/dense-bodies.ts'
import { CallGuard } from '#server/gateway/call-guard.ts'
import { LargeBodies } from '#server/bodies/large-bodies.ts'
import { MemoryGuard } from '#server/bodies/memory-guard.ts'
import { Spools } from '#server/bodies/spool.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'
import { CallMetrics } from '#server/watch/call-metrics.ts'
import { LoopMeter } from '#server/watch/loop-meter.ts'
import { metricsReader } from '#server/watch/metrics.ts'
import type { ObservedRequest, ObserveRequest } from '#server/watch/observed-requests.ts'
import type { Metrics } from '#server/watch/probes.ts'
import { Readiness } from '#server/watch/readiness.ts'
import { openTelemetry } from '#server/watch/telemetry.ts'
import { tellRefusals } from '#server/watch/refusal-events.ts'
import { ScheduledBackups } from '#server/watch/scheduled-backups.ts'
import { DATABASE_FILE } from '#store/database.ts'

export type Operations = {
  readonly readiness: Readiness
  readonly callGuard: CallGuard
  readonly memory: MemoryGuard
  readonly spools: Spools
  readonly shares: DescriptorShares
  readonly largeBodies: LargeBodies
  readonly denseBodies: DenseBodies
  readonly metrics: Metrics | undefined
  /** undefined where nobody wants to know. */
  readonly observe: ObserveRequest | undefined
  readonly backups: ScheduledBackups | undefined
  close(): Promise<void>
}

export type OperationsInput = {
  readonly config: Config
  readonly parts: Parts
  readonly log: Log
  readonly side: SideThreads
  readonly bills: BillStanding
  readonly connections: () => number
  readonly shares: DescriptorShares
}

/** Throws where the token for figures cannot be read, or may be read by everybody. */
export function openOperations(input: OperationsInput): Operations {
  const { config, parts, log } = input
  const memory = new MemoryGuard()
  const spools = new Spools({
    dataDir: config.dataDir,
    mostBytes: config.maxUploadMib * 1024 * 1024,
    monotonicMs: parts.clock.monotonicMs,
  })
  const largeBodies = new LargeBodies()
  const { recorded } = parts.stores
  const readiness = new Readiness({ ...parts.stores, ...parts.calling, memory })
  const callGuard = new CallGuard({ readiness, memory, monotonicMs: parts.clock.monotonicMs })
  const backups = config.backupDir === undefined ? undefined : openBackups(config.backupDir, input)
  const figures = config.metrics ? openFigures({ ...input, readiness, memory, backups }) : undefined
  const stopTelling = config.log === 'json' ? recorded.listen((records) => tellRefusals(records, log)) : undefined
  const stopTelemetry = config.otlpEndpoint === undefined ? undefined : tellCollector(config.otlpEndpoint, input)
  const observers = [figures?.observe, config.logRequests ? requestLog(log) : undefined].filter(isThere)
  return {
    readiness,
    callGuard,
    memory,
    shares: input.shares,
    spools,
    largeBodies,
    denseBodies: new DenseBodies(),
    metrics: figures?.metrics,
    observe: observers.length === 0 ? undefined : (request) => observers.forEach((observe) => observe(request)),
    backups,
    async close() {
      stopTelling?.()
      figures?.close()
      await stopTelemetry?.()
      await largeBodies.close()
      await backups?.close()
    },
  }
}

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}

function tellCollector(endpoint: string, { parts, log }: OperationsInput): () => Promise<void> {
  const { recorded, catalog } = parts.stores
  const providerOf = (idOrName: string) => catalog.provider(idOrName)
  return openTelemetry({ endpoint, version: VERSION, providerOf, recorded, log })
}

function openBackups(folder: string, { config, parts, log, side }: OperationsInput): ScheduledBackups {
  const { ledger, projection } = parts.stores
  return new ScheduledBackups({
    folder,
    get every() {
      return config.backupEvery
    },
    get keep() {
      return config.backupKeep
    },
    nowMs: parts.clock.nowMs,
    log,
    async backUp(request) {
      // What was answered is on disk already; this is for the holds of running calls.
      if (ledger.state === 'ok') await ledger.flush().catch(() => undefined)
      await projection.upToDate()
      return side.run((thread) => thread.call('backUp', request))
    },
  })
}

type FiguresInput = OperationsInput & {
  readonly readiness: Readiness
  readonly memory: MemoryGuard
  readonly backups: ScheduledBackups | undefined
}

function openFigures({ config, parts, connections, readiness, memory, backups, bills }: FiguresInput) {
  const { clock, stores, calling, faults } = parts
  const token = metricsToken(config)
  const calls = new CallMetrics(stores.catalog)
  const loop = new LoopMeter(clock.monotonicMs)
  const stopListening = stores.recorded.listen((records) => calls.recorded(records))
  const read = metricsReader({
    ...stores,
    ...calling,
    alerts: parts.alerting.alerts,
    clock,
    version: VERSION,
    dataDir: config.dataDir,
    databaseFile: DATABASE_FILE,
    startedAtMs: Date.now(),
    readiness,
    memory,
    calls,
    loop,
    connections,
    faults: () => faults.faults.count,
    backups: () => backups?.standing,
    bills,
  })
  const metrics: Metrics = { token, read }
  return {
    metrics,
    observe: (request: ObservedRequest) => calls.requested(request),
    close() {
      stopListening()
      loop.close()
    },
  }
}

const TOKEN_FILE = 'metrics.token'
/** Long enough that nobody guesses it, short enough for one line. */
const TOKEN = /^[\x21-\x7e]{24,512}$/

/** The token of the file that is named, else of one in the data folder, which is made where it is missing. */
function metricsToken({ metricsTokenFile, dataDir }: Config): string {
  if (metricsTokenFile === undefined) return ownToken(join(dataDir, TOKEN_FILE))
  const isOpen = process.platform !== 'win32' && (statSync(metricsTokenFile).mode & 0o007) !== 0
  if (isOpen) throw new Error(`everybody may read the token for metrics in ${metricsTokenFile}. Take that right away.`)
  return checkedToken(metricsTokenFile)
}

function ownToken(path: string): string {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // From an earlier start: scrapers read it from the same file all the time.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return checkedToken(path)
}

function checkedToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim()
  if (TOKEN.test(token)) return token
  throw new Error(`the token for metrics in ${path} must be one line of 24 to 512 printable characters.`)
}

/** One event per request: what was asked for by the pattern of its route, how it ended, and whose key it was by its id. */
function requestLog(log: Log): ObserveRequest {
  return ({ id, method, route = 'none', status, isComplete, keyId, durationMs }) => {
    const duration = Math.round(durationMs)
    const ended = isComplete ? 'answered' : 'cut'
    log(`${method} ${route} ${status} ${ended} after ${duration} ms`, {
      event: 'request',
      fields: { request_id: id, method, route, status, ended, key_id: keyId ?? null, duration_ms: duration },
    })
  }
}

/** The schedule of backups, as administrators see it. */
export function backupsView(backups: ScheduledBackups | undefined): Pick<StatusView, 'backups'> {
  if (backups === undefined) return {}
  const { folder, every, keep, lastAtMs, nextAtMs, problem } = backups.standing
  return {
    backups: {
      folder,
      every,
      keep,
      last_at: isoOrNull(lastAtMs),
      next_at: nextAtMs === undefined ? null : iso(nextAtMs),
      problem: problem ?? null,
    },
  }
}
