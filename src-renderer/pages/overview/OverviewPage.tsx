import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '#renderer/api/use-api.ts'
import { useCommands } from '#renderer/app/commands.tsx'
import { OwnLimits } from '#renderer/components/own-limits.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { ErrorState, StaleMark } from '#renderer/components/states.tsx'
import { newestOf } from '#renderer/data/live.ts'
import { Attention } from '#renderer/pages/overview/Attention.tsx'
import { FirstRunOffer } from '#renderer/pages/overview/FirstRunOffer.tsx'
import { Latest } from '#renderer/pages/overview/Latest.tsx'
import { BillsLine } from '#renderer/pages/overview/BillsLine.tsx'
import { ProjectLimits } from '#renderer/pages/overview/ProjectLimits.tsx'
import { viewOf, type OverviewSearch } from '#renderer/pages/overview/search.ts'
import { SpendCard } from '#renderer/pages/overview/SpendCard.tsx'
import { GatewayFacts } from '#renderer/pages/overview/GatewayFacts.tsx'
import { Tiles } from '#renderer/pages/overview/Tiles.tsx'
import { Waiting } from '#renderer/pages/overview/Waiting.tsx'
import { useLive } from '#renderer/pages/overview/use-live.ts'

const route = getRouteApi('/shell/overview')
/** As in the shell, which asks for the same and shares the answer. */
const EVERY_MS = 15_000
const REPORT_EVERY_MS = 60_000
const LATEST = 5

export function OverviewPage() {
  const { t } = useTranslation('overview')
  const navigate = useNavigate()
  const search = route.useSearch()
  const view = viewOf(search)
  const overview = useApi('overview', {}, { everyMs: EVERY_MS })
  const report = useApi(
    'usageReport',
    { query: { from: view.range, group: view.group, rollup: view.rollup } },
    { everyMs: REPORT_EVERY_MS, keepsPrevious: true },
  )
  const waiting = useApi('listWaiting', {}, { everyMs: EVERY_MS })
  const live = useLive()
  const change = (changed: OverviewSearch) =>
    void navigate({ to: '/overview', search: { ...search, ...changed }, replace: true, resetScroll: false })
  useCommands(
    useMemo(
      () => [{ id: 'first-run', label: t('firstRun.open'), run: () => void navigate({ to: '/first-run' }) }],
      [navigate, t],
    ),
  )
  const { data } = overview
  const hasFailed = overview.isError && data === undefined
  return (
    <>
      <PageHeader
        title={t('title')}
        {...(data === undefined ? {} : { zone: data.gateway.time_zone })}
        description={data === undefined ? undefined : <GatewayFacts gateway={data.gateway} />}
        actions={overview.isError && data !== undefined && <StaleMark atMs={overview.dataUpdatedAt} />}
      />
      {hasFailed ? (
        <ErrorState title={t('failed')} onRetry={() => void overview.refetch()}>
          {overview.error.message}
        </ErrorState>
      ) : (
        <div className="flex flex-col gap-4">
          <FirstRunOffer />
          <Tiles overview={data} />
          <OwnLimits overview={data} />
          <Attention items={data?.attention} zone={data?.gateway.time_zone} />
          <Waiting waiting={waiting.data} zone={data?.gateway.time_zone} />
          <SpendCard
            view={view}
            onChange={change}
            report={report.data}
            error={report.isError ? report.error : undefined}
            onRetry={() => void report.refetch()}
          />
          <Latest
            usage={data === undefined ? undefined : newestOf(live, data.latest, LATEST)}
            zone={data?.gateway.time_zone}
          />
          <ProjectLimits everyMs={EVERY_MS} />
          <BillsLine />
        </div>
      )}
    </>
  )
}
