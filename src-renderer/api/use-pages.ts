// A list in pages, the newest entries first. Entries stay as they were read, so that nothing moves under a reader's eyes.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ResponseBody } from '#contract/admin-api.ts'
import { callApi, READ_LIMIT_MS, type CallArguments } from '#renderer/api/client.ts'

type Paged = 'listAudit' | 'listLedger'
type AnswerPage<Action extends Paged> = ResponseBody<Action> & { readonly next: string | null }

const PAGE_SIZE = '100'
/** Nobody reads on for longer, and the memory of the page has an end. */
const MAX_PAGES = 200

/** `name`: under which the pages are kept, where the action's own name is for its other answers. */
export function usePages<Action extends Paged>(action: Action, filter: object, name: string = action) {
  const list = useInfiniteQuery({
    queryKey: [name, filter],
    queryFn: ({ pageParam, signal }): Promise<AnswerPage<Action>> => {
      const query = { ...filter, limit: PAGE_SIZE, ...(pageParam === '' ? {} : { before: pageParam }) }
      const options = [{ query, signal, limitMs: READ_LIMIT_MS }] as unknown as CallArguments<Action>
      return callApi(action, ...options) as Promise<AnswerPage<Action>>
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    // All of them would be read anew, one by one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = list
  const pageCount = data?.pages.length ?? 0
  const isFull = pageCount >= MAX_PAGES
  const canGoOn = hasNextPage && !isFetching && !isError && !isFull
  const goOn = useCallback(() => {
    // A page may be too short to fill the window, or empty and not the last; its number makes this a new function, which is asked again.
    if (pageCount > 0 && canGoOn) void fetchNextPage()
  }, [pageCount, canGoOn, fetchNextPage])
  return { ...list, goOn, isFull }
}
