// What administrators can do, put together from the parts of a running app. Loaded by the first request of the admin API: a
// gateway that only relays never pays for any of it.

import { USER_AGENT, type Parts } from '#main/parts.ts'
import type { ReportOperations } from '#main/report-thread.ts'
import type { SideThreads } from '#main/side-threads.ts'
import type { StatusView } from '#contract/schemas.ts'
import { discoverServers } from '#provider/discovery.ts'
import { listModels } from '#provider/model-list.ts'
import { probeProvider } from '#provider/probe.ts'
import { adminHandlers } from '#server/admin-handlers.ts'
import type { AdminHandlers } from '#server/admin.ts'
import { providerUseView, targetsView } from '#server/health.ts'
import type { DatabaseThread } from '#store/database-thread.ts'

export type AdministrationInput = {
  readonly parts: Parts
  readonly status: () => Promise<Omit<StatusView, 'targets' | 'provider_use'>>
  readonly reports: () => DatabaseThread<ReportOperations>
  readonly side: SideThreads
}

export function administration({ parts, status, reports, side }: AdministrationInput): AdminHandlers {
  return adminHandlers({
    context: parts.context,
    status: async () => ({ ...(await status()), targets: targetsView(parts), provider_use: providerUseView(parts) }),
    testProvider: (provider, model) => probeProvider(provider, { ...parts, userAgent: USER_AGENT, model }),
    discover: (ports = {}) => discoverServers({ ...parts, ports }),
    listModels: (provider, place) => listModels(provider, place, { ...parts, userAgent: USER_AGENT }),
    listUsage: (filter) => reports().call('usage', filter),
    readReceipt: (id) => reports().call('receipt', id),
    verifyLedger: () => reports().call('verify', undefined),
    backUp: (request) => side.run((thread) => thread.call('backUp', request)),
  })
}
