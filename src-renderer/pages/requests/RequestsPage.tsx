import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFilterChoices } from '#renderer/api/use-filter-choices.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { useDensity } from '#renderer/app/preferences.ts'
import { After } from '#renderer/components/after.tsx'
import { Card } from '#renderer/components/card.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ownZone } from '#renderer/data/zone-dates.ts'
import { ExportButton } from '#renderer/pages/requests/ExportRequests.tsx'
import { FindRequest } from '#renderer/pages/requests/FindRequest.tsx'
import { LiveState } from '#renderer/pages/requests/LiveState.tsx'
import { ReceiptSheet } from '#renderer/pages/requests/ReceiptSheet.tsx'
import { RefusedCard } from '#renderer/pages/requests/RefusedCard.tsx'
import { RequestFilters } from '#renderer/pages/requests/RequestFilters.tsx'
import { RequestLogCard } from '#renderer/pages/requests/RequestLogCard.tsx'
import { filterOf, parseSearch, type RequestsSearchChange } from '#renderer/pages/requests/search.ts'
import { useRequestLog } from '#renderer/pages/requests/use-request-log.ts'

const route = getRouteApi('/shell/requests')
const ROW_HEIGHTS = { dense: 36, comfortable: 48 } as const

export function RequestsPage() {
  const { t } = useTranslation('requests')
  const search = route.useSearch()
  const change = useChange()
  const [density] = useDensity()
  const filter = useMemo(() => filterOf(search), [search])
  const [isPaused, setIsPaused] = useState(false)
  const [isAway, setIsAway] = useState(false)
  const isHeld = isPaused || isAway || search.open !== undefined
  const log = useRequestLog(filter, isHeld)
  const waiting = log.log?.waiting.length ?? 0
  const { release } = log
  useEffect(() => {
    if (!isHeld && waiting > 0) release()
  }, [isHeld, release, waiting])
  const open = useCallback((id: string | undefined) => change({ open: id }), [change])
  const clear = useCallback(() => {
    change(Object.fromEntries(Object.keys(filter).map((name) => [name, undefined])))
  }, [change, filter])
  useCommands(
    useMemo(
      () => [
        { id: 'pause', label: t(isPaused ? 'resumeAll' : 'pauseAll'), run: () => setIsPaused(!isPaused) },
        { id: 'clear', label: t('clear'), run: clear },
      ],
      [clear, isPaused, t],
    ),
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        zone={ownZone()}
        actions={
          <>
            <FindRequest onOpen={open} />
            <ExportButton filter={filter} />
            <LiveState
              connection={log.connection}
              lostAtMs={log.lostAtMs}
              isPaused={isPaused}
              onPause={() => setIsPaused(!isPaused)}
            />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <RequestFilters filter={filter} choices={useFilterChoices()} onChange={change} onClear={clear} />
        <Card isFlush aria-label={t('list')}>
          <RequestLogCard
            log={log}
            rowHeight={ROW_HEIGHTS[density]}
            openId={search.open}
            hasFilter={Object.keys(filter).length > 0}
            onOpen={open}
            onAway={setIsAway}
            onRelease={release}
            onEarlier={(until) => change({ until })}
            onClear={clear}
          />
        </Card>
        <After isReady={log.log !== undefined || log.error !== undefined}>
          <RefusedCard filter={filter} onOpen={open} />
        </After>
        <ReceiptSheet id={search.open} rows={log.log?.rows ?? []} onOpen={open} />
      </div>
    </>
  )
}

function useChange(): (change: RequestsSearchChange) => void {
  const navigate = useNavigate()
  return useCallback(
    (change) =>
      void navigate({
        to: '/requests',
        search: (before) => parseSearch({ ...before, ...change }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
}
