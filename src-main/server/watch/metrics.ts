// All figures of a running gateway, read when a scraper asks. Nothing here is kept: what has to be counted as it happens is in
// call-metrics.ts, loop-meter.ts and the meter of the journal.

import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { microToCredits } from '#core/money.ts'
import type { Alerts } from '#alert/alerts.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { WriteMeter } from '#ledger/write-meter.ts'
import type { Drains } from '#pipeline/drains.ts'
import type { Gate } from '#pipeline/gate.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { RefusedCalls } from '#pipeline/refused-calls.ts'
import type { BackupStanding } from '#server/watch/scheduled-backups.ts'
import { billFamilies, type BillStanding } from '#server/watch/bill-standing.ts'
import type { CallMetrics } from '#server/watch/call-metrics.ts'
import { targetsView, providerUseView, type HealthDeps } from '#server/watch/health.ts'
import type { LoopMeter } from '#server/watch/loop-meter.ts'
import { residentMemory, type MemoryGuard } from '#server/bodies/memory-guard.ts'
import { counter, gauge, histogram, metricsText, type Family } from '#server/watch/metrics-text.ts'
import type { Readiness } from '#server/watch/readiness.ts'

export type MetricsSources = HealthDeps & {
  readonly version: string
  readonly dataDir: string
  readonly databaseFile: string
  readonly startedAtMs: number
  readonly ledger: Pick<Ledger, 'state' | 'openHolds' | 'heldMicro' | 'waiting' | 'unwritten'>
  readonly open: Pick<OpenExchanges, 'size'>
  readonly drains: Pick<Drains, 'size'>
  readonly gate: Pick<Gate, 'waiting'>
  readonly pause: Pick<Pause, 'untilMs'>
  readonly writes: WriteMeter
  readonly readiness: Readiness
  readonly memory: Pick<MemoryGuard, 'bodyBytes'>
  readonly calls: CallMetrics
  readonly refused: Pick<RefusedCalls, 'byCode'>
  readonly alerts: Pick<Alerts, 'raisedByScope'>
  readonly loop: LoopMeter
  readonly connections: () => number
  readonly faults: () => number
  /** undefined where backups are not made on a schedule. */
  readonly backups: () => BackupStanding | undefined
  readonly bills: BillStanding
}

/** Returns what makes the page of figures. */
export function metricsReader(sources: MetricsSources): () => Promise<string> {
  return async () =>
    metricsText([
      ...gatewayFamilies(sources),
      ...sources.calls.families(),
      refusedFamily(sources.refused.byCode),
      alertFamily(sources.alerts.raisedByScope),
      ...queueFamilies(sources),
      ...upstreamFamilies(sources),
      ...writeFamilies(sources),
      ...backupFamilies(sources.backups()),
      ...billFamilies(sources.bills),
      ...processFamilies(sources),
      gauge('process_open_fds', 'Open descriptors.', await openDescriptors()),
      ...(await diskFamilies(sources)),
    ])
}

function gatewayFamilies({ version, ledger, open, drains, readiness, pause, connections, faults }: MetricsSources) {
  return [
    labelled('farebox_info', 'The version that runs.', [[{ version }, 1]]),
    gauge('farebox_ready', 'Whether calls are taken, as /ready says it.', readiness.problem === undefined ? 1 : 0),
    gauge('farebox_paused', 'Whether an administrator has paused calls.', pause.untilMs === undefined ? 0 : 1),
    labelled(
      'farebox_ledger_state',
      'The state of the ledger: 1 for the one that it is in.',
      (['ok', 'halted', 'mismatch'] as const).map((state) => [{ state }, ledger.state === state ? 1 : 0] as const),
    ),
    gauge('farebox_open_connections', 'Connections from clients.', connections()),
    gauge('farebox_open_exchanges', 'Calls that are running.', open.size),
    gauge('farebox_drains', 'Answers that are read on after their client left.', drains.size),
    gauge('farebox_open_holds', 'Holds that are not resolved; without running calls there are none.', ledger.openHolds),
    gauge('farebox_held_credits', 'Credits that running calls hold.', microToCredits(ledger.heldMicro)),
    counter('farebox_faults_total', 'Mistakes of Farebox itself.', faults()),
  ]
}

function refusedFamily(byCode: RefusedCalls['byCode']): Family {
  const samples = Array.from(byCode, ([code, count]) => [{ code }, count] as const)
  return {
    type: 'counter',
    name: 'farebox_refused_calls_total',
    help: 'Calls that were refused before they were admitted.',
    samples,
  }
}

