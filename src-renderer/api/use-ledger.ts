// The ledger in pages, the newest entries first.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { RequestQuery, ResponseBody } from '#contract/admin-api.ts'
import { callApi } from '#renderer/api/client.ts'
import { useApi } from '#renderer/api/use-api.ts'

export type LedgerEntry = ResponseBody<'listLedger'>['entries'][number]
export type LedgerFilter = Pick<NonNullable<RequestQuery<'listLedger'>>, 'key' | 'kind'>

const PAGE_SIZE = '100'
/** Nobody reads on for longer, and the memory of the page has an end. */
const MAX_PAGES = 200
const NEWER_EVERY_MS = 5000

/** Entries stay as they were read, so that nothing moves under a reader's eyes; `hasNewer` says that there are more by now. */
export function useLedger(filter: LedgerFilter) {
  const list = useInfiniteQuery({
    queryKey: ['ledger-pages', filter],
    queryFn: ({ pageParam, signal }) =>
      callApi('listLedger', {
        query: { ...filter, limit: PAGE_SIZE, ...(pageParam === '' ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    // All of them would be read anew, one by one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  const newest = useApi('listLedger', { query: { ...filter, limit: '1' } }, { everyMs: NEWER_EVERY_MS })
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = list
  const pageCount = data?.pages.length ?? 0
  const isFull = pageCount >= MAX_PAGES
  const canGoOn = hasNextPage && !isFetching && !isError && !isFull
  const goOn = useCallback(() => {
    // A page may be empty and not the last; its number makes this a new function, which is asked again.
    if (pageCount > 0 && canGoOn) void fetchNextPage()
  }, [pageCount, canGoOn, fetchNextPage])
  const newestSeq = newest.data?.entries[0]?.seq
  const firstSeq = data?.pages.find((page) => page.entries.length > 0)?.entries[0]?.seq
  return {
    ...list,
    goOn,
    isFull,
    hasNewer: newestSeq !== undefined && data !== undefined && newestSeq > (firstSeq ?? 0),
    isNewestUnknown: newest.isError,
    askedAtMs: newest.dataUpdatedAt,
  }
}
