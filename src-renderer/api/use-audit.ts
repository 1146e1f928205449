// The audit log in pages, the newest entries first.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { AuditQuery } from '#contract/audit.ts'
import { callApi } from '#renderer/api/client.ts'

const PAGE_SIZE = '100'
/** Nobody reads on for longer, and the memory of the page has an end. */
const MAX_PAGES = 200

/** Entries stay as they were read, so that nothing moves under a reader's eyes. */
export function useAudit(filter: Pick<AuditQuery, 'action' | 'actor'>) {
  const list = useInfiniteQuery({
    queryKey: ['listAudit', filter],
    queryFn: ({ pageParam, signal }) =>
      callApi('listAudit', {
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
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = list
  const pageCount = data?.pages.length ?? 0
  const canGoOn = hasNextPage && !isFetching && !isError && pageCount < MAX_PAGES
  const goOn = useCallback(() => {
    // Its number makes this a new function, which is asked again where a page was too short to fill the window.
    if (pageCount > 0 && canGoOn) void fetchNextPage()
  }, [pageCount, canGoOn, fetchNextPage])
  return { ...list, goOn }
}
