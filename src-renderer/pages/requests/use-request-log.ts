// Holds the list of requests against the server: pages backwards, events on top, the newest page again after a break.

import { useCallback, useEffect, useReducer, useRef } from 'react'
import type { UsageList, UsageView } from '#contract/schemas.ts'
import { callApi, READ_LIMIT_MS } from '#renderer/api/client.ts'
import { useEvents, type EventsState } from '#renderer/api/events.ts'
import { usageIn } from '#renderer/data/live.ts'
import { queryOf, verdictOn, type RequestFilter } from '#renderer/data/request-filter.ts'
import { NO_VIEW, viewAfter, type LogView } from '#renderer/data/request-view.ts'

const PAGE_SIZE = 200
const NEWEST_SIZE = 100
/** What arrives is shown in batches: drawing for each of many would be slow, and nobody sees the difference. */
const BATCH_MS = 100
/** How often the server is asked where only it can tell whether a request belongs to the list. */
const ASK_MS = 500
/** Requests that one batch may hold; with more than that the newest page is read instead. */
const MAX_BATCHED = 1000

export type RequestLogHandle = LogView & {
  readonly loadMore: () => void
  /** Shows what waits. */
  readonly release: () => void
  readonly retry: () => void
}

/** While the list is held, what arrives waits. */
export function useRequestLog(filter: RequestFilter, isHeld: boolean): RequestLogHandle {
  const [view, dispatch] = useReducer(viewAfter, NO_VIEW)
  const current = useRef({ filter, isHeld, view })
  useEffect(() => {
    current.current = { filter, isHeld, view }
  })
  const text = JSON.stringify(filter)
  const { attempt } = view
  const pages = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    pages.current = controller
    const { signal } = controller
    dispatch({ type: 'began' })
    pageOf(current.current.filter, { limit: String(PAGE_SIZE) }, signal).then(
      (page) => signal.aborted || dispatch({ type: 'started', page }),
      (error: unknown) => signal.aborted || dispatch({ type: 'failed', error: errorOf(error) }),
    )
    return () => controller.abort()
  }, [text, attempt])
  const catchUp = useCatchUp(() => {
    const { signal } = pages.current
    const { filter: asked } = current.current
    return pageOf(asked, { limit: String(NEWEST_SIZE) }, signal).then((page) => {
      if (!signal.aborted) dispatch({ type: 'caughtUp', page, isHeld: current.current.isHeld })
    })
  })
  const onArrival = useBatches((requests, isComplete) => {
    const verdicts = requests.map((request) => verdictOn(current.current.filter, request))
    const fitting = requests.filter((_, index) => verdicts[index] === 'yes')
    if (fitting.length > 0) dispatch({ type: 'arrived', requests: fitting, isHeld: current.current.isHeld })
    if (!isComplete || verdicts.includes('ask')) catchUp()
  })
  useEvents(
    (event) => {
      const request = usageIn(event)
      if (request !== undefined) onArrival(request)
      // More was missed than the server tells of one by one.
      if (event.event === 'missed') catchUp()
    },
    true,
    (state: EventsState) => {
      dispatch({ type: 'connection', state, nowMs: Date.now() })
      if (state === 'open') catchUp()
    },
  )
  const loadMore = useCallback(() => {
    const { filter: asked, view: shown } = current.current
    if (shown.log === undefined || shown.isBeginning || shown.isLoadingMore || shown.log.more.type === 'end') return
    const { more } = shown.log
    const { signal } = pages.current
    dispatch({ type: 'moreBegan' })
    const place = more.type === 'cursor' ? { before: more.before } : { until: more.until }
    pageOf(asked, { limit: String(PAGE_SIZE), ...place }, signal).then(
      (page) => signal.aborted || dispatch({ type: 'continued', page }),
      (error: unknown) => signal.aborted || dispatch({ type: 'moreFailed', error: errorOf(error) }),
    )
  }, [])
  return {
    ...view,
    loadMore,
    release: useCallback(() => dispatch({ type: 'released' }), []),
    retry: useCallback(() => dispatch({ type: 'retried' }), []),
  }
}

type LogPlace = { readonly limit: string; readonly before?: string; readonly until?: string }

function pageOf(filter: RequestFilter, place: LogPlace, signal: AbortSignal): Promise<UsageList> {
  return callApi('usage', { query: { ...queryOf(filter), ...place }, signal, limitMs: READ_LIMIT_MS })
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Runs at most once at a time and not more often than every half second; what was wished meanwhile is done once afterwards. */
function useCatchUp(run: () => Promise<void>): () => void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  const state = useRef({ isBusy: false, isWanted: false })
  return useCallback(() => {
    const start = () => {
      state.current = { isBusy: true, isWanted: false }
      // A newest page that could not be read is asked for again by the next event or connection.
      void latest
        .current()
        .catch(() => undefined)
        .then(() => new Promise((resolve) => setTimeout(resolve, ASK_MS)))
        .then(() => {
          state.current.isBusy = false
          if (state.current.isWanted) start()
        })
    }
    if (state.current.isBusy) state.current.isWanted = true
    else start()
  }, [])
}

/** Hands over what arrives in batches; `isComplete` is false where one was more than a batch may hold. */
function useBatches(take: (requests: readonly UsageView[], isComplete: boolean) => void): (request: UsageView) => void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  const batch = useRef<{ requests: UsageView[]; timer: ReturnType<typeof setTimeout> | undefined }>({
    requests: [],
    timer: undefined,
  })
  useEffect(() => {
    const { current } = batch
    return () => clearTimeout(current.timer)
  }, [])
  return useCallback((request) => {
    const { current } = batch
    current.requests.push(request)
    current.timer ??= setTimeout(() => {
      const { requests } = current
      current.requests = []
      current.timer = undefined
      latest.current(requests.slice(-MAX_BATCHED), requests.length <= MAX_BATCHED)
    }, BATCH_MS)
  }, [])
}
