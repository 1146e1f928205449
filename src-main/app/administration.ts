// What administrators can do, put together from the parts of a running app. Loaded by the first request of the admin API: a
// gateway that only relays never pays for any of it.

import { statfs } from 'node:fs/promises'
import { testBody } from '#alert/message.ts'
import { VERSION, type Config } from '#config/config.ts'
import type { LiveSettings } from '#config/live-settings.ts'
import type { Operations } from '#app/operations.ts'
import { USER_AGENT, type Calling, type Parts } from '#app/parts.ts'
import type { ReadingThreads } from '#app/reading-threads.ts'
import { secretState } from '#catalog/secrets.ts'
import type { Surroundings } from '#connect/expand.ts'
import { renewKeyFile } from '#connect/key-file.ts'
import type { SideThreads } from '#threads/side-threads.ts'
import type { SettingsView } from '#contract/audit.ts'
import type { StatusView } from '#contract/status.ts'
import type { Provider } from '#core/entities.ts'
import { readBill, tryBillSecret } from '#app/bill-reader.ts'
import { readModelPage } from '#app/large-pages.ts'
import { fleetReceipts } from '#app/fleet.ts'
import { fleetControl } from '#app/fleet-control.ts'
import { priceFeed } from '#app/price-feed.ts'
import type { SettingChanges } from '#app/shared-settings.ts'
import { ToolScans } from '#app/tool-scans.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { refuse } from '#core/refusal.ts'
import { discoverServers } from '#provider/discovery.ts'
import { listModels } from '#provider/model-list.ts'
import { probeProvider } from '#provider/probe.ts'
import type { BillDaysRequest } from '#reports/bill-day.ts'
import { readSealed, writeSealed } from '#secret/sealed-export.ts'
import { adminHandlers } from '#server/admin/entities.ts'
import type { AdminHandlers } from '#server/admin/handlers.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import type { AdminDeps, BalanceControl, KeptBills, LanControl } from '#server/admin/admin-deps.ts'
import { missingPricesView, providerUseView, targetsView } from '#server/watch/health.ts'
import { secretsLeftOut, secretsView } from '#server/watch/secrets.ts'
import { waitingView } from '#server/gateway/waiting.ts'

export type AdministrationInput = {
  readonly parts: Parts
  readonly operations: Pick<Operations, 'callGuard'>
  readonly status: () => Promise<Omit<StatusView, 'targets' | 'provider_use' | 'secrets_left_out'>>
  readonly config: Config
  readonly live: LiveSettings
  readonly settings: SettingChanges
  readonly keptBills: KeptBills
  readonly balances: BalanceControl
  readonly visits: Visits
  readonly ticketMade: () => void
  readonly lan: () => Promise<LanControl>
  readonly tools: Surroundings | undefined
  /** Where this machine reaches the gateway; undefined before it listens. */
  readonly url: () => string | undefined
  readonly reading: ReadingThreads
  readonly side: SideThreads
}

export function administration(input: AdministrationInput): AdminHandlers {
  const { parts, operations, status, config, keptBills, balances, visits, ticketMade, lan, reading, side } = input
  const { clock, context, stores, calling, secrets } = parts
  const upstream = { ...calling, ...secrets, clock, userAgent: USER_AGENT }
  const watched = { ...stores, ...calling, clock, stateOf: (provider: Provider) => secretState(context, provider) }
  return adminHandlers({
    context,
    visits,
    ticketMade,
    keyRotated: (keyId, value) => renewKeyFile(config.dataDir, keyId, value),
    keyGuesses: operations.callGuard,
    lan,
    fleet: fleetControl(calling.leases),
    ...toolsOf(input),
    ...settingsControl(input),
    pause: calling.pause,
    ...usesOf(calling),
    waiting: (viewer) => waitingView({ ...stores, ...calling }, viewer),
    status: async () => {
      return {
        ...(await status()),
        ...missingPricesView(watched),
        targets: targetsView(watched),
        provider_use: providerUseView(watched),
        secrets_left_out: secretsLeftOut(watched),
      }
    },
    testProvider: async (provider, model) => {
      const result = await probeProvider(provider, { ...upstream, model })
      // Whoever tests a provider may have mended it elsewhere, so that calls are to find out for themselves.
      context.targetsChanged(stores.catalog.targetsAt(new Set([provider.id])))
      return result
    },
    secretsOf: (provider) => secretsView(provider, watched),
    discover: (ports = {}) => discoverServers({ ...upstream, ports }),
    listModels: (provider, place) => listModels(provider, place, { ...upstream, readPage: readModelPage }),
    reports: {
      usage: (filter) => reading.reports.call('usage', filter),
      usageReport: async (request) => {
        await calling.refused.write()
        return reading.reports.call('usageReport', request)
      },
      ledger: (filter) => reading.reports.call('ledger', filter),
      billCorrections: (request) => reading.reports.call('billCorrections', request),
      billCheck: (request) => reading.reports.call('billCheck', request),
      billDays: (request) => billDays(request, input),
      billRows: (text) => reading.reports.call('billRows', text),
      billAccount: (providerId) => reading.reports.call('billAccount', providerId),
      overview: (request) => reading.reports.call('overview', request),
      refused: async (filter) => {
        await calling.refused.write()
        return reading.reports.call('refused', filter)
      },
    },
    open: calling.open,
    freeBytes: () => freeBytes(config.dataDir),
    keptBills,
    priceFeed: priceFeed({ ...upstream, ...config, nowMs: clock.nowMs }),
    balances,
    ...billReading(upstream, config),
    readReceipt: fleetReceipts(calling.leases, (id) => reading.receipts.call('receipt', id)),
    findRefused: (id) => reading.findRefused(id, calling.refused),
    alerting: { ...parts.alerting, testBody: () => testBody(clock.nowMs()) },
    verifyLedger: () => checkBooks(input),
    sealedFiles: { readSealed, writeSealed },
    // A backup that lacks what clients were told is none: better to say what the disk says.
    backUp: async (request) => {
      await stores.projection.upToDate()
      return side.run((thread) => thread.call('backUp', request))
    },
  })
}

