// What administrators can do, put together from the parts of a running app. Loaded by the first request of the admin API: a
// gateway that only relays never pays for any of it.

import { statfs } from 'node:fs/promises'
import { describeSettings, VERSION, type Config } from '#config/config.ts'
import { USER_AGENT, type Parts } from '#app/parts.ts'
import type { ReportOperations } from '#threads/report-thread.ts'
import type { SideThreads } from '#threads/side-threads.ts'
import type { SettingsView } from '#contract/audit.ts'
import type { StatusView } from '#contract/schemas.ts'
import { discoverServers } from '#provider/discovery.ts'
import { listModels } from '#provider/model-list.ts'
import { probeProvider } from '#provider/probe.ts'
import { readSealed, writeSealed } from '#secret/sealed-export.ts'
import { adminHandlers } from '#server/admin/entities.ts'
import type { AdminHandlers } from '#server/admin/handlers.ts'
import type { Door } from '#server/sign-in/door.ts'
import type { KeySignInDeps } from '#server/sign-in/key-sign-in.ts'
import type { LanControl } from '#server/admin/admin-deps.ts'
import { providerUseView, targetsView } from '#server/watch/health.ts'
import { waitingView } from '#server/gateway/waiting.ts'
import type { DatabaseThread } from '#store/database-thread.ts'

export type AdministrationInput = {
  readonly parts: Parts & { readonly operations: { readonly intake: KeySignInDeps['guesses'] } }
  readonly status: () => Promise<Omit<StatusView, 'targets' | 'provider_use'>>
  readonly config: Config
  readonly door: Door
  readonly ticketMade: () => void
  readonly lan: () => Promise<LanControl>
  readonly reports: () => DatabaseThread<ReportOperations>
  /** Answers what nobody should wait long for. */
  readonly receipts: () => DatabaseThread<ReportOperations>
  readonly side: SideThreads
}

export function administration(input: AdministrationInput): AdminHandlers {
  const { parts, status, config, door, ticketMade, lan, reports, receipts, side } = input
  return adminHandlers({
    context: parts.context,
    door,
    ticketMade,
    keyGuesses: parts.operations.intake,
    lan,
    settings: async () => ({
      ...settingsOf(config, parts),
      database_bytes: await reports().call('databaseBytes', undefined),
    }),
    pause: parts.pause,
    memberUse: (memberId) => ({
      running: parts.gate.running(memberId),
      chargedTodayMicro: parts.budgets.chargedTodayMicro(memberId),
      heldMicro: parts.budgets.heldMicro(memberId),
    }),
    waiting: (viewer) => waitingView(parts, viewer),
    status: async () => ({ ...(await status()), targets: targetsView(parts), provider_use: providerUseView(parts) }),
    testProvider: async (provider, model) => {
      const result = await probeProvider(provider, { ...parts, userAgent: USER_AGENT, model })
      // Whoever tests a provider may have mended it elsewhere, so that calls are to find out for themselves.
      parts.context.targetsChanged(parts.catalog.targetsAt(new Set([provider.id])))
      return result
    },
    discover: (ports = {}) => discoverServers({ ...parts, ports }),
    listModels: (provider, place) => listModels(provider, place, { ...parts, userAgent: USER_AGENT }),
    reports: {
      usage: (filter) => reports().call('usage', filter),
      usageReport: (request) => reports().call('usageReport', request),
      ledger: (filter) => reports().call('ledger', filter),
      overview: (request) => reports().call('overview', request),
    },
    open: parts.open,
    freeBytes: () => freeBytes(config.dataDir),
    readReceipt: (id) => receipts().call('receipt', id),
    verifyLedger: () => side.run((thread) => thread.call('verifyAll', undefined)),
    sealedFiles: { readSealed, writeSealed },
    backUp: (request) => side.run((thread) => thread.call('backUp', request)),
  })
}

function settingsOf(config: Config, { context }: Parts): Omit<SettingsView, 'database_bytes'> {
  return {
    settings: describeSettings(config).map(({ value = null, env = null, flag = null, meaning, ...setting }) => ({
      ...setting,
      value,
      environment: env,
      flag,
      description: meaning,
    })),
    time_zone: context.timeZone,
    version: VERSION,
    node: process.version,
    data_dir: config.dataDir,
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