function alertFamily(byScope: ReadonlyMap<string, number>): Family {
  const samples = Array.from(byScope, ([scope, count]) => [{ scope }, count] as const)
  return { type: 'counter', name: 'farebox_alerts_total', help: 'Thresholds that budgets reached.', samples }
}

function queueFamilies({ ledger, gate, routing }: MetricsSources): Family[] {
  const help = 'Requests that wait for their turn, by what they wait for.'
  return [
    labelled('farebox_waiting', help, [
      [{ for: 'credits' }, ledger.waiting],
      [{ for: 'rate_limit' }, gate.waiting],
      [{ for: 'provider' }, routing.gate.waiting],
    ]),
  ]
}

function upstreamFamilies(sources: MetricsSources): Family[] {
  const targets = targetsView(sources)
  const use = providerUseView(sources)
  return [
    labelled(
      'farebox_target_up',
      'Whether requests go to a target as a matter of course.',
      targets.map(({ provider, model, state }) => [{ provider, model }, state === 'ok' ? 1 : 0] as const),
    ),
    labelled(
      'farebox_target_failures',
      'Failures of a target in a row.',
      targets.map(({ provider, model, failures }) => [{ provider, model }, failures] as const),
    ),
    labelled(
      'farebox_provider_requests',
      'Running requests to a provider.',
      use.map(({ provider, concurrent_requests }) => [{ provider }, concurrent_requests] as const),
    ),
  ]
}

function writeFamilies({ ledger, writes }: MetricsSources): Family[] {
  return [
    histogram('farebox_write_batch_entries', 'Entries of the ledger in one transaction.', writes.entries),
    histogram('farebox_write_seconds', 'How long a transaction took.', writes.seconds),
    gauge('farebox_write_under_way_seconds', 'The age of the present transaction.', writes.underWayMs / 1000),
    gauge('farebox_unwritten_entries', 'Entries that wait for the transaction before them.', ledger.unwritten),
    counter(
      'farebox_write_failures_total',
      'Transactions that the disk refused; each is tried again.',
      writes.failures,
    ),
  ]
}

function backupFamilies(standing: BackupStanding | undefined): Family[] {
  if (standing === undefined) return []
  const { lastAtMs, lastBytes, failures, problem } = standing
  return [
    gauge('farebox_backup_last_success_seconds', 'When the newest backup was made.', seconds(lastAtMs)),
    gauge('farebox_backup_bytes', 'The size of the newest backup.', lastBytes),
    gauge('farebox_backup_failing', 'Whether the last try to make one failed.', problem === undefined ? 0 : 1),
    counter('farebox_backup_failures_total', 'Tries that failed.', failures),
  ]
}

function processFamilies({ loop, startedAtMs, memory: bodies }: MetricsSources): Family[] {
  const { used_heap_size: heapUsed, external_memory: external } = getHeapStatistics()
  const cpu = process.cpuUsage()
  return [
    histogram('farebox_event_loop_delay_seconds', 'How late timers were.', loop.delay),
    gauge(
      'farebox_body_bytes',
      'Bodies that are being read and served, as far as they have arrived.',
      bodies.bodyBytes,
    ),
    gauge('process_resident_memory_bytes', 'Memory of the process.', residentMemory()),
    gauge('farebox_heap_used_bytes', 'Objects of JavaScript.', heapUsed),
    gauge('farebox_external_memory_bytes', 'Buffers and what libraries allocated.', external),
    counter('process_cpu_seconds_total', 'Time on processors.', (cpu.user + cpu.system) / 1e6),
    gauge('process_start_time_seconds', 'When it was started.', seconds(startedAtMs)),
  ]
}

async function diskFamilies({ dataDir, databaseFile }: MetricsSources): Promise<Family[]> {
  const size = (file: string) =>
    stat(file).then(
      ({ size: bytes }) => bytes,
      () => undefined,
    )
  const database = join(dataDir, databaseFile)
  const [bytes, logBytes, free] = await Promise.all([
    size(database),
    size(`${database}-wal`),
    statfs(dataDir).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    ),
  ])
  return [
    gauge('farebox_database_bytes', 'The size of the database.', bytes),
    gauge('farebox_database_log_bytes', 'The size of its write-ahead log.', logBytes),
    gauge('farebox_disk_free_bytes', 'Room on the disk of the data folder.', free),
  ]
}

function labelled(
  name: string,
  help: string,
  samples: Extract<Family, { type: 'gauge' | 'counter' }>['samples'],
): Family {
  return { type: 'gauge', name, help, samples }
}

function seconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : timeMs / 1000
}

/** undefined where the system does not show them. Thousands take milliseconds, for which calls must not wait. */
async function openDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length
  } catch {
    // Only Linux has this folder.
    return undefined
  }
}
