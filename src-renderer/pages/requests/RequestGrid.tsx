// The rows in sight of a list of any length. Rows have one height, keep their element while others come in above them, and are
// reached by the arrow keys; the row that has the focus is drawn even where it is out of sight, so that it keeps it.

import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
} from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageView } from '#contract/schemas.ts'
import { useNow } from '#renderer/components/use-now.ts'
import { RequestHead, RequestRow } from '#renderer/pages/requests/RequestRow.tsx'

export type GridHandle = { readonly scrollToTop: () => void }

type RequestGridProps = {
  readonly ref: Ref<GridHandle>
  readonly rows: readonly UsageView[]
  readonly rowHeight: number
  readonly openId: string | undefined
  readonly hasMore: boolean
  readonly onOpen: (id: string) => void
  readonly onAway: (isAway: boolean) => void
  /** Asked for more rows; undefined where there are none to be had. */
  readonly onNearEnd: (() => void) | undefined
  readonly footer: ReactNode
}

const HEAD_HEIGHT = 36
/** Rows drawn above and below those in sight. */
const OVERSCAN = 8
/** Rows before the end at which the next page is asked for. */
const NEAR_END = 60
/** Scrolled less than this counts as looking at the newest. */
const AWAY_PX = 8

export function RequestGrid({ ref, rows, rowHeight, openId, hasMore, onOpen, onAway, ...rest }: RequestGridProps) {
  const { t, i18n } = useTranslation('requests')
  const { onNearEnd, footer } = rest
  const scroller = useRef<HTMLDivElement>(null)
  const nowMs = useNow()
  const active = useActive(rows, openId, scroller)
  const { index: activeIndex } = active
  const virtual = useRows(scroller, { count: rows.length, rowHeight, activeIndex })
  useImperativeHandle(ref, () => ({ scrollToTop: () => scroller.current?.scrollTo({ top: 0 }) }), [])
  const shown = virtual.getVirtualItems()
  const isNearEnd = (virtual.range?.endIndex ?? 0) >= rows.length - NEAR_END
  useEffect(() => {
    if (isNearEnd) onNearEnd?.()
  }, [isNearEnd, onNearEnd, rows])
  const moveTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (row === undefined) return
    virtual.scrollToIndex(rows.indexOf(row))
    active.focus(row.id)
  }
  return (
    <div
      ref={scroller}
      onScroll={(event) => onAway(event.currentTarget.scrollTop > AWAY_PX)}
      className="relative max-h-[72vh] min-h-48 overflow-y-auto rounded-b-lg bg-surface [contain:content] [overflow-anchor:none]"
    >
      <div
        role="grid"
        aria-label={t('list')}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        tabIndex={activeIndex === -1 ? 0 : -1}
        onKeyDown={gridKeys({
          index: activeIndex,
          pageRows: Math.max(1, shown.length - 2 * OVERSCAN),
          count: rows.length,
          moveTo,
          onOpen: () => active.id !== undefined && onOpen(active.id),
        })}
        className="-outline-offset-2"
      >
        <RequestHead />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const request = rows[index]
            return request === undefined ? null : (
              <RequestRow
                key={request.id}
                request={request}
                index={index}
                top={start - HEAD_HEIGHT}
                height={rowHeight}
                nowMs={nowMs}
                t={t}
                locale={i18n.language}
                isActive={active.id === request.id}
                isOpen={openId === request.id}
                onFocus={active.set}
                onOpen={onOpen}
              />
            )
          })}
        </div>
      </div>
      {/* What says how far the list is read is no part of the grid, which may have nothing but rows. */}
      <div className="px-3 py-3 text-center text-xs text-muted">{footer}</div>
    </div>
  )
}

type RowsOptions = { readonly count: number; readonly rowHeight: number; readonly activeIndex: number }

function useRows(scroller: RefObject<HTMLElement | null>, { count, rowHeight, activeIndex }: RowsOptions) {
  const rangeExtractor = useCallback(
    (range: Range) => withIndex(defaultRangeExtractor(range), activeIndex),
    [activeIndex],
  )
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor,
  })
  useEffect(() => virtual.measure(), [rowHeight, virtual])
  return virtual
}

/** The row that the Tab key leads to. It has the focus once it is drawn where `focus` was asked for. */
function useActive(rows: readonly UsageView[], openId: string | undefined, scroller: RefObject<HTMLElement | null>) {
  const [chosen, setChosen] = useState<{ readonly id: string; readonly isWanted: boolean }>()
  const index = useMemo(() => {
    const found = chosen === undefined ? -1 : rows.findIndex((row) => row.id === chosen.id)
    return found === -1 && rows.length > 0 ? 0 : found
  }, [chosen, rows])
  const wanted = chosen?.isWanted === true ? chosen.id : undefined
  useEffect(() => {
    if (wanted === undefined) return undefined
    const frame = requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted)}"]`)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [scroller, wanted])
  const lastOpen = useRef(openId)
  useEffect(() => {
    const closed = openId === undefined ? lastOpen.current : undefined
    lastOpen.current = openId
    // Whoever closes the receipt goes on from the row that it was about.
    if (closed !== undefined) setChosen({ id: closed, isWanted: true })
  }, [openId])
  return {
    id: rows[index]?.id,
    index,
    set: useCallback((id: string) => setChosen({ id, isWanted: false }), []),
    focus: (id: string) => setChosen({ id, isWanted: true }),
  }
}

function withIndex(indexes: number[], index: number): number[] {
  if (index === -1 || indexes.includes(index)) return indexes
  return [...indexes, index].toSorted((left, right) => left - right)
}

type KeyPressOptions = {
  readonly index: number
  readonly pageRows: number
  readonly count: number
  readonly moveTo: (index: number) => void
  readonly onOpen: () => void
}

function gridKeys({ index, pageRows, count, moveTo, onOpen }: KeyPressOptions) {
  return (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.closest('button, a') !== null) return
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + pageRows,
      PageUp: index - pageRows,
      Home: 0,
      End: count - 1,
    }
    const target = targets[event.key]
    if (target !== undefined) moveTo(target)
    else if (event.key === 'Enter') onOpen()
    else return
    event.preventDefault()
  }
}
