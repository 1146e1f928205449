import { ArrowUp, List } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { cn } from '#renderer/components/cn.ts'
import { EmptyState, ErrorState, Loading } from '#renderer/components/states.tsx'
import { canContinue, MAX_ROWS, MAX_WAITING } from '#renderer/data/request-log.ts'
import { countText } from '#renderer/data/numbers.ts'
import { RequestGrid, type GridHandle } from '#renderer/pages/requests/RequestGrid.tsx'
import type { RequestLogHandle } from '#renderer/pages/requests/use-request-log.ts'

type RequestLogCardProps = {
  readonly log: RequestLogHandle
  readonly rowHeight: number
  readonly openId: string | undefined
  readonly hasFilter: boolean
  readonly onOpen: (id: string) => void
  /** Whether somebody has scrolled away from the newest. */
  readonly onAway: (isAway: boolean) => void
  readonly onRelease: () => void
  /** Goes on with the requests before an instant, in a new list. */
  readonly onEarlier: (until: string) => void
  readonly onClear: () => void
}

/** Pages without a match that are read on without asking. */
const MAX_EMPTY_PAGES = 5

export function RequestLogCard(props: RequestLogCardProps) {
  const { log, rowHeight, openId, hasFilter, onOpen, onAway, onClear } = props
  const { t } = useTranslation('requests')
  const grid = useRef<GridHandle>(null)
  if (log.error !== undefined) {
    return (
      <ErrorState title={t('failed')} onRetry={log.retry}>
        {log.error.message}
      </ErrorState>
    )
  }
  if (log.log === undefined) return <Loading lines={8} className="p-4" />
  const { rows, waiting, more } = log.log
  if (rows.length === 0 && waiting.length === 0 && more.type === 'end' && !log.isBeginning) {
    return <Nothing hasFilter={hasFilter} onClear={onClear} />
  }
  const isReadable = canContinue(log.log) && log.emptyPages < MAX_EMPTY_PAGES && log.moreError === undefined
  return (
    <div className={cn('relative', log.isBeginning && 'opacity-60')} aria-busy={log.isBeginning || undefined}>
      <Waiting
        count={waiting.length}
        onShow={() => {
          grid.current?.scrollToTop()
          props.onRelease()
        }}
      />
      <RequestGrid
        ref={grid}
        rows={rows}
        rowHeight={rowHeight}
        openId={openId}
        hasMore={more.type !== 'end'}
        onOpen={onOpen}
        onAway={onAway}
        onNearEnd={isReadable ? log.loadMore : undefined}
        footer={<Below {...props} />}
      />
    </div>
  )
}

function Nothing({ hasFilter, onClear }: Pick<RequestLogCardProps, 'hasFilter' | 'onClear'>) {
  const { t } = useTranslation('requests')
  return (
    <EmptyState
      icon={List}
      title={t(hasFilter ? 'emptyFiltered' : 'empty')}
      action={hasFilter ? <Button onClick={onClear}>{t('clear')}</Button> : undefined}
    >
      {t(hasFilter ? 'emptyFilteredHint' : 'emptyHint')}
    </EmptyState>
  )
}

function Waiting({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const { t, i18n } = useTranslation('requests')
  const shown = countText(count, i18n.language)
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-12 z-20 flex justify-center">
      {count > 0 && (
        <Button look="primary" size="small" onClick={onShow} className="pointer-events-auto animate-appear shadow-lg">
          <ArrowUp aria-hidden />
          {count >= MAX_WAITING ? t('waitingMost', { shown }) : t('waiting', { count, shown })}
        </Button>
      )}
    </div>
  )
}

/** What follows the last row: more, a failure, the end, or the bound. */
function Below({ log, onEarlier }: RequestLogCardProps) {
  const { t, i18n } = useTranslation('requests')
  const { log: list, isLoadingMore, moreError, emptyPages, loadMore } = log
  const last = list?.rows.at(-1)
  if (list === undefined) return null
  if (moreError !== undefined) {
    return (
      <span role="alert" className="inline-flex items-center gap-2 text-red">
        {moreError.message}
        <Button size="small" onClick={loadMore}>
          {t('common:retry')}
        </Button>
      </span>
    )
  }
  if (list.more.type === 'end') return t('end')
  if (list.rows.length >= MAX_ROWS && last !== undefined) {
    return (
      <span className="inline-flex flex-wrap items-center justify-center gap-2">
        {t('bound', { shown: countText(MAX_ROWS, i18n.language) })}
        <Button size="small" onClick={() => onEarlier(last.created_at)}>
          {t('earlier')}
        </Button>
      </span>
    )
  }
  if (emptyPages >= MAX_EMPTY_PAGES && !isLoadingMore) {
    return (
      <Button size="small" onClick={loadMore}>
        {t('further')}
      </Button>
    )
  }
  return <span role="status">{t('loadingMore')}</span>
}
