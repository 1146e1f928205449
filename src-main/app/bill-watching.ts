// The watch of bills of a running app. It works through the handlers that administrators have, so that there is one way of asking for a
// report and of comparing it; they are loaded when there is something to do.

import { BillWatch } from '#app/bill-watch.ts'
import type { Parts } from '#app/parts.ts'
import type { ReadingThreads } from '#app/reading-threads.ts'
import type { Config } from '#config/config.ts'
import type { BillDays } from '#contract/bills.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AdminHandlers, AdminInput } from '#server/admin/handlers.ts'
import { JsonText } from '#server/http/json-text.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

export type BillWatchingFrom = {
  readonly config: Config
  readonly parts: Parts
  readonly writer: DatabaseThread<WriterOperations>
  readonly reading: ReadingThreads
  readonly bills: BillStanding
  readonly handlers: () => Promise<AdminHandlers>
}

export function billWatchOf({ config, parts, writer, reading, bills, handlers }: BillWatchingFrom): BillWatch {
  const { clock, stores, alerting } = parts
  return new BillWatch({
    providers: () => stores.catalog.providers,
    askable: async () => {
      const listed = await (await handlers()).listBillSecrets(asFarebox<'listBillSecrets'>({}))
      if (isRefusal(listed)) return listed
      return valueOf<Exclude<typeof listed, JsonText>>(listed)
        .filter(({ has_secret: hasSecret, has_reports: hasReports }) => hasSecret && hasReports)
        .map(({ provider }) => provider)
    },
    ask: async (provider, days) => {
      const body = { provider, days, keep: true }
      const answer = await (await handlers()).checkBill(asFarebox<'checkBill'>({ body }))
      return isRefusal(answer) ? answer : undefined
    },
    compare: async (): Promise<BillDays | Refusal> => {
      const answer = await (await handlers()).listBills(asFarebox<'listBills'>({ query: {} }))
      return isRefusal(answer) ? answer : valueOf<BillDays>(answer)
    },
    stored: () => reading.reports.call('billsKept', undefined),
    keep: (question) => writer.call('keepBillQuestion', question),
    tell: (found) => alerting.alerts.tell(found),
    standing: bills,
    every: () => config.billsEvery,
    nowMs: () => clock.nowMs(),
  })
}

type Wish<Action extends keyof AdminHandlers> = Partial<Pick<AdminInput<Action>, 'body' | 'query'>>

/** Nobody visits: what these actions need is who asks. */
function asFarebox<Action extends keyof AdminHandlers>(wish: Wish<Action>): AdminInput<Action> {
  const viewer = { type: 'owner', name: 'farebox' } as const
  return { id: '', body: {}, query: {}, viewer, nameActor: () => undefined, ...wish } as unknown as AdminInput<Action>
}

/** What was made into JSON elsewhere was made by this program. */
function valueOf<Value>(answer: Value | JsonText): Value {
  return answer instanceof JsonText ? (JSON.parse(new TextDecoder().decode(answer.bytes)) as Value) : answer
}
