// The ledger in pages, the newest entries first.

import type { RequestQuery, ResponseBody } from '#contract/admin-api.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { usePages } from '#renderer/api/use-pages.ts'

export type LedgerEntry = ResponseBody<'listLedger'>['entries'][number]
export type LedgerFilter = Pick<NonNullable<RequestQuery<'listLedger'>>, 'key' | 'kind' | 'since' | 'until'>

const NEWER_EVERY_MS = 5000

/** Entries stay as they were read, so that nothing moves under a reader's eyes; `hasNewer` says that there are more by now. */
export function useLedger(filter: LedgerFilter) {
  const list = usePages('listLedger', filter, 'ledger-pages')
  const { data } = list
  // What is newer than the list is of no interest before it is there.
  const isEnabled = data !== undefined
  const newest = useApi('listLedger', { query: { ...filter, limit: '1' } }, { everyMs: NEWER_EVERY_MS, isEnabled })
  const newestSeq = newest.data?.entries[0]?.seq
  const firstSeq = data?.pages.find((page) => page.entries.length > 0)?.entries[0]?.seq
  return {
    ...list,
    hasNewer: newestSeq !== undefined && data !== undefined && newestSeq > (firstSeq ?? 0),
    isNewestUnknown: newest.isError,
    askedAtMs: newest.dataUpdatedAt,
  }
}
