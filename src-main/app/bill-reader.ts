// Asks a provider for what it reports about its bill: which reports there are is known to the room `bills`, and how to ask to `provider`.

import { setTimeout } from 'node:timers/promises'
import { INTERFACES, nextPageOf } from '#bills/interfaces.ts'
import { noReports } from '#catalog/bill-secrets.ts'
import { billKindOf } from '#core/bill-secret.ts'
import type { Provider } from '#core/entities.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { readReportPages, type ReportPagesDeps } from '#provider/report-pages.ts'
import type { BillWish } from '#server/admin/admin-deps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A process that ends does not stay for it. */
const wait = (ms: number) => setTimeout(ms, undefined, { ref: false })

export async function readBill(
  provider: Provider,
  { days, nowMs, accounts, project }: BillWish,
  deps: Omit<ReportPagesDeps, 'wait'>,
): Promise<readonly object[] | Refusal> {
  const kind = billKindOf(provider)
  if (kind === undefined) return noReports(provider)
  const { requests, headers, ofProject } = INTERFACES[kind]
  const todayMs = nowMs - (nowMs % DAY_MS)
  // Right after midnight today has no whole hour yet.
  const usageToMs = nowMs - (nowMs % HOUR_MS)
  const wish = { fromMs: todayMs - days * DAY_MS, usageToMs, costsToMs: todayMs, accounts, project }
  const questions = { questions: requests(wish), headers, nextPageOf }
  const pages = await readReportPages(provider, questions, { ...deps, wait })
  return isRefusal(pages) ? pages : pages.map((page) => ofProject(page, project))
}