/** The books of this gateway, and the balances that it shares with others. */
async function checkBooks({
  parts: { stores, calling },
  side,
}: Pick<AdministrationInput, 'parts' | 'side'>): Promise<LedgerReport> {
  const { canAppend } = stores.projection
  const own = await side.run((thread) => thread.call('verifyAll', { canAppend }))
  const shared = (await calling.leases?.problems()) ?? []
  return { ...own, ok: own.ok && shared.length === 0, problems: [...own.problems, ...shared] }
}

/** Where a month of calls is compared no page waits behind it, and where there is nothing to compare none waits for a thread. */
async function billDays(request: BillDaysRequest, { reading, side }: Pick<AdministrationInput, 'reading' | 'side'>) {
  const few = await reading.reports.call('fewBillDays', request)
  return few ?? side.run((thread) => thread.call('billDays', request))
}

function billReading(
  upstream: Omit<Parameters<typeof tryBillSecret>[2], 'nowMs' | 'retryDelayMs'>,
  { upstreamRetryDelayMs: retryDelayMs }: Config,
): Pick<AdminDeps, 'readBill' | 'tryBillSecret'> {
  const deps = { ...upstream, nowMs: () => upstream.clock.nowMs(), retryDelayMs }
  return {
    readBill: (provider, wish) => readBill(provider, wish, deps),
    tryBillSecret: (provider, tried) => tryBillSecret(provider, tried, deps),
  }
}

function toolsOf({ parts, config, tools, url }: AdministrationInput): Pick<AdminDeps, 'tools' | 'scans'> {
  const { clock, context } = parts
  return {
    // The editors of all formats come with it, which nobody needs who connects nothing.
    tools: async (inTurn) => {
      const { toolControl } = await import('#app/tool-control.ts')
      return toolControl({ dataDir: config.dataDir, surroundings: tools, context, url, inTurn })
    },
    scans: new ToolScans({ surroundings: tools, nowMs: () => clock.nowMs() }),
  }
}

function settingsControl({
  live,
  settings,
  parts,
  reading,
}: AdministrationInput): Pick<AdminDeps, 'settings' | 'setSetting'> {
  return {
    settings: async () => ({
      ...settingsOf(live, parts.context.timeZone),
      database_bytes: await reading.reports.call('databaseBytes', undefined),
    }),
    setSetting: async (name, value) => {
      const change = { name, text: value ?? undefined }
      const problem = live.problemOf(change)
      if (problem !== undefined) return refuse('invalid_request', problem.message, { param: 'value' })
      await settings.make(change)
      return undefined
    },
  }
}

/** What calls of a member, and for a project, do now and were charged. */
function usesOf({ gate, budgets }: Calling): Pick<AdminDeps, 'memberUse' | 'projectUse'> {
  return {
    memberUse: (memberId) => ({
      running: gate.running(memberId),
      chargedTodayMicro: budgets.member.chargedMicro(memberId, 'daily'),
      heldMicro: budgets.member.heldMicro(memberId),
    }),
    projectUse: (project) => ({
      chargedTodayMicro: budgets.project.chargedMicro(project, 'daily'),
      chargedThisMonthMicro: budgets.project.chargedMicro(project, 'monthly'),
      heldMicro: budgets.project.heldMicro(project),
    }),
  }
}

function settingsOf(live: LiveSettings, timeZone: string): Omit<SettingsView, 'database_bytes'> {
  return {
    settings: live.views().map(({ name, source, meaning, ...setting }) => ({
      name,
      source,
      value: setting.value ?? null,
      environment: setting.env ?? null,
      flag: setting.flag ?? null,
      is_changeable: setting.isChangeable,
      choices: setting.choices === undefined ? null : [...setting.choices],
      description: meaning,
    })),
    time_zone: timeZone,
    version: VERSION,
    node: process.version,
    data_dir: live.config.dataDir,
  }
}

async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    // Not every system can say, and then nothing is said.
    return undefined
  }
}
