// What the page of requests knows at one moment: the list, how its reading goes, and whether events come.

import type { UsageList, UsageView } from '#contract/schemas.ts'
import { arrived, caughtUp, continuedWith, released, startedWith, type RequestLog } from '#renderer/data/request-log.ts'

type Connection = 'connecting' | 'open' | 'waiting'

export type LogView = {
  /** Undefined until the first page is there. */
  readonly log: RequestLog | undefined
  /** The first page of another filter is on its way; until it is there the list is that of the filter before. */
  readonly isBeginning: boolean
  /** What arrived before the first page. */
  readonly early: readonly UsageView[]
  readonly error: Error | undefined
  readonly isLoadingMore: boolean
  /** Pages in a row that had no request of the list. */
  readonly emptyPages: number
  readonly moreError: Error | undefined
  readonly connection: Connection
  /** Since when no events have come; undefined while they come. */
  readonly lostAtMs: number | undefined
  /** Counts how often the list was begun by hand. */
  readonly attempt: number
}

export const NO_VIEW: LogView = {
  log: undefined,
  isBeginning: true,
  early: [],
  error: undefined,
  isLoadingMore: false,
  emptyPages: 0,
  moreError: undefined,
  connection: 'connecting',
  lostAtMs: undefined,
  attempt: 0,
}

export type LogChange =
  | { readonly type: 'began' | 'moreBegan' | 'retried' }
  | { readonly type: 'started'; readonly page: UsageList }
  | { readonly type: 'continued'; readonly page: UsageList }
  | { readonly type: 'released' }
  | { readonly type: 'caughtUp'; readonly page: UsageList; readonly isHeld: boolean }
  | { readonly type: 'arrived'; readonly requests: readonly UsageView[]; readonly isHeld: boolean }
  | { readonly type: 'failed' | 'moreFailed'; readonly error: Error }
  | { readonly type: 'connection'; readonly state: Connection; readonly nowMs: number }

/** More than this can arrive before the first page only if that never comes. */
const MAX_EARLY = 1000

export function viewAfter(view: LogView, change: LogChange): LogView {
  switch (change.type) {
    case 'began':
      return { ...NO_VIEW, log: view.log, connection: view.connection, lostAtMs: view.lostAtMs, attempt: view.attempt }
    case 'retried':
      return { ...view, attempt: view.attempt + 1 }
    case 'started':
      return { ...view, log: startedWith(change.page, view.early), isBeginning: false, early: [], error: undefined }
    case 'failed':
      // Rows of another filter would be taken for those of this one.
      return { ...view, log: undefined, isBeginning: false, error: change.error }
    case 'moreBegan':
      return { ...view, isLoadingMore: true, moreError: undefined }
    case 'moreFailed':
      return { ...view, isLoadingMore: false, moreError: change.error }
    case 'connection':
      return connected(view, change)
    default:
      return view.log === undefined || view.isBeginning ? beforeStart(view, change) : withLog(view, view.log, change)
  }
}

type LogOnly = Extract<LogChange, { type: 'continued' | 'caughtUp' | 'arrived' | 'released' }>

function beforeStart(view: LogView, change: LogOnly): LogView {
  const requests = change.type === 'arrived' ? change.requests : change.type === 'caughtUp' ? change.page.usage : []
  return { ...view, early: [...requests, ...view.early].slice(0, MAX_EARLY) }
}

function withLog(view: LogView, log: RequestLog, change: LogOnly): LogView {
  switch (change.type) {
    case 'continued':
      return goneOn(view, log, change.page)
    case 'caughtUp':
      return { ...view, log: caughtUp(log, change.page, change.isHeld) }
    case 'arrived':
      return { ...view, log: arrived(log, change.requests, change.isHeld) }
    case 'released':
      return { ...view, log: released(log) }
  }
}

function goneOn(view: LogView, before: RequestLog, page: UsageList): LogView {
  const log = continuedWith(before, page)
  const isEmpty = log.rows.length === before.rows.length
  return { ...view, log, isLoadingMore: false, emptyPages: isEmpty ? view.emptyPages + 1 : 0 }
}

function connected(view: LogView, { state, nowMs }: Extract<LogChange, { type: 'connection' }>): LogView {
  // A first attempt is no break, and a further attempt does not make an old one younger.
  const lostAtMs = state === 'open' ? undefined : state === 'waiting' ? (view.lostAtMs ?? nowMs) : view.lostAtMs
  return { ...view, connection: state, lostAtMs }
}
